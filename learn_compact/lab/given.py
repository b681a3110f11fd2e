"""What a caller hands in: taken where it fits, and refused everywhere in one form of sentence."""

from functools import partial
from math import isfinite

from learn_compact.errors import MessageError, demand

must_be = partial(demand, error=MessageError)


def whole_tokens(where, value):
    """A size in tokens, rounded; MessageError where it is no number from 0."""
    must_be(isinstance(value, int | float) and isfinite(value) and value >= 0, where,
            "a number of tokens, 0 or more", value)
    return round(value)
