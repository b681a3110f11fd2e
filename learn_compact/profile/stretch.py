"""A stretch as it is lived again: its messages, the requests that were answered in it, and what each message weighs.

Every message is measured once, however many requests of however many policies send it.
"""

from collections import Counter

from learn_compact.agent import Point
from learn_compact.conversations import requests_of
from learn_compact.profile.unfinished import Unfinished, completed
from learn_compact.tokens import PARTS, estimate_block, message_parts


class Stretch:
    """The messages between two real compactions (`life`) and the requests that the API answered, with sizes by kind.

    Where the file has no usage, every answer stands for a request. `unfinished` are the answers whose logged output is
    too small, and their `requests` have an estimate instead. `ahead` is what stands before the messages, by part: of
    system prompt and tools what the file holds (`fixed`), and "unlogged", what it doesn't show of a request: what the
    API counted for the first one, less the estimate of what the log shows of it.
    """

    def __init__(self, segment, fixed):
        self.life = segment.conversation()
        self.compaction, self.pre_tokens = segment.compaction, segment.pre_tokens
        self.requests, unfinished = completed(requests_of(segment, self.life), self.life)
        self.unfinished = unfinished if segment.requests else Unfinished()
        self._known = {id(message): _parts(message) for message in self.life}
        if self.compaction and self.life:  # what the real program left of the stretch before
            self._known[id(self.life[0])] = Counter(summary=self.parts(self.life[0]).total())
        self.ahead = Counter(fixed, unlogged=0)
        if self.requests:
            opening = self.requests[0]
            shown = self.ahead.total() + sum(self.parts(message).total() for message in self.life[:opening.index])
            self.ahead["unlogged"] = max(0, opening.context_tokens - shown)

    def parts(self, message):
        """The tokens of a message by part; one that a policy wrote is measured now."""
        known = self._known.get(id(message))
        return _parts(message) if known is None else known


class Context:
    """The context that one policy sends, request by request: only what has changed since the last is added up."""

    def __init__(self, stretch):
        self._stretch, self._total = stretch, Counter(stretch.ahead)
        self._sent, self._sums = [], [stretch.ahead.total()]

    def send(self, messages, end, same):
        """Send `messages[:end]`, of which the first `same` are as they were sent last."""
        same = min(same, len(self._sent))
        for parts in self._sent[same:]:
            self._total.subtract(parts)
        del self._sent[same:], self._sums[same + 1:]
        for message in messages[same:end]:
            parts = self._stretch.parts(message)
            self._sent.append(parts)
            self._sums.append(self._sums[-1] + parts.total())
            self._total.update(parts)

    def point(self, number, is_opening):
        """The `Point` of the request that was sent last; `is_opening` where it is the first of its stretch."""
        stretch = self._stretch
        parts = {part: self._total[part] for part in ("unlogged", *PARTS)}
        came = {"compaction": stretch.compaction, "compacted_from": stretch.pre_tokens} if is_opening else {}
        return Point(number, len(self._sent), parts, **came)

    def first(self, length):
        """Tokens of the first messages sent last, with what stands before them."""
        return self._sums[length]


def _parts(message):
    return message_parts(message, {}, estimate_block)[0]
