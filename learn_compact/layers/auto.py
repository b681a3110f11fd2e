"""The layers that ask a model: the conversation goes to disk, and one message with a summary takes its place.

`auto_compact` is layer 2 of s06, `compact_history` the last step of s08, and `reactive_compact` its answer to a refusal
of the API. The transcript is written before the model is asked, and the messages are replaced only when a usable
summary is there: a failure at any point leaves them as they were. Left out: when to call them (a step's business), and
how a summary is asked for (`summaries`).
"""

from inspect import signature

from learn_compact.errors import demand
from learn_compact.layers.budget import PREVIEW_CHARS, tool_result_budget
from learn_compact.layers.micro import is_placeholder
from learn_compact.layers.request import carried_blocks, with_blocks
from learn_compact.layers.results import with_contents
from learn_compact.layers.thinking import newest_answer, without_stale_thinking
from learn_compact.layers.weight import outweighs
from learn_compact.messages import carried_request, safe_cuts, tool_results, unseen_results
from learn_compact.summaries import usable
from learn_compact.tokens import estimate_chars

HEADER = "[Conversation compressed. Transcript: {path}]\n\n"
S08_HEADER = "[Compacted]\nTranscript: {path}\n\n"
CONTEXT_CHAR_LIMIT = 50_000  # s08: what a conversation may have, in characters of `estimate_chars`
REACTIVE_KEEP_MESSAGES = 5


def auto_compact(messages, *, summarize, archive, focus="", carry_request=True, keep_unseen=True,
                 restore_originals=True, refuse_empty=True):
    """One user message, `[Conversation compressed. Transcript: PATH]`, a blank line and the summary, in place of all.

    `summarize(messages, focus=focus)` gives the summary as text or `Summary`; the transcript goes to `archive`, where
    results that are placeholders by now are written as they once arrived. The newest request follows word for word in
    a second block, under `Current user request:`. Results that the model has not seen yet stay, unchanged, with the
    answer that called for them; the summary covers what goes. Where that is nothing new, or the new messages would be
    larger, the input is given back.

    Source: s06, which keeps neither request (`carry_request=False`) nor unseen results (`keep_unseen=False`), writes
    placeholders into its transcripts (`restore_originals=False`) and takes an empty summary for one
    (`refuse_empty=False`). Raises SummaryError for a summary that is empty, ArchiveError where the disk refuses.

    >>> import tempfile
    >>> from learn_compact import Archive
    >>> messages = [{"role": "user", "content": "Count."}, {"role": "assistant", "content": "The lines. " * 30}]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     after = auto_compact(messages, summarize=lambda messages, focus: "1) Nothing yet.",
    ...                          archive=Archive(folder, clock=lambda: 7))
    >>> [block["text"] for block in after[0]["content"]]  # doctest: +NORMALIZE_WHITESPACE
    ['[Conversation compressed. Transcript: .transcripts/transcript_7.jsonl]\\n\\n1) Nothing yet.',
     'Current user request:\\nCount.']
    """
    return _summarised(messages, kept_from(messages, keep_unseen), HEADER, summarize, focus, archive,
                       carry_request=carry_request, restore_originals=restore_originals, refuse_empty=refuse_empty)


def compact_history(messages, *, summarize, archive, focus="", carry_request=True, keep_unseen=True):
    """What `auto_compact` does, as s08 writes it: the header is `[Compacted]`, and under it `Transcript: PATH`.

    Source: s08, where it runs above 50,000 characters (`CONTEXT_CHAR_LIMIT`). Parameters and errors are those of
    `auto_compact`; an empty summary is always refused, and a transcript always holds what results once said.

    >>> import tempfile
    >>> from learn_compact import Archive
    >>> messages = [{"role": "user", "content": "Count."}, {"role": "assistant", "content": "The lines. " * 30}]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     after = compact_history(messages, summarize=lambda messages, focus: "Nothing is counted yet.",
    ...                             archive=Archive(folder, clock=lambda: 7))
    >>> print(after[0]["content"][0]["text"])
    [Compacted]
    Transcript: .transcripts/transcript_7.jsonl
    <BLANKLINE>
    Nothing is counted yet.
    """
    return _summarised(messages, kept_from(messages, keep_unseen), S08_HEADER, summarize, focus, archive,
                       carry_request=carry_request)


