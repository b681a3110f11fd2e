"""What a reader of a file has to tell, gathered: one sentence per kind, with the numbers of the first lines."""

SHOWN = 5  # line numbers in a sentence; a damaged file may have thousands


class Notes:
    """Sentences about lines: `at(what, line)` adds a line to the sentence that begins with `what`.

    >>> notes = Notes()
    >>> for line in (3, 8, 9):
    ...     notes.at("No JSON, left out", line)
    >>> notes.sentences()
    ['No JSON, left out: lines 3, 8 and 9.']
    """

    def __init__(self):
        self._counts, self._lines = {}, {}

    def at(self, what, line):
        """Say `what` of a line, once."""
        lines = self._lines.setdefault(what, [])
        if line not in lines:
            self._counts[what] = self._counts.get(what, 0) + 1
            if len(lines) < SHOWN:
                lines.append(line)

    def sentences(self):
        """All that was said, in the order in which it was first said."""
        return [f"{what}: {_listed(self._lines[what], count)}." for what, count in self._counts.items()]


def _listed(lines, count):
    if count == 1:
        return f"line {lines[0]}"
    shown = [str(line) for line in lines]
    last = f"{count - len(shown):,} more" if count > len(shown) else shown.pop()
    return f"lines {', '.join(shown)} and {last}"
