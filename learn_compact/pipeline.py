"""Layers in order, each step measured.

A step is a layer with its parameters, a name and a trigger; a pipeline runs its steps in order. It is also a policy:
`prepare(messages)` before every request, `overflowed(messages)` when the API refused one as too long, and
`compact(messages, focus)` when somebody asks for it. Left out: guards against steps that fail again and again.
"""

import time
from dataclasses import dataclass
from functools import cached_property
from operator import is_

from learn_compact.archive import Archive
from learn_compact.errors import LearnCompactError, PolicyError
from learn_compact.layers.auto import (
    CONTEXT_CHAR_LIMIT,
    REACTIVE_KEEP_MESSAGES,
    auto_compact,
    compact_history,
    reactive_compact,
)
from learn_compact.layers.budget import MAX_RESULT_CHARS, has_large_result, tool_result_budget
from learn_compact.layers.micro import KEEP_RECENT, micro_compact, micro_down_to
from learn_compact.layers.snip import KEEP_FIRST, KEEP_LAST, MAX_MESSAGES, snip_compact
from learn_compact.layers.thinking import newest_answer, without_stale_thinking
from learn_compact.ledger import Ledger
from learn_compact.tokens import RunningCount, estimate_chars, estimate_tokens, json_size, repr_size
from learn_compact.tokens.estimate import CHARS_PER_TOKEN

THRESHOLD = 50_000  # s06, in estimated tokens


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


def above_chars(limit):
    """The trigger of s08: `estimate_chars(messages) > limit`, counted in the same way.

    >>> above_chars(52)([{"role": "user", "content": "Count the functions."}])
    True
    """
    count = RunningCount(json_size)
    return lambda messages: count.of(messages) > limit


def any_result_above(max_chars):
    """The trigger of a budget: one tool result at least has more than `max_chars` characters of text."""
    count = RunningCount(lambda message: has_large_result(message, max_chars))
    return lambda messages: count.of(messages) > 0


class Step:
    """A layer with its parameters, the name it is reported under, and when it runs: `when(messages) -> bool`.

    >>> Step("micro", micro_compact, keep_recent=0).run([{"role": "user", "content": "Hello"}])[1].ran
    True
    """

    def __init__(self, name, layer, when=always, **parameters):
        self.name, self.layer, self.when, self.parameters = name, layer, when, parameters

    @property
    def asks_a_model(self):
        return "summarize" in self.parameters

    def run(self, messages, force=False, **parameters):
        """The messages behind this step and its report; `force` passes by the trigger, parameters replace its own."""
        began, calls = time.perf_counter(), 0
        if not (force or self.when(messages)):
            return messages, StepReport(self.name, False, messages, messages, calls, time.perf_counter() - began)

        def counted(*arguments, **named):
            nonlocal calls
            calls += 1
            return self.parameters["summarize"](*arguments, **named)

        model = {"summarize": counted} if self.asks_a_model else {}
        after = self.layer(messages, **{**self.parameters, **parameters, **model})
        return after, StepReport(self.name, True, messages, after, calls, time.perf_counter() - began)


@dataclass
class StepReport:
    """What one step did: whether it ran, the messages before and after it, model calls, seconds.

    Sizes are read from the messages when they are asked for, so a report that nobody reads costs nothing.
    """

    name: str
    ran: bool
    before: list
    after: list
    calls: int
    seconds: float

    @cached_property
    def tokens_before(self):
        return estimate_tokens(self.before)

    @cached_property
    def tokens_after(self):
        return estimate_tokens(self.after)

    @cached_property
    def chars_before(self):
        return estimate_chars(self.before)

    @cached_property
    def chars_after(self):
        return estimate_chars(self.after)

    @cached_property
    def prefix_kept(self):
        """How much of the cached prefix survived: the share of the estimated tokens before the first change."""
        same = next((i for i, kept in enumerate(map(is_, self.before, self.after)) if not kept),
                    min(len(self.before), len(self.after)))
        return estimate_tokens(self.before[:same]) / self.tokens_before if same < len(self.before) else 1.0


@dataclass(frozen=True)
class Run:
    """What a pipeline made of messages: the new messages, a report for each step, in order, and the ledger."""

    messages: list
    reports: tuple
    archive: Archive | None = None

    @cached_property
    def ledger(self):
        """What became of every block in this run; it is made up when it is first asked for."""
        ledger = Ledger(self.archive)
        ledger.extend(self)
        return ledger


