"""What became of every block of a conversation, and the way back.

The ledger lays the messages before and after each step side by side and asks no layer anything: what both share was
kept, and what isn't there any more has gone somewhere. Left out: what the model makes of it.
"""

import json
from dataclasses import dataclass, field
from itertools import compress, count
from operator import is_not

from learn_compact.archive import RESULTS
from learn_compact.errors import ArchiveError, demand
from learn_compact.layers.budget import persisted_path
from learn_compact.layers.snip import archived
from learn_compact.messages import blocks, marker_path, tool_names
from learn_compact.tokens import estimate_block

KEPT, SHORTENED, ON_DISK = "kept", "shortened", "moved to disk"
ARCHIVED, SUMMARISED, DROPPED = "archived", "summarised", "dropped"
FATES = (KEPT, SHORTENED, ON_DISK, ARCHIVED, SUMMARISED, DROPPED)
BETWEEN_STEPS = "between steps"  # stands for a step's name where no step of the pipeline did it

_as_json = json.JSONEncoder(ensure_ascii=False, default=str).encode


@dataclass(eq=False)
class Entry:
    """One block of a conversation and its fate.

    `message` counts the messages as they arrived, from 0, and `block` the blocks in it. `tokens` (estimated) and
    `chars` (of its JSON) are its size on arrival, `tokens_now` and `chars_now` what is in the context now. `step` is
    the last that changed it, `where` the file with the original, once that isn't in the context any more, and `lost_by`
    the first step that took the original away and saved it nowhere.
    """

    message: int
    block: int
    role: str
    kind: str
    tool: str
    tool_use_id: str | None
    tokens: int
    chars: int
    tokens_now: int
    chars_now: int
    digest: int = field(repr=False)  # of its JSON: nothing else can pass for it
    frame: dict | None = field(repr=False)  # a tool_result without what it says
    fate: str = KEPT
    step: str = ""
    where: str | None = None
    line: int | None = field(default=None, repr=False)  # of `where`, if that is a transcript
    lost_by: str = ""

    @property
    def tokens_saved(self):
        return self.tokens - self.tokens_now

    @property
    def chars_saved(self):
        return self.chars - self.chars_now


