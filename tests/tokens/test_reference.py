"""The reference counter: every block counted once, pictures as pictures."""

import pytest

from learn_compact.tokens import count_block, count_message, count_text, count_tokens, reference

HISTORY = [{"role": "user", "content": f"Message number {i} of a short history."} for i in range(20)]


def test_an_empty_text_costs_nothing_and_a_letter_one_token():
    assert (count_text(""), count_text("a")) == (0, 1)


def test_a_request_is_the_sum_of_its_parts():
    system, tools = "You are a coding agent.", [{"name": "bash", "description": "Run it.", "input_schema": {}}]
    whole = count_tokens(HISTORY, system, tools)
    parts = count_tokens([], system) + count_tokens([], None, tools) + sum(map(count_message, HISTORY))
    assert whole == parts
    assert count_tokens([], [{"type": "text", "text": system}]) == count_tokens([], system)


def test_after_one_more_message_only_the_new_message_is_counted(monkeypatch):
    read = []
    monkeypatch.setattr(reference, "_counter", lambda: lambda text: read.append(text) or 1)
    count_text.cache_clear()
    count_tokens(HISTORY)
    assert len(read) == len(HISTORY)
    count_tokens([*HISTORY, {"role": "assistant", "content": "A new one."}])
    assert read[len(HISTORY):] == ["A new one."]
    monkeypatch.undo()
    count_text.cache_clear()


@pytest.mark.parametrize("block", [
    {"type": "text", "text": "\ud800 alone"},
    {"type": "redacted_thinking", "data": "xx"},
    {"type": "tool_result", "tool_use_id": "a"},
    {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "one"}]},
    {"type": "hologram", "rays": 7},
    {"type": "tool_use", "id": "a", "name": "bash", "input": {"at": {1}}},
])
def test_every_block_has_a_size(block):
    assert count_block(block) >= 12


def test_a_picture_is_not_counted_by_its_bytes():
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 1_000_000}}
    assert count_block(image) == 1_612
    assert count_block({"type": "tool_result", "tool_use_id": "a", "content": [image]}) == 1_612
