"""Whether a change makes room at all: every layer that puts something of its own in the place of messages asks here."""

from itertools import accumulate

from learn_compact.messages import blocks
from learn_compact.tokens import json_size, repr_size


def outweighs(messages, others):
    """Whether `messages` are larger than `others`, in the units of s06 and of s08: in both, so that no report shows
    a layer that made the conversation larger. Reading stops as soon as that is clear.

    >>> outweighs([{"role": "user", "content": "x" * 100}], [{"role": "user", "content": "[archived]"}])
    True
    """
    limits = [(size, sum(map(size, others))) for size in (json_size, repr_size)]
    if any(letters > max(limit for _, limit in limits) for letters in accumulate(map(_letters, messages))):
        return True  # no unit counts less
    return all(any(total > limit for total in accumulate(map(size, messages))) for size, limit in limits)


def _letters(message):
    said = (block.get("text", block.get("content")) for block in blocks(message))
    return sum(len(text) for text in said if isinstance(text, str))
