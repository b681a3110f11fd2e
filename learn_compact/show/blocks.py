"""A conversation as blocks in order, each with its size, and what became of each when a layer had been over it."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from learn_compact.errors import MessageError
from learn_compact.messages import blocks, carried_request, tool_names
from learn_compact.show.palette import ORDER, PALETTE
from learn_compact.tokens import ContextParts, count_block, part_of

KEPT, SHORTENED, GONE = "kept", "shortened", "gone"


class Block(NamedTuple):
    """One block of a conversation: turn and message it stands in, part of the context, size, and its tool's name."""

    turn: int
    message: int
    part: str
    tokens: int
    tool: str = ""

    def __str__(self):
        name = PALETTE[self.part].label + (f" ({self.tool})" if self.tool else "")
        return f"turn {self.turn}, messages[{self.message}]: {name}, {self.tokens:,} tokens"


def flatten(messages, measure=count_block):
    """The blocks of `messages` in order, as `Block`; `measure(block)` gives tokens.

    A turn begins with what the user says, or with the model's next answer, and ends with the results of its calls.

    >>> print(*flatten([{"role": "user", "content": "Count."}, {"role": "assistant", "content": "4"}]), sep="\\n")
    turn 1, messages[0]: user, 14 tokens
    turn 1, messages[1]: assistant, 14 tokens
    """
    names, found, answers = tool_names(messages), [], 0
    for index, message in enumerate(messages):
        answers += message.get("role") == "assistant"
        is_ours, inside = carried_request(message) is not None, blocks(message)
        answers_calls = any(block.get("type") == "tool_result" for block in inside)
        turn = answers if message.get("role") == "assistant" or answers_calls else answers + 1
        for block in inside:
            answered = block.get("tool_use_id")
            tool = block.get("name") or (names.get(answered) if isinstance(answered, str) else None) or ""
            part = part_of(block, message.get("role"), is_ours)
            found.append(Block(max(turn, 1), index, part, measure(block), _printable(tool)))
    return found


@dataclass(frozen=True)
class Context:
    """A context by its name: tokens by part (`parts`, in the order of every picture) and its blocks, if known."""

    name: str
    parts: dict
    blocks: list[Block]

    @property
    def total(self):
        return sum(self.parts.values())


def context(name, messages, around, measure=count_block):
    """A `Context` of messages, or of `ContextParts` where only figures are known.

    `around` are the tokens by part of what stands around the messages: system prompt, tools.
    """
    if isinstance(messages, ContextParts):
        found, inside = [], Counter(messages.parts)
    else:
        found, inside = flatten(checked(messages, f"The context {name!r}"), measure), Counter()
        for block in found:
            inside[block.part] += block.tokens
    return Context(name, {part: around.get(part, 0) + inside[part] for part in ORDER}, found)


def fates(before, after):
    """What became of each block of `before` in `after`, in order: kept, shortened or gone.

    A result is known again by the id of its call, a call by its own id, everything else by what it says.

    >>> said = {"role": "user", "content": "Count."}
    >>> fates([said, {"role": "assistant", "content": "4"}], [said])
    ['kept', 'gone']
    """
    left = defaultdict(list)
    for message in reversed(after):
        for block in blocks(message):
            left[_identity(block)].append(block)
    found = []
    for message in before:
        for block in blocks(message):
            twin = left[_identity(block)].pop() if left[_identity(block)] else None
            found.append(GONE if twin is None else KEPT if twin == block else SHORTENED)
    return found


def checked(messages, name):
    """`messages`, if they are a list of messages that something can be drawn of; else a MessageError that says why."""
    if not isinstance(messages, list | tuple) or not all(isinstance(message, Mapping) for message in messages):
        raise MessageError(f"{name} must be a list of messages (dicts with role and content), "
                           f"not {type(messages).__name__}.")
    if not any(map(blocks, messages)):
        raise MessageError(f"{name} has no block in it, so there is nothing to draw: pass a conversation.")
    return messages


def _printable(name):
    """A tool's name as text that can be sent to a browser: half characters replaced."""
    return str(name).encode("utf-8", "replace").decode()


def _identity(block):
    kind = block.get("type")
    if "tool_use_id" in block or "id" in block:
        return kind, str(block.get("tool_use_id") or block.get("id"))
    return kind, str(block.get("text") or block.get("thinking") or block)
