"""First exercise of chapter 1: the token estimate of s06, `len(str(messages)) // 4`, to the letter."""

import json

from learn_compact.check.exercise import PROBE, FunctionExercise
from learn_compact.check.wrong import Wrong, values
from learn_compact.tokens import estimate_tokens as reference
from learn_compact.tokens import visible_chars
from learn_compact.tokens.estimate import CHARS_PER_TOKEN

# Where the rules below all give different numbers, so that the one behind a wrong estimate can be told.
_TELLING = [*PROBE, {"role": "user", "content": '压缩上下文？ "Yes."\n'}]
# What people count instead, in characters, and how the verdict calls it.
_OTHER_RULES = {
    "it counts messages, not characters": len,
    "it counts the characters of the JSON": lambda messages: len(json.dumps(messages)),
    "it counts the characters of the JSON, unescaped": lambda messages: len(json.dumps(messages, ensure_ascii=False)),
    "it counts only what is said": visible_chars,
    "it counts only the contents": lambda messages: sum(len(str(message["content"])) for message in messages),
    "it leaves out the brackets and commas between the messages": lambda messages: sum(map(len, map(str, messages))),
    "it counts bytes": lambda messages: len(str(messages).encode()),
}


def _cases():
    from learn_compact.check.strategies import conversations  # late: hypothesis takes a moment to load

    return [conversations(max_turns=4, kinds={"tools", "blocks", "odd"})]


def _judge(answer, messages):
    estimate, expected = answer(messages), reference(messages)
    if type(estimate) is int and estimate == expected:
        return
    chars = len(str(messages))
    raise Wrong(_cause(answer.glimpse(_TELLING)), f"str(messages) has {chars:,} characters here, and {chars:,} // "
                f"{CHARS_PER_TOKEN} is {expected:,}.", values(estimate))


def _cause(estimate):
    chars = len(str(_TELLING))
    if isinstance(estimate, float) and estimate in (chars / CHARS_PER_TOKEN, reference(_TELLING)):
        return "it is no whole number"
    if estimate == chars:
        return "it gives characters, not tokens"
    if estimate == -(-chars // CHARS_PER_TOKEN):
        return "it rounds up"
    for cause, count in _OTHER_RULES.items():
        counted = count(_TELLING)
        if estimate in (counted // CHARS_PER_TOKEN, counted / CHARS_PER_TOKEN, counted):
            return cause
    return "it counts something else"


estimate_tokens = FunctionExercise(
    name="estimate_tokens",
    right="This is the rule of s06, to the letter.",
    hints=(
        "Python can write the whole list of messages as one text.",
        "How long is str(messages)? Four characters are counted as one token.",
        "// divides and drops the rest: 11 // 4 is 2.",
    ),
    solution="01_estimate_tokens.py",
    cases=_cases,
    judge=_judge,
    probe=(list(PROBE),),
)
