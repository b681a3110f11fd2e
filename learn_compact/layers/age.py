"""micro_compact by age in time (Claude Code, layer 3), and which results may go because they can be fetched again.

A layer reads no clock: it is handed `age_of(message)`. Messages have no time of their own, so `Ages` notes when it
first saw each batch of results, on a clock that is handed in.
"""

from learn_compact.errors import demand
from learn_compact.layers.micro import KEEP_RECENT, MIN_CHARS, micro_compact
from learn_compact.layers.thinking import newest_answer, without_stale_thinking
from learn_compact.messages import blocks, tool_results

MAX_AGE_SECONDS = 3_600

# Claude Code's tools, and ours: what they gave can be had again. What an asynchronous task said can't.
RECOVERABLE_TOOLS = frozenset({"Read", "Bash", "Grep", "Glob", "WebFetch", "WebSearch", "Edit", "Write",
                               "read_file", "bash", "glob", "edit_file", "write_file"})


def micro_by_age(messages, *, age_of, max_age=MAX_AGE_SECONDS, keep_recent=KEEP_RECENT, min_chars=MIN_CHARS,
                 archive=None):
    """The messages with `[Previous: used NAME]` in place of results older than `max_age` seconds that can be had again.

    `age_of(message)` gives seconds, or None where it isn't known; what is older stands first. Only RECOVERABLE_TOOLS
    lose results, never a command in the background, an error, one of the newest `keep_recent` results, or one that the
    model has not seen. Everything else is as in `micro_compact`. Source: Claude Code. Raises PolicyError for a negative
    number and where `age_of` is no function.

    >>> call = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "Read", "input": {}}]}
    >>> result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "x" * 101}]}
    >>> messages = [{"role": "user", "content": "Look."}, call, result, {"role": "assistant", "content": "I looked."}]
    >>> micro_by_age(messages, age_of=lambda message: 4_000, keep_recent=0)[2]["content"][0]["content"]
    '[Previous: used Read]'
    """
    demand(callable(age_of), "age_of", "a function that gives the age of a message, such as Ages(clock)", age_of)
    demand(isinstance(max_age, int | float) and max_age >= 0, "max_age", "seconds, 0 or more", max_age)
    newest = newest_answer(messages)
    ages = map(age_of, messages[:newest])
    end = next((i for i, age in enumerate(ages) if age is not None and age <= max_age), newest)
    kept_recent = max(0, keep_recent - len(tool_results(messages[end:])))
    return _cleared(messages, end, keep_recent=kept_recent, min_chars=min_chars, archive=archive)


def without_recoverable(messages, keep_recent=KEEP_RECENT):
    """The messages without the results that can be had again, but for the newest: what a summary is made of."""
    return _cleared(messages, len(messages), keep_recent=keep_recent)


def recoverable_names(messages):
    """`{tool_use_id: name}` of the calls whose results may go: tools that can be asked again, in the foreground, that
    did not fail."""
    failed = {found.tool_use_id for found in tool_results(messages) if found.block.get("is_error")}
    return {block["id"]: block["name"] for message in messages if message.get("role") == "assistant"
            for block in blocks(message) if is_recoverable(block) and block["id"] not in failed}


def is_recoverable(block):
    """Whether a block is a call whose result can be had again: one of RECOVERABLE_TOOLS, in the foreground.

    >>> is_recoverable({"type": "tool_use", "id": "a", "name": "Bash", "input": {"run_in_background": True}})
    False
    """
    return (block.get("type") == "tool_use" and block.get("name") in RECOVERABLE_TOOLS
            and not (isinstance(block.get("input"), dict) and block["input"].get("run_in_background")))


class Ages:
    """When each message was first seen, by the ids of its results: `ages(message)` is its age in seconds of `clock`.

    `see(messages)` notes what is new and forgets what is gone; it is True, so that it can be the trigger of a step. The
    age of a message without results is None. `clock()` gives seconds.

    >>> now = [0]
    >>> ages = Ages(lambda: now[0])
    >>> result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "42"}]}
    >>> ages.see([result])
    True
    >>> now[0] = 60
    >>> ages(result)
    60
    """

    def __init__(self, clock):
        demand(callable(clock), "clock", "a function that gives seconds, such as time.time", clock)
        self.clock, self._seen = clock, {}

    def see(self, messages):
        now = self.clock()
        self._seen = {found.tool_use_id: self._seen.get(found.tool_use_id, now) for found in tool_results(messages)}
        return True

    def __call__(self, message):
        seen = [self._seen[found.tool_use_id] for found in tool_results([message]) if found.tool_use_id in self._seen]
        return self.clock() - max(seen) if seen else None


def _cleared(messages, end, **parameters):
    names = recoverable_names(messages[:end])
    after = micro_compact(messages[:end], preserve={"unknown"}, protect_unseen=False,
                          find_names=lambda messages: names, **parameters)
    changed = next((i for i, (old, new) in enumerate(zip(messages, after, strict=False)) if old is not new), None)
    return messages if changed is None else without_stale_thinking([*after, *messages[end:]], changed)
