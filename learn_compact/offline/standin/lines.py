"""The lines that the stand-in writes into its messages and summaries, and reads again: its only handwriting.

    - agents/planner.py: 4 functions                        a note on a file
    - agents/desk.py: lines 251-500 of 612: 7 functions     a note on a part of a file
    Files under agents (*.py): agents/desk.py, …            a listing
    - User request: Count the functions …                   a labelled line, as summaries have them

A value of several lines stands word for word between `<<<` and `>>>`. Lines that begin with `>` are quotations, and
mean nothing. Left out: every other form. A summary that somebody else wrote is searched for these lines all the same.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from learn_compact.offline.standin.calls import PART_LINES, Listing

NOTE, LISTING = "Note", "Files under"
REQUEST, RULE, DECISION, ERROR = "User request", "Rule", "Decision", "Error"
PENDING, STEP, NEXT, ANSWER = "Pending", "Current step", "Next step", "Answered"
SAID, TOOLS = "Said", "Tools used"
LABELS = (REQUEST, RULE, DECISION, ERROR, PENDING, STEP, NEXT, ANSWER, SAID, TOOLS)
NOTHING, NOT_NOTED, GIVEN_UP = "none", "read, nothing noted", "given up: "
NINE_SECTIONS = ("Primary request and intent", "Key technical concepts", "Files and code sections", "Errors and fixes",
                 "Problem solving", "All user messages", "Pending tasks", "Current work", "Optional next step")
THREE_POINTS = ("What was accomplished", "Current state", "Key decisions")

_UNITS = {"functions": "function", "classes": "class", "lines": "line", "files": "file"}
_COUNT = re.compile(rf"(\d+) ({'|'.join(word for pair in _UNITS.items() for word in pair)})")
_COUNTS = re.compile(rf"{_COUNT.pattern}(?:, {_COUNT.pattern})*")
_PART = re.compile(r"lines (\d+)-\d+ of (\d+): (.+)")
_ITEM = re.compile(r"[ \t]*- ([^:\n]+): (.*)")
_LISTING = re.compile(r"[ \t]*(?:- )?Files under (.+) \(\*(\.?\w*)\): (.+)")
_HEADINGS = {title.lower() for title in (*NINE_SECTIONS, *THREE_POINTS, NOTHING)}


class Line(NamedTuple):
    """A line that was understood: `kind` is a label, NOTE, LISTING or "" (any other line); a note names its `path`."""

    kind: str
    value: str
    path: str = ""


def item(name, value):
    """A line with a name, which is a label or a path.

    >>> item("User request", "Count the functions.")
    '- User request: Count the functions.'
    """
    if "\n" not in value and value.strip():
        return f"- {name}: {value}"
    fence = "<<<"
    while _closing(fence) in value.split("\n"):
        fence += "<"
    return f"- {name}: {fence}\n{value}\n{_closing(fence)}"


def listing(listed, paths):
    """A listing in one line.

    >>> listing(Listing("agents", ".py"), ["agents/desk.py", "agents/planner.py"])
    'Files under agents (*.py): agents/desk.py, agents/planner.py'
    """
    return f"{LISTING} {listed.folder} (*{listed.suffix}): {', '.join(paths) or NOTHING}"


def read_listing(line):
    """The `Listing` and its paths, from a line that `listing` wrote."""
    folder, suffix, paths = _LISTING.fullmatch(line).groups()
    return Listing(folder, suffix), () if paths == NOTHING else tuple(paths.split(", "))


def quantity(number, measure):
    """A number with its unit, singular where it is one."""
    return f"{number} {_UNITS[measure] if number == 1 else measure}"


def counts(found, measures):
    """Counts in words.

    >>> counts({"functions": 4, "classes": 1, "lines": 90}, ["functions", "classes"])
    '4 functions, 1 class'
    """
    return ", ".join(quantity(found[measure], measure) for measure in measures)


def read_counts(note):
    """The counts that a note holds, by measure; {} where it is another note.

    >>> read_counts("4 functions, 1 class")
    {'functions': 4, 'classes': 1}
    """
    if not _COUNTS.fullmatch(note):
        return {}
    return {next(measure for measure, unit in _UNITS.items() if word in (measure, unit)): int(number)
            for number, word in _COUNT.findall(note)}


def part(first, total, found, measures):
    """The note on the part from line `first` on of a file that has `total` lines.

    >>> part(501, 612, {"functions": 7}, ["functions"])
    'lines 501-612 of 612: 7 functions'
    """
    last = min(first + PART_LINES - 1, total)
    return f"lines {first}-{last} of {total}: {counts(found, measures)}"


def read_part(note):
    """First line, total of lines and counts, from a note on a part; None where it is another note.

    >>> read_part("lines 251-500 of 612: 7 functions")
    (251, 612, {'functions': 7})
    """
    match = _PART.fullmatch(note)
    return match and (int(match[1]), int(match[2]), read_counts(match[3]))


@lru_cache(maxsize=4096)  # by text: saves time in a long conversation, and changes no answer
def read_lines(text):
    """Every line of a text as `Line`, in order; blank ones and quotations left out.

    >>> read_lines("- agents/planner.py: 4 functions\\n> - agents/desk.py: 1 function")
    (Line(kind='Note', value='4 functions', path='agents/planner.py'),)
    """
    found, lines, i = [], text.split("\n"), 0
    while i < len(lines):
        line, i = lines[i], i + 1
        if _LISTING.fullmatch(line):
            found.append(Line(LISTING, line))
        elif (match := _ITEM.fullmatch(line)) and (match[1] in LABELS or _is_path(match[1])):
            name, value = match.groups()
            if re.fullmatch("<{3,}", value) and _closing(value) in lines[i:]:
                end = lines.index(_closing(value), i)
                value, i = "\n".join(lines[i:end]), end + 1
            found.append(Line(name, value) if name in LABELS else Line(NOTE, value, name))
        elif line.strip() and not line.lstrip().startswith(">"):
            found.append(Line("", line.strip()))
    return tuple(found)


def why_given_up(note):
    """Why a file was given up; None where the note says something else.

    >>> why_given_up("given up: Error: no such file")
    'Error: no such file'
    """
    return note.removeprefix(GIVEN_UP) if note.startswith(GIVEN_UP) else None


def is_heading(line):
    """Whether a line is the title of a section, in any dress, or says that a section is empty.

    >>> is_heading("## 7. Pending Tasks:")
    True
    """
    return re.sub(r"[^a-z ]", "", line.lower()).strip() in _HEADINGS


def _closing(fence):
    return fence.replace("<", ">")


def _is_path(name):
    return re.search(r"[./]\w", name) is not None
