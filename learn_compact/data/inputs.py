"""What a tool was called with: an input of the tool's own keys whose compact JSON has exactly the outline's size.

`chars` of a tool_use in an outline are those of `json.dumps(input, ensure_ascii=False, separators=(",", ":"))`: held
against the public conversations that the outlines were made from. Left out: results (`fill`).
"""

import json
from collections import defaultdict
from dataclasses import dataclass

from learn_compact.data.filler import fill, fill_json


@dataclass(frozen=True)
class Slot:
    """A string in an input, with its style; `at_most` characters, or what the others leave where that is None."""

    style: str
    at_most: int | None = None

    def empty(self):
        """What stands in its place while sizes are reckoned."""
        return ""

    def filled(self, chars, seed):
        """A string that takes `chars` characters of JSON between its quotes."""
        return fill_json(self.style, chars, seed)


@dataclass(frozen=True)
class Records:
    """A list in an input: records of the same fields, of about `each` characters."""

    fields: dict
    each: int
    at_most: int | None = None

    def empty(self):
        """What stands in its place while sizes are reckoned."""
        return []

    def filled(self, chars, seed):
        """A list that takes `chars` characters of JSON between its brackets."""
        count = max(1, chars // self.each)
        share, rest = divmod(chars - (count - 1), count)  # a comma between two
        return [_record(self.fields, share + (rest if n == 0 else 0), f"{seed}/{n}") for n in range(count)]


_PATH = Slot("folder", 60)  # becomes the path of the call's file, where the outline says which file that is
_WINDOW = 11                # `,"offset":1`, the least that a part of a file adds to an input

_FIELDS = {
    "Bash": {"command": Slot("shell"), "description": Slot("label", 48)},
    "Read": {"file_path": _PATH},
    "Write": {"file_path": _PATH, "content": Slot("draft")},
    "Edit": {"file_path": _PATH, "old_string": Slot("draft", 8_000), "new_string": Slot("draft")},
    "NotebookEdit": {"notebook_path": _PATH, "new_source": Slot("draft"), "edit_mode": "replace"},
    "Grep": {"pattern": Slot("pattern"), "path": _PATH, "output_mode": "content"},
    "Glob": {"pattern": Slot("glob")},
    "TodoWrite": {"todos": Records({
        "content": Slot("label"), "status": "pending", "activeForm": Slot("label", 60)}, 120)},
    "Task": {"description": Slot("label", 32), "prompt": Slot("prose"), "subagent_type": "general-purpose"},
    "TaskOutput": {"task_id": Slot("hex"), "block": True, "timeout": 30000},
    "AskUserQuestion": {"questions": Records({
        "question": Slot("request", 90), "header": Slot("noun", 12), "multiSelect": False,
        "options": Records({"label": Slot("label", 24), "description": Slot("label")}, 100)}, 500)},
    "ExitPlanMode": {"plan": Slot("prose")},
    "Skill": {"skill": Slot("name", 20), "args": Slot("request")},
    "WebSearch": {"query": Slot("request")},
    "WebFetch": {"url": Slot("url", 60), "prompt": Slot("request")},
}
_OTHER_TOOL = {"input": Slot("request"), "path": _PATH}


def tool_input(tool, chars, seed, path=None):
    """An input for the tool whose compact JSON has `chars` characters; where `path` is given, about that file.

    A size too small for the tool's own keys gets a plain object of that size.

    >>> tool_input("Read", 65, "any", path="/repo/src/core/parser_1.py")
    {'file_path': '/repo/src/core/parser_1.py', 'offset': 13, 'limit': 12}
    """
    fields = _fields(tool, path)
    if tool == "Read" and path:
        fields |= _part_of_file(chars - _size(fields), seed)
    made = _record(fields, chars, seed)
    return made if _size(made) == chars else _plain(chars, seed)


def file_paths(messages, seed):
    """A path for every file that the calls name: `{file: path}`, short enough for the smallest of its inputs."""
    rooms, tools = defaultdict(list), defaultdict(set)
    for block in (block for message in messages for block in message.blocks if block.file):
        rooms[block.file].append((block.chars - _size(_empty(_fields(block.tool, ""))), block.tool == "Read"))
        tools[block.file].add(block.tool)
    paths = {}
    for file, found in rooms.items():
        tail = f"_{file}.ipynb" if "NotebookEdit" in tools[file] else f"_{file}.py"
        length = _path_length(found) - len(tail)
        if length >= 0:
            paths[file] = ("/repo/" + fill("folder", length, f"{seed}/{file}"))[:length] + tail
    return paths


def _path_length(rooms):
    """The longest path that fits every (room, is the path alone there) of one file; 0 where none does.

    A path that was never alone shows its length nowhere: it stays short.
    """
    most, alone = min(room for room, _ in rooms), [room for room, is_alone in rooms if is_alone]
    fitting = (length for length in range(most if alone else min(most, _PATH.at_most), 0, -1)
               if all(room == length or room - length >= _WINDOW for room in alone))
    return next(fitting, 0)


def _fields(tool, path):
    fields = _FIELDS.get(tool, _OTHER_TOOL)
    return {key: path if value is _PATH and path is not None else value for key, value in fields.items()}


def _record(fields, chars, seed):
    """A dict of these fields whose compact JSON has `chars` characters; the last fields go where there is no room."""
    fields = dict(fields)
    while fields and _size(_empty(fields)) > chars:
        fields.popitem()
    room = chars - _size(_empty(fields))
    open_ = {key: value for key, value in fields.items() if isinstance(value, Slot | Records)}
    rest = next((key for key, value in open_.items() if value.at_most is None), next(reversed(open_), None))
    sizes = {key: min(value.at_most, room // 3) for key, value in open_.items() if key != rest}
    sizes[rest] = room - sum(sizes.values())
    return {key: value.filled(sizes[key], f"{seed}/{key}") if key in open_ else value for key, value in fields.items()}


def _part_of_file(room, seed):
    """`offset` and `limit` that add exactly `room` characters to an input; {} where that can't be."""
    digits = max(0, room - _WINDOW - 8)  # for both, when `,"offset":` and `,"limit":` are paid
    if 2 <= digits <= 18:
        return {"offset": _number(digits - digits // 2, seed), "limit": _number(digits // 2, f"{seed}/limit")}
    if digits > 18:
        return {"pages": Slot("n")}
    return {"offset": _number(room - _WINDOW + 1, seed)} if room >= _WINDOW else {}


def _number(digits, seed):
    return int("1" + fill("d", digits - 1, seed))


def _plain(chars, seed):
    return {2: {}, 6: {"": 0}}[chars] if chars < 7 else {"": fill_json("label", chars - 7, seed)}


def _empty(fields):
    return {key: value.empty() if isinstance(value, Slot | Records) else value for key, value in fields.items()}


def _size(made):
    return len(json.dumps(made, ensure_ascii=False, separators=(",", ":")))
