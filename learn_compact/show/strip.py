"""The conversation in order, like a score: a row for every part, each block as wide as its tokens.

Rows tell the parts apart without colour. A shortened block is pale and hatched, one that is gone an empty frame.
"""

from learn_compact.show.blocks import KEPT, SHORTENED
from learn_compact.show.labels import ticks
from learn_compact.show.palette import FAINT, ORDER, PALETTE, PAPER, paler
from learn_compact.show.scene import text_width

ROW, GAP, AXIS = 16, 4, 22  # heights in pixels: a row, the paper between two, the axis of turns beneath
THINNEST, SEAM = 0.8, 0.8  # pixels: no block becomes invisible, and neighbours don't become one
RULE = "#E6E6E6"


def rows(blocks):
    """The parts that occur among the blocks, in the order of every picture: one row each."""
    found = {block.part for block in blocks}
    return [part for part in ORDER if part in found]


def strip_height(parts):
    """How many pixels high a strip with these rows is, with its axis."""
    return len(parts) * (ROW + GAP) + AXIS


def draw_strip(scene, left, top, scale, blocks, parts, fates=None, fresh=0, right=None):
    """Draw `blocks` from `left`, `scale` pixels to a token, one row for each of `parts`.

    `fates` has a fate for each block; the last `fresh` blocks are marked as new; `right` is how far the rows reach
    where that is further than the blocks.
    """
    row_of = {part: top + i * (ROW + GAP) for i, part in enumerate(parts)}
    bottom = top + len(parts) * (ROW + GAP)
    end = left + scale * sum(block.tokens for block in blocks)
    right = right or end
    if fresh:
        _draw_new(scene, end - scale * sum(block.tokens for block in blocks[-fresh:]), end, top, bottom)
    for part, y in row_of.items():
        scene.words(left - 8, y + ROW / 2, PALETTE[part].label, anchor="end")
        scene.line((left, y + ROW + GAP / 2), (right, y + ROW + GAP / 2), colour=RULE)
    x, starts = left, {}
    for i, block in enumerate(blocks):
        starts.setdefault(block.turn, x)
        fate = fates[i] if fates else KEPT
        width = block.tokens * scale
        draw_block(scene, x, row_of[block.part], width, block.part, fate, _title(block, fate) if width > 1.5 else "")
        x += width
    draw_starts(scene, left, right, bottom, starts, "turn")


def _draw_new(scene, left, right, top, bottom):
    """A pale column behind the new blocks, with a bracket and a word above."""
    left, right = left - 1, max(right, left + THINNEST) + 1
    scene.box(left, top, right - left, bottom - top, RULE)
    scene.line((left, top), (left, top - 5), (right, top - 5), (right, top), width=1.5)
    scene.words((left + right) / 2, top - 13, "new", size=11, anchor="middle", bold=True)


def draw_block(scene, x, y, width, part, fate=KEPT, title=""):
    """Draw one block in its row as its fate wants it: full, pale and hatched, or an empty frame."""
    width, colour = max(width - SEAM if width > 4 else width, THINNEST), PALETTE[part].colour
    if fate == KEPT:
        scene.box(x, y, width, ROW, colour, title=title)
    elif fate == SHORTENED:
        scene.box(x, y, width, ROW, paler(colour), title=title)
        scene.stripes(x, y, width, ROW, paler(colour, 0.8))
    else:
        scene.box(x + 0.5, y + 0.5, max(width - 1, THINNEST), ROW - 1, PAPER, paler(FAINT, 0.6), title)


def _title(block, fate):
    return str(block) if fate == KEPT else f"{block}, {fate}"


def draw_starts(scene, left, right, y, starts, name):
    """An axis that says where turns (or what `name` calls) begin, at round numbers that don't touch each other."""
    scene.line((left, y), (right, y))
    scene.words(left - 8, y + 12, name, size=11, anchor="end", colour=FAINT)
    beyond = left - 100
    for number in sorted({1, *ticks(max(starts), 12)} & set(starts)):
        x, half = starts[number], text_width(str(number), 11) / 2
        if x - half >= beyond:
            scene.line((x, y), (x, y + 4))
            scene.words(x, y + 12, str(number), size=11, anchor="middle")
            beyond = x + half + 8
