"""Context collapse (Claude Code, layer 4): a projection at read time; nothing that is stored is changed.

A *span* is plain data, `{"start": i, "end": j, "summary": text}`: whoever reads gets one message of the assistant in
place of `messages[i:j]`. Without the span everything is back, and a list of spans can be saved as JSON.
Left out: a model that writes the summaries. `finished_spans` says mechanically what was called and what was said.
"""

from itertools import pairwise

from learn_compact.errors import PolicyError, demand
from learn_compact.layers.age import is_recoverable
from learn_compact.layers.thinking import newest_answer, without_stale_thinking
from learn_compact.layers.weight import outweighs
from learn_compact.messages import THINKING, blocks, newest_request, safe_cuts

SPAN_MESSAGES = 20  # of the stretches that `finished_spans` cuts, so that the cached prefix changes only now and then
KEEP_LAST = 20
MAX_SAID_CHARS = 2_000  # of one text of the assistant, in the summary of a span
MAX_CALL_CHARS = 100

_FIELDS = {"start": int, "end": int, "summary": str}
_FORM = "[{count} messages collapsed]\n{summary}"


def collapse(messages, spans):
    """The messages as they are read: one message, `[N messages collapsed]` and the span's summary, in place of a span.

    A span that would part a call from its result begins later or ends earlier; the first message, the user's newest
    request, the newest answer and what follows it are never in one. A span that saves nothing is not collapsed.
    Messages outside are shared. Source: Claude Code. Raises PolicyError for spans out of range or over one another.

    >>> said = [{"role": "user", "content": "Count."}, {"role": "assistant", "content": "One, two. " * 20},
    ...         {"role": "user", "content": "And?"}, {"role": "assistant", "content": "Three."}]
    >>> collapse(said, [{"start": 1, "end": 2, "summary": "Counted to two."}])[1]
    {'role': 'assistant', 'content': '[1 messages collapsed]\\nCounted to two.'}
    """
    spans = _in_order(spans, len(messages))
    cuts, latest, request = safe_cuts(messages), newest_answer(messages), _newest_request(messages)
    after, position, changed = [], 0, None
    for span in spans:
        start, end = _within(span, cuts, latest, request)
        read = {"role": "assistant", "content": _FORM.format(count=end - start, summary=span["summary"])}
        if start < end and outweighs(messages[start:end], [read]):
            after += messages[position:start]
            changed = len(after) if changed is None else changed
            after.append(read)
            position = end
    return messages if changed is None else without_stale_thinking([*after, *messages[position:]], changed)


def finished_spans(messages, *, span_messages=SPAN_MESSAGES, keep_last=KEEP_LAST):
    """Spans for stretches of work that are finished: calls whose results can be had again, and what was said between.

    They are cut from the beginning in stretches of `span_messages`, up to the newest `keep_last` messages, and hold no
    message of the user. Their summaries name each call and keep what the assistant said, its end where that is long.
    """
    cuts, spans, start = set(safe_cuts(messages)), [], None
    for i, message in enumerate(messages[:max(0, len(messages) - keep_last)]):
        if not _is_work(message):
            start = None
        elif start is not None or i in cuts:
            start = i if start is None else start
            if i + 1 in cuts and i + 1 - start >= span_messages:
                spans.append({"start": start, "end": i + 1, "summary": _told(messages[start:i + 1])})
                start = None
    return spans


def collapse_finished(messages, **parameters):
    """The messages with every finished stretch collapsed: `collapse` with the spans of `finished_spans`."""
    return collapse(messages, finished_spans(messages, **parameters))


def _in_order(spans, count):
    demand(isinstance(spans, list | tuple), "spans", "a list", spans)
    for span in spans:
        demand(isinstance(span, dict) and all(isinstance(span.get(name), kind) for name, kind in _FIELDS.items()),
               "A span", '{"start": 1, "end": 3, "summary": "text"}', span)
        if not 0 <= span["start"] < span["end"] <= count:
            raise PolicyError(f"A span from {span['start']} to {span['end']} doesn't lie in {count} messages.")
    spans = sorted(spans, key=lambda span: span["start"])
    for one, other in pairwise(spans):
        if other["start"] < one["end"]:
            raise PolicyError(f"The span from {other['start']} begins inside the one from {one['start']}.")
    return spans


def _within(span, cuts, latest, request):
    """The part of a span that may be collapsed."""
    start = next((cut for cut in cuts if cut >= span["start"]), latest)
    limit = min(span["end"], latest, request if request is not None and request >= start else latest)
    return start, max((cut for cut in cuts if cut <= limit), default=0)


def _newest_request(messages):
    return next((i for i in range(len(messages) - 1, -1, -1) if newest_request(messages[i:i + 1])), None)


def _is_work(message):
    """Whether a message holds nothing but the assistant's words, calls whose results can be had again, or results."""
    kinds = ("tool_result",) if message.get("role") == "user" else ("text", *THINKING)
    parts = blocks(message)
    return bool(parts) and all(block.get("type") in kinds or is_recoverable(block) for block in parts)


def _told(messages):
    lines = []
    for block in (block for message in messages for block in blocks(message)):
        if block["type"] == "text":
            lines.append(_end(block["text"]))
        elif block["type"] == "tool_use":
            arguments = " ".join(str(value) for value in block["input"].values())
            lines.append(f"> called {block['name']} {' '.join(arguments.split())[:MAX_CALL_CHARS]}")
        elif block.get("is_error"):
            lines.append("> and that failed")
    return "\n".join(lines)


def _end(text):
    """The end of a text, in whole lines where it has any."""
    end = text[-MAX_SAID_CHARS:]
    return end if end == text else end[end.find("\n") + 1:]
