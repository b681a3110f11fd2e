"""The prompt cache, simulated: which part of a request was read before, and what that does to the usage.

A request is a prefix of parts: tools, system, messages, in this order. A part with `cache_control` is a breakpoint: it
writes an entry for everything up to itself, and finds the longest entry among the 20 positions that end at it. An
entry lives five minutes (or an hour) from its last use. Rules: the vendor's page on prompt caching. Left out: that
pictures anywhere and beta headers reset the part behind them, and that an entry is ready only once its answer begins.
"""

from hashlib import blake2b
from itertools import accumulate
from typing import NamedTuple

from pydantic_core import to_json

from learn_compact.messages import blocks
from learn_compact.tokens import count_block, count_tools

MINIMUM_TOKENS = 1_024  # a shorter prefix is not kept
LOOKBACK = 20           # positions that one breakpoint looks at, itself the first
LIFETIMES = {"5m": 300, "1h": 3_600}  # seconds


class Part(NamedTuple):
    """One tool, block of the system prompt or block of a message: where it stands, whose it is, what, how large."""

    where: str
    owner: str  # "tools", "system", "user" or "assistant"
    block: dict  # without cache_control
    tokens: int
    ttl: str | None  # "5m" or "1h" where there is a breakpoint


class Cached(NamedTuple):
    """How the input of one request splits, in tokens."""

    fresh: int
    read: int
    written: dict  # by lifetime: {"5m": tokens, "1h": tokens}


def prefix_of(request):
    """The request as a list of `Part`, in the order of the cache; the tokens of all are `count_tokens` of it."""
    parts = [_part(f"tools.{i}", "tools", tool, lambda tool: count_tools([tool]))
             for i, tool in enumerate(request.get("tools", ()))]
    parts += [_part(f"system.{i}", "system", block)
              for i, block in enumerate(blocks({"content": request.get("system")}))]
    parts += [_part(f"messages.{i}.content.{j}", message["role"], block)
              for i, message in enumerate(request["messages"]) for j, block in enumerate(blocks(message))]
    if request.get("cache_control"):  # stands for a mark on the last block
        parts[-1] = parts[-1]._replace(ttl=parts[-1].ttl or _ttl(request))
    return parts


class PromptCache:
    """The entries that earlier requests left behind, each with the moment when it ends; `clock()` gives seconds."""

    def __init__(self, clock):
        self._clock = clock
        self._entries = {}  # digest of a prefix: (ttl, end)

    def use(self, prefix, parameters):
        """How the input of a request splits, as `Cached`; leaves the request's own entries behind.

        `parameters` is what the reading of the messages depends on besides the prefix itself.
        """
        sums = list(accumulate(part.tokens for part in prefix))
        marks = [i for i, part in enumerate(prefix) if part.ttl and sums[i] >= MINIMUM_TOKENS]
        if not marks:
            return Cached(sums[-1], 0, {})
        digests, now = _digests(prefix[:marks[-1] + 1], parameters), self._clock()
        seen = {j for i in marks for j in range(max(0, i - LOOKBACK + 1), i + 1)}
        hit = max((j for j in seen if now < self._entries.get(digests[j], (None, now))[1]), default=None)
        if hit is not None:
            self._keep(digests[hit], self._entries[digests[hit]][0], now)
        read = end = 0 if hit is None else sums[hit]
        written = {}
        for i in marks:
            self._keep(digests[i], prefix[i].ttl, now)
            written[prefix[i].ttl] = written.get(prefix[i].ttl, 0) + max(0, sums[i] - end)
            end = max(end, sums[i])
        return Cached(sums[-1] - end, read, written)

    def _keep(self, digest, ttl, now):
        self._entries[digest] = (ttl, now + LIFETIMES[ttl])


def _part(where, owner, block, count=count_block):
    ttl = _ttl(block)
    plain = _without_marks(block) if ttl or "cache_control" in block else block
    return Part(where, owner, plain, count(plain), ttl)


def _without_marks(block):
    """The block without its breakpoints, which are no part of what the model reads."""
    plain = {name: value for name, value in block.items() if name != "cache_control"}
    if isinstance(plain.get("content"), list):
        plain["content"] = [_without_marks(part) if isinstance(part, dict) else part for part in plain["content"]]
    return plain


def _ttl(block):
    """The lifetime that a breakpoint of the block asks for, or one inside the content of a result; None without."""
    if mark := block.get("cache_control"):
        return mark.get("ttl", "5m")
    inner = block.get("content")
    marked = [_ttl(part) for part in inner if isinstance(part, dict)] if isinstance(inner, list) else []
    return next(filter(None, marked), None)


def _digests(prefix, parameters):
    """One digest for each position: of everything up to there; of `parameters` too, once the messages begin."""
    digest, digests = b"", []
    for part in prefix:
        begins = part.where == "messages.0.content.0"
        here = to_json([part.owner, part.block, parameters if begins else None])
        digest = blake2b(digest + here, digest_size=16).digest()
        digests.append(digest)
    return digests
