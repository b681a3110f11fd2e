"""Properties of `messages`, on conversations with every kind of block, on broken ones, and on junk."""

import copy

import pytest
from hypothesis import given, settings
from junk import JUNK, MESSAGES

from learn_compact import messages as m
from learn_compact.check.broken import BREAKS, broken_conversations
from learn_compact.check.strategies import conversations

ON_MESSAGES = (m.problems, m.safe_cuts, m.tool_names, m.tool_results, m.unseen_results, m.newest_request)


def kinds(messages):
    return {problem.kind for problem in m.problems(messages)}


@given(conversations())
def test_a_valid_conversation_has_no_problems(messages):
    assert m.problems(messages) == []


@pytest.mark.parametrize("done", BREAKS)
def test_what_breaks_a_rule_is_named(done):
    @settings(max_examples=25)
    @given(broken_conversations(breaks=[done]))
    def named(broken):
        messages, kind = broken
        assert kind in kinds(messages)
        assert all(problem.where.startswith("messages") and problem.text for problem in m.problems(messages))

    named()


@given(conversations())
def test_safe_cuts_are_those_where_both_halves_pair(messages):
    """By trying every cut: the head has no problem, the tail at most that the assistant speaks first."""
    by_trying = [i for i in range(1, len(messages))
                 if not m.problems(messages[:i]) and kinds(messages[i:]) <= {"first"}]
    assert m.safe_cuts(messages) == by_trying


@given(broken_conversations())
def test_even_in_a_broken_history_no_cut_parts_a_call_from_its_result(broken):
    messages, _ = broken
    cuts, called = set(m.safe_cuts(messages)), {}
    for i, message in enumerate(messages):
        for block in m.blocks(message):
            if block.get("type") == "tool_use":
                called[block["id"]] = i
            if block.get("type") == "tool_result" and (start := called.get(block["tool_use_id"])) is not None:
                assert not cuts & set(range(start + 1, i + 1))


@given(conversations())
def test_every_result_is_found_where_it_stands_with_the_tool_that_gave_it(messages):
    results, names = m.tool_results(messages), m.tool_names(messages)
    assert all(messages[i]["content"][j] is block for i, j, block in results)
    assert len(results) == str(messages).count("'type': 'tool_result'") == len(names)
    assert {result.tool_use_id for result in results} == set(names)


@given(conversations())
def test_unseen_results_are_those_that_no_assistant_message_follows(messages):
    unseen = {result.tool_use_id for result in m.unseen_results(messages)}
    for result in m.tool_results(messages):
        seen = any(message["role"] == "assistant" for message in messages[result.message_index:])
        assert (result.tool_use_id in unseen) != seen


@given(conversations(), conversations(kinds=()))
def test_the_newest_request_is_the_last_text_of_the_user(messages, more):
    requests = ["\n\n".join(block["text"] for block in m.blocks(message) if block["type"] == "text")
                for message in messages if message["role"] == "user"]
    assert m.newest_request(messages) == next(filter(None, reversed(requests)), "")
    summary = {"role": "user", "content": [
        {"type": "text", "text": "[Conversation compressed. Transcript: .transcripts/t.jsonl]\n\nDone so far: much."},
        {"type": "text", "text": f"{m.CARRIED_REQUEST}\n{m.newest_request(messages)}"}]}
    assert m.newest_request([summary]) == m.newest_request(messages)
    assert m.newest_request([summary, *more]) == m.newest_request(more), "a newer request counts, not the carried one"


@given(conversations())
def test_a_plain_message_goes_through_to_message_unchanged(messages):
    assert [m.to_message(message) for message in messages] == messages


@given(MESSAGES | JUNK)
def test_problems_names_what_is_wrong_with_anything_and_raises_nothing(junk):
    for problem in m.problems(junk):
        assert problem.where.startswith("messages") and problem.text and problem.kind
    if not isinstance(junk, list) or not all(isinstance(message, dict) for message in junk):
        assert kinds(junk) & {"type", "empty"}


@given(MESSAGES)
def test_the_readers_of_messages_raise_nothing_on_junk(junk):
    for read in ON_MESSAGES:
        read(junk)
    for message in junk:
        for block in m.blocks(message):
            m.result_text(block)
            m.marker_path(block.get("text"))


@given(conversations() | broken_conversations().map(lambda broken: broken[0]) | MESSAGES)
def test_nothing_here_changes_what_it_is_given(messages):
    before = copy.deepcopy(messages)
    for read in ON_MESSAGES:
        read(messages)
    assert repr(messages) == repr(before)  # repr: a NaN isn't equal to itself