def reactive_compact(messages, *, summarize, archive, focus="", keep_messages=REACTIVE_KEEP_MESSAGES,
                     max_kept_chars=CONTEXT_CHAR_LIMIT):
    """What is left to try when the API has refused the messages as too long: a summary, and the last `keep_messages`.

    More than that stay where a cut would part a call from its result or take a result that the model has not seen.
    Where the messages kept have more than `max_kept_chars` characters, or more than half of what was refused, the
    results among them go to disk, each down to its fair share: or the same refusal would follow.

    Source: s08, which then sends once more and no more than once. Errors are those of `compact_history`, and
    PolicyError for a number below 0.
    """
    demand(isinstance(keep_messages, int) and keep_messages >= 0, "keep_messages", "a whole number, 0 or more",
           keep_messages)
    demand(isinstance(max_kept_chars, int | float) and max_kept_chars >= 0, "max_kept_chars", "a number, 0 or more",
           max_kept_chars)
    last = min(kept_from(messages, keep_unseen=True), max(0, len(messages) - keep_messages))
    first_kept = max((cut for cut in safe_cuts(messages) if cut <= last), default=0)
    kept = messages[first_kept:]
    smaller = in_room(kept, min(max_kept_chars, estimate_chars(messages) // 2), archive)
    messages = messages if smaller is kept else [*messages[:first_kept], *smaller]
    return _summarised(messages, first_kept, S08_HEADER, summarize, focus, archive)


def in_room(messages, room, archive):
    """The messages with their results on disk, each down to its share of `room` characters; as they are if they fit."""
    if estimate_chars(messages) <= room:
        return messages
    share = room // max(1, len(tool_results(messages)))
    return tool_result_budget(messages, archive=archive, max_chars=share, preview_chars=min(PREVIEW_CHARS, share // 2))


def with_originals(messages, archive):
    """The messages with every placeholder replaced by the result that once stood there, where the archive has it."""
    return with_contents(messages, {
        (i, j): archive.result(block["tool_use_id"])
        for i, j, block in tool_results(messages)
        if is_placeholder(block.get("content")) and block["tool_use_id"] in archive})


def kept_from(messages, keep_unseen):
    """Where the results begin that the model has not seen, with the answer that called for them; else the end."""
    return newest_answer(messages) if keep_unseen and unseen_results(messages) else len(messages)


def _summarised(messages, first_kept, header, summarize, focus, archive, *, carry_request=True, restore_originals=True,
                refuse_empty=True):
    """One message of ours in place of those before `first_kept`."""
    gone, kept = messages[:first_kept], messages[first_kept:]
    if all(carried_request(message, archive) is not None for message in gone):
        return messages  # nothing, or only what an earlier compaction left
    demand(hasattr(archive, "save_transcript"), "archive", "an Archive(folder)", archive)
    path = archive.save_transcript(with_originals(messages, archive) if restore_originals else messages)
    try:
        summary = summarize(gone, focus=focus)
    except TypeError:
        demand(_takes_focus(summarize), "summarize", 'a function such as summarize(messages, focus="")', summarize)
        raise
    text = header.format(path=path) + str(usable(summary, refuse_empty))
    carried = carried_blocks(gone, kept, archive) if carry_request else []
    ours = {"role": "user", "content": with_blocks(text, carried)}
    return without_stale_thinking([ours, *kept], 0) if outweighs(gone, [ours]) else messages


def _takes_focus(summarize):
    try:
        signature(summarize).bind([], focus="")
    except TypeError:
        return False
    except ValueError:  # made in C, and says nothing about itself
        pass
    return True
