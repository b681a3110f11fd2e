"""The conversations that the tests draw: everything that is promised occurs, and nothing that was not asked for."""

from itertools import pairwise

import pytest
from hypothesis import Phase, find, given, settings

from learn_compact.check.strategies import KINDS, conversations
from learn_compact.messages import blocks, tool_results, unseen_results


def listed(messages, role=None):
    """The blocks of contents that are lists."""
    return [block for message in messages if isinstance(message["content"], list) and role in (None, message["role"])
            for block in message["content"]]


def of_kind(kind):
    return lambda messages: any(block["type"] == kind for block in listed(messages))


def some_result(rule):
    return lambda messages: any(rule(found.block) for found in tool_results(messages))


def in_some_message(rule):
    return lambda messages: any(rule([block["type"] for block in blocks(message)]) for message in messages)


def ids(messages):
    return [block["id"] for block in listed(messages) if "id" in block]


FEATURES = {
    "text": of_kind("text"), "images": of_kind("image"), "thinking": of_kind("thinking"),
    "hidden thinking": of_kind("redacted_thinking"), "calls": of_kind("tool_use"), "results": of_kind("tool_result"),
    "searches": of_kind("server_tool_use"), "what they found": of_kind("web_search_tool_result"),
    "an error": some_result(lambda block: block.get("is_error")),
    "an empty result": some_result(lambda block: block.get("content") == ""),
    "an empty list in a result": some_result(lambda block: block.get("content") == []),
    "a result without content": some_result(lambda block: "content" not in block),
    "a picture in a result": some_result(lambda block: "'image'" in str(block.get("content"))),
    "a long result": some_result(lambda block: len(block.get("content") or "") > 2_000),
    "a parallel batch": in_some_message(lambda kinds: kinds.count("tool_use") > 2),
    "text behind results": in_some_message(lambda kinds: {"text", "tool_result"} <= set(kinds)),
    "thinking alone": in_some_message(lambda kinds: kinds and set(kinds) <= {"thinking", "redacted_thinking"}),
    "results in another order than their calls": lambda messages: ids(messages) != [
        found.tool_use_id for found in tool_results(messages)] and len(tool_results(messages)) == len(ids(messages)),
    "ids that differ only in case": lambda messages: len({id_.lower() for id_ in ids(messages)}) < len(ids(messages)),
    "ids that look like paths": lambda messages: any(".." in id_ for id_ in ids(messages)),
    "neighbours of one role": lambda messages: any(a["role"] == b["role"] for a, b in pairwise(messages)),
    "Chinese": lambda messages: "压缩" in str(messages), "emoji": lambda messages: "🙂" in str(messages),
    "an unseen batch at the end": lambda messages: len(unseen_results(messages)) > 1,
    "a request at the end": lambda messages: len(messages) > 2 and isinstance(messages[-1]["content"], str)
    and messages[-1]["role"] == "user",
    "an answer at the end": lambda messages: messages[-1]["role"] == "assistant",
}


@pytest.mark.parametrize("feature", FEATURES)
def test_what_is_promised_occurs(feature):
    once = settings(max_examples=1_000, database=None, phases=[Phase.generate])
    assert find(conversations(), FEATURES[feature], settings=once)


@given(conversations(min_turns=3, max_turns=4, kinds={"tools"}, some_batch=True))
def test_only_what_was_asked_for_occurs(messages):
    assert 3 <= len(messages) <= 10
    assert {block["type"] for block in listed(messages)} <= {"text", "tool_use", "tool_result"}
    assert listed(messages) and not any("is_error" in block for block in listed(messages))


@given(conversations(kinds=()))
def test_without_kinds_everything_is_plain_text(messages):
    assert all(isinstance(message["content"], str) for message in messages)


def test_an_unknown_kind_is_refused_by_name():
    with pytest.raises(ValueError, match=r"kinds holds \['sounds'\]"):
        find(conversations(kinds={"tools", "sounds"}), bool)
    assert "sounds" not in KINDS
