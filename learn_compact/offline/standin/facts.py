"""What a context says: everything that the stand-in knows, and all of it from one request."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from learn_compact.offline.standin import lines
from learn_compact.offline.standin.calls import PART_LINES
from learn_compact.offline.standin.counting import count


@dataclass
class Failure:
    """A call that failed: which one, with what words, and what the assistant did next ("" if nothing yet)."""

    call: str
    text: str
    followed: str = ""


@dataclass
class File:
    """What the context says about one file. What was noted before a change is not true any more, and forgotten."""

    text: str | None = None                          # the whole of it, in sight
    parts: dict = field(default_factory=dict)        # first line → the text of that part, in sight
    lines: int | None = None                         # how many, of a file read in parts
    is_long: bool = False                            # one result can't show it
    notes: dict = field(default_factory=dict)        # note → the turn in which it was last written; what they say:
    counts: dict = field(default_factory=dict)       # measure → number
    part_counts: dict = field(default_factory=dict)  # first line → the counts of that part
    remarks: list = field(default_factory=list)      # all that is no count, but for
    given_up: str | None = None                      # the reason why nothing more is tried
    reads: int = 0                                   # how often a reading is in sight,
    unseen: int = 0                                  # and how often since its content was
    failures: list = field(default_factory=list)     # error texts since then
    edits: list = field(default_factory=list)        # changes that worked and are not noted yet

    def note(self, note, turn):
        """Take a note as true that was written in this turn."""
        if note == lines.NOT_NOTED:
            self.reads, self.unseen = max(self.reads, 1), max(self.unseen, 1)
            return
        self.notes[note] = turn
        if found := lines.read_part(note):
            first, self.lines, counts = found
            self.is_long, self.part_counts[first] = True, counts
        elif counts := lines.read_counts(note):
            self.counts.update(counts)
        elif why := lines.why_given_up(note):
            self.given_up = why
        else:
            self.edits, self.remarks = [], [*self.remarks, note]

    def forgive(self):
        """Let it be tried again."""
        self.failures, self.unseen, self.given_up = [], 0, None
        self.notes = {note: turn for note, turn in self.notes.items() if not lines.why_given_up(note)}

    def see(self, text):
        """Take a text as the whole file, as it is after all changes so far."""
        self.text, self.unseen, self.failures, self.edits = text, 0, [], []

    def see_part(self, first, text, total):
        """Take a text as the lines from `first` on."""
        self.parts[first], self.lines, self.is_long = text, total, True
        self.unseen, self.failures = 0, []
        if all(start in self.parts for start in self.starts()):
            self.see("\n".join(self.parts[start] for start in self.starts()))

    def forget_sight(self):
        """What is left when the text goes out of sight: the notes."""
        self.text, self.parts, self.edits = None, {}, []

    def change(self, edit):
        """Take a change as made: only remarks outlast it, for they are about changes."""
        self.text, self.lines, self.parts, self.counts, self.part_counts = None, None, {}, {}, {}
        self.notes = {note: turn for note, turn in self.notes.items() if note in self.remarks}
        self.edits.append(edit)

    @property
    def was_read(self):
        """Whether a reading, or a note that takes one, is in sight."""
        return bool(self.reads or self.notes or self.text is not None)

    def starts(self):
        """The first lines of the parts of a long file; the first part alone until its length is known."""
        return range(1, max(self.lines or 0, 1) + 1, PART_LINES)

    def noted(self, measures):
        """The counts that the notes give, or None where one is missing."""
        return self._summed(measures, self.part_counts)

    def known(self, measures):
        """The counts that notes or the text in sight give, for each part the one or the other; or None."""
        if self.text is not None:
            return self.noted(measures) or count(self.text)
        in_sight = {first: count(text) for first, text in self.parts.items()}
        return self._summed(measures, in_sight | self.part_counts)

    def _summed(self, measures, part_counts):
        parts = [part_counts.get(start, {}) for start in self.starts()]
        found = {measure: self.counts[measure] if measure in self.counts else _sum(parts, measure)
                 for measure in measures}
        return None if None in found.values() else found


@dataclass
class Facts:
    """Everything that a context says, in the order in which it says it."""

    requests: list = field(default_factory=list)               # of the user, word for word
    listings: dict = field(default_factory=dict)               # Listing → its paths
    files: dict = field(default_factory=lambda: defaultdict(File))
    failures: list = field(default_factory=list)               # every Failure
    unseen_listings: Counter = field(default_factory=Counter)  # Listing → how often it was asked for and not seen
    failed_listings: dict = field(default_factory=dict)        # Listing → error text
    said: list = field(default_factory=list)                   # other lines of the assistant
    answers: list = field(default_factory=list)                # such lines beside which nothing was called
    labelled: list = field(default_factory=list)               # lines of an earlier summary that are no requests,
    told: list = field(default_factory=list)                   # and those that aren't in the stand-in's hand
    results: list = field(default_factory=list)                # every text that a tool gave, in sight
    tools: dict = field(default_factory=dict)                  # names of the tools used, in order
    changed: dict = field(default_factory=dict)                # path → the tool that changed it
    step: list = field(default_factory=list)                   # the newest calls, in words
    noted: set = field(default_factory=set)                    # the listings that a line repeats
    turn: int = 0                                              # the assistant's messages, counted
    compact_asked: bool = False                                # since the newest request
    compacted: bool = False                                    # since the newest request
    transcript: str | None = None                              # where the newest compaction put the old messages


def _sum(parts, measure):
    return None if any(measure not in part for part in parts) else sum(part[measure] for part in parts)
