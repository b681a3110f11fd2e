"""One value as one line of JSON, and back, equal: what the archive's files are made of.

A value that JSON has is written as it is, so that any JSON reader can read a transcript. A value that JSON lacks
(bytes, dates, tuples, NaN, two surrogates that would melt into one character) stands as
`{"$learn_compact": KIND, "value": …}`. Left out: objects of classes that nobody here knows. They are refused by name
rather than written as their `str`, which nobody could read back.
"""

import base64
import json
import math
import re
from collections.abc import Mapping
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import PurePath, PurePosixPath
from uuid import UUID

from pydantic_core import to_json

from learn_compact.errors import ArchiveError

TAG = "$learn_compact"

_SPLIT_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")  # two surrogates, which JSON reads as one character


def _from_base64(text):
    return base64.b64decode(text, validate=True)


def _to_base64(value):
    return base64.b64encode(value).decode("ascii")


# kind: (class, to a value that JSON has, back); the first class that fits is taken, so datetime stands before date
_KINDS = {
    "bytes": (bytes | bytearray, _to_base64, _from_base64),
    "str": (str, lambda value: _to_base64(value.encode("utf-8", "surrogatepass")),
            lambda text: _from_base64(text).decode("utf-8", "surrogatepass")),
    "float": (float, repr, float),
    "datetime": (datetime, datetime.isoformat, datetime.fromisoformat),
    "date": (date, date.isoformat, date.fromisoformat),
    "time": (time, time.isoformat, time.fromisoformat),
    "decimal": (Decimal, str, Decimal),
    "uuid": (UUID, str, UUID),
    "path": (PurePath, PurePath.as_posix, PurePosixPath),
    "tuple": (tuple, list, tuple),
    "set": (set | frozenset, list, set),
    "dict": (Mapping, lambda value: [[key, item] for key, item in value.items()], dict),
}


def to_line(value):
    """The value as one line of JSON, newline included, as bytes of plain ASCII; `from_line` gives back an equal value.

    Objects of the SDK become plain dicts. Raises ArchiveError for what can't be written: an unknown class, a circle.

    >>> to_line({"role": "user", "content": "é"})
    b'{"role":"user","content":"\\\\u00e9"}\\n'
    >>> to_line(b"\\x00")
    b'{"$learn_compact":"bytes","value":"AA=="}\\n'
    """
    try:
        separators(value)
        if (quick := to_json(value)).isascii():  # several times faster, and it writes UTF-8
            return quick + b"\n"
    except (RecursionError, ValueError):
        pass  # not plain, a circle, a lone surrogate: what can be done about it is done below
    try:
        return json.dumps(_plain(value), allow_nan=False, separators=(",", ":")).encode("ascii") + b"\n"
    except (RecursionError, ValueError) as error:
        raise ArchiveError(f"A value can't be written as JSON: {error}.") from error


def to_lines(values):
    """The values of a list, each in a line as `to_line` writes it: in one go where all are plain.

    >>> to_lines([{"role": "user"}, "two"])
    b'{"role":"user"}\\n"two"\\n'
    """
    try:
        separators(values)
        if (quick := b"\n".join([*map(to_json, values), b""])).isascii():
            return quick
    except (RecursionError, ValueError):
        pass
    return b"".join(map(to_line, values))


def from_line(line):
    """The value behind a line that `to_line` wrote.

    >>> from_line('{"$learn_compact": "tuple", "value": [1, 2]}')
    (1, 2)
    """
    try:
        return json.loads(line, object_hook=_untagged)
    except (RecursionError, ValueError, KeyError, TypeError, ArithmeticError) as error:
        raise ArchiveError(f"This is no line of an archive: {error}.") from error


def separators(value):
    """How many commas and colons stand between the parts of a plain value in JSON; ValueError where it isn't plain.

    Plain is what every writer of JSON writes alike: dicts and lists of text, whole numbers, true, false and null. Only
    for these may `to_json` stand in for `json`. A long history asks at every message: so exact types, and few calls.

    >>> separators({"role": "user", "content": "Hello"})
    3
    """
    kind = type(value)
    if kind is dict and TAG not in value:
        found = 2 * len(value) - 1 if value else 0
        for key, item in value.items():
            if type(key) is not str:
                raise ValueError
            if type(item) is not str:
                found += separators(item)
        return found
    if kind is list:
        found = len(value) - 1 if value else 0
        for item in value:
            found += separators(item)
        return found
    if value is None or kind is str or kind is bool or (kind is int and value.bit_length() < 64):
        return 0
    raise ValueError


def _plain(value):
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, str):
        return _tagged("str", value) if _SPLIT_PAIR.search(value) else value
    if isinstance(value, float):
        return value if math.isfinite(value) else _tagged("float", value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict) and TAG not in value and all(_is_plain_key(key) for key in value):
        return {key: _plain(item) for key, item in value.items()}
    if hasattr(value, "to_dict"):
        return _plain({key: item for key, item in value.to_dict().items() if item is not None})
    kind = next((kind for kind, (known, _, _) in _KINDS.items() if isinstance(value, known)), None)
    if kind is None:
        raise ArchiveError(f"A message holds a {type(value).__name__} ({type(value).__module__}), which can't be read "
                           "back equal from a file. Turn it into plain values before it enters the conversation.")
    return _tagged(kind, value)


def _tagged(kind, value):
    return {TAG: kind, "value": _plain(_KINDS[kind][1](value))}


def _is_plain_key(key):
    return isinstance(key, str) and not _SPLIT_PAIR.search(key)


def _untagged(found):
    return _KINDS[found[TAG]][2](found["value"]) if TAG in found else found
