"""The main thread of a log whose lines name their parents: from the newest message back to the beginning.

A log keeps what was taken back as well, so a file may hold several threads. Left out: what the lines say.
"""

from dataclasses import dataclass


@dataclass(slots=True)
class Record:
    """One line of a thread, without its words.

    `parent` is a uuid, None for the first of a thread, `BEFORE` where the log names no parent at all. `role` is "" for
    lines that say nothing; `compaction` and `pre_tokens` stand where a compaction came before.
    """

    line: int
    offset: int
    size: int
    uuid: str
    parent: str | None
    role: str
    at: float | None
    answer: str = ""
    results: tuple = ()
    is_aside: bool = False
    compaction: str | None = None
    pre_tokens: int | None = None


BEFORE = ""  # the parent of a line that names none: the line before it


def main_thread(records, notes):
    """The records of the newest thread, oldest first: from the last message in the file from parent to parent.

    Where a parent isn't in the file the line before takes its place.
    """
    place = {}
    for i, record in enumerate(records):
        if place.setdefault(record.uuid, i) != i:
            notes.at("Logged twice, the first taken", record.line)
    at = next((i for i in range(len(records) - 1, -1, -1) if records[i].role), None)
    found, seen = [], set()
    while at is not None and records[at].uuid not in seen:
        record = records[at]
        seen.add(record.uuid)
        found.append(record)
        at = place.get(record.parent) if record.parent is not None else None
        if at is None and record.parent is not None and place[record.uuid]:
            at = place[record.uuid] - 1
            if record.parent != BEFORE:
                notes.at("The parent isn't in this file, the line before it taken instead", record.line)
    return found[::-1]


def stretches(thread):
    """The thread cut where a compaction came: a list of lists that are not empty."""
    found = [[]]
    for record in thread:
        if record.compaction and found[-1]:
            if any(one.role for one in found[-1]):
                found.append([])
        found[-1].append(record)
    return found
