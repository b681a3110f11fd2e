"""The rules that the Messages API keeps for a history, and its own sentences for what breaks them.

Left out: rules of a request (model, max_tokens, a final assistant message), which belong to the API (`offline`).
Source of rules and sentences: the API's documentation and errors as gathered in `reference/messages_api.md`.
"""

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

_SERVER_RESULT = re.compile(r"\w+_tool_result\Z")


class Problem(NamedTuple):
    """One thing that the API would reject: `where` it stands, the API's `text`, and its `kind` as a short name."""

    where: str
    text: str
    kind: str

    def __str__(self):
        return f"{self.where}: {self.text}"


def is_result(kind):
    """Whether a block of this `type` answers a call: a tool_result, or the result of a server's tool."""
    return kind == "tool_result" or (isinstance(kind, str) and bool(_SERVER_RESULT.match(kind)))


def problems(messages):
    """What the API would reject in `messages`, as a list of `Problem` in the API's own words; [] for a valid history.

    Calls and results that don't pair (an unanswered call at the end too), results outside the message right after
    their calls, ids used twice, blank text, empty content, an error result without content, unknown roles and blocks,
    a first message that isn't the user's, an empty list. Neighbours of one role are valid: the API joins them.
    Takes anything, raises nothing. Source of the sentences: `reference/messages_api.md`.

    >>> [str(problem) for problem in problems([])]
    ['messages: at least one message is required']
    """
    if not isinstance(messages, list | tuple):
        return [Problem("messages", "Input should be a valid list", "type")]
    if not messages:
        return [Problem("messages", "at least one message is required", "empty")]
    found = [problem for i, message in enumerate(messages) for problem in _message_problems(i, message)]
    if _role(messages[0]) == "assistant":
        found.insert(0, Problem("messages.0", 'first message must use the "user" role', "first"))
    return found + _pairing_problems(messages)


# What one message gets wrong by itself


def _message_problems(i, message):
    where = f"messages.{i}"
    if not isinstance(message, Mapping):
        return [Problem(where, "Input should be an object", "type")]
    found, role, content = [], message.get("role"), message.get("content")
    if role == "system":
        found.append(Problem(f"{where}.role", 'Unexpected role "system". The Messages API accepts a top-level `system` '
                             'parameter, not "system" as an input message role.', "role"))
    elif role not in ("user", "assistant"):
        text = "Field required" if role is None else "Input should be 'user' or 'assistant'"
        found.append(Problem(f"{where}.role", text, "role"))
    if content is None:
        return [*found, Problem(f"{where}.content", "Field required" if "content" not in message
                                else "Input should be a valid string or list", "content")]
    if not isinstance(content, str | list):
        return [*found, Problem(f"{where}.content", "Input should be a valid string or list", "content")]
    if not content:
        return [*found, Problem(where, "all messages must have non-empty content", "content")]
    if isinstance(content, str):
        return found + _blank(where, content)
    for j, block in enumerate(content):
        found += _block_problems(f"{where}.content.{j}", block, role)
    return found


def _block_problems(where, block, role):
    if not isinstance(block, Mapping):
        return [Problem(where, "Input should be an object", "type")]
    kind = block.get("type")
    if kind is None:
        return [Problem(f"{where}.type", "Field required", "block")]
    if not isinstance(kind, str) or not (kind in _FIELDS or _SERVER_RESULT.match(kind)):
        text = f"Input tag {kind!r} found using 'type' does not match any of the expected tags"
        return [Problem(where, text, "block")]
    found = [Problem(f"{where}.{kind}.{field}", "Field required" if block.get(field) is None
                     else f"Input should be a valid {_TYPE_NAMES[type_]}", "block")
             for field, type_ in _FIELDS.get(kind, {"tool_use_id": str}).items()
             if not isinstance(block.get(field), type_)]
    if found:
        return found
    wanted = _ROLE_OF.get(kind, "assistant" if _SERVER_RESULT.match(kind) and kind != "tool_result" else None)
    if wanted and role in ("user", "assistant") and role != wanted:
        return [Problem(where, f"`{kind}` blocks can only be in `{wanted}` messages", "place")]
    if kind == "text":
        return _blank(where, block["text"])
    return _result_problems(where, block) if kind == "tool_result" else []