class Pipeline:
    """A policy made of steps. `overflow` is the step that answers a refusal (else the last that asks a model).

    What a step raises goes on to the caller, with `error.reached`: the messages that the steps before it had made.
    `last_run` is the newest `Run`, None before the first.
    """

    def __init__(self, steps, *, overflow=None):
        self.steps = tuple(steps)
        self.last_run = None
        self._newest_when_changed = None  # its thinking belongs to a conversation that is another by now
        self._summary = next((step for step in reversed(self.steps) if step.asks_a_model), None)
        self._overflow = overflow or self._summary

    @property
    def archive(self):
        """The archive that the steps write to; None where none of them does."""
        return next((step.parameters["archive"] for step in self.steps if step.parameters.get("archive")), None)

    def run(self, messages):
        """Every step whose time has come, in order, as a `Run`."""
        return self._run(messages, [(step, {}) for step in self.steps])

    def prepare(self, messages):
        """The messages to send: a policy's duty before every request."""
        return self.run(messages).messages

    def overflowed(self, messages):
        """The messages to try once more with, after the API refused these as too long."""
        return self._forced(self._overflow, messages)

    def compact(self, messages, focus=""):
        """The messages with a summary in place of what was said, whatever their size: somebody asked for it."""
        return self._forced(self._summary, messages, focus=focus)

    def _forced(self, step, messages, **parameters):
        if step is None:
            raise PolicyError("No step of this pipeline can make a summary: give it one with a `summarize`.")
        return self._run(messages, [(step, {"force": True, **parameters})]).messages

    def _run(self, messages, steps):
        given = list(messages)  # a copy: an agent changes its list in place, and reports are read later
        reached, reports = self._without_stale_thinking(given), []
        for step, parameters in steps:
            try:
                reached, report = step.run(reached, **parameters)
            except LearnCompactError as error:
                error.reached = messages if reached is given else reached
                self.last_run = Run(error.reached, tuple(reports), self.archive)
                raise
            reports.append(report)
        if reached is not given:
            self._newest_when_changed = next(iter(reached[newest_answer(reached):]), None)
        self.last_run = Run(messages if reached is given else reached, tuple(reports), self.archive)
        return self.last_run

    def _without_stale_thinking(self, messages):
        """What an earlier run had to leave, because it was the newest answer then, goes when it is so no more."""
        newest, left = newest_answer(messages), self._newest_when_changed
        if left is None or any(message is left for message in messages[newest:]):
            return messages
        self._newest_when_changed = None
        place = next((i for i in range(newest - 1, -1, -1) if messages[i] is left), newest)
        return without_stale_thinking(messages, place - 1)


def s06(summarize, archive, *, threshold=THRESHOLD):
    """The three layers of s06: placeholders before every request, a summary above the threshold or when asked for.

    >>> [step.name for step in s06(summarize=None, archive=None).steps]
    ['micro_compact', 'auto_compact']
    """
    return Pipeline([
        Step("micro_compact", micro_compact),
        Step("auto_compact", auto_compact, when=above_tokens(threshold), summarize=summarize, archive=archive),
    ])


def s08(summarize, archive, *, max_result_chars=MAX_RESULT_CHARS, max_batch_chars=None, max_messages=MAX_MESSAGES,
        keep_first=KEEP_FIRST, keep_last=KEEP_LAST, snip_to=None, keep_recent=KEEP_RECENT, micro_to=None,
        char_limit=CONTEXT_CHAR_LIMIT, keep_messages=REACTIVE_KEEP_MESSAGES):
    """The pipeline of s08: what is cheap and certain first, a model's summary last, and an answer to a refusal.

    Three parameters are cures of later versions: `max_batch_chars=200_000` moves results to disk only where those of
    one message exceed it together; `snip_to=30` snips so deep that the next turns have peace; `micro_to=0.8` clears
    only above `char_limit`, and only down to that share of it.

    >>> [step.name for step in s08(summarize=None, archive=None).steps]
    ['tool_result_budget', 'snip_compact', 'micro_compact', 'compact_history']
    """
    model = {"summarize": summarize, "archive": archive}
    micro = {"layer": micro_compact} if micro_to is None else {
        "layer": micro_down_to, "when": above_chars(char_limit), "max_chars": int(micro_to * char_limit)}
    return Pipeline([
        Step("tool_result_budget", tool_result_budget, any_result_above(max_result_chars), archive=archive,
             max_chars=max_result_chars, max_batch_chars=max_batch_chars),
        Step("snip_compact", snip_compact, lambda messages: len(messages) > max_messages, archive=archive,
             max_messages=max_messages, keep_first=keep_first, keep_last=keep_last, down_to=snip_to),
        Step("micro_compact", **micro, keep_recent=keep_recent),
        Step("compact_history", compact_history, above_chars(char_limit), **model),
    ], overflow=Step("reactive_compact", reactive_compact, **model, keep_messages=keep_messages))
