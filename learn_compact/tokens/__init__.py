"""How large a conversation is: rules of thumb, a reference counter, what fills the window, and a meter.

Four small files, each with what it leaves out: `estimate` (rules of thumb, no tokenizer), `reference` (a real
vocabulary, slow, kept per text), `parts` (what fills the window) and `meter` (anchored on what the API reported).
"""

from learn_compact.tokens.estimate import (
    estimate_block,
    estimate_by_kind,
    estimate_chars,
    estimate_tokens,
    json_size,
    repr_size,
    visible_chars,
)
from learn_compact.tokens.meter import Meter, RunningCount, context_tokens
from learn_compact.tokens.parts import PARTS, ContextParts, ToolShare, context_parts, message_parts, part_of
from learn_compact.tokens.reference import VOCABULARY, count_block, count_message, count_text, count_tokens, count_tools

__all__ = [
    "PARTS", "VOCABULARY", "ContextParts", "Meter", "RunningCount", "ToolShare", "context_parts", "context_tokens",
    "count_block", "count_message", "count_text", "count_tokens", "count_tools", "estimate_block", "estimate_by_kind",
    "estimate_chars", "estimate_tokens", "json_size", "message_parts", "part_of", "repr_size", "visible_chars",
]
