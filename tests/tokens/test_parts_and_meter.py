"""What fills the window, and counting as it grows."""

from learn_compact.messages import CONTINUES
from learn_compact.tokens import (
    PARTS,
    Meter,
    RunningCount,
    context_parts,
    context_tokens,
    count_tokens,
    estimate_block,
    estimate_by_kind,
)

TOOLS = [{"name": "bash", "description": "Run a command.", "input_schema": {"type": "object", "properties": {}}},
         {"name": "read_file", "description": "Read a file.", "input_schema": {"type": "object", "properties": {}}}]
SYSTEM = "You are a coding agent."
HISTORY = [
    {"role": "user", "content": [
        {"type": "text", "text": "[Conversation compressed. Transcript: .transcripts/transcript_1.jsonl]\n\nFour."},
        {"type": "text", "text": "Current user request:\nCount the functions."},
        {"type": "text", "text": "Restored file: a.py\nRead again from disk."}]},
    {"role": "assistant", "content": [
        {"type": "thinking", "thinking": "Let me look.", "signature": "c2ln"}, {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "a", "name": "bash", "input": {"command": "ls"}},
        {"type": "tool_use", "id": "b", "name": "read_file", "input": {"path": "a.py"}}]},
    {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "a", "content": "a.py"},
        {"type": "tool_result", "tool_use_id": "b", "content": "def f(): ..."},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}]},
]


def test_the_parts_add_up_to_the_whole_request():
    found = context_parts(SYSTEM, TOOLS, HISTORY)
    assert tuple(found.parts) == PARTS
    assert found.total == count_tokens(HISTORY, SYSTEM, TOOLS)
    assert found.fixed == count_tokens([], SYSTEM, TOOLS)
    assert all(found.parts[part] for part in PARTS if part != "other")


def test_of_a_message_of_ours_what_stands_beside_summary_request_and_last_sentence_is_attached():
    header, request, restored = HISTORY[0]["content"]
    ours = {"role": "user", "content": [header, request, restored, {"type": "text", "text": CONTINUES}]}
    found, without = (context_parts(None, None, [one]).parts for one in (ours, {**ours, "content": [restored]}))
    assert found["attachment"] == without["user"] and found["user"] == context_parts(None, None, [
        {"role": "user", "content": [request]}]).parts["user"]
    assert found["summary"] == sum(found.values()) - found["attachment"] - found["user"] > 0


def test_each_tool_is_booked_with_its_definition_its_calls_and_its_results():
    found = context_parts(SYSTEM, TOOLS, HISTORY)
    assert set(found.by_tool) == {"bash", "read_file"}
    assert sum(share.tool_use for share in found.by_tool.values()) == found.parts["tool_use"]
    assert sum(share.tool_result for share in found.by_tool.values()) == found.parts["tool_result"]
    assert sum(share.definition for share in found.by_tool.values()) == found.parts["tools"]
    assert all(share.calls == 1 for share in found.by_tool.values())


def test_a_guess_may_stand_in_for_the_reference_counter():
    assert context_parts(None, None, HISTORY, estimate_block).total == estimate_by_kind(HISTORY)


def test_only_new_messages_are_measured():
    read = []
    count = RunningCount(lambda message: read.append(message) or 1)
    history = list(HISTORY)
    assert count.of(history) == 3
    history.append({"role": "assistant", "content": "Done."})
    assert count.of(history) == 4
    assert len(read) == 4
    assert count.of(history[:2]) == 2
    assert count.of([]) == 0


def test_a_changed_message_is_measured_again():
    count = RunningCount(lambda message: len(message["content"]))
    a, b, c = ({"role": "user", "content": words} for words in ("aaa", "bb", "c"))
    assert count.of([a, b, c]) == 6
    assert count.of([a, {**b, "content": "x" * 10}, c]) == 14
    assert count.of([a, b, c]) == 6


def test_the_meter_is_exact_at_its_anchor_and_estimates_only_what_came_after():
    meter = Meter()
    meter.anchor(HISTORY, {"input_tokens": 10, "cache_creation_input_tokens": 600, "cache_read_input_tokens": 27_000})
    assert meter.tokens(HISTORY) == 27_610
    new = {"role": "assistant", "content": "One function."}
    assert meter.tokens([*HISTORY, new]) == 27_610 + estimate_by_kind([new])


def test_after_a_compaction_the_old_usage_is_not_believed():
    meter = Meter()
    meter.anchor(HISTORY, 150_000)
    compacted = [{"role": "user", "content": "A summary."}]
    assert meter.tokens(compacted) == 150_000 - estimate_by_kind(HISTORY) + estimate_by_kind(compacted)
    meter.anchor(compacted, 30_000)
    assert meter.tokens(compacted) == 30_000
    assert meter.tokens(HISTORY) == 30_000 - estimate_by_kind(compacted) + estimate_by_kind(HISTORY)


def test_the_context_of_a_request_is_read_from_objects_dicts_and_missing_fields():
    class Usage:
        input_tokens, cache_creation_input_tokens, cache_read_input_tokens = 3, None, 4

    assert context_tokens(Usage()) == 7
    assert context_tokens({"input_tokens": 3}) == 3
