"""Chat messages of OpenAI's API in the form of the Messages API: calls become blocks, their results too.

Left out: audio, and what only one of the two APIs has (names of speakers, log probabilities).
"""

import json
import re

_ROLES = ("system", "developer", "tool", "function")
_DATA_URL = re.compile(r"data:([\w/+.-]+);base64,(.*)", re.DOTALL)


def is_openai(message):
    """Whether only OpenAI's API knows a message of this form."""
    return message.get("role") in _ROLES or bool(message.get("tool_calls") or message.get("function_call")) \
        or any(_kind(part) in ("image_url", "input_text", "output_text") for part in _parts(message))


def from_openai(found, notes):
    """(system, [(message, lines)]) of [(chat message, line)]; `system` is a text, or None where there is none."""
    system, made, calls = [], [], []
    for (message, line), (before, _) in zip(found, [({}, 0), *found], strict=False):
        role = message.get("role")
        if role in ("system", "developer"):
            system.append(_text(message))
            if made:
                notes.at("A system message in the middle, moved to the system prompt", line)
        elif role in ("tool", "function"):
            block = {"type": "tool_result", "tool_use_id": _answered(message, calls), "content": _text(message)}
            if before.get("role") not in ("tool", "function"):
                made.append(({"role": "user", "content": []}, []))  # one message for the results of one answer
            made[-1][0]["content"].append(block)
            made[-1][1].append(line)
        else:
            called = [_call(call, line, notes) for call in _calls(message, line)]
            calls += called
            content = [block for part in _parts(message) if (block := _block(part, line, notes))] + called
            is_text = isinstance(message.get("content"), str) and not called
            made.append(({"role": role, "content": message["content"] if is_text else content}, [line]))
    return "\n\n".join(filter(None, system)) or None, made


def tool_of_openai(tool):
    """A tool's definition in the form of the Messages API; as it is where it has no function of OpenAI's."""
    function = tool.get("function") if isinstance(tool, dict) else None
    if not isinstance(function, dict):
        return tool
    made = {"name": function.get("name"), "description": function.get("description"),
            "input_schema": function.get("parameters") or {"type": "object", "properties": {}}}
    return {key: value for key, value in made.items() if value is not None}


def _calls(message, line):
    calls = message.get("tool_calls")
    found = [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    older = message.get("function_call")
    return [*found, {"id": f"call_{line}", "function": older}] if isinstance(older, dict) else found


def _call(call, line, notes):
    function = call.get("function") if isinstance(call.get("function"), dict) else {}
    given = function.get("arguments")
    try:
        arguments = json.loads(given) if isinstance(given, str) and given.strip() else given or {}
    except (ValueError, RecursionError):
        arguments = None
    if not isinstance(arguments, dict):
        notes.at("The arguments of a call that are no JSON object, kept as text", line)
        arguments = {"arguments": given}
    return {"type": "tool_use", "id": call.get("id"), "name": function.get("name"), "input": arguments}


def _answered(message, calls):
    """The id of the call that a message answers: its own, or with the older functions that of the last call."""
    return message.get("tool_call_id") or (calls[-1]["id"] if message.get("role") == "function" and calls else None)


def _parts(message):
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


def _text(message):
    return "\n".join(str(part["text"]) for part in _parts(message) if "text" in part)


def _block(part, line, notes):
    kind = _kind(part)
    if kind in ("text", "input_text", "output_text", "refusal"):
        return {"type": "text", "text": part.get("text", part.get("refusal"))}
    if kind == "image_url":
        url = part["image_url"].get("url") if isinstance(part.get("image_url"), dict) else part.get("image_url")
        if embedded := _DATA_URL.fullmatch(str(url)):
            return {"type": "image", "source": {"type": "base64", "media_type": embedded[1], "data": embedded[2]}}
        return {"type": "image", "source": {"type": "url", "url": url}}
    notes.at(f"A part of a kind that is not read here ({kind}), left out", line)
    return None


def _kind(part):
    return part.get("type") if isinstance(part, dict) else None
