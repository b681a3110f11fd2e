"""How wrong each estimator was on this conversation, held against what the API counted."""

from typing import NamedTuple

from learn_compact.tokens import Meter, estimate_by_kind, repr_size, visible_chars
from learn_compact.tokens.estimate import CHARS_PER_TOKEN

# name: (size of one message, the units of it that make a token); summed over messages, exactly the rules of chapter 1
ESTIMATORS = {
    "visible / 4": (lambda message: visible_chars([message]), CHARS_PER_TOKEN),
    "len // 4": (repr_size, CHARS_PER_TOKEN),
    "by kind": (lambda message: estimate_by_kind([message]), 1),
}


class Estimate(NamedTuple):
    """An estimator's error as a share of what the API counted, at the last request and in the growth up to it."""

    name: str
    at_the_end: float
    growth: float


def held_on(segments):
    """The segment that grew most, by the API's count, from its first request to its last; None where none grew."""
    grown = [segment for segment in segments if len(segment.requests) > 1 and _growth(segment) > 0]
    return max(grown, key=_growth, default=None)


def estimates(segment, life):
    """The errors on a segment that grew and has the messages `life`, as a list of `Estimate`.

    The meter stands on the API's count of the request before, so its error is that of one step.
    """
    first, before, last = segment.requests[0], *segment.requests[-2:]
    counted, grown, found = last.context_tokens, _growth(segment), []
    for name, (size, units) in ESTIMATORS.items():
        at_first = sum(map(size, life[:first.index]))
        at_last = at_first + sum(map(size, life[first.index:last.index]))
        found.append(Estimate(name, at_last // units / counted - 1, (at_last // units - at_first // units) / grown - 1))
    meter = Meter()
    meter.anchor(life[:before.index], before.usage)
    off = meter.tokens(life[:last.index]) - counted
    return [*found, Estimate("meter", off / counted, off / grown)]


def _growth(segment):
    return segment.requests[-1].context_tokens - segment.requests[0].context_tokens
