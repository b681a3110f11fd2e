"""How real conversations fill their window: chapter 0's first picture."""

from learn_compact.errors import MessageError
from learn_compact.show.areas import (
    Plot,
    compaction_name,
    draw_areas,
    draw_axes,
    draw_compactions,
    draw_level,
    draw_names,
    draw_unlogged,
    names_width,
)
from learn_compact.show.bundle import WIDTH, Bundle
from learn_compact.show.labels import ticks
from learn_compact.show.moments import moments, stretches
from learn_compact.show.palette import FAINT, ORDER, PALETTE
from learn_compact.show.scene import Scene
from learn_compact.show.table import Table, Tables, short
from learn_compact.tokens import count_block

FOOTNOTES = (
    "not in the log: system prompt, tools, memory file, attached files; what the API counted for a first request, less "
    "what the log shows of it",
    "areas: by the reference counter; where they leave the black line, the counter or the log is off",
)
MARGIN, AXIS, HEIGHT, GAP = 14, 44, 300, 18


def growth(*outlines, window=200_000, buffer=13_000, measure=count_block):
    """How the context of one or two outlines grows, request by request, as a `Bundle`.

    Areas show the tokens by part, the black line what the API itself counted; `window` and `window - buffer` (where
    auto-compact sets in if the whole window is there for the conversation) are lines in tokens. `measure(block)`
    counts one block. Raises MessageError where there is nothing to draw.
    """
    if not 1 <= len(outlines) <= 2:
        raise MessageError(f"growth(…) draws one or two outlines side by side, not {len(outlines)}.")
    grown = {outline.name: moments(outline, measure) for outline in outlines}
    return Bundle(_scene(grown, window, buffer), Tables(_table(*item) for item in grown.items()),
                  " ".join(_sentence(*item) for item in grown.items()) + f" The window is {window:,} tokens.")


def _scene(grown, window, buffer):
    scene = Scene(WIDTH, 46 + HEIGHT + 78)
    highest = max(max(moment.total, moment.counted or 0) for found in grown.values() for moment in found)
    beside = [names_width(found[-1]) for found in grown.values()]
    width = (WIDTH - 2 * MARGIN - AXIS - sum(beside) - GAP * (len(grown) - 1)) / len(grown)
    left = MARGIN + AXIS
    for (name, found), names in zip(grown.items(), beside, strict=True):
        plot = Plot(left, 46, width, HEIGHT, len(found), max(window, highest) * 1.08)
        draw_areas(scene, plot, found)
        draw_level(scene, plot, window, f"window {short(window)}")
        draw_level(scene, plot, window - buffer, f"auto-compact at {short(window - buffer)} at the latest", dashed=True)
        draw_compactions(scene, plot, found)
        draw_unlogged(scene, plot, found)
        draw_axes(scene, plot, f"{name}, {len(found)} requests", with_tokens=left == MARGIN + AXIS)
        draw_names(scene, plot, found[-1])
        left += width + names + GAP
    scene.words(MARGIN, 46 - 14, "tokens", size=11, colour=FAINT)
    for i, text in enumerate(FOOTNOTES):
        scene.words(MARGIN, scene.height - 30 + 17 * i, text, size=11, colour=FAINT)
    return scene


def _table(name, found):
    used = [part for part in ORDER if any(moment.parts.get(part) for moment in found)]
    columns = ("request", "API", *(PALETTE[part].label for part in used))
    rows = [(str(moment.request), moment.counted, *(moment.parts.get(part, 0) for part in used))
            for moment in _selected(found)]
    notes = [f"{compaction_name(after[0].compaction)} before request {after[0].request}"
             for after in stretches(found)[1:]]
    return Table(columns, rows, f"{name}: tokens of the context before a request", "; ".join(notes))


def _selected(found):
    """The first and the last moment, those beside a compaction, and round numbers between."""
    wanted = {1, len(found), *ticks(len(found), 6)}
    for before, after in zip(stretches(found), stretches(found)[1:], strict=False):
        wanted |= {before[-1].request, after[0].request}
    return [moment for moment in found if moment.request in wanted]


def _sentence(name, found):
    text = (f"{name}: from {found[0].counted:,} tokens at request 1 to {found[-1].counted:,} at request {len(found)}"
            f" as the API counted them")
    for before, after in zip(stretches(found), stretches(found)[1:], strict=False):
        text += (f"; {compaction_name(after[0].compaction)} before request {after[0].request} takes it from "
                 f"{before[-1].counted:,} to {after[0].counted:,}")
    largest = max(ORDER[1:], key=lambda part: found[-1].parts.get(part, 0))
    return (f"{text}. At the end {PALETTE[largest].label} are the largest part that the log shows, "
            f"{found[-1].parts.get(largest, 0):,} tokens.")
