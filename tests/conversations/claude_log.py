"""Small logs as Claude Code writes them, line by line, and what a conversation says in a few words."""

import json

LAST = object()  # the parent of a line unless another is named: the line before it


def text(words):
    return {"type": "text", "text": words}


def call(number, tool="Bash", **given):
    return {"type": "tool_use", "id": number, "name": tool, "input": given}


def result(number, content="done", **fields):
    return {"type": "tool_result", "tool_use_id": number, "content": content, **fields}


def usage(context, output=1):
    return {"input_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": context - 10,
            "output_tokens": output}


class Log:
    """A log in the making. Every method adds a line and gives its uuid."""

    def __init__(self):
        self.lines, self.seconds = [], 0

    def line(self, kind, parent=LAST, **fields):
        uuid = fields.setdefault("uuid", f"u{len(self.lines) + 1}")
        parent = self._last() if parent is LAST else parent
        self.seconds += 1
        self.lines.append({"parentUuid": parent, "isSidechain": False, "sessionId": "s", "cwd": "/repo", "type": kind,
                           "timestamp": f"2026-01-06T09:{self.seconds // 60:02}:{self.seconds % 60:02}.000Z", **fields})
        return uuid

    def user(self, *content, **fields):
        words = content[0] if len(content) == 1 and isinstance(content[0], str) else list(content)
        return self.line("user", message={"role": "user", "content": words}, **fields)

    def answer(self, number, *blocks, context=100, output=1, model="model-1", **fields):
        return self.line("assistant", message={
            "id": number, "type": "message", "role": "assistant", "model": model, "content": list(blocks),
            "usage": usage(context, output), "stop_reason": None}, **fields)

    def boundary(self, trigger="auto", tokens=155_000, **told):
        return self.line("system", parent=None, logicalParentUuid=self._last(), subtype="compact_boundary",
                         compactMetadata={"trigger": trigger, "preTokens": tokens, **told})

    def remark(self, **fields):
        """A line without a place in the thread."""
        self.lines.append({"sessionId": "s", **fields})

    def write(self, folder, name="log.jsonl"):
        path = folder / name
        path.write_text("".join(json.dumps(line) + "\n" for line in self.lines), encoding="utf-8")
        return path

    def _last(self):
        return next((line["uuid"] for line in reversed(self.lines) if "uuid" in line), None)


def told(messages):
    """Every message in a few words: who, and of each block the text, the call as `A()` or the result as `A=done`."""
    return [f"{message['role']}: {', '.join(map(_told, _blocks(message)))}" for message in messages]


def _blocks(message):
    return [text(message["content"])] if isinstance(message["content"], str) else message["content"]


def _told(block):
    match block["type"]:
        case "tool_use":
            return f"{block['id']}()"
        case "tool_result":
            return f"{block['tool_use_id']}={'closed' if block.get('is_error') else block['content']}"
        case "text":
            return block["text"]
        case kind:
            return kind


def current_log():
    """A log with the kinds of lines that Claude Code wrote in autumn 2026 (2.1.29x), as public tools describe them.

    Two questions; large results are replaced and an old one is collapsed; then a compaction keeps the last exchange.
    """
    log = Log()
    for kind in ({"type": "mode", "mode": "normal"}, {"type": "permission-mode", "permissionMode": "acceptEdits"},
                 {"type": "atis-latch", "atis": ""}, {"type": "bridge-session", "bridgeSessionId": "b"},
                 {"type": "file-history-snapshot", "messageId": "u1", "snapshot": {"trackedFileBackups": {}}},
                 {"type": "queue-operation", "operation": "enqueue", "content": "Count."}):
        log.remark(**kind)
    asked = {"promptId": "p", "origin": {"kind": "human"}, "permissionMode": "acceptEdits", "version": "2.1.294"}
    log.user("Count.", **asked)
    for kind in ("deferred_tools_delta", "total_tokens_reminder", "date_change"):
        log.line("attachment", attachment={"type": kind})
    reported = {"input_tokens": 2, "cache_creation_input_tokens": 900, "cache_read_input_tokens": 14_000,
                "cache_creation": {"ephemeral_1h_input_tokens": 900, "ephemeral_5m_input_tokens": 0},
                "iterations": [{"type": "message", "input_tokens": 2}], "server_tool_use": {"web_search_requests": 0},
                "service_tier": "standard", "speed": "standard", "inference_geo": ""}
    answer = {"id": "m1", "type": "message", "role": "assistant", "model": "claude-opus-5-5"}
    for block, output, stop in ((text("I look."), 8, None), (call("A", path="agents"), 8, None),
                                (call("B"), 310, "tool_use")):
        last = log.line("assistant", requestId="r", effort="high", message={
            **answer, "content": [block], "usage": {**reported, "output_tokens": output}, "stop_reason": stop})
    log.remark(type="file-history-delta", messageId="u1", trackingPath="notes.md", backup={"version": 1})
    log.user(result("A", "four"), parent=last, toolUseResult={"stdout": "four"}, sourceToolAssistantUUID=last)
    log.user(result("B", "five"), toolUseResult={"stdout": "five"}, sourceToolAssistantUUID=last)
    log.remark(type="content-replacement", replacements=[{"kind": "tool-result", "toolUseId": "A", "replacement": "…"}])
    log.line("attachment", attachment={"type": "queued_command", "prompt": "Tests too.", "commandMode": "prompt"})
    log.answer("m2", text("Nine."), context=16_000, output=30)
    for kind in ("stop_hook_summary", "turn_duration", "away_summary", "model_refusal_fallback", "api_error"):
        log.line("system", subtype=kind, content="beside the conversation")
    log.remark(type="marble-origami-commit", collapseId="c", summary="Counted.", firstArchivedUuid="u1")
    for kind in ({"type": "ai-title", "aiTitle": "Counting"}, {"type": "custom-title", "customTitle": "Counts"},
                 {"type": "pr-link", "prNumber": 1}, {"type": "frame-link"}, {"type": "cost-state", "totalCostUSD": 1},
                 {"type": "last-prompt", "lastPrompt": "Count.", "leafUuid": "u1"}, {"type": "worktree-state"}):
        log.remark(**kind)
    first = log.user("Are you sure?", **asked)
    kept = [first, log.answer("m3", text("Yes."), context=17_000, output=20)]
    log.boundary(tokens=17_500, postTokens=900, cumulativeDroppedTokens=16_600, preservedSegment={
        "headUuid": kept[0], "tailUuid": kept[1], "anchorUuid": "summary"},
        preservedMessages={"anchorUuid": "summary", "uuids": kept, "allUuids": kept})
    log.user("Nine, with tests.", uuid="summary", isCompactSummary=True, isVisibleInTranscriptOnly=True)
    log.user("Thank you.", parent=kept[1], **asked)
    log.answer("m4", text("Any time."), context=9_000, output=20)
    return log
