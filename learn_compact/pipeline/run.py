"""Steps in order: the pipeline, and what a run of it leaves."""

from dataclasses import dataclass
from functools import cached_property

from learn_compact.archive import Archive
from learn_compact.errors import LearnCompactError, PolicyError, demand
from learn_compact.layers.thinking import has_thinking, newest_answer, without_stale_thinking
from learn_compact.ledger import Ledger
from learn_compact.pipeline.steps import Projection, Step


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
    `last_run` is the newest `Run`, None before the first; `archive` the one that the steps write to, if they do.
    """

    def __init__(self, steps, *, overflow=None):
        demand(isinstance(steps, list | tuple), "The steps of a pipeline", "a list", steps)
        for step in [*steps, overflow] if overflow else steps:
            demand(isinstance(step, Step), "A step of a pipeline", 'a Step, such as Step("micro", micro_compact)', step)
        self.steps = tuple(steps)
        self.archive = next((step.parameters["archive"] for step in self.steps if step.parameters.get("archive")), None)
        self.last_run = None
        self._left_thinking = None  # a message whose thinking belongs to a conversation that is another by now
        self._summary = next((step for step in reversed(self.steps) if step.asks_a_model), None)
        self._overflow = overflow or self._summary

    def run(self, messages):
        """Every step whose time has come, in order, as a `Run`."""
        return self._run(messages, [(step, {}) for step in self.steps])

    def prepare(self, messages):
        """The messages to send: a policy's duty before every request."""
        return self.run(messages).messages

    def view(self, messages):
        """What a model reads of the messages: themselves, or what the projections among the steps make of them."""
        for step in self.steps:
            if isinstance(step, Projection):
                messages = step.project(messages)
        return messages

    def overflowed(self, messages):
        """The messages to try once more with, after the API refused these as too long."""
        return self._forced("overflow", self._overflow, messages)

    def compact(self, messages, focus=""):
        """The messages with a summary in place of what was said, whatever their size: somebody asked for it."""
        return self._forced("manual", self._summary, messages, focus=focus)

    def _forced(self, why, step, messages, **parameters):
        if step is None:
            raise PolicyError("No step of this pipeline can make a summary: give it one with a `summarize`.")
        return self._run(messages, [(step, {"force": why, **parameters})]).messages

    def _run(self, messages, steps):
        demand(isinstance(messages, list | tuple), "What a pipeline is given", "a list of messages", messages)
        given = list(messages)  # a copy: an agent changes its list in place, and reports are read later
        reached, reports = self._without_stale_thinking(given), []
        for step, parameters in steps:
            try:
                reached, report = step.run(reached, **parameters)
            except LearnCompactError as error:
                error.reached = self._ended(messages, given, reached, reports).messages
                raise
            reports.append(report)
        return self._ended(messages, given, reached, reports)

    def _ended(self, messages, given, reached, reports):
        if reached is not given:
            self._left_thinking = next(filter(has_thinking, reached[newest_answer(reached):]), None)
        self.last_run = Run(messages if reached is given else reached, tuple(reports), self.archive)
        return self.last_run

    def _without_stale_thinking(self, messages):
        """What an earlier run had to leave, because it was the newest answer then, goes when it is so no more."""
        left = self._left_thinking
        if left is None:
            return messages
        newest = newest_answer(messages)
        if any(message is left for message in messages[newest:]):
            return messages
        self._left_thinking = None
        place = next((i for i in range(newest - 1, -1, -1) if messages[i] is left), newest)
        return without_stale_thinking(messages, place - 1)
