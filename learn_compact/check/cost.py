"""The exercise of chapter 10: what one request cost, in input tokens."""

from learn_compact.check.exercise import FunctionExercise
from learn_compact.check.wrong import Wrong, likely_cause, values

# Thousandths of an input token: the ratios of `profile.prices`, by usage field.
PRICES = {"input_tokens": 1_000, "cache_creation_input_tokens": 1_250, "cache_read_input_tokens": 100,
          "output_tokens": 5_000}
PROBE = dict.fromkeys(PRICES, 1_000)


def _cases():
    from hypothesis import strategies as st  # late: hypothesis takes a moment to load

    return [st.tuples(st.fixed_dictionaries({field: st.integers(1_000, 200_000) for field in PRICES}))]


def _judge(answer, case):
    [usage] = case
    price, expected = answer(usage), _price(usage)
    if isinstance(price, bool) or not isinstance(price, int | float) or not abs(price - expected) <= 0.5:  # nan too
        raise Wrong(_cause(price, usage), f"The request cost {expected:,.2f} input tokens.", values(price))


def _price(usage, **other):
    return sum(usage[field] * {**PRICES, **other}[field] for field in PRICES) / 1_000


def _cause(price, usage):
    causes = {
        "it counts every token as one": dict.fromkeys(PRICES, 1_000),
        "it forgets the output": {"output_tokens": 0},
        "it pays the full price for what was read from the cache": {"cache_read_input_tokens": 1_000},
        "it takes what was read from the cache for free": {"cache_read_input_tokens": 0},
        "it forgets that writing to the cache costs more": {"cache_creation_input_tokens": 1_000},
    }
    if not isinstance(price, int | float):
        return "it is no number"
    return likely_cause(causes, lambda other: abs(price - _price(usage, **other)) <= 0.5, "it is another number")


bill = FunctionExercise(
    name="bill",
    right="You know what a request costs.",
    hints=(
        "Four fields of usage, four prices: multiply each by its own, and add.",
        "Input 1, written to the cache 1.25, read from the cache 0.1, output 5.",
        "usage[\"input_tokens\"] + 1.25 * usage[\"cache_creation_input_tokens\"] + … and two more.",
    ),
    solution="10_bill.py",
    cases=_cases,
    judge=_judge,
    show=lambda case: [f"    usage = {case[0]}"],
    probe=(PROBE,),
)
