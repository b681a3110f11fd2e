"""The growth of real conversations: the API's figures as they are, ours summed block by block, labels that fit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pictures import elements, outside, overlapping, words_of

from learn_compact.agent import Point
from learn_compact.data import load_outline, outline_names
from learn_compact.errors import MessageError
from learn_compact.show import growth
from learn_compact.show.areas import Plot, draw_names
from learn_compact.show.moments import compactions, moments
from learn_compact.show.palette import PAPER
from learn_compact.show.scene import Line, Scene
from learn_compact.tokens import PARTS, context_parts, estimate_block

OUTLINES = {name: load_outline(name) for name in outline_names()}


def texts(picture):
    return {mark.text for mark in picture.figure.marks if hasattr(mark, "text")}


def parts(**tokens):
    return {part: tokens.get(part, 0) for part in PARTS}


@pytest.mark.parametrize("name", OUTLINES)
def test_moments_hold_what_the_api_counted_and_what_we_count(name):
    found = moments(OUTLINES[name], estimate_block)
    requests = [request for segment in OUTLINES[name].segments for request in segment.requests]
    assert [moment.counted for moment in found] == [request.context_tokens for request in requests]
    last, segment = found[-1], OUTLINES[name].segments[-1]
    sent = segment.conversation()[:segment.requests[-1].index]
    counted = context_parts(None, None, sent, estimate_block).total
    assert last.total - last.parts["unlogged"] == counted == sum(b.tokens for b in last.blocks[:last.sent])


@pytest.mark.parametrize("name", OUTLINES)
def test_a_stretch_begins_at_the_api_s_count_because_the_rest_is_not_in_the_log(name):
    found = moments(OUTLINES[name], estimate_block)
    for moment in [found[0], *(after for _, after in compactions(found))]:
        assert moment.total == moment.counted


def test_a_compaction_changes_what_the_log_does_not_show_too():
    [(before, after)] = compactions(moments(OUTLINES["codemie-624a4a58"], estimate_block))
    assert (before.request, before.counted, after.request, after.counted) == (37, 155_741, 38, 36_541)
    assert after.compacted_from == 155_979
    assert 50_000 < before.parts["unlogged"] < 51_000 and 32_000 < after.parts["unlogged"] < 34_000
    assert after.compaction == "auto" and set(after.parts) == {"unlogged", "summary"}


def test_table_and_sentence_name_the_compaction_and_the_api_s_figures():
    picture = growth(OUTLINES["cctrace-phase0"], OUTLINES["codemie-624a4a58"], measure=estimate_block)
    first, second = picture.table
    assert first.rows[0][:2] == ("1", 26_818) and first.rows[-1][:2] == ("100", 180_437) and not first.note
    assert ("37", 155_741) in [row[:2] for row in second.rows] and ("38", 36_541) in [row[:2] for row in second.rows]
    assert second.note == "auto-compact before request 38"
    assert "auto-compact before request 38, from 155,979 to 36,541" in picture.alt
    assert "156k → 37k" in texts(picture)
    assert max(map(len, str(picture.table).splitlines())) <= 100


@pytest.mark.parametrize("names", [(name,) for name in OUTLINES] + list(zip(OUTLINES, [*OUTLINES][1:], strict=False)))
def test_no_label_touches_another_or_the_edge(names):
    scene = growth(*(OUTLINES[name] for name in names), measure=estimate_block).figure
    assert elements(scene.svg("x")) and not overlapping(scene) and not outside(scene)


def test_names_keep_apart_where_all_bands_are_thin():
    scene = Scene(900, 400)
    draw_names(scene, Plot(50, 40, 600, 300, 9, 200_000), Point(9, 1, parts(**dict.fromkeys(PARTS, 30)), counted=400))
    assert len(words_of(scene)) == len(PARTS) + 1 and not overlapping(scene) and not outside(scene)


def test_the_points_of_an_agent_are_drawn_with_their_own_threshold():
    points = [Point(1, 1, parts(system=900, user=100)), Point(2, 3, parts(system=900, user=100, tool_result=4_000)),
              Point(3, 1, parts(system=900, summary=300), "manual", 6_100)]
    picture = growth(points, names=["our agent"], window=8_000, threshold=5_000)
    assert "manual compact before request 3, from 6,100 to 1,200" in picture.alt
    assert {"threshold 5k", "6.1k → 1.2k"} <= texts(picture)
    assert not overlapping(picture.figure) and [row[1] for row in picture.table[0].rows] == [None] * 3


def test_a_summary_is_hatched_so_that_without_colour_it_is_no_result():
    def hatched(part):
        found = growth([Point(1, 1, parts(**{part: 4_000}))], names=["ours"], window=None).figure.marks
        return sum(isinstance(mark, Line) and mark.colour == PAPER and mark.width == 1 for mark in found)

    assert hatched("summary") > 100 and not hatched("tool_result")


def test_a_compaction_that_nobody_measured_began_with_the_request_before():
    points = [Point(1, 1, parts(user=5_000)), Point(2, 1, parts(summary=300), "auto")]
    assert "before request 2, from 5,000 to 300" in growth(points, names=["ours"]).alt


@pytest.mark.parametrize(("lines", "drawn"), [
    ({"window": 8_000}, {"window 8k"}),
    ({"window": 20_000}, {"window 20k", "auto-compact at 7k at the latest"}),
    ({"window": 8_000, "threshold": None}, {"window 8k"}), ({"window": None, "threshold": 5_000}, {"threshold 5k"}),
    ({"window": 8_000, "threshold": 5_000}, {"window 8k", "threshold 5k"}), ({"window": None}, set()),
])
def test_window_and_threshold_are_drawn_each_for_itself(lines, drawn):
    picture = growth([Point(1, 1, parts(user=1_000)), Point(2, 1, parts(user=4_000))], names=["ours"], **lines)
    assert {text for text in texts(picture) if text.startswith(("window", "threshold", "auto-compact"))} == drawn
    assert not overlapping(picture.figure) and not outside(picture.figure)


@given(st.lists(st.tuples(st.integers(0, 20_000), st.sampled_from([None, None, "auto", "manual", "overflow"])),
                min_size=1, max_size=40))
def test_labels_find_room_or_are_left_out_however_often_a_context_is_compacted(requests):
    points = [Point(i, i, parts(system=900, tool_result=tokens), compaction if i > 1 else None)
              for i, (tokens, compaction) in enumerate(requests, 1)]
    picture = growth(points, names=["ours"], window=12_000, threshold=6_000)
    assert not overlapping(picture.figure) and not outside(picture.figure)


def test_a_conversation_of_one_request_can_be_drawn():
    picture = growth([Point(1, 1, parts(user=100), counted=120)], window=None)
    assert picture.png() and picture.table[0].rows == [("1", 120, 100)]


@pytest.mark.parametrize(("sources", "said"), [
    ((), "one or two"), ((OUTLINES["sniffly-d3ad4cdc"],) * 3, "one or two"), (("sniffly-d3ad4cdc",), "not str"),
    (([],), "no request"), (([{"role": "user", "content": "Hi"}],), "not list"),
])
def test_what_can_not_be_drawn_is_refused_with_a_sentence(sources, said):
    with pytest.raises(MessageError, match=said):
        growth(*sources)


def test_names_are_one_for_each_conversation():
    with pytest.raises(MessageError, match="a name for each"):
        growth(OUTLINES["sniffly-d3ad4cdc"], names=["one", "two"])


@pytest.mark.parametrize("parameter", ["window", "threshold", "names", "measure"])
def test_a_parameter_of_another_type_is_refused_with_its_name(parameter):
    with pytest.raises(MessageError, match=parameter):
        growth(OUTLINES["sniffly-d3ad4cdc"], **{parameter: "x"})
