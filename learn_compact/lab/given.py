"""What a caller hands in: taken where it fits, and refused everywhere in one form of sentence."""

from math import isfinite

from learn_compact.errors import MessageError


def must_be(fits, where, what, value):
    """Raise a MessageError that says "WHERE must be WHAT, not VALUE" unless the value `fits`.

    >>> must_be(callable(3), "explorer(…, draw)", "a function", 3)
    Traceback (most recent call last):
    learn_compact.errors.MessageError: explorer(…, draw) must be a function, not 3.
    """
    if not fits:
        raise MessageError(f"{where} must be {what}, not {repr(value)[:60]}.")


def whole_tokens(where, value):
    """A size in tokens, rounded; MessageError where it is no number from 0."""
    must_be(isinstance(value, int | float) and isfinite(value) and value >= 0, where,
            "a number of tokens, 0 or more", value)
    return round(value)
