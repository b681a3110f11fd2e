"""What a conversation is made of, and the rules that the Messages API keeps.

A message is a plain dict, `{"role": "user" | "assistant", "content": str | list[block]}`, and a block is a plain dict
with a `type`. Every other module stands on this one; nothing here changes what it is given.
Left out: rules of a request (model, max_tokens, a final assistant message), which belong to the API (`offline`).
"""

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

from learn_compact.errors import MessageError

CARRIED_REQUEST = "Current user request:"

# The forms in which our layers say where something went: s06, s08's compact_history, s08's snip_compact.
_MARKERS = (
    re.compile(r"\[Conversation compressed\. Transcript: ([^\n]+)\](?=\n|\Z)"),
    re.compile(r"\[Compacted\]\nTranscript: ([^\n]+)(?=\n|\Z)"),
    re.compile(r"\[\d+ messages archived at ([^\n]+)\]\Z"),
)

_SERVER_RESULT = re.compile(r"\w+_tool_result\Z")


class ToolResult(NamedTuple):
    """A tool_result block and where it stands: `messages[message_index]["content"][block_index]`."""

    message_index: int
    block_index: int
    block: dict

    @property
    def tool_use_id(self):
        return self.block.get("tool_use_id")


class Problem(NamedTuple):
    """One thing that the API would reject: `where` it stands, the API's `text`, and its `kind` as a short name."""

    where: str
    text: str
    kind: str

    def __str__(self):
        return f"{self.where}: {self.text}"


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
        raise MessageError(f"A message needs a role and content; this {type(response).__name__} has "
                           f"role {role!r} and content of type {type(content).__name__}. Pass a response of the SDK or a dict.")
    return {"role": role, "content": content if isinstance(content, str) else [_plain_block(block) for block in content]}


def blocks(message):
    """The blocks of a message as a list: text content becomes one text block, empty or missing content none.

    >>> blocks({"role": "user", "content": "Hello"})
    [{'type': 'text', 'text': 'Hello'}]
    """
    content = message.get("content") if isinstance(message, Mapping) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return [block for block in content if isinstance(block, Mapping)] if isinstance(content, list | tuple) else []


def tool_names(messages):
    """The tool behind every call: `{tool_use_id: name}`, from the tool_use blocks of the assistant's messages.

    >>> tool_names([{"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "bash", "input": {}}]}])
    {'a': 'bash'}
    """
    return {block.get("id"): block.get("name", "unknown")
            for message in messages if _role(message) == "assistant"
            for block in blocks(message) if block.get("type") == "tool_use"}


def tool_results(messages):
    """Every tool_result of the user's messages as `ToolResult`, in order, each with its place."""
    return [ToolResult(i, j, block)
            for i, message in enumerate(messages)
            if _role(message) == "user" and isinstance(message.get("content"), list)
            for j, block in enumerate(message["content"])
            if isinstance(block, Mapping) and block.get("type") == "tool_result"]


def result_text(block):
    """The text of a tool_result: its content where that is a string, its text blocks joined where it is a list.

    >>> result_text({"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "42"}]})
    '42'
    """
    content = block.get("content")
    if isinstance(content, list | tuple):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping) and part.get("type") == "text")
    return content if isinstance(content, str) else ""


def unseen_results(messages):
    """The results that the model has not seen: those after the last assistant message, as `ToolResult`, in order.

    A layer that clears one of them takes away what the model has just asked for.
    """
    last = max((i for i, message in enumerate(messages) if _role(message) == "assistant"), default=-1)
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
    texts = [block.get("text") for block in blocks(message) if block.get("type") == "text"]
    if not texts or (path := marker_path(texts[0])) is None or (archive is not None and not archive.knows(path)):
        return None
    for text in texts[1:]:
        if isinstance(text, str) and text.startswith(CARRIED_REQUEST + "\n"):
            return text[len(CARRIED_REQUEST) + 1:]
    return ""


