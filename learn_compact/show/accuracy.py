"""Estimates held against what the API counted: request by request, and as errors over many conversations."""

from itertools import cycle

from learn_compact.lab.accuracy import request_sizes
from learn_compact.lab.given import must_be, whole_tokens
from learn_compact.show.areas import Plot, draw_axes, draw_level
from learn_compact.show.bundle import WIDTH, Bundle
from learn_compact.show.labels import spread, ticks
from learn_compact.show.palette import FAINT, INK
from learn_compact.show.scene import Scene, text_width
from learn_compact.show.table import Table, short

# Okabe and Ito without those that name parts of the context; each estimate has a form of its own as well.
LOOKS = ("#0072B2", "circle"), ("#D55E00", "square"), ("#009E73", "diamond"), ("#CC79A7", "triangle")
MARGIN, HEIGHT, MARK = 14, 260, 5


def sizes(segment, estimates, threshold):
    """What each estimate says before every request of a segment, and where it passes the `threshold`, as a `Bundle`.

    `estimates` are functions from messages to tokens, by name; `threshold` is in tokens. The black line is what the
    API counted. A cross marks where a line passes the threshold: one that stands further right comes too late.
    """
    must_be(isinstance(estimates, dict), "sizes(…, estimates, …)", "functions by name: {\"s06\": estimate_tokens}",
            estimates)
    threshold = whole_tokens("sizes(…, threshold)", threshold)
    lines = {"the API": [counted for counted, _ in request_sizes(segment, len)]}
    lines |= {name: [size for _, size in request_sizes(segment, f)] for name, f in estimates.items()}
    passed = {name: _passes(line, threshold) for name, line in lines.items()}
    return Bundle(_lines(segment, lines, passed, threshold), _size_table(segment, lines, passed, threshold),
                  _size_sentence(segment, lines, passed, threshold))


def errors(rows, title="Error in the growth of the context"):
    """Errors by conversation and estimate, one row a conversation, one form an estimate, as a `Bundle`.

    `rows` is `{conversation: {estimate: error}}`, an error being a share of what the API counted (-0.25: a quarter too
    low). Left of the line at zero is the dangerous side.
    """
    must_be(_is_grid(rows), "errors(rows)", "{conversation: {estimate: error}}, with the same estimates in each", rows)
    names = list(next(iter(rows.values())))
    return Bundle(_dots(rows, names, title), _error_table(rows, names, title), _error_sentence(rows, names, title))


# Request by request


