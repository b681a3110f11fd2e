"""Summaries: one is checked in time, and reading hostile text takes no more than its length."""

from functools import partial
from itertools import islice
from time import process_time
from timeit import Timer

from figures import Figure, seconds

from learn_compact.data import load_outline, outline_names
from learn_compact.errors import SummaryError
from learn_compact.summaries import NINE_SECTIONS, check_summary, parse_summary

SECTIONS = "\n".join(f"{n}. {title}: said." for n, title in enumerate(NINE_SECTIONS, 1))
HOSTILE = {  # what makes a careless pattern look again and again
    "<summary> tags": "<summary>", "</summary> tags": "</summary>", "<analysis> tags": "<analysis>",
    "headings": "1. Primary request and intent:\n", "numbers of headings": "1. ", "fences": "```\n", "stars": "*",
    "half tags": "<", "digits": "9", "blanks": " ", "lines": "\n", "HTML": "<div><script>alert(1)</script>\n",
}


def messages_of_outlines():
    for name in outline_names():
        for segment in load_outline(name).segments:
            yield from segment.conversation()


def read(text):
    """Read answers that hold a text: in the last section, behind the summary, and in place of it."""
    for answer in (f"<summary>\n{SECTIONS}\n{text}</summary>", f"<summary>\n{SECTIONS}</summary>{text}", text):
        try:
            str(parse_summary(answer))
        except SummaryError:
            pass  # refused is as good, as long as it is quick


def figures():
    messages = list(islice(messages_of_outlines(), 500))
    summary = "\n".join(map(str, messages))[:200_000]
    yield Figure("the check of a summary of 200,000 characters, on 500 messages of real outlines",
                 seconds(partial(check_summary, summary, messages), 3), 0.5, "s")
    for name, piece in HOSTILE.items():
        short = piece * (20_000 // len(piece))
        once, ten = (min(Timer(partial(read, text), timer=process_time).repeat(5, 2)) for text in (short, short * 10))
        yield Figure(f"reading 200,000 characters of {name} / 20,000", ten / once, 12)
