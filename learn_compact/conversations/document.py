"""A file that is one JSON document, whole or broken off."""

from learn_compact.conversations.notes import Notes
from learn_compact.conversations.plain import is_request, of_request
from learn_compact.conversations.reading import MAX_LINE, decoder, parse, text_of, unreadable


def read_document(path, size):
    """The `Conversation` in a file that is one JSON document; None where it is none that holds a conversation."""
    if size > MAX_LINE:
        return None
    notes = Notes()
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from None
    try:
        value = parse(raw)[0]
    except ValueError:
        text = text_of(raw)[0]
        value, end = _up_to_the_break(text)
        notes.at("Broken off or damaged, what follows left out", text.count("\n", 0, end) + 1)
    return of_request(path, value, 1, notes) if is_request(value) else None


def _up_to_the_break(text):
    """(value, where it breaks) of a list or an object as far as it is whole, and of a list in it, its whole items."""
    at = _next(text, 0)
    value = [] if text[at] == "[" else {}
    try:
        _fill(value, text, at)
    except (ValueError, RecursionError) as error:
        at = getattr(error, "pos", at)
    return value, at


def _fill(value, text, at):
    """Put what begins at `at` into the value, piece by piece, and give the index behind it."""
    end = "]" if isinstance(value, list) else "}"
    at = _next(text, at + 1)
    while text[at:at + 1] != end:
        if isinstance(value, list):
            item, at = decoder.raw_decode(text, at)
            value.append(item)
        else:
            key, at = decoder.raw_decode(text, at)
            at = _next(text, _next(text, at) + 1)  # behind the colon
            if text[at:at + 1] == "[":
                value[str(key)] = []
                at = _fill(value[str(key)], text, at)
            else:
                value[str(key)], at = decoder.raw_decode(text, at)
        at = _next(text, at)
        if text[at:at + 1] == ",":
            at = _next(text, at + 1)
    return at + 1


def _next(text, at):
    """The index of the first character from `at` that is no white space."""
    while text[at:at + 1] in (" ", "\t", "\n", "\r"):
        at += 1
    return at
