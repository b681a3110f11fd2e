"""Explorers: what their controls do, without a browser; tests/browser has the keys and the eyes."""

import pytest
from ipywidgets import Checkbox, FloatSlider, IntSlider, Label, Output, SelectionSlider, Text
from pictures import elements, outside, overlapping

from learn_compact.conversations import load
from learn_compact.data import load_outline
from learn_compact.errors import MessageError, PolicyError
from learn_compact.show import Bundle, Table, explore, explorer
from learn_compact.show.explore import Walk
from learn_compact.show.scene import Scene
from learn_compact.tokens import estimate_block

SMALL, LARGEST = load_outline("sniffly-d3ad4cdc"), load_outline("spotter-ae4a77f8")


def inside(widget):
    """All widgets of a view, from the outside in, in the order of the tabulator key."""
    return [widget, *(found for child in getattr(widget, "children", ()) for found in inside(child))]


def text(widget):
    return " ".join(str(found.value) for found in inside(widget) if type(found).__name__ == "HTML")


def named(values):
    return Bundle(Scene(10, 10), Table(("name", "value"), list(values.items())), f"The values are {values}.")


def test_slider_and_number_box_move_the_picture_and_each_other():
    view = explore(SMALL, 5, measure=estimate_block).widget
    box, slider = (found for found in inside(view) if hasattr(found, "max"))
    assert box.description == "request" and "before request 5 of 62" in text(view)
    slider.value = 40
    assert box.value == 40 and "before request 40 of 62" in text(view) and "before request 5 of" not in text(view)
    box.value = 1
    assert slider.value == 1 and "before request 1 of 62" in text(view)


def test_the_static_twin_is_the_state_that_was_asked_for():
    view = explore(SMALL, 40, measure=estimate_block)
    assert "before request 40" in view.table.caption and view.table.note.startswith("counted by the API: 77,635 of")
    assert "the API counted 77,635" in view.alt


def test_a_redraw_counts_nothing():
    counted = []
    walk = Walk(LARGEST, measure=lambda block: counted.append(block) or 1)
    before = len(counted)
    for request in (1, 138, 139, 217):
        walk.at(request).html()
    assert before and len(counted) == before


def test_what_is_new_adds_up_to_what_was_sent():
    walk = Walk(LARGEST, measure=estimate_block)
    stretch = [moment for moment in walk.moments if moment.request < 139]
    assert sum(moment.fresh for moment in stretch) == stretch[-1].sent
    total, new = walk.at(60).table.rows[-1][1:]
    assert total - walk.at(59).table.rows[-1][1] == new > 0


@pytest.mark.parametrize("request_number", [1, 2, 60, 137, 138, 139, 217])
def test_no_label_touches_another_or_the_edge(request_number):
    bundle = Walk(LARGEST, measure=estimate_block).at(request_number)
    assert elements(bundle.picture_html()) and not overlapping(bundle.figure) and not outside(bundle.figure)


@pytest.mark.parametrize(("outline", "number", "said"), [
    (SMALL, 63, "from 1 to 62"), (SMALL, 0, "from 1 to 62"), ("sniffly", 1, "not str"), ([named], 1, "not list")])
def test_what_can_not_be_explored_is_refused_with_a_sentence(outline, number, said):
    with pytest.raises(MessageError, match=said):
        explore(outline, number, measure=estimate_block)


@pytest.mark.parametrize("options", [{"window": "x"}, {"window": 0}, {"window": None}, {"measure": 3}])
def test_a_parameter_of_another_type_is_refused_with_its_name(options):
    with pytest.raises(MessageError, match=f"{next(iter(options))}.* must be a"):
        explore(SMALL, **{"measure": estimate_block, **options})


@pytest.mark.parametrize(("controls", "draw", "said"), [
    (3, named, "widgets by name"), ({"keep": 3}, named, "widgets by name"),
    ({}, 3, "a function from the controls' values to a Bundle, not 3"), ({}, lambda values: 3, "a Bundle, not 3"),
])
def test_what_makes_no_explorer_is_refused_with_a_sentence(controls, draw, said):
    with pytest.raises(MessageError, match=said):
        explorer(controls, draw, "Try it.")


def test_a_slider_over_choices_names_the_chosen_one_where_nobody_can_type_over_it():
    slider = SelectionSlider(options=[("a, then b", "ab"), ("b, then a", "ba")], value="ab", description="order")
    view = explorer({"order": slider}, named, "Try it.").widget
    [choice] = [widget for widget in inside(view) if isinstance(widget, Label)]
    assert (choice.value, slider.description, slider.readout) == ("a, then b", "order", False)
    slider.value = "ba"
    assert choice.value == "b, then a" and "{&#x27;order&#x27;: &#x27;ba&#x27;}" in text(view)


def test_every_slider_has_a_number_box_and_other_controls_stay_as_they_are():
    controls = {"keep": IntSlider(value=3, max=9, description="keep_recent"),
                "share": FloatSlider(value=0.5, max=1, step=0.1, description="share"),
                "preserve": Checkbox(description="preserve read_file"), "tool": Text("bash", description="tool")}
    found = inside(explorer(controls, named, "Try it.").widget)
    assert [widget.description for widget in found if getattr(widget, "description", "")] == [
        "keep_recent", "share", "preserve read_file", "tool", "show the numbers as a table"]
    boxes = {widget.description: widget.value for widget in found if hasattr(widget, "max") and widget.description}
    assert boxes == {"keep_recent": 3, "share": 0.5}
    assert not any(isinstance(widget, Output) for widget in found)


def test_an_error_stands_in_place_of_the_picture_and_the_next_picture_in_place_of_the_error():
    def draw(values):
        if values["keep"] > 5:
            raise PolicyError("keep <b>less</b>")
        return named(values)

    slider = IntSlider(value=3, max=9)
    view = explorer({"keep": slider}, draw, "<i>Try</i> it.").widget
    slider.value = 6
    assert 'role="alert"' in text(view) and "keep &lt;b&gt;less&lt;/b&gt;" in text(view)
    assert "<svg" not in text(view) and "<i>Try" not in text(view) and "values are" not in text(view)
    slider.value = 4
    assert "alert" not in text(view) and "<svg" in text(view) and "{&#x27;keep&#x27;: 4}" in text(view)


def test_the_numbers_are_shown_when_they_are_asked_for():
    view = explorer({"keep": IntSlider(value=3)}, named, "Try it.").widget
    wants, numbers = view.children[-2:]
    assert numbers.layout.display == "none" and "<table>" in numbers.value
    wants.value = True
    assert numbers.layout.display != "none"


def test_a_conversation_that_nobody_counted_is_refused_in_a_sentence(tmp_path):
    path = tmp_path / "talk.json"
    path.write_text('[{"role": "user", "content": "Count."}, {"role": "assistant", "content": "Four."}]')
    with pytest.raises(MessageError, match="has none for a request"):
        explore(load(path))