def marker_path(text):
    """The path that one of our headers names at the start of `text`, or None where there is no such header.

    >>> marker_path("[Compacted]\\nTranscript: .transcripts/transcript_7.jsonl\\n\\nThe summary.")
    '.transcripts/transcript_7.jsonl'
    """
    found = next((m for pattern in _MARKERS if (m := pattern.match(text))), None) if isinstance(text, str) else None
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
        for block in blocks(message):
            kind = block.get("type")
            if kind in ("tool_use", "server_tool_use") and _hashable(block.get("id")):
                called_at[block["id"]] = i
            elif _is_result(kind) and _hashable(block.get("tool_use_id")) and block.get("tool_use_id") in called_at:
                joined_until[called_at[block["tool_use_id"]]] = i
    cuts, open_until = [], 0
    for i in range(1, len(messages)):
        open_until = max(open_until, joined_until.get(i - 1, 0))
        if i > open_until:
            cuts.append(i)
    return cuts


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
        found.append(Problem(f"{where}.role", "Field required" if role is None else "Input should be 'user' or 'assistant'", "role"))
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
        return [Problem(where, f"Input tag {kind!r} found using 'type' does not match any of the expected tags", "block")]
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
    "tool_result": {"tool_use_id": str},
    "image": {"source": Mapping},
    "document": {"source": Mapping},
    "search_result": {"source": str, "title": str, "content": list},
    "container_upload": {"file_id": str},
    "tool_reference": {"tool_name": str},
}
_TYPE_NAMES = {str: "string", Mapping: "dictionary", list: "list"}
_ROLE_OF = {"tool_use": "assistant", "server_tool_use": "assistant", "thinking": "assistant",
            "redacted_thinking": "assistant", "tool_result": "user", "image": "user", "document": "user"}


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
            yield Problem(where, f"unexpected `tool_use_id` found in `tool_result` blocks: {result}. Each `tool_result` "
                          "block must have a corresponding `tool_use` block in the previous message.", "orphan")
        elif result in seen:
            yield Problem(where, "each tool_use must have a single result. Found multiple `tool_result` blocks with "
                          f"id: {result}", "multiple")
        seen.add(result)


def _server_problems(i, message, is_last):
    """A server tool's call and result share one message; only a paused turn at the end may still wait for its result."""
    results = {block.get("tool_use_id") for block in blocks(message) if _is_result(block.get("type"))
               and _hashable(block.get("tool_use_id"))}
    for block in blocks(message) if not is_last else ():
        if block.get("type") == "server_tool_use" and isinstance(block.get("id"), str) and block["id"] not in results:
            yield Problem(f"messages.{i}", f"`{block.get('name')}` tool use with id `{block['id']}` was found without a "
                          f"corresponding `{block.get('name')}_tool_result` block", "unanswered")


def _ids(message, role, kind):
    """(place, id) of every block of a kind in a message of a role; blocks whose id is missing are named elsewhere."""
    field = "id" if kind == "tool_use" else "tool_use_id"
    content = message.get("content") if isinstance(message, Mapping) and message.get("role") == role else None
    return [(j, block[field]) for j, block in enumerate(content if isinstance(content, list) else ())
            if isinstance(block, Mapping) and block.get("type") == kind and isinstance(block.get(field), str)]


# Small things


def _role(message):
    return message.get("role") if isinstance(message, Mapping) else None


def _hashable(value):
    return isinstance(value, str | int)


def _is_result(kind):
    return isinstance(kind, str) and bool(_SERVER_RESULT.match(kind) or kind == "tool_result")


def _request_of(message, archive):
    carried = carried_request(message, archive)
    if carried is not None:
        return carried
    return "\n\n".join(block["text"] for block in blocks(message)
                       if block.get("type") == "text" and isinstance(block.get("text"), str) and block["text"].strip())


def _field(thing, name):
    return thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)


def _plain_block(value):
    """A block as plain dicts and lists without None; SDK objects (pydantic models) give themselves as dicts."""
    if hasattr(value, "model_dump"):
        value = value.model_dump(mode="json", exclude_none=True)
    if isinstance(value, Mapping):
        return {key: _plain_block(part) for key, part in value.items() if part is not None}
    return [_plain_block(part) for part in value] if isinstance(value, list | tuple) else value
