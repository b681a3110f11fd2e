"""Which of a log's lines belong to the conversation: branches, copies, parallel calls, sub-agents, compactions."""

import json

import pytest
from claude_log import Log, call, result, text, told

from learn_compact.conversations import Compaction, load
from learn_compact.profile import profile, tables


@pytest.fixture
def log():
    return Log()


def test_what_was_taken_back_is_left_out(log, tmp_path):
    log.user("Count.")
    answer = log.answer("m1", text("Four."))
    log.user("And the classes?")
    log.answer("m2", text("None."))
    log.user("And the tests?", parent=answer)
    found = load(log.write(tmp_path))
    assert told(found.messages) == ["user: Count.", "assistant: Four.", "user: And the tests?"]
    assert [origin.lines for origin in found.origins] == [(1,), (2,), (5,)]


def test_of_several_roots_the_newest_counts(log, tmp_path):
    log.user("Count.", parent=None)
    log.answer("m1", text("Four."))
    log.user("List.", parent=None)
    log.answer("m2", text("a, b"))
    assert told(load(log.write(tmp_path)).messages) == ["user: List.", "assistant: a, b"]


def test_what_is_logged_again_on_a_branch_stands_once(log, tmp_path):
    for _ in "ab":
        log.user("Count.", parent=None)
        log.answer("m1", {"type": "thinking", "thinking": "Hm.", "signature": "s"})
        log.answer("m1", call("A"))
        log.user(result("A"))
    log.answer("m2", text("Four."))
    found = load(log.write(tmp_path))
    assert told(found.messages) == ["user: Count.", "assistant: thinking, A()", "user: A=done", "assistant: Four."]
    assert [request.index for request in found.requests] == [1, 3]
    assert found.warnings == []


def test_an_answer_that_says_the_same_twice_keeps_both(log, tmp_path):
    log.user("Count.")
    log.answer("m1", text("Hm."))
    log.answer("m1", text("Hm."))
    assert told(load(log.write(tmp_path)).messages)[1:] == ["assistant: Hm., Hm."]


@pytest.mark.parametrize("next_of", ["A", "B"])
def test_parallel_calls_that_branch_off_are_all_there(log, tmp_path, next_of):
    """Each call hangs from the call before it, each result from its call: one line of parents leads past the others."""
    log.user("Count.")
    log.answer("m1", text("I look."))
    first = log.answer("m1", call("A"), output=2)
    second = log.answer("m1", call("B"), parent=first, output=3)
    ends = {"B": log.user(result("B"), parent=second), "A": log.user(result("A"), parent=first)}
    log.answer("m2", text("Four."), parent=ends[next_of])
    found = load(log.write(tmp_path))
    assert [sorted(words.split(": ")[1].split(", ")) for words in told(found.messages)] == [
        ["Count."], ["A()", "B()", "I look."], ["A=done", "B=done"], ["Four."]]
    assert [request.usage["output_tokens"] for request in found.requests] == [3, 1]
    assert sorted(found.origins[1].lines) == [2, 3, 4]
    assert sorted(found.origins[2].lines) == [5, 6]
    assert found.problems == []


def test_sub_agents_are_left_out(log, tmp_path):
    log.user("Count.")
    answer = log.answer("m1", call("A", "Task"))
    log.user("You count.", parent=None, isSidechain=True)
    log.answer("m9", text("Four."), isSidechain=True)
    log.user(result("A"), parent=answer)
    log.user("Still counting.", isSidechain=True)
    found = load(log.write(tmp_path))
    assert told(found.messages) == ["user: Count.", "assistant: A()", "user: A=done"]
    assert len(found.requests) == 1
    assert found.warnings == ["Of a sub-agent, left out: lines 3, 4 and 6."]


def test_a_log_of_one_sub_agent_is_the_conversation_that_it_is(log, tmp_path):
    log.user("You count.", parent="elsewhere", isSidechain=True)
    log.user("In agents/.", parent="elsewhere too", isSidechain=True)
    log.answer("m1", text("Four."), isSidechain=True)
    found = load(log.write(tmp_path))
    assert told(found.messages) == ["user: You count.", "user: In agents/.", "assistant: Four."]


