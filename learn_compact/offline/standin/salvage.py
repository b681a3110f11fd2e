"""A conversation out of a text: whole, in pieces, or cut anywhere.

Who asks for a summary often writes the conversation into the request, as JSON, and often cuts it. Only what is whole
counts here: a message, or a call or result of a message that was cut. A text whose message is gone is left out: its
author can't be known, and what a tool gave back must not become a request.
"""

import json
import re

_START = re.compile(r'\{\s*"(role|type)"\s*:\s*"\w+"')
_decode = json.JSONDecoder(strict=False).raw_decode


def split_prompt(text):
    """The messages that a text holds, and the text around them, without the lines in which they stand.

    >>> split_prompt('Summarize this.\\n\\n[{"role": "user", "content": "Count."}, {"role": "assistant", "conte')
    ([{'role': 'user', 'content': 'Count.'}], 'Summarize this.')
    """
    found, position, first, last = [], 0, None, 0
    while match := _START.search(text, position):
        first = match.start() if first is None else first
        value, position = _whole(text, match)
        last = position
        if value is not None:
            found.append(value)
        elif match[1] == "role":  # a message that was cut: what is whole in it may still be used
            found.append(None)
        else:  # a block that was cut: nothing inside it is what it seems, up to the end of the line
            position = _line_end(text, position)
            found.append(None)
    if first is None:
        return [], text
    return _messages(found), text[:text.rfind("\n", 0, first) + 1].rstrip("\n") + text[_line_end(text, last):]


def _whole(text, match):
    try:
        return _decode(text, match.start())
    except (ValueError, RecursionError):
        return None, match.end()


def _line_end(text, position):
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def _messages(found):
    """Messages as they are, and the blocks between two of them as the message that they are the rest of."""
    messages, stray = [], []
    for value in [*found, None]:
        if value is not None and "role" not in value:
            stray.append(value)
            continue
        messages += _rest(stray)
        stray = []
        if value is not None:
            messages.append(value)
    return messages


def _rest(blocks):
    calls = [block for block in blocks if block.get("type") == "tool_use"]
    if calls:
        return [{"role": "assistant", "content": [*(block for block in blocks if block.get("type") == "text"), *calls]}]
    results = [block for block in blocks if block.get("type") == "tool_result"]
    return [{"role": "user", "content": results}] if results else []
