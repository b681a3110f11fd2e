"""One context as one bar: its parts in their order, each as wide as its tokens, every one of them named."""

from typing import NamedTuple

from learn_compact.show.labels import spread, ticks
from learn_compact.show.palette import FAINT, ORDER, PALETTE, PAPER, ink_on
from learn_compact.show.scene import text_width
from learn_compact.show.table import short

BAR, CALLOUT = 40, 18  # heights in pixels: the bar, and a row of names that found no room in it
SMALL, SWATCH, GAP = 11, 9, 12


def bar_height(parts, scale, width):
    """How many pixels `draw_bar` needs, with the names beneath; `scale` is pixels per token."""
    return BAR + 4 + CALLOUT * len(_beneath(parts, scale, width))


def draw_bar(scene, left, top, right, parts, scale):
    """Draw `parts` (tokens by part) from `left`; names without room stand beneath, in the order of the bar.

    Returns the x at which the bar ends. `right` is how far the names beneath may reach.
    """
    x = left
    for part in _shown(parts):
        (label, colour), width = PALETTE[part], parts[part] * scale
        scene.box(x, top, width, BAR, colour, PAPER, f"{label}: {parts[part]:,} tokens")
        if _fits(part, parts[part], scale):
            scene.words(x + width / 2, top + 13, label, anchor="middle", colour=ink_on(colour))
            scene.words(x + width / 2, top + 28, short(parts[part]), anchor="middle", colour=ink_on(colour))
        x += width
    for row, names in enumerate(_beneath(parts, scale, right - left)):
        y = top + BAR + 12 + CALLOUT * row
        places = spread([left + name.centre for name in names], [name.width for name in names], left, right, GAP)
        for name, place in zip(names, places, strict=True):
            scene.box(place - name.width / 2, y - SWATCH / 2, SWATCH, SWATCH, PALETTE[name.part].colour)
            scene.words(place - name.width / 2 + SWATCH + 4, y, name.text, size=SMALL)
    return x


class _Name(NamedTuple):
    """A name that found no room inside its piece of the bar, whose `centre` is so far from the bar's beginning."""

    centre: float
    part: str
    text: str

    @property
    def width(self):
        return SWATCH + 4 + text_width(self.text, SMALL)


def _beneath(parts, scale, width):
    """The names beneath a bar, as rows that are no wider than `width`."""
    found, x, used = [], 0, width
    for part in _shown(parts):
        size = parts[part] * scale
        if not _fits(part, parts[part], scale):
            name = _Name(x + size / 2, part, f"{PALETTE[part].label} {short(parts[part])}")
            if used + GAP + name.width > width:
                found.append([])
                used = -GAP
            found[-1].append(name)
            used += GAP + name.width
        x += size
    return found


def _shown(parts):
    return [part for part in ORDER if parts.get(part)]


def draw_axis(scene, left, right, y, scale):
    """The axis beneath bars: tokens, at round numbers."""
    scene.line((left, y), (right, y))
    for tick in ticks((right - left) / scale, 8):
        x = left + tick * scale
        scene.line((x, y), (x, y + 4))
        scene.words(x, y + 13, short(tick), size=SMALL, anchor="middle")
    scene.words(left - 8, y + 13, "tokens", size=SMALL, anchor="end", colour=FAINT)


def draw_limit(scene, x, top, bottom, label, dashed=False):
    """A line that the bars should stay left of, with its name at its upper end."""
    scene.line((x, top), (x, bottom), width=1.2, dashed=dashed)
    has_room = x - 5 - text_width(label, SMALL) > 0
    scene.words(x - 5 if has_room else x + 5, top, label, size=SMALL, anchor="end" if has_room else "start")


def draw_total(scene, x, y, label):
    """What a bar comes to, behind its end; a line that passes there is interrupted."""
    scene.box(x + 3, y - 9, text_width(label, 13, True) + 6, 18, PAPER)
    scene.words(x + 6, y, label, size=13, bold=True)


def total_width(label):
    """How many pixels `draw_total` needs behind the bar."""
    return text_width(label, 13, True) + 9


def _fits(part, tokens, scale):
    return max(text_width(PALETTE[part].label), text_width(short(tokens))) + 8 <= tokens * scale
