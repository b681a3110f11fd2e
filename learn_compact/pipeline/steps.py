"""A step of a pipeline, and what it says about itself."""

import time
from dataclasses import dataclass
from functools import cached_property, wraps
from operator import is_

from learn_compact.errors import PolicyError, demand
from learn_compact.pipeline.triggers import always
from learn_compact.tokens import estimate_chars, estimate_tokens


class Step:
    """A layer with its parameters, the name it is reported under, and when it runs: `when(messages) -> bool`.

    >>> from learn_compact.layers.micro import micro_compact
    >>> Step("micro", micro_compact, keep_recent=0).run([{"role": "user", "content": "Hello"}])[1].ran
    True
    """

    def __init__(self, name, layer, when=always, **parameters):
        demand(isinstance(name, str), "The name of a step", "a text", name)
        demand(callable(layer), f"The layer of step {name!r}", "a function from messages to messages", layer)
        demand(callable(when), f"The trigger of step {name!r}", "a function such as above_chars(50_000)", when)
        self.name, self.layer, self.when, self.parameters = name, layer, when, parameters

    @property
    def asks_a_model(self):
        return self.parameters.get("summarize") is not None

    def run(self, messages, force="", **parameters):
        """The messages behind this step and its report; parameters replace its own.

        `force` passes by the trigger, and says why: "manual" (by hand) or "overflow" (the API refused the messages).
        """
        began, calls = time.perf_counter(), 0
        if not (force or self.when(messages)):
            return messages, StepReport(self.name, False, messages, messages, calls, time.perf_counter() - began)

        given = {**self.parameters, **parameters}
        if callable(summarize := given.get("summarize")):
            @wraps(summarize)
            def counted(*arguments, **named):
                nonlocal calls
                calls += 1
                return summarize(*arguments, **named)

            given["summarize"] = counted
        after = self.layer(messages, **given)
        if not isinstance(after, list):
            raise PolicyError(f"The layer of step {self.name!r} gave back {type(after).__name__}, not a list of "
                              "messages. Every way through it must return one, the input where nothing changes.")
        return after, StepReport(self.name, True, messages, after, calls, time.perf_counter() - began)


class Projection(Step):
    """A step that changes nothing that is stored: `project(messages)` is what a model reads of them.

    The step behind it gets the messages as they are; its report shows the projection.
    """

    def project(self, messages):
        """The messages as they are read: what the layer makes of them, where its time has come."""
        return super().run(messages)[0]

    def run(self, messages, force="", **parameters):
        _, report = super().run(messages, force, **parameters)
        report.is_projection = True
        return messages, report


@dataclass
class StepReport:
    """What one step did: whether it ran, the messages before and after it, model calls, seconds.

    Where it `is_projection`, the messages after it are only read, and those before it stay. Sizes are read from the
    messages when they are asked for, so a report that nobody reads costs nothing.
    """

    name: str
    ran: bool
    before: list
    after: list
    calls: int
    seconds: float
    is_projection: bool = False

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
