"""The exercise of chapter 0: the tokens that are left before Claude Code's line, the window less 13,000."""

from learn_compact.check.exercise import FunctionExercise
from learn_compact.check.wrong import Wrong, likely_cause, values
from learn_compact.pipeline import AUTOCOMPACT_BUFFER_TOKENS as BUFFER
from learn_compact.tokens import context_tokens

_FIELDS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def _cases():
    from hypothesis import strategies as st  # late: hypothesis takes a moment to load

    tokens = st.integers(0, 250_000)
    usage = st.fixed_dictionaries({field: tokens for field in _FIELDS} | {"output_tokens": st.integers(0, 8_000)})
    return [st.tuples(usage, st.sampled_from([200_000, 1_000_000]))]


def _judge(answer, case):
    usage, window = case
    room, expected = answer(usage, window), window - BUFFER - context_tokens(usage)
    if room != expected:
        raise Wrong(_cause(room, usage, window), f"The line is at {window:,} - {BUFFER:,} tokens, and the API read "
                    f"{context_tokens(usage):,}: {expected:,} are left.", values(room))


def _cause(room, usage, window):
    context = context_tokens(usage)
    causes = {
        "it forgets the buffer": window - context,
        "it counts the answer, which the API did not read": window - BUFFER - context - usage["output_tokens"],
        "it is the wrong way round": context - window + BUFFER,
        "it counts only input_tokens, without both sides of the cache": window - BUFFER - usage["input_tokens"],
        "it hides that the context is beyond the line": max(0, window - BUFFER - context),
    }
    return likely_cause(causes, lambda number: room == number, "it is another number")


def _show(case):
    usage, window = case
    return [f"    usage = {usage}", f"    window = {window:,}"]


room_left = FunctionExercise(
    name="room_left",
    right="You know how much room is left.",
    hints=(
        "First add up what the API read: three of the fields of usage.",
        "The line lies 13,000 tokens below the window. How far is the context away from it?",
        "window - 13_000 - context, where context is the sum of the three fields.",
    ),
    solution="00_room_left.py",
    cases=_cases,
    judge=_judge,
    show=_show,
    probe=({field: 1 for field in (*_FIELDS, "output_tokens")}, 200_000),
)
