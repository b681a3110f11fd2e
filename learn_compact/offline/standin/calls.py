"""The tools as the stand-in uses them: what it wants done as a call, and a call as what was wanted.

Both directions stand here, side by side, because the stand-in has no memory: that it has read a file it knows only
from the call that it finds in the request. Left out: what arbitrary commands do (`Other`).
"""

import re
import shlex
from functools import lru_cache
from typing import NamedTuple

PART_LINES = 250  # a file too long for one result is read in parts of so many lines


class Listing(NamedTuple):
    """Every file whose name ends in `suffix` ("": every file) anywhere under `folder`."""

    folder: str
    suffix: str


class Read(NamedTuple):
    """A whole file."""

    path: str


class Part(NamedTuple):
    """Lines `first` to `first + PART_LINES - 1` of a file, and in a last line how many lines the file has."""

    path: str
    first: int


class Edit(NamedTuple):
    """One place of a file: `old` becomes `new`."""

    path: str
    old: str
    new: str


class Write(NamedTuple):
    """A whole file, new."""

    path: str
    content: str


class Compact(NamedTuple):
    """The conversation, compressed; `focus` says what must not be lost."""

    focus: str


class Other(NamedTuple):
    """A call that is not the stand-in's own: the tool, and the first thing that it was told."""

    tool: str
    words: str


def as_tool_use(wanted, offered):
    """The tool's name and its input for what is wanted, with the tools offered; None where none of them can do it."""
    for tool, arguments in _ways(wanted):
        if tool in offered:
            return tool, arguments
    return None


def from_tool_use(block):
    """What a tool_use block wants done.

    >>> from_tool_use({"type": "tool_use", "id": "a", "name": "bash", "input": {"command": "cat agents/planner.py"}})
    Read(path='agents/planner.py')
    """
    tool, arguments = str(block.get("name", "")), block.get("input")
    arguments = arguments if isinstance(arguments, dict) else {}
    path = arguments.get("path", arguments.get("file_path"))  # ours, and Claude Code's name for it
    path = clean_path(path) if isinstance(path, str) else None
    if tool.lower() == "bash" and isinstance(arguments.get("command"), str):
        return _from_command(tool, arguments["command"])
    if tool in ("read_file", "Read") and path:
        return Read(path) if arguments.get("limit") is None else Other(tool, path)
    if tool in ("edit_file", "Edit") and path:
        old, new = (arguments.get(f"{age}_text", arguments.get(f"{age}_string", "")) for age in ("old", "new"))
        return Edit(path, str(old), str(new))
    if tool in ("write_file", "Write") and path:
        return Write(path, str(arguments.get("content", "")))
    if tool == "glob" and (match := re.fullmatch(r"(?:(.+)/)?\*\*/\*(\.\w+)?", str(arguments.get("pattern")))):
        return Listing(match[1] or ".", match[2] or "")
    if tool == "compact":
        return Compact(str(arguments.get("focus", "")))
    return Other(tool, next((value for value in arguments.values() if isinstance(value, str)), ""))


def clean_path(path):
    """A path as the stand-in writes it: no `./` in front, no `/` behind.

    >>> clean_path("./agents/")
    'agents'
    """
    path = path.strip()
    while path.startswith("./") and len(path) > 2:
        path = path[2:]
    return path.rstrip("/") or path


def _ways(wanted):
    match wanted:
        case Listing(folder, suffix):
            yield "glob", {"pattern": f"**/*{suffix}" if folder == "." else f"{folder}/**/*{suffix}"}
            yield "bash", {"command": _find(folder, suffix)}
        case Read(path):
            yield "read_file", {"path": path}
            yield "bash", {"command": f"cat {shlex.quote(path)}"}
        case Part(path, first):
            lines = f"{first},{first + PART_LINES - 1}p"
            yield "bash", {"command": f"sed -n -e '{lines}' -e '$=' {shlex.quote(path)}"}
        case Edit(path, old, new):
            yield "edit_file", {"path": path, "old_text": old, "new_text": new}
        case Write(path, content):
            yield "write_file", {"path": path, "content": content}
        case Compact(focus):
            yield "compact", {"focus": focus} if focus else {}


def _find(folder, suffix):
    name = f" -name '*{suffix}'" if suffix else ""
    return f"find {shlex.quote(folder)} -type f{name} -not -path '*/.*' | sort"


@lru_cache(maxsize=1024)
def _from_command(tool, command):
    try:
        words = shlex.split(command)
    except ValueError:
        words = []
    match words:
        case ["cat", path]:
            return Read(clean_path(path))
        case ["sed", "-n", "-e", lines, "-e", "$=", path] if re.fullmatch(r"\d+,\d+p", lines):
            return Part(clean_path(path), int(lines.split(",")[0]))
        case ["find", folder, "-type", "f", "-name", name, "-not", "-path", "*/.*", "|", "sort"]:
            return Listing(clean_path(folder), name.removeprefix("*"))
        case ["find", folder, "-type", "f", "-not", "-path", "*/.*", "|", "sort"]:
            return Listing(clean_path(folder), "")
    return Other(tool, command)
