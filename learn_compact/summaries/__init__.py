"""Asking a model for a summary, reading strictly what comes back, and holding it against the conversation.

A pipeline is given a callable, `summarize(messages, focus="") -> str | Summary`; `ModelSummarizer` is the one that asks
a model. Small files, each with one idea: `prompts` (what is asked), `writing` (the conversation as text), `asking`,
`sharing` (the same behind the conversation itself, for the prompt cache), `parse` (nine sections out of an answer),
`requests` (what the user said is copied, not summarised) and `checking`.
"""

from learn_compact.summaries.asking import SUMMARY_MAX_TOKENS, ModelSummarizer, read_summary, usable
from learn_compact.summaries.checking import SummaryCheck, check_summary
from learn_compact.summaries.parse import Summary, parse_summary
from learn_compact.summaries.prompts import NINE_SECTIONS, nine_sections, three_points
from learn_compact.summaries.requests import all_requests, prohibitions, with_requests
from learn_compact.summaries.sharing import PrefixSummarizer
from learn_compact.summaries.writing import SUMMARY_MAX_CHARS, first_chars, last_chars, whole_messages

__all__ = ["NINE_SECTIONS", "SUMMARY_MAX_CHARS", "SUMMARY_MAX_TOKENS", "ModelSummarizer", "PrefixSummarizer",
           "Summary", "SummaryCheck", "all_requests", "check_summary", "first_chars", "last_chars", "nine_sections",
           "parse_summary", "prohibitions", "read_summary", "three_points", "usable", "whole_messages",
           "with_requests"]