class Ledger:
    """The fate of every block that a conversation ever had: `entries`, in the order in which they arrived.

    `extend(run)` takes in what a pipeline did next to the same conversation, so one ledger can tell an agent's whole
    life. `made` are the blocks that layers put there (markers, summaries) and that still stand. `measure(block)` gives
    tokens. Its memory grows by a few figures for each block; it holds no text that the context has lost.

    >>> from learn_compact.layers.micro import micro_compact
    >>> from learn_compact.pipeline import Pipeline, Step
    >>> call = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "bash", "input": {}}]}
    >>> result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "x" * 200}]}
    >>> said = [{"role": "user", "content": "Look."}, call, result, {"role": "assistant", "content": "I looked."}]
    >>> ledger = Pipeline([Step("micro_compact", micro_compact, keep_recent=0)]).run(said).ledger
    >>> [entry.fate for entry in ledger.entries]
    ['kept', 'kept', 'shortened', 'kept']
    >>> ledger["a"].tool, ledger["a"].step, ledger["a"].chars_saved
    ('bash', 'micro_compact', 179)
    """

    def __init__(self, archive=None, measure=estimate_block):
        self.archive, self.measure = archive, measure
        self.entries = []
        self._arrived, self._tools = 0, {}
        self._messages, self._rows = [], []  # the context, and for each of its messages the entries of the blocks

    def extend(self, run):
        """Take in a run of a pipeline: what had arrived before it, and what each of its steps did."""
        demand(hasattr(run, "reports"), "Ledger.extend(run)", "a Run, such as pipeline.run(messages)", run)
        for report in run.reports:
            self.see(report.before)
            if not report.is_projection:
                self._move(report.after, report.name)

    def see(self, messages):
        """Take in what the conversation is now, where no step made the difference: what has arrived since."""
        self._move(messages, "")

    def __getitem__(self, key):
        """The entry of a tool result (or else the call) by its tool_use_id, of any block by (message, block)."""
        found = [entry for entry in self.entries if key in (entry.tool_use_id, (entry.message, entry.block))]
        if not found:
            raise KeyError(key)
        return max(found, key=lambda entry: entry.frame is not None)

    @property
    def made(self):
        """The blocks in the context that a layer put there, as entries whose `message` is -1."""
        return [entry for row in self._rows for entry in row if entry.message < 0]

    def by_fate(self):
        """How many blocks met each fate and how many tokens that saved: `{fate: (blocks, tokens)}`, as in FATES."""
        met = {fate: [entry for entry in self.entries if entry.fate == fate] for fate in FATES}
        return {fate: (len(found), sum(entry.tokens_saved for entry in found)) for fate, found in met.items() if found}

    def restore(self, key):
        """The block as it arrived, byte for byte, from the context or the archive; `key` as for `[]`, or an entry.

        Raises ArchiveError where the original is nowhere any more.
        """
        entry = key if isinstance(key, Entry) else self[key]
        for block in self._candidates(entry):
            if _digest(block) == entry.digest:
                return block
        saved = ", or let the layer save what it clears (`archive=`)" if entry.frame else ""
        raise ArchiveError(f"The original of block {entry.block} of message {entry.message} ({entry.kind}) is lost: "
                           f"{entry.lost_by or entry.step} took it away, and no file of the archive holds it. Log "
                           f"every message when it arrives (`archive.log(message)`), as an agent does{saved}.")

    def lost(self):
        """The entries whose original is nowhere any more, neither in the context nor in the archive."""
        logged = {_digest(block) for block in self._logged()}
        return [entry for entry in self.entries
                if entry.fate != KEPT and entry.where is None and entry.digest not in logged]

    def _candidates(self, entry):
        """Blocks that may be the original: in the context, where the step left it, in the log."""
        for message, row in zip(self._messages, self._rows, strict=True):
            yield from (block for block, known in zip(blocks(message), row, strict=True) if known is entry)
        if entry.line is not None:
            yield from blocks(self.archive.load(entry.where)[entry.line])
        elif entry.where is not None:
            content = (self.archive.load_result(entry.where) if entry.where.startswith(RESULTS)
                       else self.archive.result(entry.tool_use_id))
            yield {key: content if key == "content" else value for key, value in entry.frame.items()}
        yield from self._logged()

    def _logged(self):
        path = self.archive and self.archive.log_path
        return (block for message in (self.archive.load(path) if path else ()) for block in blocks(message))

    # The context moves on

    def _move(self, after, step):
        """Lay `after` beside the context as it was; `step` is "" where no step made the difference."""
        before, start = self._messages, _shared(self._messages, after)
        end = _shared(before[start:][::-1], after[start:][::-1])
        old, new = slice(start, len(before) - end), slice(start, len(after) - end)
        gone = {id(entry): (i, entry) for i, row in enumerate(self._rows[old], start) for entry in row}
        known = _index(before[old], self._rows[old])
        rows = [known.get(id(message)) or self._row(message, known, step) for message in after[new]]
        for entry in (entry for row in rows for entry in row):
            gone.pop(id(entry), None)
        made = [(i, message) for i, message in enumerate(after[new], start) if step and id(message) not in known]
        fate, path, lines = self._written(before, made)
        for i, entry in gone.values():
            if entry.fate == KEPT and i in lines:
                entry.where, entry.line = path, lines[i]
            entry.fate, entry.step = fate if i in lines else DROPPED, step or BETWEEN_STEPS
            entry.tokens_now = entry.chars_now = 0
            _blame(entry)
        self._rows[old] = rows
        self._messages = list(after)

    def _row(self, message, known, step):
        """The entries of a message that is new here: those of blocks known before, and new ones."""
        row, so_far = [], len(self.entries)
        for j, block in enumerate(blocks(message)):
            entry = known.get(id(block))
            if entry is None and (entry := known.get(_name(block))):
                self._change(entry, block, step)
            row.append(entry or self._new_entry(message, j, block, made=bool(step)))
        self._arrived += len(self.entries) > so_far
        return row

    def _new_entry(self, message, j, block, made):
        self._tools |= tool_names([message])
        kind, name, size = block.get("type"), _id(block), (self.measure(block), len(_as_json(block)))
        frame = {**block, "content": None} if kind == "tool_result" else None
        entry = Entry(-1 if made else self._arrived, j, message.get("role"), kind, self._tools.get(name, ""), name,
                      *size, *size, _digest(block), frame)
        if not made:
            self.entries.append(entry)
        return entry

    def _change(self, entry, block, step):
        """Another block stands where this entry's stood."""
        if _digest(block) == entry.digest and entry.fate == KEPT:
            return  # a copy
        entry.tokens_now, entry.chars_now, entry.step = self.measure(block), len(_as_json(block)), step or BETWEEN_STEPS
        path = persisted_path(block, self.archive) if self.archive else None
        entry.fate = KEPT if _digest(block) == entry.digest else ON_DISK if path else SHORTENED
        if entry.where is None and self.archive:
            entry.where = path or self.archive.path_of(entry.tool_use_id)
        _blame(entry)

    def _written(self, before, made):
        """What a step did with messages that are gone, and to which file: (fate, path, {place before: line of it})."""
        for i, message in made:
            path = next((marker_path(block.get("text")) for block in blocks(message)), None)
            if path is None or not (self.archive and self.archive.knows(path)):
                continue
            marker = archived(message, self.archive)
            if marker is None:
                return SUMMARISED, path, {place: place for place in range(len(before))}
            lines, line = {}, 0
            for place in range(i, len(before)):
                earlier = archived(before[place], self.archive)
                if line < marker[1] and not earlier:
                    lines[place] = line
                line += earlier[1] if earlier else 1
            return ARCHIVED, path, lines
        return DROPPED, None, {}


def _blame(entry):
    """Note who lost the original: the step now, if no earlier one did."""
    entry.lost_by = "" if entry.where or entry.fate == KEPT else entry.lost_by or entry.step


def _shared(messages, others):
    """How many messages at the beginning are the same objects."""
    return next(compress(count(), map(is_not, messages, others)), min(len(messages), len(others)))


def _index(messages, rows):
    """What is known: the row of a message by its identity, the entry of a block by its identity and by its id."""
    known = {}
    for message, row in zip(messages, rows, strict=True):
        known[id(message)] = row
        for block, entry in zip(blocks(message), row, strict=True):
            known[_name(block)] = entry
            if not isinstance(message.get("content"), str):  # the block of a text is made anew each time
                known[id(block)] = entry
    return known


def _name(block):
    """What a tool_use or tool_result is called wherever it stands; for any other block nothing that another has."""
    return (block.get("type"), _id(block)) if _id(block) else object()


def _id(block):
    found = block.get("tool_use_id", block.get("id"))
    return found if isinstance(found, str) else None


def _digest(block):
    return hash(_as_json(block))
