"""The main thread of a log whose lines name their parents: from the newest message back to the beginning.

A log keeps what was taken back as well, so a file may hold several threads. Left out: what the lines say.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

BEFORE = ""  # the parent of a line that names none: the line before it


class Kept(NamedTuple):
    """What a compaction left as it was: the uuids of these lines, and of the line (mostly the summary) before them.

    The lines stand once in the file, before the compaction. What comes after it names the last of them as its parent.
    With `is_span` the uuids are only the first and the last of them.
    """

    uuids: tuple[str, ...]
    anchor: str
    is_span: bool = False


@dataclass(slots=True)
class Record:
    """One line of a thread, without its words.

    `parent` is a uuid, None for the first of a thread, `BEFORE` where the log names no parent at all. `role` is "" for
    lines that say nothing, `answer` the id of the API's message that an assistant's line belongs to, `spent` the tokens
    that the API reported for it, `results` the calls that a user's line answers. `compaction`, `pre_tokens` and `kept`
    stand on the boundary of a compaction, `compaction` on its summary too. `again` marks the second mention of a line
    that a compaction kept.
    """

    line: int
    offset: int
    size: int
    uuid: str
    parent: str | None
    role: str
    at: float | None = None
    answer: str = ""
    spent: int = 0
    results: tuple[str, ...] = ()
    is_aside: bool = False
    compaction: str | None = None
    pre_tokens: int | None = None
    kept: Kept | None = None
    is_summary: bool = False
    again: bool = False


def main_thread(records, notes):
    """The records of the newest thread, oldest first: from the last message in the file from parent to parent.

    Where a parent isn't in the file the line before takes its place.
    """
    place = {}
    for i, record in enumerate(records):
        if place.setdefault(record.uuid, i) != i:
            notes.at("Logged twice, the first taken", record.line)
    splices = dict(_splices(records, place))
    at = next((i for i in range(len(records) - 1, -1, -1) if records[i].role), None)
    found, seen = [], set()
    while at is not None and at not in seen:
        seen.add(at)
        if at in splices:
            found += [replace(records[i], again=True, compaction=None, is_summary=False) for i in splices[at].kept]
        found.append(records[at])
        at = _parent(at, records, place, splices, notes)
    return found[::-1]


class _Splice(NamedTuple):
    """Where a compaction left lines as they were: the index of its boundary, and theirs, newest first."""

    boundary: int
    kept: list[int]


def _splices(records, place):
    """(index of the line behind which they go, `_Splice`) for every compaction that left lines as they were."""
    for i, record in enumerate(records):
        if record.kept:
            listed = [place[uuid] for uuid in record.kept.uuids if uuid in place]
            if record.kept.is_span:
                listed = _span(listed, records, place)
            yield place.get(record.kept.anchor, i), _Splice(i, sorted(listed, reverse=True))


def _span(ends, records, place):
    """The indices of all lines from the first to the last of two, along the parents; none where no way leads there."""
    if len(ends) < 2:
        return ends
    (first, at), found = ends, []
    while at is not None and at >= first:
        found.append(at)
        if at == first:
            return found
        before = place.get(records[at].parent)
        at = before if before is not None and before < at else None
    return []


def _parent(at, records, place, splices, notes):
    """The index of the record before `records[at]` in its thread, None for the first."""
    record = records[at]
    if record.parent is None:
        return None
    parent = place.get(record.parent)
    if parent is None:
        if at and record.parent != BEFORE:
            notes.at("Its parent isn't in this file, so the line before was taken", record.line)
        return at - 1 if at else None
    passed = [(splice.boundary, anchor) for anchor, splice in splices.items()
              if parent < splice.boundary < at and parent in splice.kept]
    return max(passed)[1] if passed else parent


def stretches(thread):
    """The thread cut where a compaction came: a list of lists.

    A boundary and the summary that follows it are one compaction; older logs have only the summary.
    """
    found, is_announced = [[]], False
    for record in thread:
        if record.compaction and not (record.is_summary and is_announced):
            found.append([])
        is_announced = bool(record.compaction and not record.is_summary) or (is_announced and not record.is_summary)
        found[-1].append(record)
    return found
