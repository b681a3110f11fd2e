"""Pictures of estimates: the table, the sentence and the picture say the same."""

import pytest

from learn_compact.data import load_outline
from learn_compact.errors import MessageError
from learn_compact.show.accuracy import errors, sizes

SEGMENT = load_outline("sniffly-d3ad4cdc").segments[0]
REQUESTS = [request.context_tokens for request in SEGMENT.requests]


def test_each_line_passes_the_threshold_where_its_sizes_do():
    picture = sizes(SEGMENT, {"too high": lambda messages: 10**6, "too low": lambda messages: 1}, 50_000)
    at = next(i for i, size in enumerate(REQUESTS, 1) if size > 50_000)
    for text in (picture.alt, picture.table.note):
        assert f"the API at request {at}; too high at request 1; too low never" in text
    assert picture.table.rows[-1] == (str(len(REQUESTS)), REQUESTS[-1], 10**6, 1)


def test_errors_are_told_by_conversation_and_estimate():
    picture = errors({"one": {"a": -0.25, "b": 0.1}, "two": {"a": 0.0, "b": -0.4}}, "Error")
    assert picture.alt == "Error, 2 conversations: a -25% to +0%, b -40% to +10%."
    assert picture.table.rows == [("one", "-25%", "+10%"), ("two", "+0%", "-40%")]


def test_names_are_escaped_in_the_picture():
    picture = errors({"<script>": {"<b>": -0.1}})
    assert "<script>" not in picture.html() and "&lt;script&gt;" in picture.html()


def test_more_estimates_than_forms_can_be_drawn():
    assert sizes(SEGMENT, {f"rule {i}": len for i in range(6)}, 50_000).png()


@pytest.mark.parametrize(("segment", "estimates", "threshold", "said"), [
    (3, {"len": len}, 9, "a segment of an outline"), (load_outline(SEGMENT.name), {}, 9, "a segment of an outline"),
    (SEGMENT, len, 9, "functions by name"), (SEGMENT, {"len": 3}, 9, "a function from messages to tokens, not 3"),
    (SEGMENT, {}, None, "threshold"),
])
def test_sizes_that_can_not_be_drawn_are_refused_with_a_sentence(segment, estimates, threshold, said):
    with pytest.raises(MessageError, match=said):
        sizes(segment, estimates, threshold)


@pytest.mark.parametrize("rows", [3, {}, {"one": 3}, {"one": {}}, {"one": {"a": "x"}},
                                  {"one": {"a": 0.1}, "two": {"b": 0.1}}])
def test_errors_that_are_no_grid_are_refused_with_a_sentence(rows):
    with pytest.raises(MessageError, match="the same estimates in each"):
        errors(rows)
