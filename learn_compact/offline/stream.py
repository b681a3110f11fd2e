"""A message as server-sent events, in the order that the API keeps; in pieces, as a model would write them."""

import re

from pydantic_core import to_json

_PIECE = re.compile(r".{1,32}", re.DOTALL)


def events(message):
    """The events of a message: dicts with a `type`, from message_start to message_stop.

    >>> [event["type"] for event in events({"content": [], "usage": {"output_tokens": 0}, "stop_reason": "end_turn"})]
    ['message_start', 'ping', 'message_delta', 'message_stop']
    """
    usage = message["usage"]
    start = {**message, "content": [], "stop_reason": None, "stop_sequence": None,
             "usage": {**usage, "output_tokens": min(1, usage["output_tokens"])}}
    yield {"type": "message_start", "message": start}
    yield {"type": "ping"}
    for index, block in enumerate(message["content"]):
        empty, deltas = _opened(block)
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    end = {name: message.get(name) for name in ("stop_reason", "stop_sequence", "stop_details")}
    yield {"type": "message_delta", "delta": end, "usage": _counts(usage)}
    yield {"type": "message_stop"}


def as_sse(event):
    """One event as the bytes of a server-sent event.

    >>> as_sse({"type": "ping"})
    b'event: ping\\ndata: {"type":"ping"}\\n\\n'
    """
    return b"event: %s\ndata: %s\n\n" % (event["type"].encode(), to_json(event))


def _opened(block):
    """A block as it starts, still empty, and the deltas that fill it; other kinds come whole, without deltas."""
    if block["type"] == "text":
        return {**block, "text": ""}, [{"type": "text_delta", "text": piece} for piece in _PIECE.findall(block["text"])]
    if block["type"] == "thinking":
        pieces = [{"type": "thinking_delta", "thinking": piece} for piece in _PIECE.findall(block["thinking"])]
        return {**block, "thinking": "", "signature": ""}, [
            *pieces, {"type": "signature_delta", "signature": block["signature"]}]
    if block["type"] == "tool_use":
        pieces = ["", *_PIECE.findall(to_json(block["input"]).decode())]
        return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
    return block, []


def _counts(usage):
    """What the last event says of the usage: running totals."""
    return {name: usage[name] for name in usage if name.endswith("_tokens")}