def _result_problems(where, block):
    content = block.get("content")
    if content is not None and not isinstance(content, str | list):
        return [Problem(f"{where}.tool_result.content", "Input should be a valid string or list", "content")]
    if block.get("is_error") is True and not content:
        return [Problem(f"{where}.tool_result", "content cannot be empty if `is_error` is true", "error")]
    return [problem for k, part in enumerate(content if isinstance(content, list) else ())
            for problem in _block_problems(f"{where}.tool_result.content.{k}", part, None)]


def _blank(where, text):
    if not text:
        return [Problem(where, "text content blocks must be non-empty", "blank")]
    return [] if text.strip() else [Problem(where, "text content blocks must contain non-whitespace text", "blank")]


# Fields that a block must have, with their types; a kind that isn't here and isn't a server tool's result is unknown.
_FIELDS = {
    "text": {"text": str},
    "thinking": {"thinking": str, "signature": str},
    "redacted_thinking": {"data": str},
    "tool_use": {"id": str, "name": str, "input": Mapping},
    "server_tool_use": {"id": str, "name": str, "input": Mapping},
    "mcp_tool_use": {"id": str, "name": str, "input": Mapping},
    "tool_result": {"tool_use_id": str},
    "image": {"source": Mapping},
    "document": {"source": Mapping},
    "search_result": {"source": str, "title": str, "content": list},
    "container_upload": {"file_id": str},
    "tool_reference": {"tool_name": str},
}
_TYPE_NAMES = {str: "string", Mapping: "dictionary", list: "list"}
_ROLE_OF = {"tool_use": "assistant", "server_tool_use": "assistant", "mcp_tool_use": "assistant",
            "thinking": "assistant", "redacted_thinking": "assistant",
            "tool_result": "user", "image": "user", "document": "user"}


# What messages get wrong together


def _pairing_problems(messages):
    found, used = [], set()
    for i, (message, after) in enumerate(pairwise([*messages, None])):
        calls = _ids(message, "assistant", "tool_use")
        for place, call in calls:
            if call in used:
                found.append(Problem(f"messages.{i}.content.{place}", "`tool_use` ids must be unique", "duplicate"))
            used.add(call)
        answered = {result for _, result in _ids(after, "user", "tool_result")}
        if missing := [call for _, call in calls if call not in answered]:
            found.append(Problem(f"messages.{i}", "`tool_use` ids were found without `tool_result` blocks immediately "
                                 f"after: {', '.join(missing)}. Each `tool_use` block must have a corresponding "
                                 "`tool_result` block in the next message.", "unanswered"))
        found += _orphans(i, message, messages[i - 1] if i else None)
        found += _server_problems(i, message, is_last=after is None)
    return found


def _orphans(i, message, before):
    calls, seen = {call for _, call in _ids(before, "assistant", "tool_use")}, set()
    for place, result in _ids(message, "user", "tool_result"):
        where = f"messages.{i}.content.{place}"
        if result not in calls:
            yield Problem(where, f"unexpected `tool_use_id` found in `tool_result` blocks: {result}. Each "
                          "`tool_result` block must have a corresponding `tool_use` block in the previous message.",
                          "orphan")
        elif result in seen:
            yield Problem(where, "each tool_use must have a single result. Found multiple `tool_result` blocks with "
                          f"id: {result}", "multiple")
        seen.add(result)


def _server_problems(i, message, is_last):
    """A server tool's call and result share one message; only a paused turn at the end may still wait for it."""
    content = [block for block in _content(message) if isinstance(block, Mapping)] if not is_last else []
    results = [block.get("tool_use_id") for block in content if is_result(block.get("type"))]
    for block in content:
        if block.get("type") == "server_tool_use" and isinstance(block.get("id"), str) and block["id"] not in results:
            name = block.get("name")
            yield Problem(f"messages.{i}", f"`{name}` tool use with id `{block['id']}` was found without a "
                          f"corresponding `{name}_tool_result` block", "unanswered")


def _ids(message, role, kind):
    """(place, id) of every block of a kind in a message of a role; blocks whose id is missing are named elsewhere."""
    field = "id" if kind == "tool_use" else "tool_use_id"
    return [(j, block[field]) for j, block in enumerate(_content(message)) if _role(message) == role
            and isinstance(block, Mapping) and block.get("type") == kind and isinstance(block.get(field), str)]


def _content(message):
    content = message.get("content") if isinstance(message, Mapping) else None
    return content if isinstance(content, list) else ()


def _role(message):
    return message.get("role") if isinstance(message, Mapping) else None
