"""`import learn_compact` costs next to nothing: the SDK and the notebook's packages wait until they are used."""

import subprocess
import sys

from figures import Figure

TIMED = "from time import perf_counter as now; start = now(); import {}; print(now() - start)"


def seconds_to_import(name, repeat=7):
    """The shortest of several imports, each in an interpreter of its own."""
    command = [sys.executable, "-c", TIMED.format(name)]
    return min(float(subprocess.run(command, capture_output=True, check=True).stdout) for _ in range(repeat))


def figures():
    ours = seconds_to_import("learn_compact")
    yield Figure("import learn_compact", ours, 0.15, "s")
    yield Figure("import learn_compact / import anthropic", ours / seconds_to_import("anthropic"), 0.1)
