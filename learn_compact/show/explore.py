"""Walking through a real conversation, request by request: what is in the context, and what has just come."""

from collections import Counter

from learn_compact.errors import MessageError
from learn_compact.lab.given import must_be, whole_tokens
from learn_compact.show.areas import Plot, draw_areas, draw_axes, draw_level
from learn_compact.show.bars import BAR, bar_height, draw_axis, draw_bar, draw_limit, draw_total, total_width
from learn_compact.show.bundle import WIDTH, Bundle
from learn_compact.show.explorer import explorer
from learn_compact.show.moments import Moment, moments, stretches
from learn_compact.show.palette import INK, ORDER, PALETTE
from learn_compact.show.scene import Scene
from learn_compact.show.strip import draw_strip, rows, strip_height
from learn_compact.show.table import Table, short
from learn_compact.tokens import count_block

LEFT, RIGHT, PLOT = 130, WIDTH - 24, 120
BAR_TOP = 54
TOTAL = "{:,} tokens (the API: {:,})"


def explore(outline, request=1, *, window=200_000, measure=count_block):
    """An explorer of an outline (or one of its segments), as a `Bundle`: a slider and a number box choose the request.

    Shown are the context by part against the `window` (tokens), its growth, and the conversation block by block, with
    a bracket over what is new since the request before. `measure(block)` counts one block, once, beforehand.
    """
    from ipywidgets import IntSlider  # late: the pictures alone need no widget

    walk = Walk(outline, window, measure)
    if request not in range(1, len(walk.moments) + 1):
        raise MessageError(f"explore(…, request) is a number from 1 to {len(walk.moments)}, not {request!r}.")
    slider = IntSlider(value=request, min=1, max=len(walk.moments), description="request")
    return explorer({"request": slider}, lambda values: walk.at(values["request"]),
                    "Move through the conversation: type a request's number, drag the slider, or use its arrow keys.")


class Walk:
    """The pictures of one conversation: what they share is drawn once, `at(request)` adds what belongs to a moment."""

    def __init__(self, outline, window=200_000, measure=count_block):
        self.window, self.moments = whole_tokens("explore(window=…)", window), moments(outline, measure)
        must_be(self.window, "explore(window=…)", "a number of tokens, 1 or more", window)
        if not isinstance(self.moments[0], Moment):
            raise MessageError("explore(…) needs the blocks of a conversation: pass an outline or a segment of one.")
        if not all(moment.counted for moment in self.moments):
            raise MessageError("explore(…) shows the API's own counts, and this conversation has none for a request. "
                               "growth(…) draws it with estimates.")
        self.name = outline.name
        self.parts = rows([block for stretch in stretches(self.moments) for block in stretch[0].blocks])
        highest = max(max(moment.total, moment.counted) for moment in self.moments)
        width = RIGHT - LEFT
        self.scale = min(width / window, (width - total_width(TOTAL.format(highest, highest))) / highest)
        self.axis = BAR_TOP + max(bar_height(moment.parts, self.scale, width) for moment in self.moments)
        self.plot = Plot(LEFT, self.axis + 60, width, PLOT, len(self.moments), max(window, highest) * 1.08)
        self.strip = self.plot.bottom + 84
        self.sheet = self._sheet()

    def at(self, request):
        """The picture, table and sentence of the moment before a request, as a `Bundle`."""
        moment = self.moments[request - 1]
        scene = Scene(self.sheet.width, self.sheet.height, self.sheet.marks)
        scene.words(14, 18, f"{self.name}: before request {request} of {len(self.moments)}", size=15, bold=True)
        end = draw_bar(scene, LEFT, BAR_TOP, RIGHT, moment.parts, self.scale)
        draw_total(scene, end, BAR_TOP + BAR / 2, TOTAL.format(moment.total, moment.counted))
        x = self.plot.x(request)
        scene.line((x, self.plot.top), (x, self.plot.bottom), width=2)
        scene.shape([(x - 6, self.plot.top), (x + 6, self.plot.top), (x, self.plot.top + 9)], INK)
        in_all = sum(block.tokens for block in moment.blocks)
        draw_strip(scene, LEFT, self.strip, (RIGHT - LEFT) / in_all, moment.blocks[:moment.sent], self.parts,
                   fresh=moment.fresh, right=RIGHT)
        return Bundle(scene, self._table(moment), self._sentence(moment))

    def _sheet(self):
        """What stays when the request changes."""
        sheet = Scene(WIDTH, self.strip + strip_height(self.parts) + 6)
        sheet.words(LEFT - 8, BAR_TOP + BAR / 2, "context", anchor="end", bold=True)
        draw_axis(sheet, LEFT, RIGHT, self.axis, self.scale)
        draw_limit(sheet, LEFT + self.window * self.scale, BAR_TOP - 16, self.axis, f"window {short(self.window)}")
        draw_areas(sheet, self.plot, self.moments)
        draw_level(sheet, self.plot, self.window, f"window {short(self.window)}")
        draw_axes(sheet, self.plot, "All requests (black line: the API's own count), and where we are")
        sheet.words(LEFT, self.strip - 36, "The conversation up to there, block by block (each as wide as its tokens)",
                    size=13, bold=True)
        return sheet

    def _fresh(self, moment):
        """Tokens by part of what has come since the request before."""
        found = Counter()
        for block in moment.blocks[moment.sent - moment.fresh:moment.sent]:
            found[block.part] += block.tokens
        return found

    def _table(self, moment):
        fresh = self._fresh(moment)
        rows = [(PALETTE[part].label, moment.parts[part], fresh[part] or None)
                for part in ORDER if moment.parts.get(part)]
        rows.append(("total", moment.total, fresh.total()))
        return Table(("part", "tokens", "of these new"), rows, f"{self.name}: before request {moment.request}",
                     f"counted by the API: {moment.counted:,} of {self.window:,} tokens")

    def _sentence(self, moment):
        fresh = self._fresh(moment)
        new = ", ".join(f"{PALETTE[part].label} {fresh[part]:,}" for part in ORDER if fresh[part])
        came = f"A compaction ({moment.compaction}) has just come. " if moment.compaction else ""
        return (f"Before request {moment.request} of {len(self.moments)} the context holds {moment.total:,} tokens; "
                f"the API counted {moment.counted:,}, {moment.counted / self.window:.0%} of the window. "
                f"{came}New: {new or 'nothing'} (tokens).")
