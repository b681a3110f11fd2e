"""What fills the window: tokens by part of the context, and tool by tool.

Every tool call is booked twice, as tool_use and as tool_result, and before the first word there is a fixed part:
the system prompt and the definitions of the tools.
"""

from collections import Counter
from dataclasses import dataclass, field

from learn_compact.messages import CARRIED_REQUEST, CONTINUES, blocks, carried_request, tool_names
from learn_compact.tokens.reference import count_block, count_tools

# The parts of a context, in the order in which every picture shows them.
PARTS = ("system", "tools", "user", "assistant", "thinking", "tool_use", "tool_result", "image", "summary",
         "attachment", "other")

_PART_OF = {"thinking": "thinking", "redacted_thinking": "thinking", "image": "image", "document": "image",
            "tool_use": "tool_use", "server_tool_use": "tool_use", "tool_result": "tool_result"}


@dataclass(frozen=True)
class ToolShare:
    """What one tool costs: tokens of its definition, the number of calls, tokens of its calls and of its results."""

    definition: int = 0
    calls: int = 0
    tool_use: int = 0
    tool_result: int = 0

    @property
    def total(self):
        return self.definition + self.tool_use + self.tool_result


@dataclass(frozen=True)
class ContextParts:
    """Tokens by part (`parts`, in the order of PARTS) and by tool (`by_tool`, the largest first)."""

    parts: dict
    by_tool: dict = field(default_factory=dict)

    @property
    def fixed(self):
        """Tokens that are there before the first message: system prompt and tools."""
        return self.parts["system"] + self.parts["tools"]

    @property
    def total(self):
        return sum(self.parts.values())


def context_parts(system, tools, messages, measure=count_block):
    """What fills the window with this system prompt, these tools and messages, as `ContextParts` in tokens.

    `system` is text, text blocks or None; `tools` a list of definitions or None; `measure(block)` counts one block
    (the reference counter, or `estimate_block` where a guess will do).

    >>> context_parts("You are a coding agent.", None, [{"role": "user", "content": "Hello"}]).parts["user"]
    13
    """
    found = Counter(system=sum(map(measure, blocks({"content": system}))), tools=count_tools(tools))
    names, shares = tool_names(messages), Counter()
    for message in messages:
        parts, by_tool = message_parts(message, names, measure)
        found += parts
        shares += by_tool
    for tool in tools or ():
        shares[tool.get("name", tool.get("type", "unknown")), "definition"] += count_tools([tool])
    tools_seen = {name: ToolShare(**{f: shares[name, f] for f in ("definition", "calls", "tool_use", "tool_result")})
                  for name in dict.fromkeys(name for name, _ in shares)}
    by_size = sorted(tools_seen.items(), key=lambda item: (-item[1].total, item[0]))
    return ContextParts({part: found[part] for part in PARTS}, dict(by_size))


def message_parts(message, names, measure=count_block):
    """One message's tokens as two Counters: by part, and by (tool, "calls" | "tool_use" | "tool_result").

    `names` are the tools behind the calls (`tool_names`). Summed over a history this is what `context_parts` gives,
    so a growing conversation need only be measured message by message.
    """
    parts, by_tool = Counter(), Counter()
    is_ours = carried_request(message) is not None
    for block in blocks(message):
        part, size = part_of(block, message.get("role"), is_ours), measure(block)
        parts[part] += size
        if part == "tool_use":
            by_tool[str(block.get("name", "unknown")), "calls"] += 1
            by_tool[str(block.get("name", "unknown")), "tool_use"] += size
        elif part == "tool_result":
            by_tool[names.get(str(block.get("tool_use_id")), "unknown"), "tool_result"] += size
    return parts, by_tool


def part_of(block, role, is_ours=False):
    """The part of the context (one of PARTS) that a block of a message belongs to.

    `role` is the message's; `is_ours` says that one of our layers wrote it (`carried_request` knows). Of such a message
    the block with the header is the summary, and what stands beside it is attached: files, plan, tasks, notes.

    >>> part_of({"type": "text", "text": "Hello"}, "user")
    'user'
    """
    kind = str(block.get("type"))
    if kind != "text":
        return _PART_OF.get(kind, "tool_result" if kind.endswith("_tool_result") else "other")
    text = str(block.get("text"))
    if is_ours and not text.startswith(CARRIED_REQUEST):
        has_header = carried_request({"content": text}) is not None
        return "summary" if has_header or text == CONTINUES else "attachment"
    return role if role in ("user", "assistant") else "other"
