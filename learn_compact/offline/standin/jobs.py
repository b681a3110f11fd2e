"""The kinds of work on files: what each notes about a file, what it needs next, and what it answers in the end.

A job knows nothing but the facts that it is given. A file is given up after errors, or when it was read again and
again and its content was gone every time before it was seen; the answer says so.
"""

from learn_compact.offline.standin import editing, lines, wording
from learn_compact.offline.standin.calls import Part, Read
from learn_compact.offline.standin.counting import count

MAX_FAILURES = 2  # so many errors in a row
MAX_UNSEEN = 5    # so many readings without ever seeing the content
MAX_READS = 200   # where "until it is compacted" ends if it never is


class Job:
    """Work on the files of a wish: `files` is what the context says about each, `offered` the names of the tools.

    `batch` is how many files are touched in one message; where it is one, so is the number of calls.
    """

    def __init__(self, wish, files, offered, batch):
        self.wish, self.files, self.offered, self.batch = wish, files, offered, batch

    def given_up(self, path):
        """Why nothing more is tried with this file; None as long as something is."""
        file = self.files[path]
        if len(file.failures) >= MAX_FAILURES:
            return file.failures[-1].split("\n")[0]
        if file.is_long and file.text is None and "bash" not in self.offered:
            return wording.TOO_LONG
        return wording.NEVER_SEEN if file.unseen >= MAX_UNSEEN else file.given_up

    def notes(self, path):
        """What should be noted about this file now, because it is in sight and nothing says it yet."""
        why = self.given_up(path)
        return [f"{lines.GIVEN_UP}{why}"] if why and not self.files[path].given_up else []

    def order(self, path):
        """What is low goes first."""
        return self.files[path].unseen

    def troubles(self, paths):
        """The lines of an answer about files that were given up and noted before."""
        return [lines.item(path, f"{lines.GIVEN_UP}{why}") for path in paths if (why := self.files[path].given_up)]

    def fetch(self, path, have):
        """The calls that bring a file into sight, without the parts that `have` holds."""
        file = self.files[path]
        return [Part(path, first) for first in file.starts() if first not in have] if file.is_long else [Read(path)]


class Reading(Job):
    """Every file is read once, and what is in it noted."""

    def measures(self, path):
        """What is counted in a file of this kind."""
        return ("functions", "lines") if path.endswith(".py") else ("lines",)

    def counts(self, path):
        """What was counted in this file, from notes or from the text in sight; None where it is not known."""
        return self.files[path].known(self.measures(path))

    def notes(self, path):
        file, measures = self.files[path], self.measures(path)
        if file.noted(measures) is not None:
            return []
        if file.text is not None:
            return [lines.counts(count(file.text), measures)]
        return super().notes(path) + [
            lines.part(first, file.lines, count(text), measures)
            for first, text in file.parts.items() if first not in file.part_counts]

    def needs(self, path):
        """The calls that this file needs next; [] where it is done."""
        if self.counts(path) is not None or self.given_up(path):
            return []
        return self.fetch(path, self.files[path].part_counts | self.files[path].parts)

    def answer(self, paths, left_out):
        """The lines of the answer; `left_out` are the files that a rule kept out."""
        return [wording.read(sum(self.counts(path) is not None for path in paths), self.wish.files),
                *wording.left_out(left_out), *self.troubles(paths)]


class Counting(Reading):
    """Something is counted in every file, and the total reported."""

    def measures(self, path):
        return self.wish.measures

    def counts(self, path):
        return {"files": 1} if self.wish.measures == ("files",) else super().counts(path)

    def notes(self, path):
        return [] if self.wish.measures == ("files",) else super().notes(path)

    def answer(self, paths, left_out):
        counted = {path: counts for path in paths if (counts := self.counts(path))}
        sums = {measure: sum(counts[measure] for counts in counted.values()) for measure in self.wish.measures}
        each = [lines.item(path, lines.counts(counts, self.wish.measures)) for path, counts in counted.items()]
        return [*(each if self.wish.per_file else []), wording.total(sums, len(counted), self.wish.files),
                *wording.left_out(left_out), *self.troubles(paths)]


class Endless(Reading):
    """Files are read in turn, those of agents/ first, then all of them again, until the context has been compacted."""

    def order(self, path):
        return self.files[path].reads, not path.startswith("agents/")

    def needs(self, path):
        over = sum(file.reads for file in self.files.values()) >= MAX_READS
        return [] if over or self.given_up(path) else [Read(path)]

    def answer(self, paths, left_out):
        return [wording.ALL_THE_SAME]


class Changing(Job):
    """Every file is changed once: a line is added, or a word replaced."""

    def edits(self, path):
        """The calls that the text in sight asks for; None where it is not in sight."""
        text = self.files[path].text
        return None if text is None else editing.edits(self.wish, path, text, self.offered, in_one=self.batch == 1)

    def is_made(self, path):
        """Whether the change was made, as far as calls in sight show, and is not noted yet."""
        file = self.files[path]
        return bool(file.edits) and not file.failures and all(editing.serves(self.wish, edit) for edit in file.edits)

    def is_noted(self, path):
        """Whether a note says that this file is done."""
        return bool({editing.made(self.wish), editing.needless(self.wish)} & set(self.files[path].remarks))

    def notes(self, path):
        if self.is_noted(path):
            return []
        if self.is_made(path):
            return [editing.made(self.wish)]
        return [editing.needless(self.wish)] if self.edits(path) == [] else super().notes(path)

    def needs(self, path):
        """The calls that this file needs next: changes where it is in sight, else those that bring it into sight."""
        if self.is_noted(path) or self.is_made(path) or self.given_up(path):
            return []
        edits = self.edits(path)
        return self.fetch(path, self.files[path].parts) if edits is None else edits

    def answer(self, paths, left_out):
        """The lines of the answer; files that were given up don't count as changed."""
        done = [path for path in paths if not self.given_up(path)]
        return [wording.changed(self.wish, len(done)), *wording.left_out(left_out), *self.troubles(paths)]
