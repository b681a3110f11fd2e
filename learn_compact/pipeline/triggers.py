"""When a step runs: a trigger looks at the messages and says whether its time has come.

Sizes are counted as the conversation grows, so that asking at every turn costs next to nothing.
"""

from learn_compact.errors import PolicyError, demand
from learn_compact.layers.budget import has_large_result
from learn_compact.messages import blocks
from learn_compact.tokens import RunningCount, estimate_block, json_size, repr_size
from learn_compact.tokens.estimate import CHARS_PER_TOKEN

AUTOCOMPACT_BUFFER_TOKENS = 13_000  # Claude Code: a fixed room, and no share of the window


def auto_compact_threshold(effective_window):
    """Where Claude Code compacts by itself: `effective_window - 13_000`, in tokens.

    Effective is what is left of the window for the conversation: without the system prompt, the tools and the answer.
    Raises PolicyError where nothing is left.

    >>> auto_compact_threshold(200_000), auto_compact_threshold(1_000_000)
    (187000, 987000)
    """
    demand(isinstance(effective_window, int | float), "effective_window", "a number of tokens", effective_window)
    if effective_window <= AUTOCOMPACT_BUFFER_TOKENS:
        raise PolicyError(f"An effective window of {effective_window:,} tokens leaves nothing above the buffer of "
                          f"{AUTOCOMPACT_BUFFER_TOKENS:,}. Choose a larger window.")
    return effective_window - AUTOCOMPACT_BUFFER_TOKENS


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


def above_estimate(threshold, view=lambda messages: messages):
    """The trigger of Claude Code's auto-compact: more than `threshold` tokens, by kind of block and script.

    `view(messages)` is what the model will read of them; that is what is counted.

    >>> above_estimate(16)([{"role": "user", "content": "Count the functions."}])
    True
    """
    count = RunningCount(lambda message: sum(map(estimate_block, blocks(message))))
    return lambda messages: count.of(view(messages)) > threshold


def above_messages(count):
    """The trigger of a snip: there are more than `count` messages."""
    return lambda messages: len(messages) > count


def any_result_above(max_chars):
    """The trigger of a budget: one tool result at least has more than `max_chars` characters of text."""
    count = RunningCount(lambda message: has_large_result(message, max_chars))
    return lambda messages: count.of(messages) > 0
