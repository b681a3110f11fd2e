"""A file as lines of JSON, one at a time: whatever is wrong with the file or a line of it becomes a sentence.

Left out: what the lines mean.
"""

import json
import os
import stat
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from learn_compact.errors import ConversationError

MAX_BYTES = 2_000_000_000  # of a file; some minutes of reading
MAX_LINE = 200_000_000     # bytes of a line, or of a file that is one JSON document: that much is held in memory


class Line(NamedTuple):
    """A line of a file that is JSON: its number from 1, the offset of its bytes, the bytes and their value."""

    number: int
    offset: int
    raw: bytes
    value: object


def checked_path(path):
    """(path, size in bytes) of a file that can be read here; ConversationError where it is none."""
    path = Path(path).expanduser()
    try:
        found = os.stat(path)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None
    if stat.S_ISDIR(found.st_mode):
        raise ConversationError(f"{path} is a folder. Pass one of the files in it (`find(folder)` lists them).")
    if not stat.S_ISREG(found.st_mode):
        raise ConversationError(f"{path} is no ordinary file. Pass the path of a file on the disk.")
    if not found.st_size:
        raise ConversationError(f"{path} is empty. Was the conversation ever begun? Pass another file.")
    if found.st_size > MAX_BYTES:
        raise ConversationError(f"{path} has {found.st_size / 1e9:.1f} GB, and at most {MAX_BYTES / 1e9:.0f} GB are "
                                "read here. Copy the part that matters, whole lines, into a file of its own.")
    return path, found.st_size


def json_lines(path, notes, progress=None, most=None):
    """Every line of a file that is JSON, or of its first `most` lines, as `Line`; what the others are goes to `notes`.

    `progress(read)` is told after every line how many bytes are behind it.
    """
    for number, offset, raw in islice(_raw_lines(path), most):
        if progress:
            progress(offset + len(raw))
        if not raw.strip():
            continue
        try:
            value, is_text = parse(raw)
        except ValueError:
            notes.at("No JSON, left out" if raw.endswith(b"\n") else "Cut off in the middle, left out", number)
            continue
        if not is_text:
            notes.at("Bytes that are no UTF-8, replaced by \N{REPLACEMENT CHARACTER}", number)
        yield Line(number, offset, raw, value)


def read_lines_at(path, places):
    """The values of the lines at `places`, (offset, size) each, in order; ConversationError where one is not there."""
    try:
        with open(path, "rb") as file:
            for offset, size in places:
                file.seek(offset)
                raw = file.read(size)
                yield parse(raw)[0]
    except OSError as error:
        raise unreadable(path, error) from None
    except ValueError:
        raise changed(path) from None


def parse(raw):
    """(value, whether it was UTF-8) of bytes that are JSON; ValueError where they are not, whatever the reason."""
    text, is_utf8 = text_of(raw)
    try:
        return decoder.decode(text), is_utf8
    except RecursionError:
        raise ValueError("nested too deeply") from None


def text_of(raw):
    """(text, whether it was UTF-8) of bytes, without a byte order mark; what is no UTF-8 is replaced."""
    try:
        return raw.decode("utf-8", "surrogatepass").removeprefix("\ufeff"), True
    except UnicodeDecodeError:
        return raw.decode("utf-8", "replace").removeprefix("\ufeff"), False


def begins_document(path):
    """Whether the file begins with JSON that its first line doesn't end."""
    for _, _, raw in _raw_lines(path):
        text = text_of(raw)[0].strip()
        if not text:
            continue
        try:
            decoder.decode(text)
        except json.JSONDecodeError as error:
            return text[0] in "[{" and (error.pos >= len(text) or not raw.endswith(b"\n"))
        except (ValueError, RecursionError):
            pass
        return False
    return False


def begins_as_utf16(path):
    """Whether the file begins with a byte order mark of UTF-16."""
    return any(raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) for _, _, raw in islice(_raw_lines(path), 1))


def unreadable(path, error):
    """The error for a file that the system doesn't give."""
    return ConversationError(f"{path} can't be read: {getattr(error, 'strerror', None) or error}. Pass the path of a "
                             "file that you may read.")


def without_messages(path):
    """The error for a file of a known form that nobody says anything in."""
    return ConversationError(f"{path} has no message of a user or a model in it. Pass another file.")


def changed(path):
    """The error for a file that isn't any more what was loaded."""
    return ConversationError(f"{path} has changed since it was loaded. Load it again.")


def _raw_lines(path):
    offset, number = 0, 0
    try:
        with open(path, "rb") as file:
            while raw := file.readline(MAX_LINE + 1):
                number += 1
                if len(raw) > MAX_LINE:
                    raise ConversationError(f"{path}, line {number}, has more than {MAX_LINE / 1e6:.0f} MB. No request "
                                            "to a model is that large: this is no conversation.")
                yield number, offset, raw
                offset += len(raw)
    except OSError as error:
        raise unreadable(path, error) from None


def _no_number(name):
    raise ValueError(f"{name} is no JSON")


decoder = json.JSONDecoder(parse_constant=_no_number)
