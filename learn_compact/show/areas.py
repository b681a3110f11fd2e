"""How a context grows, request by request: stacked areas by part, the API's count, the lines it must stay under."""

from learn_compact.show.labels import spread, ticks
from learn_compact.show.moments import compacted, compactions, size, stretches
from learn_compact.show.palette import FAINT, INK, ORDER, PALETTE, PAPER
from learn_compact.show.scene import Words, text_width
from learn_compact.show.table import short

SMALL, SWATCH = 11, 9
HATCHED = "summary"  # without colour it would look like the results that lie on it


class Plot:
    """Where the requests and tokens of one growth stand on the sheet: a frame in pixels and the range it shows."""

    def __init__(self, left, top, width, height, requests, tokens):
        self.left, self.top, self.width, self.height = left, top, width, height
        self.requests, self.tokens = requests, tokens

    @property
    def bottom(self):
        return self.top + self.height

    @property
    def right(self):
        return self.left + self.width

    def x(self, request):
        """The middle of a request's column."""
        return self.left + (request - 0.5) / self.requests * self.width

    def y(self, tokens):
        return self.bottom - tokens / self.tokens * self.height


def draw_areas(scene, plot, moments):
    """The parts as stacked areas, a column for each request, and the API's count as a black line."""
    floor, seams, column = [0] * len(moments), [], plot.width / plot.requests
    for part in ORDER:
        roof = [low + moment.parts.get(part, 0) for low, moment in zip(floor, moments, strict=True)]
        if roof != floor:
            seams.append(_stairs(plot, roof))
            scene.shape(seams[-1] + _stairs(plot, floor)[::-1], PALETTE[part].colour)
            if part == HATCHED:
                for i, (low, high) in enumerate(zip(floor, roof, strict=True)):
                    scene.stripes(plot.x(i + 0.5), plot.y(high), column, plot.y(low) - plot.y(high), PAPER)
        floor = roof
    for seam in seams:
        scene.line(*seam, colour=PAPER, width=0.5)
    for stretch in stretches(moments):
        counted = [moment.counted for moment in stretch]
        if all(counted):
            scene.line(*_stairs(plot, counted, stretch[0].request), width=2)


def draw_axes(scene, plot, title="", with_tokens=True):
    """The frame's axes: requests below, tokens on the left (only their lines where `with_tokens` is False)."""
    scene.words(plot.left, plot.top - 14, title, size=13, bold=True)
    for tick in ticks(plot.tokens, 5):
        scene.line((plot.left - 4, plot.y(tick)), (plot.left, plot.y(tick)))
        if with_tokens:
            scene.words(plot.left - 8, plot.y(tick), short(tick), size=SMALL, anchor="end")
    scene.line((plot.left, plot.top), (plot.left, plot.bottom), (plot.right, plot.bottom))
    for tick in sorted({1, *ticks(plot.requests, 6)} - {0}):
        scene.line((plot.x(tick), plot.bottom), (plot.x(tick), plot.bottom + 4))
        scene.words(plot.x(tick), plot.bottom + 13, str(tick), size=SMALL, anchor="middle")
    scene.words(plot.left + plot.width / 2, plot.bottom + 28, "request", size=SMALL, anchor="middle", colour=FAINT)


def draw_level(scene, plot, tokens, label, dashed=False):
    """A line across the frame at so many tokens, its name on it at the left."""
    scene.line((plot.left, plot.y(tokens)), (plot.right, plot.y(tokens)), width=1.2, dashed=dashed)
    scene.words(plot.left + 10, plot.y(tokens) + (9 if dashed else -8), label, size=SMALL)


