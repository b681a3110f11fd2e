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
