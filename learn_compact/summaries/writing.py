"""A conversation as text, for whoever is to summarise it: how it is written out, and cut where it is too long.

Left out: pictures and thinking. The first are named, the second stays where it was thought.
"""

import json

from learn_compact.messages import THINKING, blocks

SUMMARY_MAX_CHARS = 80_000

_LONGEST_SHARE = 4  # one message may fill a quarter of the room, or it would push out all others


def whole_messages(messages, max_chars=SUMMARY_MAX_CHARS):
    """The conversation as text, one JSON message a line, at most `max_chars` characters, cut between messages.

    The first message stays (the first request, or an earlier summary), and as many of the newest as there is room for;
    what is left out between is said. A message that alone would fill a quarter of the room loses the middle of its long
    texts, and says so. Thinking stays out, as in any later request; a picture is named.

    >>> request = {"role": "user", "content": "Count the lines of every file."}
    >>> print(whole_messages([request] + [{"role": "assistant", "content": "Reading."}] * 9, max_chars=250))
    {"role": "user", "content": "Count the lines of every file."}
    [6 messages left out here]
    {"role": "assistant", "content": "Reading."}
    {"role": "assistant", "content": "Reading."}
    {"role": "assistant", "content": "Reading."}
    """
    lines = [_line(message, max_chars // _LONGEST_SHARE) for message in messages]
    room = max_chars - sum(len(line) + 1 for line in lines[:1]) - len(_left_out(len(lines))) - 1
    first_kept = len(lines)
    while first_kept > 1 and (room := room - len(lines[first_kept - 1]) - 1) >= 0:
        first_kept -= 1
    middle = [_left_out(first_kept - 1)] if first_kept > 1 else []
    return "\n".join(lines[:1] + middle + lines[first_kept:])


def last_chars(messages, max_chars=SUMMARY_MAX_CHARS):
    """As s06's source has it: the last characters of the JSON, which begin anywhere and miss the first request."""
    return json.dumps(messages, default=str)[-max_chars:]


def first_chars(messages, max_chars=SUMMARY_MAX_CHARS):
    """As s06's text has it: the first characters of the JSON, which end anywhere and miss all that is new."""
    return json.dumps(messages, default=str)[:max_chars]


def _left_out(count):
    return f"[{count} message{'' if count == 1 else 's'} left out here]"


def _line(message, max_chars):
    """A message as a line of JSON; where it is too long, the middle of its long texts gives way."""
    content = message.get("content")
    if not isinstance(content, str):
        content = [_readable(block) for block in blocks(message) if block.get("type") not in THINKING]
    readable = {"role": message.get("role"), "content": content}
    line, longest = _json(readable), max_chars
    while len(line) > max_chars and longest > 40:  # several long texts share the room
        longest //= 2
        line = _json(_shortened(readable, longest))
    return line if len(line) <= max_chars else _shortened(line, max_chars - 40)  # too many texts, each of them short


def _readable(block):
    """A block as a reader of text can use it."""
    if block.get("type") in ("image", "document"):
        return {"type": block["type"], "text": f"[{block['type']} left out here]"}
    if isinstance(block.get("content"), list):
        return {**block, "content": [_readable(part) for part in blocks(block)]}
    return block


def _shortened(value, longest):
    if isinstance(value, str) and len(value) > longest:
        half = longest // 2
        return f"{value[:half]}[{len(value) - 2 * half} characters left out here]{value[-half:]}"
    if isinstance(value, list):
        return [_shortened(item, longest) for item in value]
    if isinstance(value, dict):
        return {key: _shortened(item, longest) for key, item in value.items()}
    return value


def _json(value):
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")  # lone surrogates can't be sent
