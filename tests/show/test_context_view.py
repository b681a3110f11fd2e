"""Before and after a layer: the same numbers in picture, table and sentence, and labels that never touch."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pictures import elements, outside, overlapping

from learn_compact.check.strategies import conversations
from learn_compact.data import load_outline
from learn_compact.errors import MessageError
from learn_compact.layers.micro import micro_compact
from learn_compact.messages import blocks
from learn_compact.show import ContextView
from learn_compact.show.blocks import GONE, KEPT, SHORTENED, fates, flatten
from learn_compact.tokens import PARTS, ContextParts, context_parts, estimate_block

REAL = load_outline("codemie-624a4a58").segments[0].conversation()
SAID = {"role": "user", "content": "Count the functions."}
CALL = {"role": "assistant", "content": [{"type": "text", "text": "I look."},
                                         {"type": "tool_use", "id": "a", "name": "bash", "input": {"command": "ls"}},
                                         {"type": "tool_use", "id": "b", "name": "glob", "input": {}}]}


def results(a="a.py " * 50, b="b.py"):
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": a},
                                        {"type": "tool_result", "tool_use_id": "b", "content": b}]}


def sizes(tokens):
    return ContextParts(dict(zip(PARTS, tokens, strict=True)))


def test_table_and_sentence_hold_what_the_counter_counts():
    after = micro_compact(REAL)
    view = ContextView(REAL, after, fixed=50_000, window=200_000, measure=estimate_block)
    parts = [context_parts(None, None, messages, estimate_block).parts for messages in (REAL, after)]
    table = {name: numbers for name, *numbers in view.table.rows}
    assert table["tool results"][:2] == [found["tool_result"] for found in parts]
    assert table["system and tools"] == [50_000, 50_000, "0"]
    first, second, change = table["total"]
    assert [first, second] == [50_000 + sum(found.values()) for found in parts] and change == f"{second - first:+,}"
    assert f"{first:,} tokens before" in view.alt and f"{second:,} tokens after" in view.alt


def test_the_bars_are_as_wide_as_their_tokens():
    view = ContextView(sizes([0, 0, 300, 0, 0, 0, 100, 0, 0, 0, 0]), window=1_000)
    bars = {mark.title.split(":")[0]: mark.points[1][0] - mark.points[0][0]
            for mark in view.figure.marks if getattr(mark, "title", "")}
    assert bars["user"] == pytest.approx(3 * bars["tool results"])


def test_a_single_context_has_one_bar_and_no_change():
    view = ContextView([SAID], system="You are a coding agent.", tools=[{"name": "bash"}])
    assert view.table.columns == ("part", "context")
    assert [row[0] for row in view.table.rows] == ["system prompt", "tool definitions", "user", "total"]


def test_only_figures_give_bars_without_blocks():
    view = ContextView(sizes([10] * len(PARTS)), sizes([5] * len(PARTS)))
    assert view.blocks == view.fates == [] and view.table.rows[-1] == ("total", 110, 55, "-55")


@pytest.mark.parametrize(("before", "after", "fate"), [
    ([SAID], [SAID], [KEPT]),
    ([SAID, SAID], [SAID], [KEPT, GONE]),
    ([SAID, CALL, results()], [SAID, CALL, results()], [KEPT] * 6),
    ([SAID, CALL, results()], [SAID, CALL, results(a="[Previous: used bash]")], [KEPT] * 4 + [SHORTENED, KEPT]),
    ([SAID, CALL, results()], [{"role": "user", "content": "[Compacted]"}], [GONE] * 6),
    ([SAID, CALL, results()], [CALL, results()], [GONE] + [KEPT] * 5),
], ids=["kept", "said twice", "shared", "shortened", "all gone", "the first gone"])
def test_every_block_has_its_fate(before, after, fate):
    assert fates(before, after) == fate


def test_a_block_says_where_it_stands_and_what_it_is():
    found = flatten([SAID, CALL, results(), {"role": "assistant", "content": "Two."}, SAID], estimate_block)
    assert [block.turn for block in found] == [1, 1, 1, 1, 1, 1, 2, 3]
    assert [block.message for block in found] == [0, 1, 1, 1, 2, 2, 3, 4]
    assert str(found[4]).startswith("turn 1, messages[2]: tool results (bash), ")


TOKENS = st.lists(st.one_of(st.just(0), st.integers(1, 300_000)), min_size=len(PARTS), max_size=len(PARTS))


@given(TOKENS.filter(any), TOKENS,
       st.one_of(st.none(), st.integers(1, 400_000)), st.one_of(st.none(), st.integers(1, 400_000)))
def test_no_label_touches_another_or_the_edge(before, after, window, threshold):
    scene = ContextView(sizes(before), sizes(after), window=window, threshold=threshold).figure
    assert not overlapping(scene) and not outside(scene)


@given(conversations())
def test_every_valid_conversation_can_be_drawn(messages):
    view = ContextView(messages, micro_compact(messages), measure=estimate_block)
    assert elements(view.figure.svg(view.alt)) and not overlapping(view.figure) and not outside(view.figure)
    assert len(view.blocks) == len(view.fates) == sum(len(blocks(message)) for message in messages)


def test_nothing_that_a_conversation_says_becomes_html():
    hostile = "</title></svg><script>alert(1)</script>"
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": hostile, "input": {"x": hostile}}]}
    said = {"role": "user", "content": hostile}
    view = ContextView([said, call], [said], names=(hostile, "after"), title=hostile, measure=estimate_block)
    assert "<script" not in view.html() and view.html().count("</svg>") == 1


def test_half_a_character_in_a_name_can_be_sent_to_the_browser():
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "ba\ud800sh", "input": {}}]}
    ContextView([SAID, call], measure=estimate_block).html().encode()


@pytest.mark.parametrize(("before", "after", "options", "said"), [
    ([], None, {}, "no block"), ("Hello", None, {}, "not str"), ([SAID, "Hello"], None, {}, "list of messages"),
    ([SAID], [], {}, "after"), ([SAID], SAID, {}, "not dict"), ([SAID], None, {"fixed": -1}, "fixed"),
    ([SAID], None, {"window": "200k"}, "window"), ([SAID], [SAID], {"names": ["one"]}, "names"),
    (3, None, {}, "not int"), ([SAID], None, {"title": None}, r"title=…\) must be a text, not None"),
    ([SAID], None, {"names": [None]}, "names"), ([SAID], None, {"tools": 3}, "tools"),
    ([SAID], None, {"measure": 3}, "measure"), ([SAID], None, {"threshold": float("nan")}, "threshold"),
])
def test_what_can_not_be_drawn_is_refused_with_a_sentence(before, after, options, said):
    with pytest.raises(MessageError, match=said):
        ContextView(before, after, **options)
