"""Counting as a conversation grows: only what is new is read.

`RunningCount` keeps sums over a history that mostly grows at its end. `Meter` stands on what the API reported last
and estimates only what came after: an error that can't add up.
"""

from collections.abc import Mapping
from itertools import compress, count
from operator import is_, is_not

from learn_compact.messages import blocks
from learn_compact.tokens.estimate import estimate_block


class RunningCount:
    """The sum of `measure(message)` over a history, kept: messages counted before are not read again.

    A message is known by identity, so a message must never be changed in place (no layer does). It may move: a
    conversation that lost its middle is not measured again.

    >>> count = RunningCount(lambda message: len(message["content"]))
    >>> count.of([{"role": "user", "content": "four"}])
    4
    """

    def __init__(self, measure):
        self.measure = measure
        self._messages, self._sizes, self._sum = [], [], 0

    def of(self, messages):
        """The sum over `messages`; costs one comparison for each known message and one measurement for each new."""
        known = self._known(messages)
        if known == len(messages) == len(self._messages):
            return self._sum
        new, gone = messages[known:], self._messages[known:]
        if gone:
            moved = dict(zip(map(id, gone), self._sizes[known:], strict=True))
            sizes = list(map(moved.get, map(id, new)))
            for i in [i for i, size in enumerate(sizes) if size is None]:
                sizes[i] = self.measure(new[i])
            self._sum = sum(self._sizes[:known])
        else:
            sizes = [self.measure(message) for message in new]
        self._messages[known:], self._sizes[known:] = new, sizes
        self._sum += sum(sizes)
        return self._sum

    def of_first(self, length):
        """The sum over the first `length` of the messages counted last."""
        return sum(self._sizes[:length])

    def _known(self, messages):
        """How many messages at the beginning are those counted last."""
        shorter = min(len(messages), len(self._messages))
        return next(compress(count(), map(is_not, messages, self._messages)), shorter)


class Meter:
    """The size of the next request, in tokens: what the API counted last, and an estimate of what came after.

    `anchor(messages, usage)` after each response, with the messages that were sent; `tokens(messages)` before the
    next. After a compaction the anchored messages are gone and the old figure says nothing any more: the fixed part
    that it revealed (system prompt, tools) stays, and the rest is estimated until the next anchor. `estimate(block)`
    counts one block.

    >>> meter = Meter()
    >>> sent = [{"role": "user", "content": "Count the functions."}]
    >>> meter.anchor(sent, {"input_tokens": 14_187})
    >>> meter.tokens([*sent, {"role": "assistant", "content": "There are four."}])
    14203
    """

    def __init__(self, estimate=estimate_block):
        self._count = RunningCount(lambda message: sum(map(estimate, blocks(message))))
        self._anchored, self._tokens, self.fixed = [], 0, 0

    def anchor(self, messages, usage):
        """Stand on `usage` (the API's object or dict, or its context in tokens), reported for exactly `messages`."""
        self._anchored = list(messages)
        self._tokens = usage if isinstance(usage, int) else context_tokens(usage)
        self.fixed = max(0, self._tokens - self._count.of(messages))

    def tokens(self, messages):
        """The size of a request with `messages`, in tokens."""
        estimated = self._count.of(messages)
        sent = len(self._anchored)
        if len(messages) < sent or not all(map(is_, messages, self._anchored)):
            return self.fixed + estimated
        return self._tokens + estimated - self._count.of_first(sent)


def context_tokens(usage):
    """The context of one request in tokens, from the usage that the API reported: input, and both sides of the cache.

    >>> context_tokens({"input_tokens": 10, "cache_creation_input_tokens": 607, "cache_read_input_tokens": 27_934})
    28551
    """
    fields = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    read = usage.get if isinstance(usage, Mapping) else lambda name: getattr(usage, name, None)
    return sum(read(name) or 0 for name in fields)
