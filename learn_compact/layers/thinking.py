"""The thinking that a change makes stale: every layer asks here before it hands on what it changed."""

from learn_compact.messages import THINKING


def without_stale_thinking(messages, changed):
    """The messages without the thinking behind the first changed one, which is `messages[changed]`.

    Newer models refuse thinking whose conversation is another now ("The block is bound to a different conversation"),
    and thinking that is gone from the newest answer ("cannot be modified"): so it stays there, whole, and goes
    everywhere else behind the change. A message that held nothing else goes too; it is never one that calls a tool.
    Rule: `reference/messages_api.md`, errors. Every other message is shared.

    >>> thought = {"type": "thinking", "thinking": "Look first.", "signature": "EqQB"}
    >>> said = {"type": "text", "text": "Done."}
    >>> without_stale_thinking([{"role": "user", "content": "[Previous: used bash]"},
    ...                         {"role": "assistant", "content": [thought, said]},
    ...                         {"role": "user", "content": "And now?"},
    ...                         {"role": "assistant", "content": [thought, said]}], 0)[1]
    {'role': 'assistant', 'content': [{'type': 'text', 'text': 'Done.'}]}
    """
    stale = {i for i, message in enumerate(messages[changed + 1:newest_answer(messages)], changed + 1)
             if message.get("role") == "assistant" and has_thinking(message)}
    if not stale:
        return messages
    after = list(messages)
    for i in stale:
        after[i] = _without_thinking(messages[i])
    return [message for i, message in enumerate(after) if message["content"] or i not in stale]


def has_thinking(message):
    """Whether a message holds what a model thought."""
    content = message.get("content")
    if isinstance(content, list):
        for block in content:  # a loop, because every layer asks this of the whole history behind its change
            if isinstance(block, dict) and block.get("type") in THINKING:
                return True
    return False


def newest_answer(messages):
    """Where the newest answer begins: the index of the last assistant message, or of the first in a row of them.

    The API reads neighbouring assistant messages as one. `len(messages)` where the assistant has said nothing.

    >>> newest_answer([{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hello"}])
    1
    """
    end = len(messages)
    while end and messages[end - 1].get("role") != "assistant":
        end -= 1
    begin = end
    while begin and messages[begin - 1].get("role") == "assistant":
        begin -= 1
    return begin if end else len(messages)


def _without_thinking(message):
    return {**message, "content": [block for block in message["content"]
                                   if not (isinstance(block, dict) and block.get("type") in THINKING)]}
