"""When a step runs: a trigger looks at the messages and says whether its time has come.

Sizes are counted as the conversation grows, so that asking at every turn costs next to nothing.
"""

from learn_compact.layers.budget import has_large_result
from learn_compact.tokens import RunningCount, json_size, repr_size
from learn_compact.tokens.estimate import CHARS_PER_TOKEN


def always(messages):
    """The trigger of a step that runs every time."""
    return True


def above_tokens(threshold):
    """The trigger of s06: `estimate_tokens(messages) > threshold`. The count is kept, and only new messages are read.

    >>> above_tokens(13)([{"role": "user", "content": "Count the functions."}])
    False
    """
    count = RunningCount(repr_size)
    return lambda messages: count.of(messages) // CHARS_PER_TOKEN > threshold


def above_chars(limit, count=None):
    """The trigger of s08: `estimate_chars(messages) > limit`, counted in the same way; steps may share one `count`.

    >>> above_chars(52)([{"role": "user", "content": "Count the functions."}])
    True
    """
    count = count or RunningCount(json_size)
    return lambda messages: count.of(messages) > limit


def above_messages(count):
    """The trigger of a snip: there are more than `count` messages."""
    return lambda messages: len(messages) > count


def any_result_above(max_chars):
    """The trigger of a budget: one tool result at least has more than `max_chars` characters of text."""
    count = RunningCount(lambda message: has_large_result(message, max_chars))
    return lambda messages: count.of(messages) > 0
