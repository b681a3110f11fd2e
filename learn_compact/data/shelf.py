"""Where outlines and usage figures lie: the shipped files by name, others by path, both as text or an OutlineError.

Left out: what the lines mean, which `outline` and `usage` know.
"""

from os import PathLike
from pathlib import Path

from learn_compact.errors import OutlineError

_HERE = Path(__file__).parent
# The folder of a kind of file is its suffix's.
_FOLDERS = {".jsonl": _HERE / "outlines", ".csv": _HERE / "usage"}


def names(suffix):
    """The names of the shipped files with this suffix, in order of the alphabet."""
    return tuple(sorted(path.stem for path in _FOLDERS[suffix].glob(f"*{suffix}")))


def read_lines(name_or_path, suffix):
    """(name, file, lines) of a shipped file by its name, or of any file by a path that ends in `suffix`.

    `name` is the file's without folder and suffix, `file` is what an error calls it. Raises OutlineError where there
    is no such file or it is no text.
    """
    given = str(name_or_path)
    if given in names(suffix):
        path, file = _FOLDERS[suffix] / f"{given}{suffix}", f"{given}{suffix}"
    elif isinstance(name_or_path, PathLike) or given.endswith(suffix):
        path, file = Path(given), given
    else:
        raise OutlineError(f"There is no {given!r} here. Pass one of {', '.join(names(suffix))}, "
                           f"or the path of a file that ends in {suffix}.")
    try:
        name = path.stem.encode("utf-8", "replace").decode()  # names of files may hold bytes that are no text
        return name, file, path.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise OutlineError(f"{file}, line {line}: this is no UTF-8 text. Save the file again as UTF-8.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OutlineError(f"{file} can't be read: {reason}. Pass the path of a {suffix} file.") from None
