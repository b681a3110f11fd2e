"""Properties of `tokens`: sums that add up, counts that grow, and a meter that never drifts."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from junk import MESSAGES

from learn_compact import tokens as t
from learn_compact.check.strategies import conversations
from learn_compact.messages import blocks

ESTIMATES = (t.estimate_tokens, t.estimate_chars, t.visible_chars, t.estimate_by_kind, t.count_tokens)
SYSTEMS = st.sampled_from([None, "You are a coding agent.", [{"type": "text", "text": "You are a coding agent."}]])
TOOLS = st.sampled_from([None, [], [{"name": "bash", "description": "Run a command.", "input_schema": {}},
                                    {"type": "web_search_20250305", "name": "web_search"}]])


# Anything, plain or not: numbers that writers of JSON write in different ways, lone surrogates, keys that aren't text.
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()) | st.binary() | st.dates()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(
    st.text(st.characters()) | st.integers() | st.booleans() | st.none(), inner))


@given(VALUES)
def test_the_quick_way_counts_the_characters_that_json_writes(value):
    assert t.estimate_chars(value) == len(json.dumps(value, ensure_ascii=False, default=str))


@given(conversations())
def test_the_size_of_a_history_is_the_sum_over_its_messages(messages):
    assert sum(map(t.repr_size, messages)) == len(str(messages))
    assert sum(map(t.json_size, messages)) == t.estimate_chars(messages)
    assert sum(map(t.count_message, messages)) == t.count_tokens(messages)
    for measure in (t.visible_chars, t.estimate_by_kind):
        assert sum(measure([message]) for message in messages) == measure(messages)


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_a_longer_history_never_counts_less(estimate):
    @given(conversations())
    def never_less(messages):
        sizes = [estimate(messages[:i]) for i in range(len(messages) + 1)]
        assert sizes == sorted(sizes) and sizes[0] >= 0 and isinstance(sizes[-1], int)

    never_less()


def with_pictures_of(size, value):
    """The same messages with every base64 picture at another size."""
    if isinstance(value, list):
        return [with_pictures_of(size, part) for part in value]
    if isinstance(value, dict):
        return {key: "A" * size if key == "data" and "media_type" in value else with_pictures_of(size, part)
                for key, part in value.items()}
    return value


@pytest.mark.parametrize("count", [t.estimate_by_kind, t.count_tokens])
def test_a_picture_counts_as_a_picture_however_many_bytes_it_has(count):
    @given(conversations(), st.sampled_from([4, 4_000]))
    def same(messages, size):
        assert count(messages) == count(with_pictures_of(size, messages))

    same()


@given(conversations(), SYSTEMS, TOOLS)
def test_the_parts_add_up_to_the_whole(messages, system, tools):
    found = t.context_parts(system, tools, messages)
    assert tuple(found.parts) == t.PARTS and min(found.parts.values()) >= 0
    assert found.total == t.count_tokens(messages, system, tools)
    assert found.fixed == t.count_tokens([], system, tools)
    for part in ("tool_use", "tool_result"):
        searched = sum(t.count_block(block) for message in messages for block in blocks(message)
                       if block["type"] == "web_search_tool_result") if part == "tool_result" else 0
        assert sum(getattr(share, part) for share in found.by_tool.values()) + searched >= found.parts[part]
    assert sum(share.definition for share in found.by_tool.values()) == found.parts["tools"]


@st.composite
def histories(draw):
    """A history that grows, is cut, or is replaced from some message on, as an agent's does."""
    messages, steps = [], []
    for _ in range(draw(st.integers(1, 6))):
        kept = draw(st.integers(0, len(messages)))
        messages = messages[:kept] + draw(conversations(max_turns=3))
        steps.append(messages)
    return steps


@given(histories())
def test_a_running_count_is_always_the_plain_sum(steps):
    running = t.RunningCount(t.json_size)
    for messages in steps:
        assert running.of(messages) == sum(map(t.json_size, messages))
        assert [running.of_first(k) for k in range(len(messages) + 1)] == [
            sum(map(t.json_size, messages[:k])) for k in range(len(messages) + 1)]


@given(conversations(), conversations())
def test_a_running_count_reads_only_what_is_new(messages, more):
    read = []
    running = t.RunningCount(lambda message: read.append(message) or 1)
    running.of(messages)
    read.clear()
    running.of(messages + more)
    assert [id(message) for message in read] == [id(message) for message in more]


@given(conversations(), conversations(), st.integers(0, 200_000))
def test_the_meter_stands_on_what_the_api_reported(messages, more, reported):
    meter = t.Meter()
    assert meter.tokens(messages) == t.estimate_by_kind(messages), "before the first report it can only estimate"
    meter.anchor(messages, {"input_tokens": 10, "cache_read_input_tokens": reported, "output_tokens": 7})
    assert meter.tokens(messages) == reported + 10
    assert meter.tokens(messages + more) == reported + 10 + t.estimate_by_kind(more)
    assert meter.tokens(more) == meter.fixed + t.estimate_by_kind(more), "after a compaction the report is void"
    meter.anchor(more, 500)
    assert meter.tokens(more) == 500, "a new report replaces the old one"


@given(MESSAGES)
def test_no_estimate_raises_on_junk(junk):
    for estimate in ESTIMATES:
        assert estimate(junk) >= 0
    assert t.context_parts(None, None, [part for part in junk if isinstance(part, dict)]).total >= 0


@given(conversations(), SYSTEMS, TOOLS)
def test_nothing_here_changes_what_it_is_given(messages, system, tools):
    before = copy.deepcopy((messages, system, tools))
    for estimate in ESTIMATES:
        estimate(messages)
    t.context_parts(system, tools, messages)
    t.Meter().anchor(messages, 500)
    assert (messages, system, tools) == before
