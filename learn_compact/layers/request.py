"""The user's newest request outlives whatever goes: where it goes, the message that takes its place carries it."""

from learn_compact.messages import CARRIED_REQUEST, blocks, newest_request


def with_request(text, gone, kept, archive):
    """The content of a message of ours that says `text` in place of the messages `gone`.

    It is the text alone where a request stands among the messages `kept`, or nobody asked anything. Else the newest
    request among those gone follows in a second block, word for word, under `Current user request:`, and its pictures
    behind that. A request that was carried before is carried on, never nested.

    >>> with_request("[Compacted]", [{"role": "user", "content": "Count the functions."}], [], None)[1]
    {'type': 'text', 'text': 'Current user request:\\nCount the functions.'}
    """
    if newest_request(kept, archive):
        return text
    for message in reversed(gone):
        request = newest_request([message], archive)
        if request:
            said = [{"type": "text", "text": text}, {"type": "text", "text": f"{CARRIED_REQUEST}\n{request}"}]
            return said + [block for block in blocks(message) if block.get("type") in ("image", "document")]
    return text
