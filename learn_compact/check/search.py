"""The smallest case that breaks an answer, found and shrunk by hypothesis: the same one on every machine."""

from random import Random

from hypothesis import Phase, find, settings
from hypothesis.errors import Flaky, NoSuchExample
from hypothesis.internal.conjecture import providers

from learn_compact.check.careful import TooSlow
from learn_compact.check.wrong import Wrong

EXAMPLES = 200  # of each kind of case: about a second for an answer that is right


class Steady(providers.HypothesisProvider):
    """Hypothesis without the constants that it collects from the modules loaded by chance."""

    def _maybe_draw_constant(self, *_, **__):
        return None


providers.AVAILABLE_PROVIDERS["learn_compact"] = f"{__name__}.Steady"


def smallest(cases, judge, examples=EXAMPLES):
    """(case, Wrong) for the smallest of `cases` for which `judge(case)` raises Wrong; None where there is none.

    The cause of the first case found is the one that is followed while it shrinks, so that a sentence and its example
    belong together. A case that hangs is not shrunk.
    """
    found = []

    def breaks(case):
        if found and isinstance(found[0][1].error, TooSlow):
            return False
        try:
            judge(case)
        except Wrong as wrong:
            if not found or wrong.cause == found[0][1].cause:
                found.append((case, wrong))
                return not isinstance(wrong.error, TooSlow)
        return False

    steady = settings(max_examples=examples, database=None, deadline=None, backend="learn_compact",
                      phases=[Phase.generate, Phase.shrink])
    try:
        case = find(cases, breaks, settings=steady, random=Random(0))
    except NoSuchExample:
        return found[0] if found else None
    except Flaky:  # an answer that isn't the same twice
        return found[-1]
    return case, next(wrong for known, wrong in reversed(found) if known is case)
