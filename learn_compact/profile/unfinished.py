"""Answers whose logged output is a count from the beginning of the stream, as Claude Code writes many.

The API counts an answer's output as it streams. A log that keeps an early count has a handful of tokens for an answer
of pages; input and cache are counted before the stream, and are right. (Reported to its makers as issues 22671, 22686,
25941 and 27361 of anthropics/claude-code.)
"""

from dataclasses import replace
from typing import NamedTuple

from learn_compact.tokens import estimate_by_kind, visible_chars
from learn_compact.tokens.estimate import CHARS_PER_TOKEN

MOST_CHARS_PER_TOKEN = 2 * CHARS_PER_TOKEN  # no text of some length has tokens twice as long as those of the rule


class Unfinished(NamedTuple):
    """How many answers have too small an output in the log, the tokens that it gives them, and those that they have by
    our estimate: at least, because a log may lack the words of thinking.
    """

    answers: int = 0
    logged: int = 0
    estimated: int = 0

    def __add__(self, other):
        return Unfinished(*map(sum, zip(self, other, strict=True)))


def completed(requests, life):
    """(requests with an estimate where the logged output can't be true, the `Unfinished` among them).

    >>> from learn_compact.data import Request
    >>> life = [{"role": "user", "content": "Count."}, {"role": "assistant", "content": "There are four. " * 20}]
    >>> completed([Request(1, 0.0, "", {"input_tokens": 9, "output_tokens": 2})], life)[1]
    Unfinished(answers=1, logged=2, estimated=92)
    """
    made, found = [], Unfinished()
    for request in requests:
        answer, logged = life[request.index:request.index + 1], request.usage.get("output_tokens") or 0
        if logged * MOST_CHARS_PER_TOKEN < visible_chars(answer):
            found += Unfinished(1, logged, estimate_by_kind(answer))
            request = replace(request, usage={**request.usage, "output_tokens": estimate_by_kind(answer)})
        made.append(request)
    return made, found
