"""What a bench gives: figures, each with the most that it may be."""

import time
from typing import NamedTuple


class Figure(NamedTuple):
    """One measured number. A ratio says so in `what` and has no unit; it holds on a slow machine too."""

    what: str
    value: float
    limit: float
    unit: str = ""

    def __str__(self):
        verdict = "ok" if self.value <= self.limit else "TOO MUCH"
        return f"{self.value:9.3f} {self.unit:3} (at most {self.limit:g})  {self.what}: {verdict}"


def seconds(run, repeat=7):
    """The shortest of several runs of a function without arguments: what it takes when nothing else interferes."""
    def once():
        start = time.perf_counter()
        run()
        return time.perf_counter() - start

    return min(once() for _ in range(repeat))
