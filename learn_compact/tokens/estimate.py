"""Rules of thumb for the size of a conversation: no tokenizer, no network, at most a walk over the text.

Left out: the system prompt and the tools, which none of these sees (14,000 to 51,000 tokens in the seven real
conversations of `data`), and which `context_parts` and the `Meter` add.
"""

import json
import re

from pydantic_core import to_json

from learn_compact.lines import separators
from learn_compact.messages import blocks

CHARS_PER_TOKEN = 4  # s06

# Characters of ASCII to a token, by kind of block: measured against the usage of real conversations
# (reference/toolchain.md). Code and logs are denser than prose, and JSON has quotes and braces to pay for.
CHARS_PER_TOKEN_BY_KIND = {"text": 4.0, "thinking": 4.0, "tool_use": 3.4, "tool_result": 3.1}
BLOCK_TOKENS = 12  # framing of one block, from the same measurements
IMAGE_TOKENS = 1_600  # a whole screenshot; the API counts width * height / 750, and less for small pictures

# Tokens to a character where the rule of four is furthest off, each measured with the reference counter.
_SCRIPTS = [
    (re.compile(r"[A-Za-z0-9+/]{200,}={0,2}"), 0.87),                            # base64, whatever it holds
    (re.compile("[\u3000-\u303f\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]+"), 1.07),  # Han, wide punctuation
    (re.compile("[\uac00-\ud7af]+"), 1.03),                                      # Hangul
    (re.compile("[\u3040-\u30ff]+"), 0.78),                                      # Kana
    (re.compile("[\u0370-\u03ff\u0590-\u06ff\u0900-\u0dff]+"), 0.65),            # Greek, Hebrew, Arabic, Indic
    (re.compile("[\u0400-\u04ff]+"), 0.38),                                      # Cyrillic
    (re.compile("[\u2190-\u2bff\U0001f000-\U0001faff]+"), 2.0),                  # boxes, arrows, emoji
]


_as_json = json.JSONEncoder(ensure_ascii=False, default=str).encode  # one encoder for all: making it takes longer


def estimate_tokens(messages):
    """The rule of s06, to the letter: `len(str(messages)) // 4`, in tokens.

    It counts quotes, keys and ids as well, and is blind to what they cost.

    >>> estimate_tokens([{"role": "user", "content": "Count the functions."}])
    13
    """
    return len(str(messages)) // CHARS_PER_TOKEN


def estimate_chars(messages):
    """The unit of s08: characters of the messages as JSON, with what JSON lacks written as text.

    >>> estimate_chars([{"role": "user", "content": "Count the functions."}])
    53
    """
    try:
        spaces, compact = separators(messages), to_json(messages)  # `json`, far slower, puts a space behind each
    except (RecursionError, ValueError):
        return len(_as_json(messages))
    return spaces + len(compact if compact.isascii() else compact.decode())


def visible_chars(messages):
    """Characters of what is said: text, thinking, the input of calls as JSON, the text of results; no keys, no ids.

    >>> visible_chars([{"role": "user", "content": "Count the functions."}])
    20
    """
    return sum(len(text) for message in messages for block in blocks(message) for text in _texts(block))


def estimate_by_kind(messages):
    """Tokens of the messages, estimated by kind of block and by script; a picture counts as a picture.

    >>> estimate_by_kind([{"role": "user", "content": "Count the functions."}])
    17
    >>> estimate_by_kind([{"role": "user", "content": "\u6570\u4e00\u6570\u6709\u591a\u5c11\u4e2a\u51fd\u6570\u3002"}])
    23
    """
    return sum(estimate_block(block) for message in messages for block in blocks(message))


def estimate_block(block):
    """Tokens of one block by kind and script, framing included."""
    per_token = CHARS_PER_TOKEN_BY_KIND.get(str(block.get("type")), CHARS_PER_TOKEN_BY_KIND["tool_result"])
    tokens = sum(_text_tokens(text, per_token) for text in _texts(block))
    return round(tokens) + BLOCK_TOKENS + IMAGE_TOKENS * pictures(block)


def pictures(block):
    """How many pictures or documents a block holds: itself, or among the content of a result."""
    if block.get("type") in ("image", "document"):
        return 1
    content = block.get("content")
    return sum(pictures(part) for part in content if isinstance(part, dict)) if isinstance(content, list) else 0


def repr_size(message):
    """What one message adds to `len(str(messages))`: summed over a history, exactly that."""
    return len(repr(message)) + 2


def json_size(message):
    """What one message adds to `estimate_chars(messages)`: summed over a history, exactly that."""
    return estimate_chars(message) + 2


def _texts(block):
    """The texts of a block that a model reads."""
    kind, content = block.get("type"), block.get("content")
    if kind in ("text", "thinking"):
        return [str(block.get(kind) or "")]
    if "input" in block:
        return [_as_json(block["input"])]
    if isinstance(content, list):
        return [text for part in content if isinstance(part, dict) for text in _texts(part)]
    return [content] if isinstance(content, str) else []


def _text_tokens(text, chars_per_token):
    tokens = 0.0
    for pattern, per_char in _SCRIPTS[:1] if text.isascii() else _SCRIPTS:
        found = sum(map(len, pattern.findall(text)))
        if found:
            tokens += found * per_char
            text = pattern.sub("", text)
    return tokens + len(text) / chars_per_token
