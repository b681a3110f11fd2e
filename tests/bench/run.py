"""Measure speed: `make bench`. Apart from the tests, because a busy machine must not turn them red.

Every `bench_*.py` beside this file has a function `figures()` that gives `Figure`s. The exit code is 1 where one is
above its limit. With names as arguments (`run.py import meter`) only those are run.
"""

import importlib
import sys
from pathlib import Path


def main(names):
    modules = [f"bench_{name}" for name in names] or sorted(p.stem for p in Path(__file__).parent.glob("bench_*.py"))
    too_much = 0
    for module in modules:
        for figure in importlib.import_module(module).figures():
            print(figure, flush=True)
            too_much += figure.value > figure.limit
    return int(too_much > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
