"""What an agent tells while it works, and how s06 prints it."""

import re
from dataclasses import dataclass

SHOWN_CHARS = 200  # of a tool's output (s06)

# What a terminal obeys instead of showing it: control characters but newline and tab, and those that turn text around.
# And halves of characters, which no terminal can be sent.
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@dataclass(frozen=True)
class Event:
    """One thing that happened: its kind, and the text that goes with it.

    Kinds: "tool" (`tool` is its name, `text` its output), "auto_compact" and "manual_compact" (a compaction begins to
    show), "transcript" (`text` is its path), "failed" (a compaction that could not be done, and why), "unchanged" (one
    that would have saved nothing), "stopped" (the model stopped for another reason than that it was done).
    """

    kind: str
    text: str = ""
    tool: str = ""


_LINES = {
    "auto_compact": "[auto_compact triggered]",
    "manual_compact": "[manual compact]",
    "transcript": "[transcript saved: {text}]",
    "failed": "[not compacted: {text}]",
    "unchanged": "[not compacted: {text}]",
    "stopped": "[stopped: {text}]",
}


_STOPPED = {
    "max_tokens": "the answer was cut off at max_tokens",
    "model_context_window_exceeded": "the answer was cut off where the context window ended",
    "refusal": "the model refused to answer",
    None: "the model gave no reason",
}


def why_stopped(stop_reason):
    """The text of a "stopped" event, by the stop reason that the API gave.

    >>> why_stopped("max_tokens")
    'the answer was cut off at max_tokens'
    """
    return _STOPPED.get(stop_reason, f"stop reason {stop_reason}")


def print_event(event):
    """Print an event as s06 does: tools by name with the beginning of their output, compactions in brackets.

    >>> print_event(Event("transcript", ".transcripts/transcript_7.jsonl"))
    [transcript saved: .transcripts/transcript_7.jsonl]
    """
    if event.kind == "tool":
        line = f"> {event.tool}:\n{event.text[:SHOWN_CHARS]}"
    else:
        line = _LINES[event.kind].format(text=event.text)
    print(printable(line))


def printable(text):
    """The text with a � for each character that would steer a terminal: a tool's output is data, whatever it holds.

    >>> printable("red: \\x1b[31m")
    'red: �[31m'
    """
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))
