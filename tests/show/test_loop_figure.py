"""The loop of an agent in one figure."""

from pictures import elements, outside, overlapping

from learn_compact.agent import MAX_TOKENS
from learn_compact.layers.micro import KEEP_RECENT
from learn_compact.pipeline import THRESHOLD
from learn_compact.show import loop_figure
from learn_compact.show.scene import Shape, Words, text_width

FIGURE = loop_figure()
ROWS = {step: (what, then) for step, what, then in FIGURE.table.rows}


def test_compact_is_looked_at_after_the_whole_batch_and_ends_the_turn():
    assert ROWS["run the batch"][1] == "compact called?"
    assert ROWS["compact called?"] == ("looked at after the whole batch", "yes: manual compact; no: prepare")
    assert ROWS["manual compact"] == ("summary with focus, the turn ends", "")


def test_every_request_is_prepared_and_measured_before_the_model_is_asked():
    step, way = "the user asks", []
    while step != "ask the model":
        way.append(step)
        step = ROWS[step][1].split("; ")[0].removeprefix("no: ")
    assert way == ["the user asks", "prepare", "too large?"]


def test_the_numbers_are_those_of_the_package():
    said = " ".join(what for what, _ in ROWS.values())
    assert all(f"{number:,}" in said for number in (KEEP_RECENT, THRESHOLD, MAX_TOKENS))


def test_every_word_has_its_place_and_those_of_a_box_stay_inside():
    scene = FIGURE.figure
    assert not overlapping(scene) and not outside(scene)
    boxes = [[x for x, _ in mark.points] for mark in scene.marks if isinstance(mark, Shape) and mark.edge]
    inside = [mark for mark in scene.marks if isinstance(mark, Words) and mark.anchor == "middle" and mark.y > 60]
    assert len(boxes) == len(ROWS) and len(inside) >= 2 * len(ROWS)
    for mark in inside:
        half = text_width(mark.text, mark.size, mark.bold) / 2
        assert any(min(xs) <= mark.x - half and mark.x + half <= max(xs) for xs in boxes), mark.text


def test_the_live_view_says_the_same_as_the_picture():
    found = elements(FIGURE.figure.svg(FIGURE.alt))
    assert len(found["text"]) == sum(isinstance(mark, Words) for mark in FIGURE.figure.marks)
