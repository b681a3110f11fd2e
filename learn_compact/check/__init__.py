"""The checks of the exercises: `check.micro_compact(my_micro_compact)` answers in a sentence.

Where an answer is wrong, the verdict shows the smallest conversation that breaks it. A function that is not filled in
is told so, and the notebook runs on. hypothesis is loaded when an answer is checked, not before.
"""

import importlib

# The exercises in the order of the chapters, and the module that holds each.
_WHERE = {
    "room_left": "room",
    "estimate_tokens": "estimate",
    "better_estimate": "better",
    "micro_compact": "micro",
    "auto_compact": "auto",
    "compact_batch": "batch",
    "snip_compact": "snip",
    "order_steps": "order",
    "parse_summary": "parse",
    "files_to_restore": "files",
    "guard": "breaker",
    "bill": "cost",
}

__all__ = [*_WHERE, "hint"]


def hint(exercise, number=1):
    """Print a hint for an exercise: 1, 2 or 3, each saying more; beyond them, where the solution is."""
    if exercise not in [*_WHERE]:  # whatever was handed in
        print(f"There is no exercise {exercise!r}. The exercises: {', '.join(_WHERE)}.")
        return
    print(__getattr__(exercise).hint(number))


def __getattr__(name):
    if name not in _WHERE:
        raise AttributeError(f"module 'learn_compact.check' has no attribute {name!r}")
    return getattr(importlib.import_module(f"learn_compact.check.{_WHERE[name]}"), name)


def __dir__():
    return __all__
