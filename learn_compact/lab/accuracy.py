"""How far an estimate is from what the API counted, on a real conversation.

An estimate is any function from messages to tokens. It sees what the log shows; the API counted the system prompt and
the tools as well, so an estimate is judged twice: by its size, and by how much it grew from the first request to the
last, where the fixed part drops out. A negative error is the dangerous one: compaction comes too late.
"""

from learn_compact.errors import PolicyError
from learn_compact.lab.given import must_be


def request_sizes(segment, estimate):
    """For every request of a segment `(tokens that the API counted, tokens that the estimate gives)`, in order."""
    _check(segment, estimate)
    conversation = segment.conversation()
    return [(request.context_tokens, estimate(conversation[:request.index])) for request in segment.requests]


def absolute_error(segment, estimate):
    """The error of an estimate at the last request, as a share of what the API counted (-0.25: a quarter too low).

    >>> from learn_compact import load_outline, estimate_tokens
    >>> round(absolute_error(load_outline("sniffly-d3ad4cdc").segments[0], estimate_tokens), 2)
    -0.34
    """
    request = _last(segment, estimate)
    return estimate(segment.conversation()[:request.index]) / request.context_tokens - 1


def growth_error(segment, estimate):
    """The error of an estimate in the growth from the first request to the last, as a share of the API's growth.

    >>> from learn_compact import load_outline, estimate_tokens
    >>> round(growth_error(load_outline("sniffly-d3ad4cdc").segments[0], estimate_tokens), 2)
    -0.24
    """
    last = _last(segment, estimate)
    first = segment.requests[0]
    grown = last.context_tokens - first.context_tokens
    if grown <= 0:
        raise PolicyError(f"{segment.name}, segment {segment.number} doesn't grow between its first request and its "
                          "last, so an error in its growth means nothing. Take another segment.")
    conversation = segment.conversation()
    return (estimate(conversation[:last.index]) - estimate(conversation[:first.index])) / grown - 1


def _check(segment, estimate):
    must_be(hasattr(segment, "conversation"), "What an estimate is held against",
            "a segment of an outline, such as load_outline(name).segments[0]", segment)
    must_be(callable(estimate), "The estimate", "a function from messages to tokens", estimate)


def _last(segment, estimate):
    _check(segment, estimate)
    if not segment.requests:
        raise PolicyError(f"{segment.name}, segment {segment.number} has no request that the API answered, so there is "
                          "nothing to hold an estimate against. Take another segment.")
    return segment.requests[-1]
