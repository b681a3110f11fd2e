"""What the stand-in is for: a policy that loses something pays for it in figures, and one that doesn't, not."""

import pytest
from plain_loop import AUDIT, ask, run

from learn_compact import Archive, auto_compact, estimate_tokens, micro_compact
from learn_compact.offline import tasks
from learn_compact.offline.project import sample_project
from learn_compact.summaries import last_chars, three_points, whole_messages

DOCUMENTED = {"carry_request": False, "keep_unseen": False}  # s06 as it stands
SEEDS = range(6)


def compacting(folder, max_tokens, as_text=whole_messages, **how):
    """A policy: auto_compact above so many estimated tokens, with the stand-in's own summaries."""
    archive = Archive(folder, clock=lambda: 7)

    def summarize(messages, focus=""):
        return ask(f"{three_points(focus)}\n\n{as_text(messages, 80_000)}", tools=[], max_tokens=2_000)[0]["text"]

    def prepare(messages):
        if estimate_tokens(messages) <= max_tokens:
            return messages
        prepare.count += 1
        return auto_compact(messages, summarize=summarize, archive=archive, **how)

    prepare.count = 0
    return prepare


def outcome(task, folder, **how):
    """(score, calls, compactions) of a task under a policy."""
    policy = compacting(folder, **how)
    text, _, calls = run(task.prompt, task.build(folder), before=policy)
    return task.score(text, folder), len(calls), policy.count


@pytest.mark.parametrize("make", [tasks.audit, tasks.edit])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_policy_that_loses_nothing_costs_not_one_call(make, seed, tmp_path):
    task = make(seed)
    free = outcome(task, tmp_path / "free", max_tokens=10**9)
    kept = outcome(task, tmp_path / "kept", max_tokens=1_500)
    assert kept[:2] == free[:2] and free[0] == 1 and kept[2] > 0


def test_s06_as_it_stands_reads_again_and_changes_twice(tmp_path):
    made = [make(seed) for seed in SEEDS for make in (tasks.audit, tasks.edit)]
    cured = [outcome(task, tmp_path / f"{task.name}, cured", max_tokens=4_000) for task in made]
    as_it_stands = [outcome(task, tmp_path / task.name, max_tokens=4_000, as_text=last_chars, **DOCUMENTED)
                    for task in made]
    assert {score for score, _, _ in cured} == {1}
    assert sum(calls for _, calls, _ in as_it_stands) > 1.2 * sum(calls for _, calls, _ in cured)
    assert min(score for score, _, _ in as_it_stands) < 1  # a word whose replacement contains it, replaced twice


def test_the_first_request_is_lost_where_the_last_80_000_characters_are_all_that_is_summarised(tmp_path):
    policy = compacting(tmp_path, 30_000, last_chars, **DOCUMENTED)
    text, _, _ = run(AUDIT, sample_project(tmp_path / "project"), before=policy)
    assert "doesn't say any more what I was asked" in text and policy.count == 1


def test_a_batch_of_four_loses_its_first_result_to_micro_compact_as_documented(tmp_path):
    project = sample_project(tmp_path)
    whole, _, calls = run(AUDIT, project)
    for protect_unseen, more in ((True, 0), (False, 2)):
        text, _, made = run(AUDIT, project, before=lambda messages, protect=protect_unseen: micro_compact(
            messages, preserve=(), protect_unseen=protect))
        assert text.splitlines()[-2:] == whole.splitlines()[-2:] and len(made) == len(calls) + more
