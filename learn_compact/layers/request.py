"""The user's newest request outlives whatever goes: where it goes, the message that takes its place carries it."""

from learn_compact.messages import CARRIED_REQUEST, blocks, newest_request


def carried_blocks(gone, kept, archive):
    """What a message of ours must carry, in place of the messages `gone`: the newest request, as a list of blocks.

    Empty where a request stands among the messages `kept`, or nobody asked anything. Else the newest request among
    those gone, word for word, under `Current user request:`, and its pictures behind that. A request that was carried
    before is carried on, never nested.

    >>> carried_blocks([{"role": "user", "content": "Count the functions."}], [], None)
    [{'type': 'text', 'text': 'Current user request:\\nCount the functions.'}]
    """
    if newest_request(kept, archive):
        return []
    for message in reversed(gone):
        request = newest_request([message], archive)
        if request:
            pictures = [block for block in blocks(message) if block.get("type") in ("image", "document")]
            return [{"type": "text", "text": f"{CARRIED_REQUEST}\n{request}"}, *pictures]
    return []


def with_blocks(text, carried):
    """The content of a message of ours: the text alone, or in a first block, and what it carries behind it."""
    return [{"type": "text", "text": text}, *carried] if carried else text
