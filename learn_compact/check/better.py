"""Second exercise of chapter 1: an estimate that comes nearer to what the API counted in real conversations.

Nearer by growth: an estimate sees the messages, and not the system prompt and the tools, which the API counts too and
which stay the same from request to request.
"""

import math
from itertools import pairwise

from learn_compact.check.careful import within
from learn_compact.check.exercise import PROBE, FunctionExercise
from learn_compact.check.wrong import Wrong, values
from learn_compact.data import load_outline
from learn_compact.tokens import estimate_tokens

CONVERSATIONS = ("sniffly-d3ad4cdc", "codemie-196820da", "cctrace-phase0")
STRIDE = 5  # requests between two measurements: a single step is mostly one tool result
SECONDS = 20.0  # for all measurements of one conversation
CHINESE, LEAST_PER_CHAR = "压缩上下文窗口里的对话。" * 100, 0.5  # real tokenizers take 0.6 to 1.1 tokens a character
PICTURE_BYTES = 60_000


def _cases():
    from learn_compact.check.strategies import conversations  # late: hypothesis takes a moment to load

    return [conversations(max_turns=4, kinds=kinds)
            for kinds in ((), {"tools", "blocks", "errors", "images", "thinking", "odd"})]


def _judge(answer, messages):
    """Rules that hold for any estimate, on whatever a conversation may be made of."""
    before = _number(answer, messages)
    _holds(_number(answer, messages[:-1]) <= before, "it shrinks when a message is added",
           "A message more is never a token less.")
    chinese = _number(answer, [*messages, {"role": "user", "content": CHINESE}]) - before
    least = round(LEAST_PER_CHAR * len(CHINESE))
    _holds(chinese >= least, "it counts Chinese as if it were English",
           f"With {len(CHINESE):,} Chinese characters more, it grows by {chinese:,.0f} tokens. Tokenizers take between "
           f"0.6 and 1.1 tokens for each; at least {least:,} would do.")
    small, large = (_number(answer, [*messages, _picture(size)]) - before for size in (60, PICTURE_BYTES))
    _holds(large == small, "it counts the bytes of a picture",
           f"A picture of {PICTURE_BYTES:,} base64 characters adds {large:,.0f}, one of 60 adds {small:,.0f}. The API "
           "counts a picture by its width and height, at most about 1,600 tokens.")
    _holds(small > 0, "a picture costs nothing", "By its width and height, one costs up to about 1,600 tokens.")


def _number(answer, messages):
    value = answer(messages)
    _holds(isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value),
           "the estimate is no number", "", value)
    _holds(value >= 0, "the estimate is less than nothing", "", value)
    return value


def _holds(rule, cause, why, value=None):
    if not rule:
        raise Wrong(cause, why, values(value) if value is not None else ())


def _picture(size):
    source = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo=" * (size // 12)}
    return {"role": "user", "content": [{"type": "image", "source": source}]}


def growth_error(estimate, segment):
    """(tokens that the API counted from first to last request, the estimate's total error, and its error step by step).

    Errors in tokens, both over stretches of five requests; the second adds up what is too low and what is too high.
    """
    conversation, requests = segment.conversation(), segment.requests[::STRIDE]
    counted = [request.context_tokens for request in requests]
    estimated = [estimate(conversation[:request.index]) for request in requests]
    off = [(b - a) - (y - x) for (a, b), (x, y) in zip(pairwise(estimated), pairwise(counted), strict=True)]
    return counted[-1] - counted[0], sum(off), sum(map(abs, off))


def _score(function):
    """The verdict on an estimate that keeps the rules: a table, and whether the rule of four is beaten."""
    rows, growth, mine, fours = [], 0, 0, 0
    for name in CONVERSATIONS:
        segment = load_outline(name).segments[0]
        measured, error = within(SECONDS, growth_error, function, segment)
        if error is not None:
            return (f"Not yet: {name} was too much for it: {type(error).__name__} "
                    f"(it has {SECONDS:g} seconds for the {len(segment.requests)} requests of that conversation).")
        grown, total, off = measured
        _, four_total, four_off = growth_error(estimate_tokens, segment)
        growth, mine, fours = growth + grown, mine + off, fours + four_off
        rows.append(f"{name:<18}{grown:>9,}{four_total / grown:>+15.0%}{total / grown:>+9.0%}")
    table = [f"{'':18}{'growth':>9}{'rule of four':>15}{'yours':>9}", *rows,
             f"{'off, step by step':<18}{growth:>9,}{fours / growth:>15.0%}{mine / growth:>9.0%}"]
    verdict = "Right. Yours is nearer than the rule of four." if mine < fours else (
        "Not yet: the rule of four is nearer, added up over all steps.")
    legend = "Growth in tokens, as the API counted it; - is too low, + too high. The last row adds up both."
    return "\n".join([verdict, "", *table, "", legend])


better_estimate = FunctionExercise(
    name="better_estimate",
    right=_score,
    hints=(
        "Where is the rule of four furthest off? Look at what it counts: keys, quotes and ids as well as words, the "
        "bytes of a picture, and Chinese at a quarter of its price.",
        "Walk over the blocks of each message, with a figure for each kind: characters a token for text, for calls "
        "(their input as JSON) and for results, about a dozen tokens for a block itself, a fixed 1,000 or so for a "
        "picture, also inside a result.",
        "Count characters beyond ord(c) > 0x2E7F at one token each, and the others at 3 to 4 a token: prose has more "
        "characters to a token than code and logs.",
    ),
    solution="01_better_estimate.py",
    cases=_cases,
    judge=_judge,
    probe=(list(PROBE),),
)
