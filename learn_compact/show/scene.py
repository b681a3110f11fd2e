"""A picture as plain data: shapes, lines and words on a sheet measured in pixels, y downwards.

One drawing, two painters: `figure()` makes a matplotlib figure (the stored PNG), `svg()` what a live widget shows.
matplotlib alone needs 150 to 250 ms for a picture with 700 blocks, too long for a slider; the same sheet as SVG takes
a few. Because both painters get the same sheet, a notebook that is only looked at shows what a running one shows.
"""

from functools import cache, lru_cache
from html import escape
from itertools import groupby
from typing import NamedTuple

from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font

from learn_compact.show.palette import INK, PAPER

FONTS = ("DejaVu Sans", "Verdana", "sans-serif")  # matplotlib brings the first, browsers the second, equally wide
DPI = 100  # at which one pixel of the sheet is one pixel of the figure
DASH = 5, 3


class Shape(NamedTuple):
    """A filled outline; `title` is the word that a reader sees under the pointer."""

    points: tuple
    fill: str
    edge: str | None = None
    title: str = ""


class Line(NamedTuple):
    """A line through `points`."""

    points: tuple
    colour: str = INK
    width: float = 1.0
    dashed: bool = False


class Words(NamedTuple):
    """One line of text; `anchor` says what stands at `x` (start, middle or end), `y` is the middle of its height."""

    x: float
    y: float
    text: str
    size: int = 12
    anchor: str = "start"
    bold: bool = False
    colour: str = INK

    @property
    def baseline(self):
        return self.y + 0.36 * self.size

    @property
    def box(self):
        """What the letters cover: left, top, right, bottom."""
        width = text_width(self.text, self.size, self.bold)
        left = self.x - width * {"start": 0, "middle": 0.5, "end": 1}[self.anchor]
        return left, self.y - 0.4 * self.size, left + width, self.y + 0.4 * self.size


class Scene:
    """A sheet of `width` by `height` pixels and what stands on it (`marks`), in the order in which it is painted."""

    def __init__(self, width, height, marks=()):
        self.width, self.height, self.marks = width, height, list(marks)

    def box(self, x, y, width, height, fill, edge=None, title=""):
        """A rectangle with its upper left corner at (x, y)."""
        corners = (x, y), (x + width, y), (x + width, y + height), (x, y + height)
        self.marks.append(Shape(corners, fill, edge, title))

    def shape(self, points, fill, edge=None, title=""):
        self.marks.append(Shape(tuple(points), fill, edge, title))

    def line(self, *points, colour=INK, width=1.0, dashed=False):
        self.marks.append(Line(points, colour, width, dashed))

    def stripes(self, x, y, width, height, colour, step=6):
        """Slanting lines that hatch a rectangle, cut off at its edges; those of neighbours join."""
        at = x - height - (x - height) % step
        while at < x + width:
            start, end = max(at, x), min(at + height, x + width)
            if start < end:
                self.line((start, y + height - (start - at)), (end, y + height - (end - at)), colour=colour)
            at += step

    def words(self, x, y, text, **style):
        self.marks.append(Words(x, y, text, **style))

    def svg(self, alt):
        """The picture as SVG text, all words escaped; `alt` is what a screen reader says of it.

        It grows and shrinks with the page, down to a half: smaller letters could not be read.
        """
        return (f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(alt)}" '
                f'viewBox="0 0 {self.width} {self.height}" font-family="{", ".join(FONTS)}" '
                f'style="width:100%;min-width:{self.width // 2}px;max-width:{self.width}px;height:auto;'
                f'background:{PAPER}">'
                + "".join(map(_svg_mark, self.marks)) + "</svg>")

    def figure(self):
        """The picture as a matplotlib figure, made without pyplot: nothing of it stays behind."""
        figure = Figure(figsize=(self.width / DPI, self.height / DPI), dpi=DPI, facecolor=PAPER)
        axes = figure.add_axes((0, 0, 1, 1), xlim=(0, self.width), ylim=(self.height, 0))
        axes.set_axis_off()
        for layer, (_, marks) in enumerate(groupby(self.marks, type)):
            _paint(axes, list(marks), layer)
        return figure


@lru_cache(maxsize=4096)
def text_width(text, size=12, bold=False):
    """How wide a text is, in pixels, in the font of the pictures.

    >>> text_width("tool results", 12) < text_width("tool results", 12, bold=True)
    True
    """
    font = _font(bold)
    font.set_size(size, 72)
    font.set_text(text)
    return font.get_width_height()[0] / 64


@cache
def _font(bold):
    return get_font(findfont(_properties(bold)))


def _properties(bold):
    return FontProperties(family=FONTS[0], weight="bold" if bold else "normal")


def _svg_mark(mark):
    match mark:
        case Shape(points, fill, edge, title):
            path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + "Z"
            word = f"<title>{escape(title)}</title>" if title else ""
            stroke = f' stroke="{edge}"' if edge else ""
            return f'<path d="{path}" fill="{fill}"{stroke}>{word}</path>'
        case Line(points, colour, width, dashed):
            path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
            dash = f' stroke-dasharray="{DASH[0]} {DASH[1]}"' if dashed else ""
            return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width}"{dash}/>'
        case Words(x, _, text, size, anchor, bold, colour):
            weight = ' font-weight="bold"' if bold else ""
            return (f'<text x="{x:.1f}" y="{mark.baseline:.1f}" font-size="{size}" text-anchor="{anchor}"{weight} '
                    f'fill="{colour}">{escape(text)}</text>')


def _paint(axes, marks, layer):
    """Paint marks of one kind on a matplotlib axes, above those of the layers before."""
    point = 72 / DPI  # matplotlib measures lines and letters in points
    if isinstance(marks[0], Shape):
        axes.add_collection(PolyCollection(
            [mark.points for mark in marks], facecolors=[mark.fill for mark in marks],
            edgecolors=[mark.edge or "none" for mark in marks], linewidths=point, zorder=layer), autolim=False)
    elif isinstance(marks[0], Line):
        axes.add_collection(LineCollection(
            [mark.points for mark in marks], colors=[mark.colour for mark in marks], zorder=layer,
            linewidths=[mark.width * point for mark in marks],
            linestyles=[(0, [part / mark.width for part in DASH]) if mark.dashed else "solid" for mark in marks]),
            autolim=False)
    else:
        for mark in marks:
            axes.text(mark.x, mark.baseline, mark.text, size=mark.size * point, va="baseline",
                      ha={"start": "left", "middle": "center", "end": "right"}[mark.anchor], color=mark.colour,
                      fontproperties=_properties(mark.bold), zorder=layer, parse_math=False)
