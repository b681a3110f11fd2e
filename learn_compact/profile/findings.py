"""What stands out in a conversation: its largest blocks, files that were read again, results that nobody used."""

import json
import re
from collections import defaultdict
from heapq import nlargest
from typing import NamedTuple

from learn_compact.agent import printable
from learn_compact.messages import blocks, carried_request, result_text, tool_names, tool_results, unseen_results
from learn_compact.tokens import estimate_block, part_of

MOST, BEGINNING = 10, 48  # blocks; characters
READERS = {"read", "read_file", "readfile", "view", "view_file", "notebookread"}  # tools that show a file
PATHS = ("file_path", "notebook_path", "path", "filename")  # what they call it
WORD = re.compile(r"[A-Za-z_][\w./-]{4,}\w")  # six characters or more: a name, a path, a longer word


class Large(NamedTuple):
    """A large block: its segment (from 0), message and line in the file (None where it has none), part, tool, size in
    tokens, and how it begins.
    """

    segment: int
    message: int
    line: int | None
    part: str
    tool: str
    tokens: int
    begins: str


class Reread(NamedTuple):
    """A file that was read more than once: reads in all, those with the very same input as one before, those that
    came again behind a compaction, and the tokens of all reads but the first.
    """

    path: str
    reads: int
    same: int
    after_compaction: int
    tokens: int


class Unused(NamedTuple):
    """Results of which nothing was seen again: how many and their tokens, out of how many that could be judged.

    A result is used when the model later wrote a word that it brought in (six characters or more, and nowhere before in
    the same stretch), in what it said, thought or called. One that brought no such word, or that the model had not yet
    seen, can't be judged.
    """

    results: int
    tokens: int
    judged: int
    judged_tokens: int


class Findings:
    """The findings of a conversation, segment by segment: `add` each, then read them."""

    def __init__(self):
        self._large, self._reads, self._unused = [], defaultdict(list), Unused(0, 0, 0, 0)
        self._lines = set()

    def add(self, segment, messages):
        lines = [origin.lines for origin in getattr(segment, "origins", ())] or [()] * len(messages)
        kept = {i for i, mine in enumerate(lines) if mine and self._lines.issuperset(mine)}  # by a compaction
        self._lines.update(*lines)
        names = tool_names(messages)
        found = (one for one in _large(segment.number, messages, names, lines) if one.message not in kept)
        self._large = nlargest(MOST, [*self._large, *found], key=lambda one: one.tokens)
        for path, tokens, given in _reads([message for i, message in enumerate(messages) if i not in kept]):
            self._reads[path].append((segment.number, tokens, given))
        self._unused = Unused(*map(sum, zip(self._unused, unused(messages, kept), strict=True)))

    @property
    def large(self):
        """The ten largest blocks, the largest first."""
        return self._large

    @property
    def rereads(self):
        """Files that were read more than once, the dearest first."""
        found = [_reread(path, reads) for path, reads in self._reads.items() if len(reads) > 1]
        return sorted(found, key=lambda one: (-one.tokens, one.path))

    @property
    def unused(self):
        return self._unused


def unused(messages, kept=()):
    """The `Unused` of a list of messages; those at the indices `kept` were judged in the stretch before.

    >>> call = [{"type": "tool_use", "id": "a", "name": "bash", "input": {"command": "ls"}}]
    >>> result = [{"type": "tool_result", "tool_use_id": "a", "content": "planner.py  scheduler.py"}]
    >>> seen = [{"role": "assistant", "content": call}, {"role": "user", "content": result}]
    >>> unused([*seen, {"role": "assistant", "content": "I'll open planner.py."}]).results
    0
    >>> unused([*seen, {"role": "assistant", "content": "Nothing to do."}]).results
    1
    """
    written, waiting = {}, {str(found.tool_use_id) for found in unseen_results(messages)}
    for i, message in enumerate(messages):
        if message.get("role") == "assistant":
            written.update(dict.fromkeys(_words(message), i))
    known, counts = set(), [0, 0, 0, 0]
    for i, message in enumerate(messages):
        mine = _words(message)
        for found in tool_results([message]):
            new = set(WORD.findall(result_text(found.block))) - known
            if new and i not in kept and str(found.tool_use_id) not in waiting:
                tokens, used = estimate_block(found.block), any(written.get(word, -1) > i for word in new)
                counts = [a + b for a, b in zip(counts, (not used, 0 if used else tokens, 1, tokens), strict=True)]
        known |= mine
    return Unused(*counts)


def _words(message):
    return {word for block in blocks(message) for word in WORD.findall(said(block))}


def said(block):
    """The text of a block: what was said, thought, called with or answered."""
    if "input" in block:
        return json.dumps(block["input"], ensure_ascii=False, default=str)
    return str(block.get("text") or block.get("thinking") or result_text(block))


def _large(segment, messages, names, lines):
    for i, (message, mine) in enumerate(zip(messages, lines, strict=True)):
        is_ours = carried_request(message) is not None
        for block in blocks(message):
            tool = block.get("name") or names.get(str(block.get("tool_use_id"))) or ""
            yield Large(segment, i, mine[0] if mine else None, part_of(block, message.get("role"), is_ours),
                        printable(str(tool)), estimate_block(block), _beginning(said(block)))


def _beginning(text):
    words = " ".join(printable(text[:BEGINNING * 4]).split())
    return words if len(words) <= BEGINNING else words[:BEGINNING - 1] + "…"


def _reads(messages):
    """(path, tokens of the result, the call's input) of every read of a file that was answered."""
    sizes = {str(found.tool_use_id): estimate_block(found.block) for found in tool_results(messages)}
    for message in messages:
        for block in blocks(message):
            given = block.get("input")
            if (block.get("type") == "tool_use" and isinstance(given, dict) and str(block.get("id")) in sizes
                    and str(block.get("name")).lower() in READERS):
                path = next((given[name] for name in PATHS if isinstance(given.get(name), str)), None)
                if path:
                    yield printable(path), sizes[str(block["id"])], json.dumps(given, sort_keys=True, default=str)


def _reread(path, reads):
    segments, _, inputs = zip(*reads, strict=True)
    return Reread(path, len(reads), len(reads) - len(set(inputs)), len(set(segments)) - 1,
                  sum(tokens for _, tokens, _ in reads[1:]))
