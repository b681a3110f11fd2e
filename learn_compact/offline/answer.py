"""From what the model says to the message that the API returns: ids, stop sequences, what fits, the reason to stop."""

import re
from hashlib import blake2b

from pydantic_core import to_json

from learn_compact.tokens import count_block


def answer_message(request, content, room, usage, stop_reason=None):
    """The API's message for the blocks `content`: a dict in the form of the SDK's `Message`.

    `room` is what is left of the window, in tokens; `usage` the part of the usage that the input settles; a
    `stop_reason` that is given stands. Ids come from the request, so that the same request gets the same answer.
    """
    digest = blake2b(to_json({**request, "stream": None}), digest_size=11).hexdigest()
    content = [{**block, "id": block.get("id") or f"toolu_{digest}{i:02}"} if block["type"] == "tool_use" else block
               for i, block in enumerate(content)]
    limit = min(request["max_tokens"], room)
    content, sequence = _until_stop_sequence(content, request.get("stop_sequences", ()))
    content, output_tokens, is_cut = _fitting(content, limit)
    if is_cut:
        stop_reason = "max_tokens" if request["max_tokens"] <= room else "model_context_window_exceeded"
    elif sequence:
        stop_reason = "stop_sequence"
    elif stop_reason is None:
        stop_reason = "tool_use" if any(block["type"] == "tool_use" for block in content) else "end_turn"
    return {"id": f"msg_{digest}", "type": "message", "role": "assistant", "model": request["model"],
            "content": content, "stop_reason": stop_reason, "stop_details": None,
            "stop_sequence": sequence if stop_reason == "stop_sequence" else None,
            "usage": {**usage, "output_tokens": output_tokens, "service_tier": "standard"}}


def _until_stop_sequence(content, sequences):
    """The content before the first stop sequence in a text, and that sequence (None where there is none)."""
    pattern = re.compile("|".join(map(re.escape, sequences)) or r"(?!)")  # without sequences it matches nothing
    for i, block in enumerate(content):
        if found := _has_text(block) and pattern.search(block["text"]):
            text = block["text"][:found.start()]
            return content[:i] + ([{**block, "text": text}] if text else []), found.group()
    return content, None


def _fitting(content, limit):
    """(content, tokens, whether it was cut): a text is cut in its middle, a call keeps its name and loses its input."""
    kept, left = [], limit
    for block in content:
        size = count_block(block)
        if size > left:
            return kept + _beginning(block, left), limit, True
        kept.append(block)
        left -= size
    return kept, limit - left, False


def _beginning(block, limit):
    """The block's beginning, of at most `limit` tokens, in a list that is empty where nothing fits."""
    if block["type"] == "tool_use":
        block = {**block, "input": {}}
    while (size := count_block(block)) > limit:
        if not _has_text(block) or not block["text"]:
            return []
        block = {**block, "text": block["text"][:len(block["text"]) * max(limit, 0) // size]}
    return [block] if not _has_text(block) or block["text"].strip() else []


def _has_text(block):
    return block["type"] == "text"
