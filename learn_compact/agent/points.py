"""The context before each request, as figures; what was counted before is not counted again."""

from collections import Counter
from dataclasses import dataclass

from learn_compact.tokens import PARTS, context_parts, count_block, message_parts


@dataclass
class Point:
    """The context of one request: its number (from 1), how many messages it sent, and its tokens by part.

    `parts` (in the order of PARTS) are by the reference counter; `counted` is the API's own count, None where it gave
    no answer; `compaction` says that one came right before ("auto", "manual", "overflow"), and `compacted_from` how
    many tokens the context had until then.
    """

    request: int
    messages: int
    parts: dict
    compaction: str | None = None
    compacted_from: int | None = None
    counted: int | None = None

    @property
    def total(self):
        return sum(self.parts.values())


class RunningParts:
    """Tokens by part of a context that mostly grows at its end."""

    def __init__(self, system, tools, measure=count_block):
        self._measure = measure
        self._total = Counter(context_parts(system, tools, [], measure).parts)
        self._counted = []  # (message, its parts as pairs)

    def of(self, messages, same=0):
        """The parts with these messages, in tokens, where the caller knows that the first `same` are as last time."""
        end = min(len(messages), len(self._counted))
        same = next((i for i in range(same, end) if messages[i] is not self._counted[i][0]), end)
        for _, parts in self._counted[same:]:
            self._total.subtract(dict(parts))
        del self._counted[same:]
        for message in messages[same:]:
            parts, _ = message_parts(message, {}, self._measure)
            self._counted.append((message, tuple(parts.items())))
            self._total.update(parts)
        return {part: self._total[part] for part in PARTS}
