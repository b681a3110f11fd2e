import json

from learn_compact import blocks, check

CHARS_PER_TOKEN = {"text": 4, "thinking": 4, "tool_use": 3.4}  # results: 3.1


def better_estimate(messages):
    return sum(block_tokens(block) for message in messages for block in blocks(message))


def block_tokens(block):
    """A block's words at the price of its kind, and a dozen tokens for the block itself."""
    if block["type"] == "image":
        return 1_000
    content = block.get("content")
    if isinstance(content, list):
        return 12 + sum(map(block_tokens, content))
    said = block.get("text") or block.get("thinking") or content or json.dumps(block.get("input", ""))
    wide = sum(character > "\u2e7f" for character in said)  # Chinese: a token a character
    return 12 + wide + (len(said) - wide) / CHARS_PER_TOKEN.get(block["type"], 3.1)


check.better_estimate(better_estimate)
