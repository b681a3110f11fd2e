"""auto_compact (s06, layer 2): the whole conversation goes to disk, and one message with a summary takes its place.

The transcript is written before the model is asked, and the messages are replaced only when a usable summary is there:
a failure at any point leaves them as they were. Left out: when to call it (a step's business), and how a summary is
asked for (`summaries`).
"""

from learn_compact.errors import SummaryError
from learn_compact.layers.micro import is_placeholder
from learn_compact.layers.results import with_contents
from learn_compact.layers.thinking import newest_answer
from learn_compact.messages import CARRIED_REQUEST, carried_request, newest_request, tool_results, unseen_results
from learn_compact.tokens import estimate_chars, estimate_tokens

HEADER = "[Conversation compressed. Transcript: {path}]"


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
    kept_from = newest_answer(messages) if keep_unseen and unseen_results(messages) else len(messages)
    gone, kept = messages[:kept_from], messages[kept_from:]
    if all(carried_request(message, archive) is not None for message in gone):
        return messages  # nothing, or only what an earlier compaction left
    path = archive.save_transcript(with_originals(messages, archive) if restore_originals else messages)
    summary = str(summarize(gone, focus=focus) or "")
    if refuse_empty and not summary.strip():
        raise SummaryError("The summary is empty; the conversation stays as it was. Ask again, or ask another model.")
    text = f"{HEADER.format(path=path)}\n\n{summary}"
    request = "" if not carry_request or newest_request(kept, archive) else newest_request(messages, archive)
    after = [{"role": "user", "content": _with_request(text, request)}, *kept]
    return after if _is_smaller(after, messages) else messages


def with_originals(messages, archive):
    """The messages with every placeholder replaced by the result that once stood there, where the archive has it."""
    return with_contents(messages, {
        (i, j): archive.result(block["tool_use_id"])
        for i, j, block in tool_results(messages)
        if is_placeholder(block.get("content")) and block["tool_use_id"] in archive})


def _with_request(text, request):
    if not request:
        return text
    return [{"type": "text", "text": text}, {"type": "text", "text": f"{CARRIED_REQUEST}\n{request}"}]


def _is_smaller(after, before):
    return estimate_tokens(after) < estimate_tokens(before) and estimate_chars(after) < estimate_chars(before)