def test_lines_without_parents_follow_each_other(tmp_path):
    """As `claude -p --output-format stream-json` writes them."""
    lines = [{"type": "system", "subtype": "init", "session_id": "s", "uuid": "a", "tools": ["Bash"]},
             {"type": "user", "session_id": "s", "message": {"role": "user", "content": "Count."}},
             {"type": "assistant", "session_id": "s", "message": {"role": "assistant", "content": [call("A")]}},
             {"type": "user", "session_id": "s", "parent_tool_use_id": "A", "message": {"content": "You count."}},
             {"type": "user", "session_id": "s", "message": {"role": "user", "content": [result("A")]}},
             {"type": "result", "session_id": "s", "result": "Four.", "uuid": "z"}]
    path = tmp_path / "stream.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    found = load(path)
    assert told(found.messages) == ["user: Count.", "assistant: A()", "user: A=done"]
    assert found.warnings == ["Of a sub-agent, left out: line 4."]


# Compactions


def compacted(log, **told):
    log.user("Count.")
    log.answer("m1", text("Four."), context=150_000)
    log.boundary(**told)
    log.user("Summary: four.", isCompactSummary=True, isVisibleInTranscriptOnly=True, uuid="summary")
    log.answer("m2", text("Ready."), context=20_000)
    return log


@pytest.mark.parametrize("trigger", ["auto", "manual"])
def test_a_compaction_begins_a_segment(log, tmp_path, trigger):
    found = load(compacted(log, trigger=trigger).write(tmp_path))
    before, after = found.segments
    assert told(before.conversation()) == ["user: Count.", "assistant: Four."]
    assert told(after.conversation()) == ["user: Summary: four.", "assistant: Ready."]
    assert found.messages == after.conversation()
    assert (before.compaction, before.pre_tokens) == (None, None)
    assert (after.compaction, after.pre_tokens) == (trigger, 155_000)
    assert found.compactions == [Compaction(trigger, 3.0, 155_000, 20_000)]
    assert [request.index for request in found.requests] == [1, 1]


@pytest.mark.parametrize("told_of_it", [None, "much", {}, {"trigger": "nobody", "preTokens": -1}])
def test_a_boundary_that_tells_nothing_is_one_all_the_same(log, tmp_path, told_of_it):
    compacted(log).lines[2]["compactMetadata"] = told_of_it
    found = load(log.write(tmp_path))
    assert found.compactions == [Compaction("unknown", 3.0, 150_000, 20_000)]


def test_a_summary_without_a_boundary_begins_a_segment(log, tmp_path):
    compacted(log)
    del log.lines[2]
    log.lines[2]["parentUuid"] = "u2"
    found = load(log.write(tmp_path))
    assert [segment.compaction for segment in found.segments] == [None, "unknown"]


def test_a_boundary_with_nothing_behind_it_is_no_segment(log, tmp_path):
    compacted(log).boundary()
    assert len(load(log.write(tmp_path)).segments) == 2


def test_calls_and_results_on_both_sides_of_a_compaction_stay_valid(log, tmp_path):
    log.user("Count.")
    log.answer("m1", call("A"))
    log.boundary()
    log.user("Summary.", isCompactSummary=True)
    log.user(result("A"))
    log.answer("m2", text("Ready."))
    found = load(log.write(tmp_path))
    assert [told(segment.conversation()) for segment in found.segments] == [
        ["user: Count.", "assistant: A()", "user: A=closed"], ["user: Summary.", "assistant: Ready."]]
    assert [segment.problems for segment in found.segments] == [[], []]
    assert found.warnings == ["A result without a call before it, left out: line 5."]


KEPT = [
    {"preservedMessages": {"anchorUuid": "summary", "uuids": ["u3", "u4", "u5"], "allUuids": ["u3", "u4", "u5", "x"]}},
    {"preservedSegment": {"headUuid": "u3", "anchorUuid": "summary", "tailUuid": "u5"}},
]


def with_kept(log, told_of_it):
    log.user("Count.")
    log.answer("m1", text("Four."))
    log.user("List.")
    log.answer("m2", call("A"), context=150_000)
    log.user(result("A"))
    log.boundary(**told_of_it)
    log.user("Summary: four.", isCompactSummary=True, uuid="summary")
    return log


@pytest.mark.parametrize("told_of_it", KEPT, ids=["listed", "from and to"])
@pytest.mark.parametrize("parent", ["u5", "summary"])
def test_what_a_compaction_kept_stands_behind_the_summary(log, tmp_path, told_of_it, parent):
    """The lines stand once in the file, and what follows names the last of them as its parent."""
    with_kept(log, told_of_it).answer("m3", text("a, b"), parent=parent, context=20_000)
    found = load(log.write(tmp_path))
    before, after = found.segments
    kept = ["user: List.", "assistant: A()", "user: A=done"]
    assert told(before.conversation()) == ["user: Count.", "assistant: Four.", *kept]
    assert told(after.conversation()) == ["user: Summary: four.", *kept, "assistant: a, b"]
    assert [request.context_tokens for request in found.requests] == [100, 150_000, 20_000]
    assert after.requests[0].index == 4
    assert found.compactions[0].trigger == "auto"
    assert found.problems == []


