"""Pictures of estimates: the table, the sentence and the picture say the same."""

from learn_compact.data import load_outline
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