def _lines(segment, lines, passed, threshold):
    names = {name: f"{name} {short(line[-1])}" for name, line in lines.items()}
    right = WIDTH - MARGIN - max(map(text_width, names.values())) - 14
    highest = max(threshold, *(max(line) for line in lines.values()))
    plot = Plot(MARGIN + 44, 46, right - MARGIN - 44, HEIGHT, len(lines["the API"]), highest * 1.08)
    scene = Scene(WIDTH, plot.bottom + 46)
    looks = dict(zip(lines, [(INK, "circle"), *LOOKS * len(lines)], strict=False))
    for name, line in lines.items():
        points = [(plot.x(i + 1), plot.y(size)) for i, size in enumerate(line)]
        scene.line(*points, colour=looks[name][0], width=2)
        for x, y in points[:: max(1, len(points) // 8)]:
            _mark(scene, x, y, *looks[name])
        if passed[name]:
            _cross(scene, plot.x(passed[name]), plot.y(line[passed[name] - 1]))
    draw_level(scene, plot, threshold, f"threshold {short(threshold)}", dashed=True)
    draw_axes(scene, plot, f"{segment.name}: the context before each request, counted and estimated")
    ends = sorted((plot.y(line[-1]), name) for name, line in lines.items())
    for (_, name), y in zip(ends, spread([y for y, _ in ends], [13] * len(ends), plot.top, plot.bottom), strict=True):
        _mark(scene, plot.right + 8, y, *looks[name])
        scene.words(plot.right + 18, y, names[name])
    return scene


def _size_table(segment, lines, passed, threshold):
    count = len(lines["the API"])
    shown = sorted({1, count, *(tick for tick in ticks(count, 6) if tick)})
    rows = [(str(i), *(line[i - 1] for line in lines.values())) for i in shown]
    return Table(("request", *lines), rows, f"{segment.name}: tokens before a request",
                 f"The threshold of {threshold:,} is passed by {_told(passed)}")


def _size_sentence(segment, lines, passed, threshold):
    return (f"{segment.name}, {len(lines['the API'])} requests: the threshold of {threshold:,} tokens is passed by "
            f"{_told(passed)}. At the end, in tokens: "
            + ", ".join(f"{name} {line[-1]:,}" for name, line in lines.items()) + ".")


def _told(passed):
    return "; ".join(f"{name} {f'at request {at}' if at else 'never'}" for name, at in passed.items())


def _passes(line, threshold):
    return next((i for i, size in enumerate(line, 1) if size > threshold), None)


# Errors over many conversations


def _is_grid(rows):
    """Whether it is a dict of dicts of numbers, all with the same names."""
    return isinstance(rows, dict) and bool(rows) and all(
        isinstance(row, dict) and row and set(row) == set(next(iter(rows.values())))
        and all(isinstance(error, int | float) for error in row.values()) for row in rows.values())


def _dots(rows, names, title):
    left = MARGIN + max(map(text_width, rows)) + 14
    top, step, right = 74, 26, WIDTH - MARGIN - 30
    found = [error for row in rows.values() for error in row.values()]
    low, high = min(-0.1, *found) - 0.03, max(0.1, *found) + 0.03

    def x(error):
        return left + (error - low) / (high - low) * (right - left)

    scene = Scene(WIDTH, top + step * len(rows) + 40)
    scene.words(MARGIN, 18, title, size=15, bold=True)
    at = MARGIN
    for name, look in zip(names, cycle(LOOKS), strict=False):
        _mark(scene, at + MARK, 46, *look)
        scene.words(at + 16, 46, name)
        at += 40 + text_width(name)
    bottom = top + step * len(rows)
    for percent in range(-100, 300, 10):
        if low <= percent / 100 <= high:
            colour, width = ("#DDDDDD", 0.8) if percent else (INK, 1.5)
            scene.line((x(percent / 100), top - 6), (x(percent / 100), bottom), colour=colour, width=width)
            scene.words(x(percent / 100), bottom + 12, f"{percent:+d} %" if percent else "0", size=11, anchor="middle")
    scene.words(x(0) - 8, bottom + 29, "← too low: compaction comes too late", size=11, anchor="end", colour=FAINT)
    scene.words(x(0) + 8, bottom + 29, "too high →", size=11, colour=FAINT)
    for i, (conversation, row) in enumerate(rows.items()):
        y = top + step * i + step / 2 - 4
        scene.words(left - 10, y, conversation, anchor="end")
        scene.line((x(min(row.values())), y), (x(max(row.values())), y), colour="#BBBBBB")
        for name, look in zip(names, cycle(LOOKS), strict=False):
            _mark(scene, x(row[name]), y, *look, title=f"{conversation}, {name}: {row[name]:+.0%}")
    return scene


def _error_table(rows, names, title):
    cells = [(conversation, *(f"{row[name]:+.0%}" for name in names)) for conversation, row in rows.items()]
    return Table(("conversation", *names), cells, title)


def _error_sentence(rows, names, title):
    ranges = ", ".join(f"{name} {min(row[name] for row in rows.values()):+.0%} to "
                       f"{max(row[name] for row in rows.values()):+.0%}" for name in names)
    return f"{title}, {len(rows)} conversations: {ranges}."


# Forms


def _mark(scene, x, y, colour, form, title=""):
    m = MARK
    points = {"circle": [(x - m, y), (x - m * .7, y - m * .7), (x, y - m), (x + m * .7, y - m * .7), (x + m, y),
                         (x + m * .7, y + m * .7), (x, y + m), (x - m * .7, y + m * .7)],
              "square": [(x - m, y - m), (x + m, y - m), (x + m, y + m), (x - m, y + m)],
              "diamond": [(x, y - m - 1), (x + m + 1, y), (x, y + m + 1), (x - m - 1, y)],
              "triangle": [(x, y - m - 1), (x + m + 1, y + m), (x - m - 1, y + m)]}[form]
    scene.shape(points, colour, title=title)


def _cross(scene, x, y):
    for dx in (-7, 7):
        scene.line((x - dx, y - 7), (x + dx, y + 7), width=2.5)