def draw_compactions(scene, plot, moments):
    """At each compaction an arrow and, where data and words leave room for it, what it did to the context."""
    taken = [mark.box for mark in scene.marks if isinstance(mark, Words)]
    for last, first in compactions(moments):
        was = compacted(last, first)
        x, high, low = plot.x(first.request - 0.5), plot.y(was), plot.y(size(first))
        end = low if low > high + 12 else high
        scene.line((x, min(high, end - 14)), (x, end - 6), width=1.5)
        scene.shape([(x - 4, end - 8), (x + 4, end - 8), (x, end - 1)], INK)
        words = compaction_name(first.compaction), f"{short(was)} → {short(size(first))}"
        width = max(text_width(text, bold=True) for text in words)
        # Beside the drop, in the room that it has made; else above what was there before.
        for left, top in ((x + 8, high - 2), (x - 8 - width, high - 44)):
            box = left - 3, top, left + width + 3, top + 34
            if _is_free(plot, moments, box) and not any(_touch(box, other) for other in taken):
                taken.append(box)
                scene.box(box[0], top, box[2] - box[0], 34, PAPER)
                for i, text in enumerate(words):
                    scene.words(left, top + 9 + 16 * i, text, bold=i == 0)
                break


def draw_unlogged(scene, plot, moments):
    """How much of each stretch the log doesn't show, written into its band: a compaction changes that too."""
    for stretch in stretches(moments):
        unlogged = stretch[0].parts.get("unlogged", 0)
        left, right = plot.x(stretch[0].request - 0.5), plot.x(stretch[-1].request + 0.5)
        for text in (f"{PALETTE['unlogged'].label}: {short(unlogged)}", short(unlogged)):
            if text_width(text) + 8 < right - left and plot.y(0) - plot.y(unlogged) > 16:
                scene.words((left + right) / 2, plot.y(unlogged / 2), text, anchor="middle")
                break


def draw_names(scene, plot, moment):
    """The names of the bands beside their ends at the right, none on another."""
    labels, floor = [], 0
    for part in ORDER:
        tokens = moment.parts.get(part, 0)
        if tokens:
            text = f"{PALETTE[part].label} {short(tokens)}"
            labels.append((plot.y(floor + tokens / 2), PALETTE[part].colour, SWATCH, text))
        floor += tokens
    if moment.counted:
        labels.append((plot.y(max(floor, moment.counted)) - 10, INK, 2, f"API's count {short(moment.counted)}"))
    labels.sort()
    places = spread([y for y, *_ in labels], [13] * len(labels), plot.top, plot.bottom, 2)
    for (_, colour, height, text), y in zip(labels, places, strict=True):
        scene.box(plot.right + 8, y - height / 2, SWATCH, height, colour)
        if colour == PALETTE[HATCHED].colour:
            scene.stripes(plot.right + 8, y - height / 2, SWATCH, height, PAPER, step=4)
        scene.words(plot.right + 8 + SWATCH + 4, y, text, size=SMALL)


def names_width(moment):
    """How many pixels `draw_names` needs at most, right of the frame."""
    used = [PALETTE[part].label for part in ORDER if moment.parts.get(part)]
    return 8 + SWATCH + 4 + max(text_width(f"{name} 000k", SMALL) for name in [*used, "API's count"])


def compaction_name(kind):
    """What a picture calls a compaction of this kind."""
    return {"auto": "auto-compact", "manual": "manual compact"}.get(kind, kind)


def _stairs(plot, values, first=1):
    """The corners of a line over the columns of `values` (tokens), from the request `first` on."""
    return [(plot.x(request + side), plot.y(tokens))
            for request, tokens in enumerate(values, first) for side in (-0.5, 0.5)]


def _is_free(plot, moments, box):
    """Whether a box lies inside the frame, or reaches out of it at the right, and above all columns."""
    left, top, right, bottom = box
    if left < plot.left + 2 or top < plot.top or right > plot.right + 100:
        return False
    beneath = [moment for moment in moments
               if left < plot.x(moment.request + 0.5) and plot.x(moment.request - 0.5) < right]
    return all(plot.y(size(moment)) > bottom for moment in beneath)


def _touch(one, two):
    return one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]
