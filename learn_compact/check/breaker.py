"""The exercise of chapter 7: whether an automatic compaction may be tried."""

from learn_compact.check.exercise import FunctionExercise
from learn_compact.check.wrong import Wrong, likely_cause, values
from learn_compact.pipeline.guards import MAX_CONSECUTIVE_FAILURES, NEVER_COMPACTED

FAILED, WORKED, BY_HAND = "failed", "worked", "by hand"
SOURCES = ("user", *sorted(NEVER_COMPACTED))


def _cases():
    from hypothesis import strategies as st  # late: hypothesis takes a moment to load

    outcomes = st.lists(st.sampled_from((FAILED, FAILED, FAILED, WORKED, BY_HAND)), max_size=7)
    return [st.tuples(source, outcomes, st.just(MAX_CONSECUTIVE_FAILURES))
            for source in (st.just("user"), st.sampled_from(SOURCES))]


def _judge(answer, case):
    tried, expected = answer(*case), _may_try(*case)
    if tried is not expected:
        raise Wrong(_cause(answer, tried), "A request that serves a compaction is never compacted, and after "
                    "max_failures failures in a row none is tried until one works or somebody compacts by hand.",
                    values(tried, expected))


def _may_try(source, outcomes, max_failures):
    failures = 0
    for outcome in outcomes:
        failures = failures + 1 if outcome == FAILED else 0
    return source not in NEVER_COMPACTED and failures < max_failures


def _cause(answer, tried):
    """What an answer gets wrong, by what it says of a few cases that only one mistake explains."""
    if not isinstance(tried, bool):
        return "it returns something else than True or False"
    full = [FAILED] * MAX_CONSECUTIVE_FAILURES
    causes = {
        "it is the wrong way round": ("user", []),
        "it gives up one failure too early": ("user", full[1:]),
        "it gives up one failure too late": ("user", full),
        "it counts all failures, not those in a row": ("user", [*full, WORKED]),
        "a compaction by hand changes nothing": ("user", [*full, BY_HAND]),
        **{f"it compacts a request that comes from {source}": (source, []) for source in SOURCES[1:]},
    }

    def fits(case):
        return answer(*case, MAX_CONSECUTIVE_FAILURES) is not _may_try(*case, MAX_CONSECUTIVE_FAILURES)

    return likely_cause(causes, fits, "it decides otherwise")


def _show(case):
    source, outcomes, max_failures = case
    return [f"    source = {source!r}, max_failures = {max_failures}", f"    outcomes = {outcomes}"]


guard = FunctionExercise(
    name="guard",
    right="No compaction compacts itself, and none fails for ever.",
    hints=(
        f"Two things say no: a source that is one of {SOURCES[1:]}, and too many failures.",
        "Only failures in a row count. Go through the outcomes: each failure adds one, anything else sets back to 0.",
        "Give back: the source is none of the two, and the failures are fewer than max_failures.",
    ),
    solution="07_guard.py",
    cases=_cases,
    judge=_judge,
    show=_show,
    probe=("user", [FAILED], MAX_CONSECUTIVE_FAILURES),
)
