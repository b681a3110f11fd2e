"""One value as one line: what JSON has stays plain, what it lacks comes back equal, the rest is refused by name."""

import json
import math
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import PurePosixPath
from uuid import UUID

import pytest
from anthropic.types import TextBlock, ToolUseBlock
from hypothesis import given
from hypothesis import strategies as st

from learn_compact.check.strategies import conversations
from learn_compact.errors import ArchiveError
from learn_compact.lines import TAG, from_line, to_line, to_lines

TEXTS = st.text(st.characters(), max_size=8) | st.sampled_from(["\ud83d\ude00", "\ude00\ud83d", "a\ud800b", TAG])
ZONES = st.sampled_from([None, UTC, timezone(timedelta(hours=-3, minutes=-30))])
SCALARS = (st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS | st.binary(max_size=8)
           | st.datetimes(timezones=ZONES) | st.dates() | st.times() | st.uuids()
           | st.decimals(allow_nan=False, places=3) | st.builds(PurePosixPath, st.sampled_from(["a/b.py", "/", "."])))
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.tuples(inner, inner) | st.dictionaries(
    TEXTS | st.integers() | st.tuples(st.integers()), inner, max_size=4) | st.sets(st.integers(), max_size=3))


@given(VALUES)
def test_a_value_comes_back_equal_and_of_its_kind(value):
    line = to_line(value)
    assert from_line(line) == value
    assert type(from_line(line)) is type(value)
    assert line.isascii() and line.endswith(b"\n") and line.count(b"\n") == 1


@given(st.lists(VALUES) | conversations())
def test_many_lines_are_each_as_it_would_be_alone(values):
    assert to_lines(values) == b"".join(map(to_line, values))


@given(conversations())
def test_a_message_that_json_can_hold_stands_there_as_any_json_reader_expects_it(messages):
    assert [json.loads(to_line(message)) for message in messages] == messages


@pytest.mark.parametrize("value", [
    b"\x00\xff", bytearray(b"ab"), date(2026, 11, 30), datetime(2026, 11, 30, 1, 2, 3, 4, UTC), time(23, 59, 59, 1),
    Decimal("1.10"), UUID(int=7), PurePosixPath("agents/planner.py"), (1, (2,)), {3, 4}, frozenset({5}), math.inf,
    {1: "a", None: "b"}, {TAG: "bytes", "value": "not base64"}, "\ud83d\ude00", {"\ud83d\ude00": 1},
], ids=repr)
def test_values_that_json_lacks_are_equal_after_reading(value):
    assert from_line(to_line({"content": [value]})) == {"content": [value]}


def test_not_a_number_stays_so():
    assert math.isnan(from_line(to_line(math.nan)))


def test_objects_of_the_sdk_become_the_plain_blocks_that_the_api_takes():
    blocks = [TextBlock(type="text", text="Reading."), ToolUseBlock(type="tool_use", id="a", name="bash", input={})]
    assert from_line(to_line(blocks)) == [{"type": "text", "text": "Reading."},
                                          {"type": "tool_use", "id": "a", "name": "bash", "input": {}}]


def circle():
    value = []
    value.append(value)
    return value


@pytest.mark.parametrize(("value", "said"), [
    (object(), "a object (builtins)"), ({"a": [1j]}, "a complex"), (circle(), "JSON"), (10**5_000, "JSON"),
], ids=["object", "complex", "circle", "huge"])
def test_what_cannot_be_read_back_is_refused_by_name(value, said):
    with pytest.raises(ArchiveError, match=said.replace("(", r"\(").replace(")", r"\)")):
        to_line(value)


@pytest.mark.parametrize("line", [
    "", "{", "nonsense", f'{{"{TAG}": "unheard of", "value": 1}}', f'{{"{TAG}": "bytes"}}',
    f'{{"{TAG}": "decimal", "value": "x"}}', f'{{"{TAG}": [], "value": "x"}}'])
def test_a_line_that_nobody_here_wrote_is_an_error_of_the_archive(line):
    with pytest.raises(ArchiveError):
        from_line(line)