@pytest.mark.parametrize("told_of_it", KEPT, ids=["listed", "from and to"])
def test_a_compaction_with_nothing_behind_it_has_what_it_kept(log, tmp_path, told_of_it):
    found = load(with_kept(log, told_of_it).write(tmp_path))
    assert told(found.messages) == ["user: Summary: four.", "user: List.", "assistant: A()", "user: A=done"]
    assert found.segments[1].requests == []


def test_what_two_compactions_kept_is_there_in_each(log, tmp_path):
    with_kept(log, KEPT[0]).answer("m3", text("a, b"), parent="u5")
    log.boundary(preservedMessages={"anchorUuid": "second", "uuids": ["u5", "u8"]})
    log.user("Summary: a, b.", isCompactSummary=True, uuid="second")
    log.user("Thanks.", parent="u8")
    found = load(log.write(tmp_path))
    assert [len(segment.conversation()) for segment in found.segments] == [5, 5, 3]
    assert told(found.messages) == ["user: Summary: a, b.", "assistant: a, b", "user: Thanks."]
    assert len(found.requests) == 3


def test_a_summary_that_the_next_compaction_kept_begins_nothing(log, tmp_path):
    compacted(log).boundary(preservedMessages={"anchorUuid": "second", "uuids": ["summary", "u5"]})
    log.user("Summary: ready.", isCompactSummary=True, uuid="second")
    found = load(log.write(tmp_path))
    assert len(found.segments) == 3
    assert told(found.messages) == ["user: Summary: ready.", "user: Summary: four.", "assistant: Ready."]


@pytest.mark.parametrize("told_of_it", [
    {"preservedMessages": {"anchorUuid": "gone", "uuids": ["gone too"]}}, {"preservedMessages": {"uuids": 7}},
    {"preservedSegment": {"headUuid": "u5", "anchorUuid": "summary", "tailUuid": "u3"}},
    {"preservedSegment": {"headUuid": "gone", "anchorUuid": "summary", "tailUuid": "u3"}},
    {"preservedSegment": []}, {"preservedMessages": {"anchorUuid": None, "uuids": [None]}},
])
def test_what_was_kept_but_is_not_there_does_no_harm(log, tmp_path, told_of_it):
    with_kept(log, told_of_it).answer("m3", text("a, b"))
    found = load(log.write(tmp_path))
    assert [len(segment.conversation()) for segment in found.segments] in ([5, 2], [5, 3])
    assert found.problems == []


def test_what_is_asked_again_from_before_a_compaction_has_not_been_compacted(log, tmp_path):
    with_kept(log, KEPT[0]).answer("m3", text("a, b"), parent="u5")
    log.user("Count again.", parent="u2")
    found = load(log.write(tmp_path))
    assert told(found.messages) == ["user: Count.", "assistant: Four.", "user: Count again."]
    assert found.compactions == []


@pytest.mark.parametrize(("subtype", "what"), [
    ("microcompact_boundary", "Old results cleared"), ("snip_boundary", "Messages snipped")])
def test_what_was_taken_from_the_context_and_not_from_the_log_is_told_of(log, tmp_path, subtype, what):
    log.user("Count.")
    log.line("system", subtype=subtype, microcompactMetadata={"tokensSaved": 9_000})
    log.answer("m1", text("Four."))
    [warning] = load(log.write(tmp_path)).warnings
    assert warning.startswith(what) and warning.endswith("so what follows was smaller: line 2.")


def test_what_the_thread_leaves_out_is_told_with_what_it_used(log, tmp_path):
    asked = log.user("Count.")
    log.answer("left", text("Five."), context=1_000, output=10)
    log.user("No.")
    log.answer("left too", text("Six."), call("A"), context=2_000, output=20)
    log.user(result("A"))
    log.line("assistant", isSidechain=True, message=log.lines[1]["message"] | {"id": "aside"})
    log.answer("kept", text("Four."), parent=asked, context=3_000, output=30)
    found = load(log.write(tmp_path))
    assert told(found.messages) == ["user: Count.", "assistant: Four."]
    assert found.warnings == ["Of a sub-agent, left out: line 6.",
                              "Answered on a branch that was left, left out: lines 2 and 4."]
    assert found.beside == 1_010 + 2_020 + 1_010
    assert "Left out: 4,040 tokens" in str(tables.bill(profile(found)))
