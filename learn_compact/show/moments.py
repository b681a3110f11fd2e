"""What was in the context before each request of a conversation: the model behind `growth` and `explore`.

Measured once, block by block; what a slider shows afterwards is looked up.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from learn_compact.conversations import fixed_parts, requests_of
from learn_compact.data import Request
from learn_compact.errors import MessageError
from learn_compact.lab.given import must_be
from learn_compact.show.blocks import Block, flatten
from learn_compact.tokens import count_block


@dataclass(frozen=True)
class Moment:
    """The context before one request.

    `parts` are tokens by part; `counted` is the API's own count (None where nobody asked it); `compaction` says that
    one came right before ("auto", "manual"), and `compacted_from` how many tokens there were until then, if that is
    known. `blocks` are those of the stretch since the last compaction, of which the first `sent` are in this context,
    and the last `fresh` of these have come since the request before.
    """

    request: int
    parts: dict
    counted: int | None
    compaction: str | None
    compacted_from: int | None
    blocks: list[Block]
    sent: int
    fresh: int

    @property
    def total(self):
        return sum(self.parts.values())


def moments(source, measure=count_block):
    """The moments of an outline or a conversation (all segments), or of one segment: a list of `Moment`, from 1.

    The points of an agent are moments already, without blocks.

    What a log doesn't show, most of all the system prompt and the tools, is the part "unlogged": what the API counted
    for the first request of a segment, less what the log shows of it. Without usage a moment stands before every
    answer; where nothing was answered, one is the context as it would be sent.

    >>> from learn_compact.data import load_outline
    >>> from learn_compact.tokens import estimate_block
    >>> first = moments(load_outline("sniffly-d3ad4cdc"), estimate_block)[0]
    >>> first.counted, first.total, first.parts["unlogged"]
    (14187, 14187, 14157)
    """
    must_be(callable(measure), "measure", "a function from a block to tokens", measure)
    if isinstance(source, list | tuple) and all(hasattr(moment, "parts") for moment in source):
        found = list(source)
    elif hasattr(source, "segments") or hasattr(source, "conversation"):
        found = []
        segments, fixed = getattr(source, "segments", None) or [source], fixed_parts(source, measure)
        for segment in segments:
            found += _moments_of(segment, len(found), measure, fixed)
        if not found:
            found = _moments_of(segments[-1], 0, measure, fixed, unasked=True)
    else:
        raise MessageError("This picture needs an outline (`load_outline(name)`), a conversation (`load(path)`), a "
                           f"segment of one, or the points of an agent, not {type(source).__name__}.")
    if not found:
        raise MessageError("There is no request here, so there is nothing to draw.")
    return found


def _moments_of(segment, before, measure, fixed, unasked=False):
    messages = segment.conversation()
    blocks = flatten(messages, measure)
    if segment.compaction:
        blocks = [block._replace(part="summary") if block.message == 0 else block for block in blocks]
    parts, sent, found = Counter(fixed), 0, []
    requests = [Request(len(messages), 0.0, "", {})] if unasked else requests_of(segment, messages)
    for number, request in enumerate(requests, before + 1):
        start = sent
        while sent < len(blocks) and blocks[sent].message < request.index:
            parts[blocks[sent].part] += blocks[sent].tokens
            sent += 1
        if not found:
            parts["unlogged"] = max(0, request.context_tokens - parts.total())
        compaction = (None, None) if found else (segment.compaction, segment.pre_tokens)
        counted = request.context_tokens or None
        found.append(Moment(number, dict(parts), counted, *compaction, blocks, sent, sent - start))
    return found


def stretches(moments):
    """The moments cut where a compaction came: a list of lists.

    A compaction makes the context smaller at once, so nothing is drawn from one stretch to the next.
    """
    found = []
    for moment in moments:
        if moment.compaction or not found:
            found.append([])
        found[-1].append(moment)
    return found


def compactions(moments):
    """The last moment before and the first after each compaction, as pairs."""
    pieces = stretches(moments)
    return [(before[-1], after[0]) for before, after in pairwise(pieces)]


def compacted(before, after):
    """The tokens that a compaction began with: more than at the request before, by what was said and done since.

    Where nobody counted them, they are those of that request.
    """
    return after.compacted_from or size(before)


def size(moment):
    """The tokens of a context: as the API counted them, else by our count."""
    return moment.counted or moment.total
