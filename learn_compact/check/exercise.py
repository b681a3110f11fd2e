"""An exercise: what is asked, how an answer is judged, and what the reader is told."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from learn_compact.check.careful import Careful, is_unfilled
from learn_compact.check.lines import conversation_lines

HINTS = 3

# A conversation in which every layer finds something to do; no cell needs hypothesis to see that a stub is one.
_CALLS = [{"type": "tool_use", "id": f"call_{n}", "name": "bash", "input": {"command": "make test"}} for n in range(5)]
PROBE = (
    {"role": "user", "content": "Run the tests five times."},
    {"role": "assistant", "content": _CALLS},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call["id"], "content": "passed " * 99}
                                 for call in _CALLS]},
    {"role": "assistant", "content": "They passed five times."},
)


@dataclass(frozen=True, repr=False)
class Exercise:
    """Called with the reader's answer, it prints one verdict; `solution` is a file in `notebooks/solutions`."""

    name: str
    hints: tuple[str, str, str]
    solution: str

    def __call__(self, answer):
        print(self.verdict(answer))

    def __repr__(self):
        return f'check.{self.name}(your answer), with hints: check.hint("{self.name}", 1)'

    def hint(self, number):
        """The text of a hint, 1 to 3; beyond them the place of the solution."""
        if number in range(1, HINTS + 1):
            return f"Hint {number} of {HINTS}: {self.hints[number - 1]}"
        return f"There are {HINTS} hints, 1 to {HINTS}. The solution is in notebooks/solutions/{self.solution}."

    def unfilled(self, name=None):
        return f'{name or self.name} is not filled in yet. A first hint: check.hint("{self.name}", 1)'


@dataclass(frozen=True, repr=False)
class FunctionExercise(Exercise):
    """An exercise whose answer is a function: the smallest case that breaks it is looked for.

    `right` is what a good answer did, or a function of the answer that has the last word. `cases()` gives strategies,
    from plain cases to hard ones: the first that holds a counterexample speaks. `judge(answer, case)` raises `Wrong`,
    `show(case)` gives the lines of a case, and `probe` holds arguments with which every answer has something to do, so
    that one that does nothing is a stub.
    """

    right: str | Callable[[Callable], str]
    cases: Callable[[], list]
    judge: Callable[[Callable, Any], None]
    probe: tuple
    show: Callable[[Any], list[str]] = conversation_lines

    def verdict(self, answer):
        """The sentence for an answer, and where it is wrong the smallest case that shows it, as text."""
        if answer is None or answer is ...:
            return self.unfilled()
        if not callable(answer):
            return (f"check.{self.name} wants the function itself, and this is of type {type(answer).__name__}: write "
                    "its name without brackets behind it.")
        if is_unfilled(answer, *self.probe):
            return self.unfilled(getattr(answer, "__name__", None))
        from learn_compact.check.search import smallest  # late: hypothesis takes a moment to load

        careful = Careful(answer)
        for cases in self.cases():
            if found := smallest(cases, lambda case: self.judge(careful, case)):
                return self._explained(*found)
        return self.right(answer) if callable(self.right) else f"Right. {self.right}"

    def _explained(self, case, wrong):
        lines = [f"Not yet: {wrong.cause}."]
        for title, shown in [("Given", self.show(case)), *wrong.sections]:
            lines += ["", title, *shown] if shown else []
        return "\n".join([*lines, "", wrong.why] if wrong.why else lines)
