"""Whether a request asks for a summary: of what, in which form, and with what in focus."""

import re
from typing import NamedTuple

from learn_compact.messages import blocks
from learn_compact.offline.standin import vocabulary as v
from learn_compact.offline.standin.lines import NINE_SECTIONS
from learn_compact.offline.standin.reading import is_ours
from learn_compact.offline.standin.salvage import split_prompt
from learn_compact.offline.standin.understanding import understand
from learn_compact.offline.standin.vocabulary import says

NINE, THREE = "nine sections", "three points"


class SummaryAsked(NamedTuple):
    """A summary that was asked for: its form, what it should keep above all, and the conversation it is about."""

    form: str
    focus: str
    messages: list


def summary_asked(messages):
    """What the last message asks to be summarised, or None where it asks for something else.

    >>> summary_asked([{"role": "user", "content": "Hi."}, {"role": "user", "content": "Summarize our chat so far."}])
    SummaryAsked(form='three points', focus='', messages=[{'role': 'user', 'content': 'Hi.'}])
    """
    *before, last = messages
    texts = [block["text"] for block in blocks(last)
             if block.get("type") == "text" and isinstance(block.get("text"), str)]
    if last.get("role") != "user" or not any(says(text, v.SUMMARISE) for text in texts) or is_ours(texts[0]):
        return None
    written, prompt = split_prompt("\n".join(texts))
    is_sure = written or "<summary>" in prompt  # else it may be about a file, or a part of another wish
    is_about_us = is_sure or says(prompt, v.CONVERSATION) or says(prompt, v.SO_FAR)
    if not says(prompt, v.SUMMARISE) or not is_about_us or (not is_sure and understand(prompt)):
        return None
    results = [block for block in blocks(last) if block.get("type") == "tool_result"]
    rest = [{**last, "content": results}] if results else []
    return SummaryAsked(_form(prompt), _focus(prompt), [*before, *rest, *written])


def _form(prompt):
    titles = sum(title.lower() in prompt.lower() for title in NINE_SECTIONS)
    return NINE if "<summary>" in prompt or titles > len(NINE_SECTIONS) // 2 else THREE


def _focus(prompt):
    """What stands behind the last word that leads to a focus, up to the end of its line."""
    leads = list(v.SUMMARY_FOCUS.finditer(prompt))
    return re.split(r"\n", prompt[leads[-1].end():])[0].strip(" :.\t") if leads else ""
