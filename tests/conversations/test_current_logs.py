"""The lines that the newest versions of Claude Code write: each is read, passed over, or told of."""

from claude_log import Log, call, current_log, result, text, told

from learn_compact.conversations import find, load
from learn_compact.profile import profile


def test_a_current_log_is_the_conversation_that_was_held(tmp_path):
    found = load(current_log().write(tmp_path))
    before, after = (told(segment.conversation()) for segment in found.segments)
    assert before == ["user: Count.", "assistant: I look., A(), B()", "user: A=four, B=five", "user: Tests too.",
                      "assistant: Nine.", "user: Are you sure?", "assistant: Yes."]
    assert after == ["user: Nine, with tests.", "user: Are you sure?", "assistant: Yes.", "user: Thank you.",
                     "assistant: Any time."]
    assert [segment.problems for segment in found.segments] == [[], []]


def test_a_current_log_has_its_requests_and_its_compaction(tmp_path):
    found = load(current_log().write(tmp_path))
    assert [request.context_tokens for request in found.requests] == [14_902, 16_000, 17_000, 9_000]
    assert found.requests[0].usage["output_tokens"] == 310
    assert found.requests[0].usage["cache_creation"]["ephemeral_1h_input_tokens"] == 900
    [compaction] = found.compactions
    assert compaction[:1] + compaction[2:] == ("auto", 17_500, 9_000)


def test_what_was_sent_otherwise_than_the_log_has_it_is_told_of(tmp_path):
    assert load(current_log().write(tmp_path)).warnings == [
        "A reminder whose words the log lacks, left out: lines 8, 9 and 10.",
        "Large results replaced in the context and kept in the log, so what was sent was smaller: line 17.",
        "Finished work collapsed in the context and kept in the log, so what follows was smaller: line 25."]


def test_a_forked_sub_agent_lacks_the_context_that_it_began_with(tmp_path):
    log = Log()
    log.remark(type="fork-context-ref", agentId="a1", parentSessionId="s", parentLastUuid="u9", contextLength=40)
    log.user("Count.", isSidechain=True)
    log.answer("m1", text("Four."), isSidechain=True)
    found = load(log.write(tmp_path))
    assert told(found.messages) == ["user: Count.", "assistant: Four."]
    assert "began with the context of another log" in found.warnings[0]


def test_a_current_log_is_found_by_what_was_asked_and_a_ledger_of_agents_is_not(tmp_path):
    current_log().write(tmp_path)
    ledger = Log()
    ledger.remark(type="started", key="k", agentId="a")
    ledger.remark(type="result", key="k", agentId="a", result={})
    ledger.write(tmp_path, "journal.jsonl")
    assert [(one.path.name, one.title) for one in find(tmp_path)] == [("log.jsonl", "Count.")]


def test_what_a_compaction_kept_is_read_once_and_large_once(tmp_path):
    log = Log()
    log.user("Look.")
    kept = [log.answer("m1", call("A", "Read", file_path="a.py")), log.user(result("A", "make_plan_now = 1 " * 200)),
            log.answer("m2", text("Seen."), context=9_000)]
    log.boundary(preservedMessages={"anchorUuid": "summary", "uuids": kept})
    log.user("So far.", isCompactSummary=True, uuid="summary")
    log.user("And?", parent=kept[-1])
    log.answer("m3", text("Done."))
    found = load(log.write(tmp_path))
    assert [len(segment.conversation()) for segment in found.segments] == [4, 6]
    told_of = profile(found)
    assert told_of.rereads == [] and told_of.unused.judged == 1
    assert [one.line for one in told_of.large if one.part == "tool_result"] == [3]
