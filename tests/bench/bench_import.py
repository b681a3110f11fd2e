"""`import learn_compact` costs next to nothing: the SDK and the notebook's packages wait until they are used."""

import subprocess
import sys

from figures import Figure, seconds


def start(program):
    """Seconds from starting an interpreter to its end, with a one-line program."""
    return seconds(lambda: subprocess.run([sys.executable, "-c", program], check=True))


def figures():
    bare = start("pass")
    ours = start("import learn_compact") - bare
    sdk = start("import anthropic") - bare
    yield Figure("import learn_compact, beyond the interpreter's own start", ours, 0.15, "s")
    yield Figure("import learn_compact / import anthropic", ours / sdk, 0.1)
