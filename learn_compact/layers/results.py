"""Putting something else where tool results stand, with everything around them shared or kept."""


def with_contents(messages, contents):
    """The messages with new contents for some tool results: `contents` maps (message index, block index) to content.

    Only the messages that hold one of them are new, and of a block only its content. With nothing to put, `messages`.

    >>> messages = [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "42"}]}]
    >>> with_contents(messages, {(0, 0): "[Previous: used bash]"})[0]["content"]
    [{'type': 'tool_result', 'tool_use_id': 'a', 'content': '[Previous: used bash]'}]
    """
    if not contents:
        return messages
    after = list(messages)
    for (i, j), content in contents.items():
        if after[i] is messages[i]:
            after[i] = {**messages[i], "content": list(messages[i]["content"])}
        after[i]["content"][j] = {**after[i]["content"][j], "content": content}
    return after
