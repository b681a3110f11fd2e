"""The same requests under several policies: one line for what each would have sent, in one picture."""

from itertools import batched, pairwise

from learn_compact.show.areas import Plot, draw_axes
from learn_compact.show.bundle import WIDTH, Bundle
from learn_compact.show.labels import spread, ticks
from learn_compact.show.palette import INK
from learn_compact.show.scene import Scene, text_width
from learn_compact.show.table import Table, short

COLOURS = (INK, "#0072B2", "#D55E00", "#009E73", "#CC79A7")  # Okabe and Ito; every line has its name beside it too
MARGIN, AXIS, TOP, HEIGHT, SMALL = 14, 44, 30, 260, 11
NOTHING = "Without a request there is nothing to replay."
COLUMNS = 400  # of a line; where there are more requests, neighbours share one and the largest of them is drawn


def lives(lived, title="tokens before a request"):
    """How large each policy kept the context, request by request, as a `Bundle`.

    `lived` is {name: points}, up to five, with as many points each. The first is the one to compare with; a line that
    lies on it is left out, and its name says so. Without points there is only a sentence.
    """
    first, *_ = lived.values()
    if not first:
        scene = Scene(WIDTH, TOP)
        scene.words(MARGIN, TOP / 2, NOTHING)
        return Bundle(scene, Table((), [], NOTHING), NOTHING)
    drawn = {name: points for name, points in lived.items() if points is first or _sizes(points) != _sizes(first)}
    same = [name for name in lived if name not in drawn]
    labels = {name: name for name in drawn}
    labels[next(iter(drawn))] = ", ".join([next(iter(drawn)), *same])
    return Bundle(_scene(drawn, labels, title), _table(lived), _sentence(lived))


def _scene(drawn, labels, title):
    named = {name: f"{labels[name]} {short(points[-1].total)}" for name, points in drawn.items()}
    beside = 30 + max(text_width(text, SMALL) for text in named.values())
    count, highest = len(next(iter(drawn.values()))), max(max(_sizes(points)) for points in drawn.values())
    scene = Scene(WIDTH, TOP + HEIGHT + 44)
    plot = Plot(MARGIN + AXIS, TOP, WIDTH - 2 * MARGIN - AXIS - beside, HEIGHT, count, highest * 1.08 or 1)
    draw_axes(scene, plot, title)
    ends = []
    for (name, points), colour in zip(drawn.items(), COLOURS, strict=False):
        width = 4 if points is next(iter(drawn.values())) else 1.6  # so that it is seen behind one that lies on it
        scene.line(*_corners(plot, _sizes(points)), colour=colour, width=width)
        ends.append((plot.y(points[-1].total), colour, named[name]))
    ends.sort()
    places = spread([y for y, *_ in ends], [13] * len(ends), plot.top, plot.bottom, 2)
    for (_, colour, text), y in zip(ends, places, strict=True):
        scene.line((plot.right + 6, y), (plot.right + 20, y), colour=colour, width=3)
        scene.words(plot.right + 25, y, text, size=SMALL)
    return scene


def _corners(plot, sizes):
    """The corners of a line over all requests, of which neighbours share a column where there are too many."""
    together = -(-len(sizes) // COLUMNS)
    tops = [max(group) for group in batched(sizes, together)]
    edges = [plot.x(1 + i * together - 0.5) for i in range(len(tops))] + [plot.right]
    return [(x, plot.y(top)) for top, pair in zip(tops, pairwise(edges), strict=True) for x in pair]


def _table(lived):
    count = len(next(iter(lived.values())))
    shown = sorted({1, *ticks(count, 6), count} - {0})
    rows = [(str(request), *(points[request - 1].total for points in lived.values())) for request in shown]
    return Table(("request", *lived), rows, "Tokens before a request")


def _sentence(lived):
    most = ", ".join(f"{name} {max(_sizes(points)):,}" for name, points in lived.items())
    return f"The context before each request under each policy. The largest of each, in tokens: {most}."


def _sizes(points):
    return [point.total for point in points]
