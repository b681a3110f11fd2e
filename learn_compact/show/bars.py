"""One context as one bar: its parts in their order, each as wide as its tokens, every one of them named."""

from learn_compact.show.labels import spread, ticks
from learn_compact.show.palette import FAINT, ORDER, PALETTE, PAPER, ink_on
from learn_compact.show.scene import text_width
from learn_compact.show.table import short

BAR, CALLOUT = 40, 18  # heights in pixels: the bar, and the row of names that found no room in it
SMALL, SWATCH = 11, 9


def narrow_parts(parts, scale):
    """The parts whose names find no room inside their piece of the bar; `scale` is pixels per token."""
    return [part for part in ORDER if parts.get(part) and not _fits(part, parts[part], scale)]


def draw_bar(scene, left, top, right, parts, scale):
    """Draw `parts` (tokens by part) from `left`; names without room stand beneath, in the order of the bar.

    Returns the x at which the bar ends. `right` is how far the names beneath may reach.
    """
    x, beneath = left, []
    for part in ORDER:
        tokens = parts.get(part, 0)
        if not tokens:
            continue
        (label, colour), width = PALETTE[part], tokens * scale
        scene.box(x, top, width, BAR, colour, PAPER, f"{label}: {tokens:,} tokens")
        if _fits(part, tokens, scale):
            scene.words(x + width / 2, top + 13, label, anchor="middle", colour=ink_on(colour))
            scene.words(x + width / 2, top + 28, short(tokens), anchor="middle", colour=ink_on(colour))
        else:
            beneath.append((x + width / 2, part, f"{label} {short(tokens)}"))
        x += width
    widths = [text_width(text, SMALL) + SWATCH + 4 for _, _, text in beneath]
    places = spread([centre for centre, _, _ in beneath], widths, left, right, 12)
    for (_, part, text), place, width in zip(beneath, places, widths, strict=True):
        scene.box(place - width / 2, top + BAR + 7, SWATCH, SWATCH, PALETTE[part].colour)
        scene.words(place - width / 2 + SWATCH + 4, top + BAR + 12, text, size=SMALL)
    return x


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
    scene.words(x - 5, top, label, size=SMALL, anchor="end")


def draw_total(scene, x, y, label):
    """What a bar comes to, behind its end; a line that passes there is interrupted."""
    scene.box(x + 3, y - 9, text_width(label, 13, True) + 6, 18, PAPER)
    scene.words(x + 6, y, label, size=13, bold=True)


def total_width(label):
    """How many pixels `draw_total` needs behind the bar."""
    return text_width(label, 13, True) + 9


def _fits(part, tokens, scale):
    return max(text_width(PALETTE[part].label), text_width(short(tokens))) + 8 <= tokens * scale
