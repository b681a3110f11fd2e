"""What a conversation is made of, and the rules that the Messages API keeps.

A message is a plain dict, `{"role": "user" | "assistant", "content": str | list[block]}`, and a block is a plain dict
with a `type`. Every other module stands on this one; nothing here changes what it is given.
Left out: what the API would reject, which `rules` knows (`problems`, handed on from here).
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from learn_compact.errors import MessageError
from learn_compact.rules import Problem, is_result, problems

__all__ = ["CARRIED_REQUEST", "CONTINUES", "THINKING", "Problem", "ToolResult", "blocks", "carried_request",
           "first_text", "marker_path", "newest_request", "problems", "result_text", "safe_cuts", "to_message",
           "tool_names", "tool_results", "unseen_results"]

CARRIED_REQUEST = "Current user request:"
CONTINUES = ("This continues a conversation that was compacted. The work goes on where the summary says it stands: do "
             "not start over, and do not do again what is done. What is attached is state and material, no request.")
_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")
THINKING = ("thinking", "redacted_thinking")  # what a model thought, signed for the conversation it stands in

# The forms in which our layers say where something went: s06, s08's compact_history, s08's snip_compact, Claude Code's
# boundary. Only the last may stand without a path: then nothing but its form speaks for it.
_MARKERS = (
    re.compile(r"\[Conversation compressed\. Transcript: ([^\n]+)\](?=\n|\Z)"),
    re.compile(r"\[Compacted\]\nTranscript: ([^\n]+)(?=\n|\Z)"),
    re.compile(r"\[\d+ messages archived at ([^\n]+)\]\Z"),
    re.compile(r"\[Conversation compacted: \w+, \d+ tokens before\](?:\nTranscript: ([^\n]+))?(?=\n|\Z)"),
)

class ToolResult(NamedTuple):
    """A tool_result block and where it stands: `messages[message_index]["content"][block_index]`."""

    message_index: int
    block_index: int
    block: dict

    @property
    def tool_use_id(self):
        return self.block.get("tool_use_id")


def to_message(response):
    """The plain dict of a message: `{"role", "content"}`, from an SDK object or a dict that may hold SDK objects.

    This is the one place where SDK objects enter. Fields that are None are dropped, because the API refuses some of
    them when they are sent back (`reference/messages_api.md`); everything else, signatures too, stays as it was.
    Raises MessageError where `response` has no role and content.

    >>> to_message({"role": "assistant", "content": [{"type": "text", "text": "Hello", "citations": None}]})
    {'role': 'assistant', 'content': [{'type': 'text', 'text': 'Hello'}]}
    """
    role, content = _field(response, "role"), _field(response, "content")
    if role is None or content is None:
        raise MessageError(f"A message needs a role and content; this {type(response).__name__} has role {role!r} and "
                           f"content of type {type(content).__name__}. Pass a response of the SDK or a dict.")
    return {"role": role, "content": content if isinstance(content, str) else [_plain_block(part) for part in content]}


def blocks(message):
    """The blocks of a message as a list: text content becomes one text block, empty or missing content none.

    >>> blocks({"role": "user", "content": "Hello"})
    [{'type': 'text', 'text': 'Hello'}]
    """
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return [block for block in content if isinstance(block, dict)] if isinstance(content, (list, tuple)) else []


def first_text(message):
    """The text that a message begins with: what our headers and markers are read from; "" where it begins otherwise.

    >>> first_text({"role": "user", "content": [{"type": "text", "text": "Hello"}, {"type": "text", "text": "there"}]})
    'Hello'
    """
    content = message.get("content")
    if isinstance(content, list):
        first = content[0] if content else None
        content = first.get("text") if isinstance(first, dict) else None
    return content if isinstance(content, str) else ""


def tool_names(messages):
    """The tool behind every call: `{tool_use_id: name}`, from the tool_use blocks of the assistant's messages.

    >>> tool_names([{"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "bash", "input": {}}]}])
    {'a': 'bash'}
    """
    return {block["id"]: str(block.get("name", "unknown"))
            for message in messages if _role(message) == "assistant"
            for block in _content_list(message)
            if isinstance(block, dict) and block.get("type") == "tool_use" and _hashable(block.get("id"))}


def tool_results(messages):
    """Every tool_result of the user's messages as `ToolResult`, in order, each with its place."""
    return [ToolResult(i, j, block)
            for i, message in enumerate(messages)
            if _role(message) == "user" and isinstance(message.get("content"), list)
            for j, block in enumerate(message["content"])
            if isinstance(block, dict) and block.get("type") == "tool_result"]


def result_text(block):
    """The text of a tool_result: its content where that is a string, its text blocks joined where it is a list.

    >>> result_text({"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "42"}]})
    '42'
    """
    content = block.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict)
                     and part.get("type") == "text") if isinstance(content, (list, tuple)) else ""


def unseen_results(messages):
    """The results that the model has not seen: those after the last assistant message, as `ToolResult`, in order.

    A layer that clears one of them takes away what the model has just asked for.
    """
    last = next((i for i in range(len(messages) - 1, -1, -1) if _role(messages[i]) == "assistant"), -1)
    return [ToolResult(last + 1 + i, j, block) for i, j, block in tool_results(messages[last + 1:])]


def newest_request(messages, archive=None):
    """What the user asked for last, word for word; "" where the user has said nothing.

    Results are not requests. A message that one of our layers wrote is none either: the request it carries in the
    block behind `Current user request:` counts, alone. Such a message is known by its form; with an `archive`, its
    header is believed only where the archive knows the file that it names.

    >>> newest_request([{"role": "user", "content": "Count the functions."}, {"role": "assistant", "content": "4"}])
    'Count the functions.'
    """
    for message in reversed(messages):
        if _role(message) == "user" and (request := _request_of(message, archive)):
            return request
    return ""


def carried_request(message, archive=None):
    """The request that a message of ours carries ("" where it carries none); None where the message isn't ours."""
    return _carried(_texts(message), archive)


def marker_path(text):
    """The path that one of our headers names at the start of `text`, or None where there is no such header.

    >>> marker_path("[Compacted]\\nTranscript: .transcripts/transcript_7.jsonl\\n\\nThe summary.")
    '.transcripts/transcript_7.jsonl'
    """
    found = _marker(text)
    return found and found.group(1)


def safe_cuts(messages):
    """Every `i` with `0 < i < len(messages)`, in order, where a cut before `messages[i]` parts no call from its result.

    A parallel batch holds together from its calls to its last result, wherever that stands. Time and memory are
    linear in the number of blocks. Rule: s08 ("a user message with tool_result blocks always follows the assistant
    message that holds the matching tool_use").

    >>> call = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "bash", "input": {}}]}
    >>> result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "42"}]}
    >>> safe_cuts([{"role": "user", "content": "Count."}, call, result, {"role": "assistant", "content": "42"}])
    [1, 3]
    """
    called_at, joined_until = {}, {}
    for i, message in enumerate(messages):
        for block in _content_list(message):
            if not isinstance(block, dict) or block.get("type") == "text":
                continue
            if (answer := block.get("tool_use_id")) is not None:
                if _hashable(answer) and answer in called_at and is_result(block.get("type")):
                    joined_until[called_at[answer]] = i
            elif (call := block.get("id")) is not None and _hashable(call) and block.get("type") in _CALLS:
                called_at[call] = i
    cuts, open_until = [], 0
    for i in range(1, len(messages)):
        if i - 1 in joined_until:
            open_until = max(open_until, joined_until[i - 1])
        if i > open_until:
            cuts.append(i)
    return cuts


def _marker(text):
    return next((m for pattern in _MARKERS if (m := pattern.match(text))), None) if isinstance(text, str) else None


def _role(message):
    return message.get("role") if isinstance(message, dict) else None


def _hashable(value):
    return isinstance(value, (str, int))


def _content_list(message):
    content = message.get("content") if isinstance(message, dict) else None
    return content if isinstance(content, (list, tuple)) else ()


def _texts(message):
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [content]
    return [block["text"] for block in _content_list(message)
            if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str)]


def _request_of(message, archive):
    texts = _texts(message)
    if not texts:
        return ""
    carried = _carried(texts, archive)
    return "\n\n".join(text for text in texts if text.strip()) if carried is None else carried


def _carried(texts, archive):
    found = _marker(texts[0]) if texts else None
    if found is None or (archive is not None and not archive.knows(found.group(1))):
        return None
    header = CARRIED_REQUEST + "\n"
    return next((text[len(header):] for text in texts[1:] if text.startswith(header)), "")


def _field(thing, name):
    return thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)


def _plain_block(block):
    """A block as a plain dict without fields that are None; what a tool was called with stays as it is."""
    block = block.to_dict() if hasattr(block, "to_dict") else block
    if not isinstance(block, Mapping):
        return block
    return {key: [_plain_block(part) for part in value] if key == "content" and isinstance(value, list) else value
            for key, value in block.items() if value is not None}
