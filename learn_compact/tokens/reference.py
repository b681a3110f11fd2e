"""The reference counter: a reconstruction of Claude's vocabulary (`ctok`), read once and kept per text.

It is a reference, not the truth: against the usage that the API reported in nine public conversations its totals lay
within -17 % and +5 % (reference/toolchain.md). One vocabulary serves the whole course. It counts about 0.1 to 0.2
million characters a second, so every text is counted once; a conversation counted again after one more message costs
only the new message. Left out: what the API adds for tools on its own account, and other vocabularies.
"""

import json
from functools import cache, lru_cache

from learn_compact.messages import blocks
from learn_compact.tokens.estimate import BLOCK_TOKENS, IMAGE_TOKENS, pictures

VOCABULARY = "3.0"  # the generation of the models in the outlines; the newest count up to 30 % more for one text


@lru_cache(maxsize=2**15)
def count_text(text):
    """Tokens of one text by the reference vocabulary, without any framing.

    >>> count_text("Count the functions in every Python file.")
    8
    """
    return _counter()(text) if text else 0


def count_block(block):
    """Tokens of one block: its texts, and the framing of a block; a picture counts as a picture."""
    return BLOCK_TOKENS + IMAGE_TOKENS * pictures(block) + sum(map(count_text, _counted_texts(block)))


def count_message(message):
    """Tokens of one message: the sum over its blocks."""
    return sum(map(count_block, blocks(message)))


def count_tools(tools):
    """Tokens of tool definitions, each as the JSON that the model is told."""
    return sum(BLOCK_TOKENS + count_text(_as_json(tool)) for tool in tools or ())


def count_tokens(messages, system=None, tools=None):
    """Tokens of a whole request by the reference counter: system prompt (text or text blocks), tools, messages.

    >>> count_tokens([{"role": "user", "content": "Count the functions."}], system="You are a coding agent.")
    34
    """
    fixed = count_message({"content": system}) + count_tools(tools)
    return fixed + sum(map(count_message, messages))


def _counted_texts(block):
    kind, content = block.get("type"), block.get("content")
    if kind in ("text", "thinking"):
        return [str(block.get(kind) or "")]
    if "input" in block:
        return [str(block.get("name", "")), _as_json(block["input"])]
    if kind in ("image", "document"):
        return []
    if isinstance(content, str):
        return [content]
    if isinstance(content, list):
        return [text for part in content if isinstance(part, dict) for text in _counted_texts(part)]
    return [_as_json({key: value for key, value in block.items() if key not in ("type", "tool_use_id")})]


def _as_json(value):
    return json.dumps(value, ensure_ascii=False, default=str)


@cache
def _counter():
    from ctok import token_count  # late: reading the vocabulary takes about a second

    frame = token_count("a", VOCABULARY) - 1  # what a request costs around its text
    return lambda text: token_count(text, VOCABULARY) - frame
