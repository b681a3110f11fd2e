"""The loop of an agent in one figure: what comes before, with and after every request. Drawn for chapter 4."""

from learn_compact.agent import MAX_TOKENS
from learn_compact.layers.micro import KEEP_RECENT
from learn_compact.pipeline import THRESHOLD
from learn_compact.show.bundle import WIDTH, Bundle
from learn_compact.show.palette import FAINT, INK, PALETTE, PAPER, paler
from learn_compact.show.scene import Scene
from learn_compact.show.table import Table

BOX, HEIGHT, GAP, MARGIN = 124, 66, 29, 5
ROWS, RETURN = (104, 232), 42  # the middle of each row, and the way back above them

# Name: column, row, the part of the context whose colour it has (None for a question), and what it says.
_BOXES = {
    "the user asks": (0, 1, "user", "one more message"),
    "prepare": (0, 0, "tool_result", f"micro_compact:|{KEEP_RECENT} results stay"),
    "too large?": (1, 0, None, f"estimated tokens|above {THRESHOLD:,}"),
    "auto_compact": (1, 1, "summary", "transcript to disk,|then one summary"),
    "ask the model": (2, 0, "assistant", f"an answer of up to|{MAX_TOKENS:,} tokens"),
    "calls of tools?": (3, 0, None, "stop_reason tells"),
    "the answer": (3, 1, "assistant", "the turn ends"),
    "run the batch": (4, 0, "tool_use", "in order; results in|one user message"),
    "compact called?": (5, 0, None, "looked at after|the whole batch"),
    "manual compact": (5, 1, "summary", "summary with focus,|the turn ends"),
}
_ARROWS = (  # from, to, when
    ("the user asks", "prepare", ""), ("prepare", "too large?", ""), ("too large?", "ask the model", "no"),
    ("too large?", "auto_compact", "yes"), ("auto_compact", "ask the model", ""),
    ("ask the model", "calls of tools?", ""), ("calls of tools?", "the answer", "no"),
    ("calls of tools?", "run the batch", "yes"), ("run the batch", "compact called?", ""),
    ("compact called?", "manual compact", "yes"), ("compact called?", "prepare", "no"),
)
_SENTENCE = ("The loop of an agent. Before every request the messages are prepared and, above the threshold, replaced "
             "by a summary. The model answers; without calls of tools the turn ends. Else the whole batch is run, and "
             "its results are appended. Only then, if compact was among the calls, a summary is made and the turn "
             "ends; otherwise it begins again.")


def loop_figure():
    """The loop of s06 as a `Bundle`: boxes for what is done, hexagons for what is asked."""
    scene = Scene(WIDTH, ROWS[1] + HEIGHT // 2 + 12)
    for start, end, when in _ARROWS:
        _draw_arrow(scene, _way(start, end), when)
    for name, (*_, part, detail) in _BOXES.items():
        _draw_box(scene, *_middle(name), name, part, detail.split("|"))
    scene.words(WIDTH / 2, RETURN - 12, "and again", anchor="middle", size=11, colour=FAINT)
    return Bundle(scene, _table(), _SENTENCE)


def _middle(name):
    column, row, *_ = _BOXES[name]
    return MARGIN + BOX / 2 + column * (BOX + GAP), ROWS[row]


def _way(start, end):
    """The corners of an arrow between two boxes: straight, or around a corner."""
    (x1, y1), (x2, y2) = _middle(start), _middle(end)
    half, side = HEIGHT / 2, BOX / 2
    if y1 == y2 and x2 < x1:
        return (x1, y1 - half), (x1, RETURN), (x2, RETURN), (x2, y2 - half)
    if y1 == y2:
        return (x1 + side, y1), (x2 - side, y2)
    if x1 == x2:
        return (x1, y1 + half * (1 if y2 > y1 else -1)), (x2, y2 - half * (1 if y2 > y1 else -1))
    return (x1 + side, y1), (x2, y1), (x2, y2 + half)


def _draw_arrow(scene, way, when):
    (x1, y1), (x2, y2) = way[-2:]
    dx, dy = ((x2 > x1) - (x2 < x1)) * 9, ((y2 > y1) - (y2 < y1)) * 9
    scene.line(*way[:-1], (x2 - dx, y2 - dy), width=1.5)
    scene.shape([(x2, y2), (x2 - dx - dy / 2, y2 - dy - dx / 2), (x2 - dx + dy / 2, y2 - dy + dx / 2)], INK)
    (x, y), (_, beside) = way[:2]
    if when:
        scene.words(*((x + 3, y - 9) if y == beside else (x + 6, y + (10 if beside > y else -10))), when, size=11)


def _draw_box(scene, x, y, name, part, details):
    left, top, point = x - BOX / 2, y - HEIGHT / 2, 0 if part else 9
    corners = [(left + point, top), (left + BOX - point, top), (left + BOX, y), (left + BOX - point, top + HEIGHT),
               (left + point, top + HEIGHT), (left, y)]
    scene.shape(corners, paler(PALETTE[part].colour) if part else PAPER, INK)
    lines = [name, *details]
    for i, text in enumerate(lines):
        scene.words(x, y + 17 * (i - (len(lines) - 1) / 2), text, anchor="middle", size=11, bold=not i)


def _table():
    after = {name: [f"{when}: {end}" if when else end for start, end, when in _ARROWS if start == name]
             for name in _BOXES}
    return Table(("step", "what happens", "then"),
                 [(name, detail.replace("|", " "), "; ".join(after[name])) for name, (*_, detail) in _BOXES.items()],
                 "The loop of an agent")
