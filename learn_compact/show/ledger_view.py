"""The ledger as a picture: every block that ever arrived, in order, in the row of its fate; and the way back.

Rows tell the fates apart without colour. A slider goes from block to block and says of each what became of it, which
step did that, where the original is, and how it begins: fetched back from there, not remembered.
"""

import json

from learn_compact.errors import ArchiveError, demand
from learn_compact.ledger import ARCHIVED, DROPPED, FATES, KEPT, ON_DISK, SHORTENED, SUMMARISED
from learn_compact.messages import result_text
from learn_compact.show.bundle import WIDTH, Bundle
from learn_compact.show.explorer import explorer
from learn_compact.show.palette import INK
from learn_compact.show.scene import Scene, text_width
from learn_compact.show.strip import GAP, ROW, RULE, SEAM, THINNEST, draw_starts
from learn_compact.show.table import Table

# Okabe and Ito again: what is still there is dark, what can be fetched back coloured, what is gone for good black.
COLOURS = {KEPT: "#999999", SHORTENED: "#56B4E9", ON_DISK: "#0072B2", ARCHIVED: "#009E73", SUMMARISED: "#E69F00",
           DROPPED: INK}
MARGIN, TOP, SHOWN = 14, 52, 90  # pixels, pixels, characters of an original


def LedgerView(ledger, block=1, title="What became of every block"):
    """A ledger as an explorer (a `Bundle`): blocks coloured by fate, and the way back to the one that is chosen.

    `block` counts the blocks as they arrived, from 1. Each is as wide as its tokens on arrival. Raises PolicyError for
    a ledger in which nothing has arrived yet.
    """
    from ipywidgets import IntSlider  # late: the picture alone needs no widget

    demand(getattr(ledger, "entries", None), "LedgerView(ledger)",
           "a ledger in which something has arrived, such as agent.ledger or run.ledger", ledger)
    slider = IntSlider(value=block, min=1, max=len(ledger.entries), description="block")
    lost = len(ledger.lost())  # asked once, because it reads the whole log
    return explorer({"block": slider}, lambda values: _bundle(ledger, values["block"], title, lost),
                    "What was lost, and where is it? Choose a block: the sentence beneath says how to get it back.")


def _bundle(ledger, block, title, lost):
    told = _told(ledger, block)
    fates = [(fate, count, saved) for fate, (count, saved) in ledger.by_fate().items()]
    note = "Every original can be fetched back." if not lost else f"Originals that are nowhere any more: {lost}."
    table = Table(("fate", "blocks", "tokens saved"), fates, title, f"{note} {told}")
    alt = f"{title}: " + ", ".join(f"{count} {fate}" for fate, count, _ in fates) + f". {note} {told}"
    return Bundle(_scene(ledger, block, title), table, alt)


def _scene(ledger, block, title):
    rows = [fate for fate in FATES if fate in ledger.by_fate()]
    left = MARGIN + max(map(text_width, rows)) + 8
    bottom = TOP + len(rows) * (ROW + GAP)
    scene = Scene(WIDTH, bottom + 30)
    scene.words(MARGIN, 18, title, size=15, bold=True)
    for i, fate in enumerate(rows):
        y = TOP + i * (ROW + GAP)
        scene.words(left - 8, y + ROW / 2, fate, anchor="end")
        scene.line((left, y + ROW + GAP / 2), (WIDTH - MARGIN, y + ROW + GAP / 2), colour=RULE)
    scale = (WIDTH - MARGIN - left) / max(1, sum(entry.tokens for entry in ledger.entries))
    x, starts = left, {}
    for number, entry in enumerate(ledger.entries, 1):
        width = entry.tokens * scale
        starts.setdefault(entry.message, x)
        scene.box(x, TOP + rows.index(entry.fate) * (ROW + GAP), max(width - SEAM if width > 4 else width, THINNEST),
                  ROW, COLOURS[entry.fate], title=f"block {number}: {_named(entry)}, {entry.fate}")
        if number == block:
            _point_at(scene, x + width / 2, bottom)
        x += width
    draw_starts(scene, left, WIDTH - MARGIN, bottom, starts, "message")
    return scene


def _point_at(scene, x, bottom):
    scene.line((x, TOP - 6), (x, bottom), width=1.5)
    scene.shape([(x - 6, TOP - 14), (x + 6, TOP - 14), (x, TOP - 5)], INK)


def _named(entry):
    kind = entry.kind.replace("_", " ")
    return f"{kind} of {entry.tool}" if entry.tool else f"{kind} of the {entry.role}"


def _told(ledger, block):
    """What became of one block, and the way back, in a sentence or two."""
    entry = ledger.entries[block - 1]
    name = (f"Block {block} of {len(ledger.entries)}, in message {entry.message}: {_named(entry)}, "
            f"{entry.tokens:,} tokens, {entry.fate}")
    if entry.fate == KEPT:
        return f"{name}."
    try:
        original = ledger.restore(entry)
    except ArchiveError as error:
        return f"{name} by {entry.step}. {error}"
    begins = " ".join(_said(original)[:SHOWN].split())
    return (f"{name} by {entry.step}; the original is in {entry.where or 'the log'}. "
            f"ledger.restore({(entry.message, entry.block)}) gives it back: “{begins}…”")


def _said(block):
    return block.get("text") or block.get("thinking") or result_text(block) or json.dumps(block.get("input", ""))
