"""Conversations as a few lines of text, for the verdicts: one line a block, long texts cut and their length told."""

import json

LONGEST = 60  # characters of a text that are shown whole
_HEAD, _TAIL = 36, 20  # what is shown of a longer one


def conversation_lines(messages, only=None):
    """One line for each block, with the message's index and role before its first; `only` are the indexes to show.

    >>> print("\\n".join(conversation_lines([{"role": "user", "content": "Look."}])))
      0 user       "Look."
    """
    lines = [] if messages else ["    no messages"]
    for i, message in enumerate(messages):
        if only is not None and i not in only:
            continue
        said = _message_lines(message)
        role = str(message.get("role")) if isinstance(message, dict) else type(message).__name__
        lines += [f"{i:>3} {role:<10} {said[0]}", *(f"{'':15}{line}" for line in said[1:])]
    return lines


def quoted(text):
    """A text between quotation marks; a long one loses its middle, and its length is told.

    >>> quoted("Line after line. " * 6)
    '"Line after line. Line after line. Li … e. Line after line. " (102 characters)'
    """
    if len(text) <= LONGEST:
        return json.dumps(text, ensure_ascii=False)
    return json.dumps(f"{text[:_HEAD]} … {text[-_TAIL:]}", ensure_ascii=False) + f" ({len(text):,} characters)"


def shown(value):
    """Any value a function may return, short."""
    if isinstance(value, str):
        return quoted(value)
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} …"


def _message_lines(message):
    if not isinstance(message, dict):
        return [shown(message)]
    content = message.get("content")
    if isinstance(content, list):
        return [_block_line(block) for block in content] or ["nothing: []"]
    return [shown(content)]


def _block_line(block):
    if not isinstance(block, dict):
        return shown(block)
    kind, rest = block.get("type"), {key: value for key, value in block.items() if key != "type"}
    if kind == "text":
        line = f"text {shown(rest.pop('text', None))}"
    elif kind == "tool_use":
        line = f"{rest.pop('id', None)}: calls {rest.pop('name', None)}"
        given = rest.pop("input", {})
        line += f" {shown(given)}" if given else ""
    elif kind == "tool_result":
        outcome = "error" if rest.get("is_error") is True and rest.pop("is_error") else "result"
        line = f"{rest.pop('tool_use_id', None)}: {outcome} {_content(rest.pop('content', ''))}"
    else:
        line = str(kind)
    return f"{line} {shown(rest)}" if rest else line


def _content(content):
    if isinstance(content, list):
        return f"[{', '.join(map(_block_line, content))}]"
    return shown(content)
