"""Layers in order, each step measured.

A step is a layer with its parameters, a name and a trigger; a pipeline runs its steps in order. It is also a policy:
`prepare(messages)` before every request, `overflowed(messages)` when the API refused one as too long, and
`compact(messages, focus)` when somebody asks for it. Small files, each with one idea: `triggers`, `steps`, `run` (the
pipeline) and `policies` (the documented ones). Left out: guards against steps that fail again and again.
"""

from learn_compact.pipeline.policies import THRESHOLD, s06, s08
from learn_compact.pipeline.run import Pipeline, Run
from learn_compact.pipeline.steps import Step, StepReport
from learn_compact.pipeline.triggers import above_chars, above_messages, above_tokens, always, any_result_above

__all__ = ["THRESHOLD", "Pipeline", "Run", "Step", "StepReport", "above_chars", "above_messages", "above_tokens",
           "always", "any_result_above", "s06", "s08"]
