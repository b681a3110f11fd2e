"""What keeps an automatic compaction from doing harm: three guards, and the step that asks them.

A compaction calls a model, so it can call itself (recursion), fail again and again (circuit breaker), or succeed and
win nothing (progress rule). The answer to a refusal of the API passes by the last, a compaction by hand by all three.
Left out: when it is time (a trigger's business).
"""

from contextlib import contextmanager
from contextvars import ContextVar

from learn_compact.errors import NoProgressError, demand
from learn_compact.layers.thinking import newest_answer
from learn_compact.messages import blocks, newest_request, tool_names
from learn_compact.pipeline.steps import Step, StepReport
from learn_compact.tokens import estimate_block, estimate_by_kind

MAX_CONSECUTIVE_FAILURES = 3
MAX_IDLE_PASSES = 2
MIN_SAVED_SHARE = 0.05
WORTH_ANOTHER_TRY = 1.25  # how much larger the context must be than the one in which nothing could be won
NEVER_COMPACTED = frozenset({"compact", "session_memory"})  # sources of requests: these run inside a compaction

_source = ContextVar("source of a request", default="user")


@contextmanager
def request_source(source):
    """Name where the requests inside a `with` block come from; for "compact" and "session_memory" nothing is compacted.

    >>> with request_source("session_memory"):
    ...     Guard().why_not([])
    'the request comes from session_memory'
    """
    token = _source.set(source)
    try:
        yield
    finally:
        _source.reset(token)


class Guard:
    """Whether an automatic compaction may be tried, by what came of those before it.

    `why_not(messages)` is None, or the reason. After `max_failures` failures in a row none is tried until one succeeds
    or somebody compacts by hand, whatever comes of that. After `max_idle` passes in a row that save less than
    `min_saved` of the context, none is tried until the context is a quarter larger than it was then, or the API has
    `refused` it. Sizes are in estimated tokens (`estimate_by_kind`).
    """

    def __init__(self, max_failures=MAX_CONSECUTIVE_FAILURES, max_idle=MAX_IDLE_PASSES, min_saved=MIN_SAVED_SHARE):
        for name, most in (("max_failures", max_failures), ("max_idle", max_idle)):
            demand(isinstance(most, int) and most > 0, name, "a number, 1 or more", most)
        demand(isinstance(min_saved, int | float) and 0 <= min_saved <= 1, "min_saved", "a share, 0 to 1", min_saved)
        self.max_failures, self.max_idle, self.min_saved = max_failures, max_idle, min_saved
        self.reset()

    def reset(self):
        """Forget what came of earlier compactions, as when somebody compacts by hand."""
        self.failures, self.idle, self._floor = 0, 0, None

    def why_not(self, messages, refused=False):
        if (source := _source.get()) in NEVER_COMPACTED:
            return f"the request comes from {source}"
        if self.failures >= self.max_failures:
            return f"the last {self.failures} compactions failed"
        if not refused and self._floor is not None and estimate_by_kind(messages) < WORTH_ANOTHER_TRY * self._floor:
            return f"the last {self.max_idle} compactions saved almost nothing"
        return None

    def failed(self):
        self.failures += 1

    def finished(self, before, after, archive=None):
        """Take in a compaction that worked; NoProgressError where it is one too many that saved almost nothing."""
        self.failures, self._floor = 0, None
        size, left = estimate_by_kind(before), estimate_by_kind(after)
        if size - left >= self.min_saved * size:
            self.idle = 0
            return
        self.idle += 1
        if self.idle >= self.max_idle:
            self.idle, self._floor = 0, left
            raise NoProgressError(f"{self.max_idle} compactions in a row saved almost nothing. What can't be shrunk: "
                                  f"{what_stays(after, archive)}. Begin a new conversation, allow a larger window, or "
                                  "let tools give less at once.")


class Guarded(Step):
    """A step that asks a guard before it runs, and tells it what came of that. By hand it runs in any case, and its
    layer is told so (`trigger="manual"`)."""

    def __init__(self, name, layer, when, guard, **parameters):
        super().__init__(name, layer, when, **parameters)
        self.guard = guard

    def run(self, messages, force="", **parameters):
        by_hand, refused = force == "manual", force == "overflow"
        if by_hand:
            self.guard.reset()
            parameters["trigger"] = "manual"
        elif (refused or self.when(messages)) and self.guard.why_not(messages, refused) is not None:
            return messages, StepReport(self.name, False, messages, messages, 0, 0.0)
        try:
            with request_source("compact"):
                after, report = super().run(messages, force, **parameters)
        except Exception:
            if not by_hand:
                self.guard.failed()
            raise
        if refused and after is not messages:
            self.guard.reset()
        elif report.ran and not force:
            self.guard.finished(messages, after, self.parameters.get("archive"))
        return after, report


def what_stays(messages, archive=None):
    """What no compaction can shrink, the largest first, each with its estimated tokens, in words.

    >>> what_stays([{"role": "user", "content": "Count the functions."}])
    "the user's newest request (17 tokens)"
    """
    names, request, sizes = tool_names(messages), newest_request(messages, archive), {}
    newest = newest_answer(messages)
    for i, message in enumerate(messages):
        for block in blocks(message):
            if block.get("type") == "tool_result" and i > newest:
                what = f"results of {names.get(block.get('tool_use_id'), 'unknown')} that the model has not seen"
            elif i >= newest and message.get("role") == "assistant":
                what = "the newest answer"
            elif request and block.get("type") == "text" and str(block.get("text")).endswith(request):
                what = "the user's newest request"
            else:
                what = "the summary and what was restored beside it"
            sizes[what] = sizes.get(what, 0) + estimate_block(block)
    largest = sorted(sizes.items(), key=lambda item: -item[1])
    return ", ".join(f"{what} ({tokens:,} tokens)" for what, tokens in largest)
