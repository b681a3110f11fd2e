"""Real conversations without their words: outlines, the conversations filled in for them, and their usage figures."""

from learn_compact.data.outline import Outline, Request, Segment, load_outline, outline_names
from learn_compact.data.reading import Block, OutlineMessage
from learn_compact.data.usage import UsageRow, load_usage

__all__ = ["Block", "Outline", "OutlineMessage", "Request", "Segment", "UsageRow", "load_outline", "load_usage",
           "outline_names"]
