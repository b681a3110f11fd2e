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
    """(value, where it ends) of as much of a list or an object as is whole; of a list in it, as many items as are."""
    at = _next(text, 0)
    if text[at:at + 1] == "[":
        return _items(text, at + 1)
    found = {}
    if text[at:at + 1] != "{":
        return found, at
    try:
        while text[at:at + 1] in ("{", ","):
            key, at = decoder.raw_decode(text, _next(text, at + 1))
            at = _next(text, _next(text, at) + 1)  # behind the colon
            value, at = _items(text, at + 1) if text[at:at + 1] == "[" else decoder.raw_decode(text, at)
            found[str(key)] = value
            at = _next(text, at)
    except (ValueError, RecursionError):
        pass  # this is where it breaks off
    return found, at


def _items(text, at):
    """(items, index behind the list) of a list whose first item begins at `at`, as far as they are whole."""
    items = []
    while text[(at := _next(text, at)):at + 1] != "]":
        try:
            item, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return items, at
        items.append(item)
        at = _next(text, at)
        at += text[at:at + 1] == ","
    return items, at + 1


def _next(text, at):
    """The index of the first character from `at` that is no white space."""
    while text[at:at + 1] in (" ", "\t", "\n", "\r"):
        at += 1
    return at
