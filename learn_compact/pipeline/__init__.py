"""Layers in order, each step measured.

A step is a layer with its parameters, a name and a trigger; a pipeline runs its steps in order. It is also a policy:
`prepare(messages)` before every request, `overflowed(messages)` when the API refused one as too long, and
`compact(messages, focus)` when somebody asks for it. Small files, each with one idea: `triggers`, `steps`, `run` (the
pipeline), `guards` (against a compaction that calls itself, fails or wins nothing) and `policies` (the documented
ones).
"""

from learn_compact.pipeline.guards import Guard, Guarded, request_source
from learn_compact.pipeline.policies import THRESHOLD, claude_code, s06, s08
from learn_compact.pipeline.run import Pipeline, Run
from learn_compact.pipeline.steps import Projection, Step, StepReport
from learn_compact.pipeline.triggers import (
    AUTOCOMPACT_BUFFER_TOKENS,
    above_chars,
    above_estimate,
    above_messages,
    above_tokens,
    always,
    any_result_above,
    auto_compact_threshold,
)

__all__ = ["AUTOCOMPACT_BUFFER_TOKENS", "THRESHOLD", "Guard", "Guarded", "Pipeline", "Projection", "Run", "Step",
           "StepReport", "above_chars", "above_estimate", "above_messages", "above_tokens", "always",
           "any_result_above", "auto_compact_threshold", "claude_code", "request_source", "s06", "s08"]
