"""How real conversations fill their window: chapter 0's first picture."""

from learn_compact.errors import MessageError
from learn_compact.lab.given import must_be, whole_tokens
from learn_compact.pipeline import AUTOCOMPACT_BUFFER_TOKENS
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
from learn_compact.show.moments import compacted, compactions, moments, size
from learn_compact.show.palette import FAINT, ORDER, PALETTE
from learn_compact.show.scene import Scene
from learn_compact.show.table import Table, Tables, short
from learn_compact.tokens import count_block

FOOTNOTES = (
    "not in the log: system prompt, tools, memory file, attached files; what the API counted for a first request, less "
    "what the log shows of it",
    "areas: our own count; where they leave the black line, it is off, or the log is",
)
MARGIN, AXIS, TOP, HEIGHT, GAP = 14, 44, 46, 300, 18
FEW, MOST = 2, 12  # compactions that a sentence tells in full, and that a note numbers


def growth(*sources, names=None, window=200_000, threshold="claude_code", measure=count_block):
    """How the context of one or two conversations grows, request by request, as a `Bundle`.

    A source is an outline, a loaded conversation, a segment of one, or the points of an agent (`agent.points`); `names`
    are their titles, where a source has no name of its own. Areas show the tokens by part, the black line
    what the API itself counted. `window` and `threshold` are lines in tokens; None leaves one out. The threshold
    "claude_code" is where Claude Code compacts at the latest, 13,000 tokens below the window, if there is one.
    `measure(block)` counts one block of an outline.
    Raises MessageError where there is nothing to draw, or for anything else.
    """
    if not 1 <= len(sources) <= 2:
        raise MessageError(f"growth(…) draws one or two conversations side by side, not {len(sources)}.")
    must_be(names is None or isinstance(names, list | tuple), "growth(names=…)", "a list of names", names)
    names = names or [getattr(source, "name", f"conversation {i}") for i, source in enumerate(sources, 1)]
    if len(names) != len(sources):
        raise MessageError(f"growth(…, names=…) needs a name for each conversation ({len(sources)}), not {names!r}.")
    levels = _levels(window, threshold)
    grown = [(str(name), moments(source, measure)) for name, source in zip(names, sources, strict=True)]
    alt = [_sentence(*item) for item in grown] + ([f"The window is {window:,} tokens."] if window else [])
    return Bundle(_scene(grown, levels), Tables(_table(*item) for item in grown), " ".join(alt))


def _levels(window, threshold):
    """The lines to draw: (tokens, name, dashed)."""
    window, levels = whole_tokens("growth(window=…)", window or 0), []
    if window:
        levels.append((window, f"window {short(window)}", False))
    if threshold == "claude_code":
        at, name = window - AUTOCOMPACT_BUFFER_TOKENS, "auto-compact at {} at the latest"
    else:
        at, name = whole_tokens("growth(threshold=…)", threshold or 0), "threshold {}"
    if at > 0:
        levels.append((at, name.format(short(at)), True))
    return levels


def _scene(grown, levels):
    notes = FOOTNOTES if any("unlogged" in moment.parts for _, found in grown for moment in found) else ()
    scene = Scene(WIDTH, TOP + HEIGHT + 44 + 17 * len(notes))
    tokens = [max(moment.total, moment.counted or 0, moment.compacted_from or 0) for _, found in grown
              for moment in found]
    highest = max(tokens + [level for level, *_ in levels]) * 1.08
    beside = [names_width(found[-1]) for _, found in grown]
    width = (WIDTH - 2 * MARGIN - AXIS - sum(beside) - GAP * (len(grown) - 1)) / len(grown)
    left = MARGIN + AXIS
    for (name, found), names in zip(grown, beside, strict=True):
        plot = Plot(left, TOP, width, HEIGHT, len(found), highest)
        draw_areas(scene, plot, found)
        for level, label, dashed in levels:
            draw_level(scene, plot, level, label if left == MARGIN + AXIS else "", dashed)
        draw_unlogged(scene, plot, found)
        draw_axes(scene, plot, f"{name}, {len(found)} requests", with_tokens=left == MARGIN + AXIS)
        draw_names(scene, plot, found[-1])
        draw_compactions(scene, plot, found)
        left += width + names + GAP
    scene.words(MARGIN, TOP - 14, "tokens", size=11, colour=FAINT)
    for i, text in enumerate(notes):
        scene.words(MARGIN, TOP + HEIGHT + 48 + 17 * i, text, size=11, colour=FAINT)
    return scene


def _table(name, found):
    used = [part for part in ORDER if any(moment.parts.get(part) for moment in found)]
    columns = ("request", "API", *(PALETTE[part].label for part in used))
    rows = [(str(moment.request), moment.counted, *(moment.parts.get(part, 0) for part in used))
            for moment in _selected(found)]
    return Table(columns, rows, f"{name}: tokens of the context before a request", _note(found))


def _note(found):
    came = {}
    for _, after in compactions(found):
        came.setdefault(compaction_name(after.compaction), []).append(str(after.request))
    return "; ".join(f"{kind} before request {', '.join(requests[:MOST])}"
                     + (f" and {len(requests) - MOST} more" if len(requests) > MOST else "")
                     for kind, requests in came.items())


def _selected(found):
    """The first and the last moment, those beside the first compactions, and round numbers between."""
    wanted = {1, len(found), *ticks(len(found), 6)}
    wanted |= {moment.request for pair in compactions(found)[:FEW] for moment in pair}
    return [moment for moment in found if moment.request in wanted]


def _sentence(name, found):
    text = (f"{name}: from {size(found[0]):,} tokens at request {found[0].request} to {size(found[-1]):,} at request "
            f"{found[-1].request}")
    for before, after in compactions(found)[:FEW]:
        text += (f"; {compaction_name(after.compaction)} before request {after.request}, from "
                 f"{compacted(before, after):,} to {size(after):,}")
    if len(compactions(found)) > FEW:
        text += f"; {len(compactions(found)) - FEW} more compactions follow"
    seen = {part: tokens for part, tokens in found[-1].parts.items() if part != "unlogged"}
    largest = max(seen, key=seen.get)
    return f"{text}. At the end the largest part shown is {PALETTE[largest].label}, {seen[largest]:,} tokens."
