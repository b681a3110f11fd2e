"""How wrong each estimator was on this conversation, held against what the API counted."""

from typing import NamedTuple

from learn_compact.lab import absolute_error, growth_error
from learn_compact.tokens import Meter, estimate_by_kind, estimate_tokens, visible_chars

ESTIMATORS = {
    "visible / 4": lambda messages: visible_chars(messages) // 4,
    "len // 4": estimate_tokens,
    "by kind": estimate_by_kind,
}


class Estimate(NamedTuple):
    """An estimator's error as a share of what the API counted, at the last request and in the growth up to it."""

    name: str
    at_the_end: float
    growth: float


def estimates(segments):
    """The errors on the segment that grew most, and its number: ([Estimate], number); ([], None) where none grew.

    The meter stands on the API's count of the request before, so its error is that of one step.
    """
    segment = max((one for one in segments if len(one.requests) > 1), key=_growth, default=None)
    if segment is None or _growth(segment) <= 0:
        return [], None
    found = [Estimate(name, absolute_error(segment, rule), growth_error(segment, rule))
             for name, rule in ESTIMATORS.items()]
    counted, off = segment.requests[-1].context_tokens, _metered(segment)
    return [*found, Estimate("meter", off / counted, off / _growth(segment))], segment.number


def _growth(segment):
    return segment.requests[-1].context_tokens - segment.requests[0].context_tokens


def _metered(segment):
    """What the meter said before the last request, less what the API counted."""
    meter, conversation = Meter(), segment.conversation()
    before, last = segment.requests[-2:]
    meter.anchor(conversation[:before.index], before.usage)
    return meter.tokens(conversation[:last.index]) - last.context_tokens
