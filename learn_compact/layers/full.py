"""full_compact (Claude Code, layer 5): a new chain of messages in place of the whole conversation.

Semantic content goes into the summary, state into attachments; what can be fetched again is cleared before anybody
summarises it. The chain is one user message, because the API would join several to one anyway: boundary and summary,
the newest request, attachments, what hooks said, and the sentence that the work goes on. Left out: what is attached,
which a `restoration` knows (`restore`).
"""

from typing import NamedTuple

from learn_compact.errors import demand
from learn_compact.layers.age import without_recoverable
from learn_compact.layers.auto import in_room, kept_from, with_originals
from learn_compact.layers.request import carried_blocks
from learn_compact.layers.thinking import without_stale_thinking
from learn_compact.layers.weight import outweighs
from learn_compact.messages import CARRIED_REQUEST, CONTINUES, blocks, carried_request, marker_path
from learn_compact.summaries import Summary, usable, with_requests
from learn_compact.tokens import estimate_by_kind, estimate_chars

BOUNDARY = "[Conversation compacted: {trigger}, {tokens} tokens before]"
NO_ROOM = "Left out, because there was no room beside the summary:"


class Attachment(NamedTuple):
    """A text that is attached to a summary. One with a `name` may go where there is no room, and is named then."""

    text: str
    name: str = ""


def full_compact(messages, *, summarize, archive, trigger="auto", focus="", restoration=None, shrink_kept=False,
                 shown=None):
    """Boundary, summary, newest request, attachments and a last sentence as one user message, in place of all.

    The first block is `[Conversation compacted: TRIGGER, N tokens before]`, `Transcript: PATH` and the summary. Results
    that can be fetched again are cleared before `summarize` sees them, and what was attached earlier is left out; with
    `shown` it sees `shown(messages)`: a `PrefixSummarizer` needs them as they were sent. In a `Summary` the user's
    messages stand word for word, those of earlier summaries too. Results that the model has not seen stay, with the
    answer that called for them; `shrink_kept` (after a refusal of the API) moves them to disk where they are more than
    half of all. Where the chain would not be smaller, files go, and it names them; if that is not enough, the input is
    given back.

    `restoration` has `focus(messages, trigger)`, `attachments(messages, archive, trigger)` and `clear()`. Source:
    Claude Code. Raises SummaryError for an empty summary, ArchiveError where the disk refuses.

    >>> import tempfile
    >>> from learn_compact import Archive
    >>> messages = [{"role": "user", "content": "Count."}, {"role": "assistant", "content": "The lines. " * 90}]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     after = full_compact(messages, summarize=lambda messages, focus: "Nothing is counted yet.",
    ...                          archive=Archive(folder, clock=lambda: 7))
    >>> print(after[0]["content"][0]["text"])
    [Conversation compacted: auto, 274 tokens before]
    Transcript: .transcripts/transcript_7.jsonl
    <BLANKLINE>
    Nothing is counted yet.
    """
    demand(callable(summarize), "summarize", "a function, such as a ModelSummarizer(client, model)", summarize)
    demand(hasattr(archive, "save_transcript"), "archive", "an Archive(folder)", archive)
    demand(restoration is None or hasattr(restoration, "attachments"), "restoration", "a Restoration", restoration)
    demand(shown is None or callable(shown), "shown", "a function from messages to messages", shown)
    demand(str(trigger).isidentifier(), "trigger", 'a word, such as "auto" or "manual"', trigger)
    start = kept_from(messages, keep_unseen=True)
    if shrink_kept:
        messages = [*messages[:start], *in_room(messages[start:], estimate_chars(messages) // 2, archive)]
    gone, kept = messages[:start], messages[start:]
    if all(carried_request(message, archive) is not None for message in gone):
        return messages  # nothing, or only what an earlier compaction left
    path = archive.save_transcript(with_originals(gone, archive))
    if restoration:
        focus = "; ".join(filter(None, [focus, restoration.focus(gone, trigger)]))
    summary = usable(summarize(shown(gone) if shown else _to_summarise(gone, archive), focus=focus))
    if isinstance(summary, Summary):
        summary = with_requests(summary, gone, archive)
    header = BOUNDARY.format(trigger=trigger, tokens=estimate_by_kind(messages))
    base = [_text(f"{header}\nTranscript: {path}\n\n{summary}"), *carried_blocks(gone, kept, archive)]
    attached = restoration.attachments(gone, archive, trigger) if restoration else []
    ours = _fitting(gone, base, attached)
    if ours is None:
        return messages
    if restoration:
        restoration.clear()
    return without_stale_thinking([ours, *kept], 0)


def _to_summarise(gone, archive):
    """What the summary is made of: no results that can be fetched again, no path and no attachments of an earlier one.
    """
    return without_recoverable([_without_attachments(message, archive) for message in gone])


def _without_attachments(message, archive):
    if carried_request(message, archive) is None or isinstance(message["content"], str):
        return message
    first, *others = blocks(message)
    if first["text"].startswith(BOUNDARY.partition("{")[0]):  # of our headers the one that is known without its path
        first = {**first, "text": first["text"].replace(f"\nTranscript: {marker_path(first['text'])}", "", 1)}
    return {**message, "content": [first, *(block for block in others if block.get("type") != "text"
                                            or block["text"].startswith(CARRIED_REQUEST))]}


def _fitting(gone, base, attached):
    """The message with as many attachments as leave it smaller than what is gone, the last files out first."""
    attached, left_out = list(attached), []
    while True:
        said = [one.text for one in attached]
        if left_out:
            said.append("\n> ".join([NO_ROOM, *left_out]))
        ours = {"role": "user", "content": [*base, *map(_text, said), _text(CONTINUES)]}
        if outweighs(gone, [ours]):
            return ours
        last = next((i for i in range(len(attached) - 1, -1, -1) if attached[i].name), None)
        if last is not None:
            left_out.insert(0, attached.pop(last).name)
        elif left_out:
            left_out = []  # not even their names
        else:
            return None


def _text(text):
    return {"type": "text", "text": text}
