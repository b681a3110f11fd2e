"""One line of an outline file to one checked message: figures only, and an OutlineError for what is damaged.

What a line holds says README.md. Left out: what a whole outline is made of (`outline`), and words (`fill`).
"""

import json
from dataclasses import dataclass

from learn_compact.errors import OutlineError

MAX_CHARS = 32_000_000  # no request to the Messages API may be larger than 32 MB


@dataclass(frozen=True, slots=True)
class Block:
    """One block's figures: its kind, its size in characters, and for calls and results what joins them."""

    kind: str
    chars: int
    tool: str = ""
    call: int = 0
    file: int = 0
    error: bool = False
    images: int = 0
    interrupted: bool = False  # set where a result was added to close a call


@dataclass(frozen=True, slots=True)
class OutlineMessage:
    """One message's figures: who wrote it, when (seconds since the first message), its blocks, what the API reported.

    `usage` has the API's own names and is None where the API was not asked. `compaction` ("auto" or "manual") and
    `pre_tokens`, the context before it, stand on the message that follows a compaction.
    """

    role: str
    at: float
    blocks: tuple[Block, ...]
    model: str = ""
    usage: dict | None = None
    compaction: str | None = None
    pre_tokens: int | None = None

    def calls(self, kind="tool_use"):
        """The numbers of the calls that are made here, or with `kind="tool_result"` answered here, in order."""
        return [block.call for block in self.blocks if block.kind == kind]


def read_messages(lines, file):
    """The messages that the lines of an outline file hold; raises OutlineError, which names file and line."""
    messages, made = [], set()
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    for number, line in enumerate(lines, 1):
        try:
            message = _message(line)
            _fits(message, messages[-1] if messages else None, made)
        except _Damage as damage:
            raise OutlineError(f"{file}, line {number}: {damage}. Mend the line or copy the file again.") from None
        made.update(message.calls())
        messages.append(message)
    if not messages:
        raise OutlineError(f"{file} holds no message. Copy the file again.")
    return tuple(messages)


class _Damage(Exception):
    """What is wrong with a line, without saying which."""


# How the value of a key is checked, and what an error says that it must be.
_IS = {
    "chars": (lambda v: _whole(v, 0, MAX_CHARS), f"a whole number from 0 to {MAX_CHARS:,}"),
    "tool": (lambda v: _name(v), "the name of a tool"),
    "call": (lambda v: _whole(v, 1), "a whole number from 1"),
    "file": (lambda v: _whole(v, 1), "a whole number from 1"),
    "error": (lambda v: isinstance(v, bool), "true or false"),
    "images": (lambda v: _whole(v, 0, 100), "a whole number from 0 to 100"),
    "role": (lambda v: v in ("user", "assistant"), "user or assistant"),
    "at": (lambda v: isinstance(v, int | float) and not isinstance(v, bool) and abs(v) < 10**12, "a number of seconds"),
    "blocks": (lambda v: isinstance(v, list) and v != [], "a list of blocks that is not empty"),
    "model": (lambda v: _name(v), "the name of a model"),
    "usage": (lambda v: isinstance(v, dict), "an object"),
    "compaction": (lambda v: v in ("auto", "manual"), "auto or manual"),
    "pre_tokens": (lambda v: _whole(v, 1), "a whole number from 1"),
}
_TOKENS = (lambda v: _whole(v, 0), "a whole number from 0")

# The roles, the keys that must be there and the keys that may be, by kind of block.
_KINDS = {
    "text": (("user", "assistant"), {"chars"}, set()),
    "thinking": (("assistant",), {"chars"}, set()),
    "tool_use": (("assistant",), {"chars", "tool", "call"}, {"file"}),
    "tool_result": (("user",), {"chars", "call"}, {"error", "images"}),
    "image": (("user",), {"chars"}, set()),
}
# The outline's names of the usage figures, and the API's.
_USAGE = {"input": "input_tokens", "cache_write": "cache_creation_input_tokens",
          "cache_read": "cache_read_input_tokens", "output": "output_tokens"}


def _message(line):
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _Damage(f"this is no JSON ({error})") from None
    _check("the message", found, {"role", "at", "blocks"}, {"model", "usage", "compaction", "pre_tokens"})
    if ("usage" in found) != ("model" in found) or ("usage" in found and found["role"] == "user"):
        raise _Damage("`model` and `usage` stand together, on an assistant message")
    if ("compaction" in found) != ("pre_tokens" in found) or ("compaction" in found and found["role"] == "assistant"):
        raise _Damage("`compaction` and `pre_tokens` stand together, on a user message")
    if "usage" in found:
        _check("`usage`", found["usage"], set(_USAGE), set(), dict.fromkeys(_USAGE, _TOKENS))
        found["usage"] = {_USAGE[name]: tokens for name, tokens in found["usage"].items()}
    blocks = tuple(_block(f"block {n}", block, found["role"]) for n, block in enumerate(found["blocks"], 1))
    return OutlineMessage(**{**found, "blocks": blocks})


def _block(where, found, role):
    kind = found.get("kind") if isinstance(found, dict) else None
    if not isinstance(kind, str) or kind not in _KINDS:
        raise _Damage(f"{where} is of kind {kind!r}, not one of {', '.join(_KINDS)}")
    roles, required, optional = _KINDS[kind]
    _check(where, found, {"kind", *required}, optional)
    if role not in roles:
        raise _Damage(f"{where}, a {kind}, can't stand in a message of the {role}")
    block = Block(**found)
    if kind == "text" and not block.chars:
        raise _Damage(f"{where} is a text of 0 characters, which the API refuses; leave the block out")
    if kind == "tool_result" and block.error and not block.chars and not block.images:
        raise _Damage(f"{where} is an error without content, which the API refuses")
    if kind == "tool_use" and block.chars in (0, 1, 3, 4, 5):
        raise _Damage(f"{where} has an input of {block.chars} characters, which no JSON object has")
    return block


def _check(where, found, required, optional, checks=_IS):
    if not isinstance(found, dict):
        raise _Damage(f"{where} is no JSON object")
    if missing := required - found.keys():
        raise _Damage(f"{where} lacks {', '.join(sorted(missing))}")
    if unknown := found.keys() - required - optional:
        raise _Damage(f"{where} has a key that no outline has: {', '.join(sorted(unknown))}")
    for key in found.keys() & checks.keys():
        is_good, wanted = checks[key]
        if not is_good(found[key]):
            raise _Damage(f"`{key}` of {where} is {str(found[key])[:40]!r}, and must be {wanted}")


def _fits(message, before, made):
    """Whether a message may follow the one before it: who begins, and calls that pair with results."""
    if before is None and message.role != "user":
        raise _Damage("the first message must be the user's")
    open_calls = [] if before is None or message.compaction else before.calls()
    for place, call in enumerate(results := message.calls("tool_result")):
        if call not in made:
            raise _Damage(f"this is a result of call {call}, which no line before it makes")
        if call not in open_calls:
            raise _Damage(f"a result of call {call} must stand in the message right after the call")
        if call in results[:place]:
            raise _Damage(f"call {call} has two results")
    for place, call in enumerate(calls := message.calls()):
        if call in made or call in calls[:place]:
            raise _Damage(f"the number of call {call} is used twice")


def _name(value):
    return isinstance(value, str) and value != "" and value.isprintable()


def _whole(value, least, most=10**12):
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
