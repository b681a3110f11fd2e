"""The tasks that score: right answers are computed apart, and the stand-in gets them all while nothing is forgotten."""

import ast
import re

import pytest
from plain_loop import run

from learn_compact.offline import tasks

SEEDS = range(50)


@pytest.mark.parametrize("seed", SEEDS)
def test_an_audit_ends_in_the_right_total(seed, tmp_path):
    task = tasks.audit(seed)
    text, _, _ = run(task.prompt, task.build(tmp_path))
    assert task.score(text, tmp_path) == 1, text


@pytest.mark.parametrize("seed", SEEDS)
def test_an_edit_changes_every_file_that_it_should_and_no_other(seed, tmp_path):
    task = tasks.edit(seed)
    text, _, _ = run(task.prompt, task.build(tmp_path))
    assert task.score(text, tmp_path) == 1, text
    assert {path: (tmp_path / path).read_text(encoding="utf-8") for path in task.answer} == task.answer


def test_the_same_seed_gives_the_same_task_and_another_seed_another():
    for make in (tasks.audit, tasks.edit):
        assert make(4) == make(4) and len({make(seed).prompt for seed in range(20)}) > 15


@pytest.mark.parametrize("make", [tasks.audit, tasks.edit])
@pytest.mark.parametrize("seed", range(4))
def test_without_its_rule_a_task_ends_wrong(make, seed, tmp_path):
    task = make(seed)
    rule = next(words for said in tasks._RULES.values() for words in said if words in task.prompt)
    text, _, _ = run(task.prompt.replace(f", {rule}", ""), task.build(tmp_path))
    assert task.score(text, tmp_path) < 1


def test_an_answer_is_right_by_a_count_of_another_kind():
    task = next(task for task in map(tasks.audit, SEEDS) if "classes" in task.prompt and "test_*" in task.prompt)
    folder = next(path.split("/")[0] for path in task.files if "/" in path and path.split("/")[0] in task.prompt)
    texts = [text for path, text in task.files.items() if path.startswith(folder + "/") and path.endswith(".py")
             and not path.split("/")[-1].startswith("test_")]
    assert task.answer == sum(len(re.findall(r"^\s*class \w", text, re.M)) for text in texts) > 0
    assert all(ast.parse(text) for text in texts)


@pytest.mark.parametrize(("text", "total"), [
    ("Total: 57 functions in 12 files.", 57), ("12 files hold 57 functions in total.", 57), ("**Total**: 1,204", 1204),
    ("a.py: 3\nb.py: 4\nTotal 7", 7), ("I counted nothing.", None), ("subtotal 3, total 9", 9), ("", None),
])
def test_the_total_that_a_text_states_is_found(text, total):
    assert tasks.stated_total(text) == total


def test_an_edit_is_scored_by_the_share_of_right_files(tmp_path):
    task = tasks.edit(0)
    task.build(tmp_path)
    assert task.score("Done.", tmp_path) == 0
    concerned = [path for path in task.files if task.files[path] != task.answer[path]]
    for path in concerned:
        (tmp_path / path).write_text(task.answer[path], encoding="utf-8")
    assert task.score("", tmp_path) == 1
    (tmp_path / "README.md").write_text("changed", encoding="utf-8")
    (tmp_path / concerned[0]).unlink()
    assert task.score("", tmp_path) == (len(concerned) - 1) / (len(concerned) + 1)
