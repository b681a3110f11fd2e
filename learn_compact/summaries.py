"""Asking a model for a summary, and reading strictly what comes back.

A pipeline is given a callable, `summarize(messages, focus="") -> str`; `ModelSummarizer` is the one that asks a model.
A summary replaces everything that was said, so what can't be one is refused here, by name, and the history stays.
Left out: whether a good-looking summary is true.
"""

import json

from learn_compact.errors import SummaryError
from learn_compact.messages import THINKING, blocks

SUMMARY_MAX_TOKENS = 2_000
SUMMARY_MAX_CHARS = 80_000

_LONGEST_SHARE = 4  # one message may fill a quarter of the room, or it would push out all others


def three_points(focus=""):
    """The prompt of s06: what was accomplished, the current state, the key decisions; short, but nothing critical lost.

    >>> print(three_points("the failing test").splitlines()[-1])
    Preserve every detail about: the failing test
    """
    prompt = ("Summarize the conversation below, so that the work can be continued from the summary alone. Say:\n"
              "1) what was accomplished\n2) the current state\n3) the key decisions that were made\n"
              "Be concise, but keep every critical detail: requests, file names, numbers, errors, what comes next.")
    return f"{prompt}\nPreserve every detail about: {focus}" if focus else prompt


def whole_messages(messages, max_chars=SUMMARY_MAX_CHARS):
    """The conversation as text, one JSON message a line, at most `max_chars` characters, cut between messages.

    The first message stays (the first request, or an earlier summary), and as many of the newest as there is room for;
    what is left out between is said. A message that alone would fill a quarter of the room loses the middle of its long
    texts, and says so. Thinking stays out, as in any later request; a picture is named.

    >>> request = {"role": "user", "content": "Count the lines of every file."}
    >>> print(whole_messages([request] + [{"role": "assistant", "content": "Reading."}] * 9, max_chars=250))
    {"role": "user", "content": "Count the lines of every file."}
    [6 messages left out here]
    {"role": "assistant", "content": "Reading."}
    {"role": "assistant", "content": "Reading."}
    {"role": "assistant", "content": "Reading."}
    """
    lines = [_line(message, max_chars // _LONGEST_SHARE) for message in messages]
    room = max_chars - sum(len(line) + 1 for line in lines[:1]) - len(_left_out(len(lines))) - 1
    first_kept = len(lines)
    while first_kept > 1 and (room := room - len(lines[first_kept - 1]) - 1) >= 0:
        first_kept -= 1
    middle = [_left_out(first_kept - 1)] if first_kept > 1 else []
    return "\n".join(lines[:1] + middle + lines[first_kept:])


def last_chars(messages, max_chars=SUMMARY_MAX_CHARS):
    """As s06's source has it: the last characters of the JSON, which begin anywhere and miss the first request."""
    return json.dumps(messages, default=str)[-max_chars:]


def first_chars(messages, max_chars=SUMMARY_MAX_CHARS):
    """As s06's text has it: the first characters of the JSON, which end anywhere and miss all that is new."""
    return json.dumps(messages, default=str)[:max_chars]


class ModelSummarizer:
    """A summary by a model: `summarizer(messages, focus="")` asks `client` for one and gives back its text.

    The request is one user message, `prompt(focus)` and then the conversation as text, so no call in it can be without
    its result. `as_text(messages, max_chars)` makes that text (`whole_messages`; s06 uses `last_chars`). The answer may
    have `max_tokens` tokens. `strict=False` takes whatever comes back, as s06 does.
    Raises SummaryError where the answer is empty, cut off, refused or a tool call, and where the API gives none.
    """

    def __init__(self, client, model, prompt=three_points, *, max_tokens=SUMMARY_MAX_TOKENS,
                 max_chars=SUMMARY_MAX_CHARS, as_text=whole_messages, strict=True):
        self.client, self.model, self.prompt = client, model, prompt
        self.max_tokens, self.max_chars, self.as_text, self.strict = max_tokens, max_chars, as_text, strict

    def __call__(self, messages, focus=""):
        from anthropic import APIError  # late, because it takes a second or two

        text = f"{self.prompt(focus)}\n\n{self.as_text(messages, self.max_chars)}"
        try:
            response = self.client.messages.create(model=self.model, max_tokens=self.max_tokens,
                                                   messages=[{"role": "user", "content": text}])
        except APIError as error:
            raise _refused(f"the API gave no answer: {error}") from error
        return read_summary(response) if self.strict else _text(response)


def read_summary(response):
    """The text of a response that was asked for a summary; SummaryError where it can't be one, with the cause."""
    asked_for = [block.name for block in response.content if block.type == "tool_use"]
    if asked_for or response.stop_reason == "tool_use":
        raise _refused(f"the model called {', '.join(asked_for) or 'a tool'} where text was asked for")
    if response.stop_reason not in ("end_turn", "stop_sequence"):
        cause = _CAUSES.get(response.stop_reason, f"the model stopped with {response.stop_reason!r}")
        raise _refused(cause.format(response=response))
    if not _text(response).strip():
        raise _refused("the answer is empty")
    return _text(response)


_CAUSES = {
    "max_tokens": "it was cut off at max_tokens, after {response.usage.output_tokens} tokens; allow more",
    "model_context_window_exceeded": "it was cut off where the context window ended; give the summary less to read",
    "refusal": "the model refused to write it",
}


def _refused(cause):
    return SummaryError(f"No summary: {cause}. The conversation stays as it was.")


def _text(response):
    return "".join(block.text for block in response.content if block.type == "text")


def _left_out(count):
    return f"[{count} message{'' if count == 1 else 's'} left out here]"


def _line(message, max_chars):
    """A message as a line of JSON; where it is too long, the middle of its long texts gives way."""
    content = message.get("content")
    if not isinstance(content, str):
        content = [_readable(block) for block in blocks(message) if block.get("type") not in THINKING]
    readable = {"role": message.get("role"), "content": content}
    line, longest = _json(readable), max_chars
    while len(line) > max_chars and longest > 40:  # several long texts share the room
        longest //= 2
        line = _json(_shortened(readable, longest))
    return line if len(line) <= max_chars else _shortened(line, max_chars - 40)  # too many texts, each of them short


def _readable(block):
    """A block as a reader of text can use it."""
    if block.get("type") in ("image", "document"):
        return {"type": block["type"], "text": f"[{block['type']} left out here]"}
    if isinstance(block.get("content"), list):
        return {**block, "content": [_readable(part) for part in blocks(block)]}
    return block


def _shortened(value, longest):
    if isinstance(value, str) and len(value) > longest:
        half = longest // 2
        return f"{value[:half]}[{len(value) - 2 * half} characters left out here]{value[-half:]}"
    if isinstance(value, list):
        return [_shortened(item, longest) for item in value]
    if isinstance(value, dict):
        return {key: _shortened(item, longest) for key, item in value.items()}
    return value


def _json(value):
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")  # lone surrogates can't be sent
