"""Conversations in which one rule of the API is broken, each with the `Problem.kind` that names the rule.

Every entry of `BREAKS` takes a valid conversation with a batch of calls and breaks it in place. `spot` is where that
batch stands: its calls are in `messages[spot]`, its results in `messages[spot + 1]`.
"""

from typing import Any

from hypothesis import strategies as st

from learn_compact.check.strategies import KINDS, Message, conversations, text_block


def _blocks_of(message: Message, kind: str) -> list[dict[str, Any]]:
    return [block for block in message["content"] if block["type"] == kind]


def _call_removed(messages, spot):
    call = _blocks_of(messages[spot], "tool_use")[0]
    messages[spot]["content"][messages[spot]["content"].index(call)] = text_block("I would have called a tool.")


def _calls_message_removed(messages, spot):
    messages[spot] = {"role": "assistant", "content": "I would have called a tool."}


def _result_removed(messages, spot):
    messages[spot + 1]["content"][0] = text_block("The result is gone.")


def _results_message_removed(messages, spot):
    del messages[spot + 1:]


def _results_come_late(messages, spot):
    messages.insert(spot + 1, {"role": "user", "content": "A moment, please."})


def _results_in_two_messages(messages, spot):
    results = messages[spot + 1]
    extra = {**_blocks_of(messages[spot], "tool_use")[0], "id": "another"}
    messages[spot]["content"].append(extra)
    messages.insert(spot + 2, {"role": results["role"],
                               "content": [{"type": "tool_result", "tool_use_id": "another", "content": "42"}]})


def _id_used_again(messages, spot):
    messages += [{"role": "user", "content": "Again."}, messages[spot], messages[spot + 1]]


def _call_twice_in_one_message(messages, spot):
    messages[spot]["content"].append(_blocks_of(messages[spot], "tool_use")[0])


def _result_twice(messages, spot):
    messages[spot + 1]["content"].append(_blocks_of(messages[spot + 1], "tool_result")[0])


def _set(key, value, of_block=None):
    """Put `value` under `key` of the results' message, or of the first block of a kind in the batch."""
    def put(messages, spot):
        if of_block is None:
            messages[spot + 1][key] = value
        else:
            _blocks_of(messages[spot + (of_block == "tool_result")], of_block)[0][key] = value
    return put


def _block_added(block, after=1):
    """One more block: at the end of the results' message, or with `after=0` of the calls' message."""
    return lambda messages, spot: messages[spot + after]["content"].append(block)


def _message_added(message):
    return lambda messages, spot: messages.append(message)


# What was done to the conversation: (the kind of problem that must be named, the change).
BREAKS = {
    "a call taken out": ("orphan", _call_removed),
    "the message of the calls replaced": ("orphan", _calls_message_removed),
    "a result taken out": ("unanswered", _result_removed),
    "the conversation ends before the results": ("unanswered", _results_message_removed),
    "a message between calls and results": ("orphan", _results_come_late),
    "the results in two messages": ("orphan", _results_in_two_messages),
    "the same batch once more": ("duplicate", _id_used_again),
    "one call twice in a message": ("duplicate", _call_twice_in_one_message),
    "one result twice": ("multiple", _result_twice),
    "an error without content": ("error", lambda messages, spot: _blocks_of(
        messages[spot + 1], "tool_result")[0].update(content="", is_error=True)),
    "a result whose content is a number": ("content", _set("content", 42, "tool_result")),
    "a call without id": ("block", _set("id", None, "tool_use")),
    "a call whose input is text": ("block", _set("input", "ls", "tool_use")),
    "a result for no call": ("block", _set("tool_use_id", None, "tool_result")),
    "content None": ("content", _set("content", None)),
    "content a number": ("content", _set("content", 42)),
    "an empty list": ("content", _message_added({"role": "user", "content": []})),
    "an empty text": ("content", _message_added({"role": "user", "content": ""})),
    "a message without content": ("content", _message_added({"role": "user"})),
    "a blank text": ("blank", _message_added({"role": "user", "content": " \n\t"})),
    "an empty text block": ("blank", _block_added(text_block(""))),
    "a blank text block": ("blank", _block_added(text_block("\u3000\n"))),
    "an unknown role": ("role", _message_added({"role": "tool", "content": "42"})),
    "a system message": ("role", _message_added({"role": "system", "content": "Be brief."})),
    "no role": ("role", _message_added({"content": "42"})),
    "the assistant first": ("first", lambda messages, spot: messages.insert(
        0, {"role": "assistant", "content": "Hello."})),
    "no message at all": ("empty", lambda messages, spot: messages.clear()),
    "a message that is text": ("type", _message_added("Hello.")),
    "a block that is text": ("type", _block_added("Hello.")),
    "an unknown block": ("block", _block_added({"type": "audio", "source": {}})),
    "a block without type": ("block", _block_added({"text": "Hello."})),
    "a call by the user": ("place", _block_added({"type": "tool_use", "id": "new", "name": "bash", "input": {}})),
    "a result by the assistant": ("place", _block_added(
        {"type": "tool_result", "tool_use_id": "new", "content": "42"}, after=0)),
    "thinking by the user": ("place", _block_added({"type": "thinking", "thinking": "Hm.", "signature": "EqQB"})),
    "a search without its result": ("unanswered", _block_added(
        {"type": "server_tool_use", "id": "new", "name": "web_search", "input": {}}, after=0)),
}


@st.composite
def broken_conversations(draw, kinds=KINDS, breaks=tuple(BREAKS)) -> tuple[list[Message], str]:
    """(messages, kind): a conversation with one rule broken, and the kind of problem that names the rule.

    `breaks` are the names in `BREAKS` to choose from.
    """
    messages = draw(conversations(max_turns=5, kinds=kinds, some_batch=True))
    kind, change = BREAKS[draw(st.sampled_from(breaks))]
    spots = [i for i, message in enumerate(messages) if message["role"] == "assistant"
             and any(isinstance(block, dict) and block["type"] == "tool_use" for block in message["content"])]
    change(messages, draw(st.sampled_from(spots)))
    return messages, kind
