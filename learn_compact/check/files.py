"""The exercise of chapter 7: which files come back after a compaction, and how much of each."""

from math import inf

from learn_compact.check.exercise import FunctionExercise
from learn_compact.check.wrong import Wrong, likely_cause, values

# A case: what was read, the oldest first, each with the tokens it had then; then the three limits.
# In this one each mistake of `_cause` chooses otherwise.
PROBE = ([("a.py", 8_000), ("c.py", 9_000), ("b.py", 1_000), ("d.py", 2_000), ("e.py", 7_000), ("d.py", 2_000),
          ("d.py", 2_000)], 4, 5_000, 11_000)


def _cases():
    from hypothesis import strategies as st  # late: hypothesis takes a moment to load

    sizes = st.fixed_dictionaries({f"{letter}.py": st.integers(1, 90).map(lambda n: n * 100) for letter in "abcdefg"})
    paths = st.lists(st.sampled_from([f"{letter}.py" for letter in "abcdefg"]), max_size=9)
    reads = st.tuples(sizes, paths).map(lambda pair: [(path, pair[0][path]) for path in pair[1]])
    growing = st.lists(st.tuples(st.sampled_from(["a.py", "b.py"]), st.sampled_from([100, 200, 300])), max_size=5)
    limits = st.just(5), st.just(5_000), st.sampled_from([50_000, 12_000, 6_000])
    return [st.tuples(reads, *limits), st.tuples(growing, *limits)]


def _judge(answer, case):
    chosen, expected = answer(*case), _chosen(*case)
    if not _same(chosen, expected):
        raise Wrong(_cause(answer), "The newest come first, each once, cut to max_each and to the room that is left.",
                    values(chosen, expected))


def _same(chosen, expected):
    return isinstance(chosen, dict) and list(chosen.items()) == list(expected.items())


def _chosen(reads, max_files, max_each, max_all, *, whole_or_not=False):
    """`{path: tokens shown}`; with `whole_or_not` a file that must be cut is left out."""
    chosen, room = {}, max_all
    for path, tokens in reversed(reads):
        fits = min(tokens, max_each, room)
        if path not in chosen and fits and len(chosen) < max_files and not (whole_or_not and fits < tokens):
            chosen[path] = fits
            room -= fits
    return chosen


def _cause(answer):
    reads, max_files, max_each, max_all = PROBE
    limits, many = (max_files, max_each, max_all), [(f"{letter}.py", 100) for letter in "abcdef"]
    causes = {cause: (reads, chosen) for cause, chosen in {
        "it takes the files that were read first": _chosen(reads[::-1], *limits),
        "a file that was read twice takes two places": _chosen(reads[-max_files:], *limits),
        "a file that is too large is left out instead of cut": _chosen(*PROBE, whole_or_not=True),
        "the last file is left out instead of cut to the room that is left": dict([*_chosen(*PROBE).items()][:-1]),
        "it forgets the limit of each file": _chosen(reads, max_files, inf, max_all),
        "it forgets the limit of all files together": _chosen(reads, max_files, max_each, inf),
    }.items()} | {
        "it forgets the number of files": (many, _chosen(many, inf, max_each, max_all)),
        "it takes an older size of a file that has changed": ([("a.py", 100), ("a.py", 200)], {"a.py": 100}),
    }
    return likely_cause(causes, lambda known: _same(answer(known[0], *limits), known[1]), "it chooses otherwise")


def _show(case):
    reads, max_files, max_each, max_all = case
    return [f"    reads = {reads}", f"    max_files, max_each, max_all = {max_files}, {max_each:,}, {max_all:,}"]


files_to_restore = FunctionExercise(
    name="files_to_restore",
    right="The newest files are back, and they fit.",
    hints=(
        "Go through reversed(reads): the newest comes first, and a path that is there already counts no more.",
        "A file gets min(tokens, max_each, room), where room is what the files before it left of max_all.",
        "Stop when there are max_files files, or when room is 0.",
    ),
    solution="07_files_to_restore.py",
    cases=_cases,
    judge=_judge,
    show=_show,
    probe=PROBE,
)
