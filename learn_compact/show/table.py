"""The same numbers as in the picture, as a table: what nbval compares and what a screen reader reads."""

from dataclasses import dataclass
from html import escape


@dataclass(frozen=True, repr=False)
class Table:
    """A small table: headings (`columns`), `rows` of texts and whole numbers, a sentence above and one below it.

    The first column stands on the left, numbers on the right, thousands with a comma; None leaves a cell empty.

    >>> print(Table(("part", "before", "after"), [("user", 1_200, 1_200), ("tool results", 56_000, 3_000)]))
    part          before  after
    user           1,200  1,200
    tool results  56,000  3,000
    """

    columns: tuple
    rows: list
    caption: str = ""
    note: str = ""

    def __str__(self):
        grid = [self.columns, *([_cell(value) for value in row] for row in self.rows)]
        widths = [max(len(row[i]) for row in grid) for i in range(len(self.columns))]
        lines = ["  ".join(cell.rjust(width) if right else cell.ljust(width)
                           for cell, width, right in zip(row, widths, self._right, strict=True)).rstrip()
                 for row in grid]
        return "\n".join(line for line in (self.caption, *lines, self.note) if line)

    __repr__ = __str__

    def html(self):
        """The table as HTML, with headings that a screen reader can follow; every text escaped."""
        styles = [f"text-align:{'right' if right else 'left'};padding:2px 10px" for right in self._right]
        head = "".join(f'<th scope="col" style="{s}">{escape(c)}</th>'
                       for c, s in zip(self.columns, styles, strict=True))
        body = "".join("<tr>" + "".join(f'<td style="{s}">{escape(_cell(value))}</td>'
                                        for value, s in zip(row, styles, strict=True)) + "</tr>" for row in self.rows)
        caption = f"<caption>{escape(self.caption)}</caption>" if self.caption else ""
        note = f"<p>{escape(self.note)}</p>" if self.note else ""
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}"

    _repr_html_ = html

    @property
    def _right(self):
        """Which columns stand on the right: those after the first whose cells are numbers or signed numbers."""
        return [i > 0 and all(_is_number(row[i]) for row in self.rows) for i in range(len(self.columns))]


def short(tokens):
    """Tokens as short as a label wants them, in thousands from a thousand on.

    >>> short(153_874), short(9_640), short(2_000), short(845)
    ('154k', '9.6k', '2k', '845')
    """
    if abs(tokens) < 1000:
        return str(tokens)
    return f"{tokens / 1000:.1f}k" if abs(tokens) < 9_950 and tokens % 1000 else f"{tokens / 1000:.0f}k"


def _cell(value):
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, int) else str(value)


def _is_number(value):
    return value is None or isinstance(value, int) or str(value)[:1] in "+-0" or str(value).endswith("%")


class Tables(tuple):
    """Several tables, one beneath the other."""

    def __str__(self):
        return "\n\n".join(map(str, self))

    def html(self):
        return "".join(table.html() for table in self)
