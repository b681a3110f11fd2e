"""The frame of the exercises: stubs, hints, and answers that hang, fail, print, leave or change their mind."""

import itertools
import os
import random
import runpy
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from wrong_answers import keeps_two

from learn_compact import Archive, blocks, check, micro_compact, problems
from learn_compact.check.careful import within
from learn_compact.check.exercise import PROBE
from learn_compact.check.order import ORDER
from learn_compact.messages import marker_path

SOLUTIONS = Path(__file__).parents[2] / "notebooks" / "solutions"
EXERCISES = [name for name in check.__all__ if name != "hint"]
FUNCTIONS = [name for name in EXERCISES if name != "order_steps"]


def raises(*_):
    raise NotImplementedError


def fails_for_long(messages):
    if len(messages) > 2:
        messages.missing()
    return messages


def in_python(program, **environment):
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True,
                          cwd=Path(__file__).parent, env={**os.environ, **environment})
    return done.stdout


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("stub", [lambda *_: ..., lambda *_: None, lambda *_: NotImplemented, raises, None, ...])
def test_a_stub_is_told_that_it_is_not_filled_in(name, stub, capsys):
    getattr(check, name)(stub)
    printed = capsys.readouterr().out
    assert printed.endswith(f'is not filled in yet. A first hint: check.hint("{name}", 1)\n')
    assert printed.count("\n") == 1


def test_a_stub_is_called_by_its_name_and_costs_no_import_of_hypothesis():
    printed = in_python("import sys\nfrom learn_compact import check\ndef my_micro_compact(messages): ...\n"
                        "check.micro_compact(my_micro_compact)\nprint('hypothesis' in sys.modules)")
    assert printed == ('my_micro_compact is not filled in yet. A first hint: check.hint("micro_compact", 1)\n'
                       "False\n")


@pytest.mark.parametrize("name", EXERCISES)
def test_an_exercise_shows_how_it_is_used_and_gives_nothing_away(name):
    assert repr(getattr(check, name)) == f'check.{name}(your answer), with hints: check.hint("{name}", 1)'


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_no_function_is_refused_in_a_sentence(name):
    verdict = getattr(check, name).verdict([1])
    assert verdict.startswith(f"check.{name} wants the function itself, and this is of type list: ")


def user(*content):
    return [{"role": "user", "content": list(content)}]


ODD_RESULT = {"type": "tool_result", "tool_use_id": [], "content": 1}
ODD_VALUES = [0, -1, True, float("nan"), "", "x", b"x", object, len, (), [], {}, set(), [None], [1], [[]], ["x"], [{}],
              [{"role": "user"}], [{"role": "user", "content": None}], [{"role": [], "content": [[]]}], user(1),
              user({"type": "text", "text": 1}), user(ODD_RESULT), ({}, True), (user(None)[0], {}),
              (user(ODD_RESULT)[0], True), ({"role": "user", "content": "x"}, True)]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_whatever_a_function_returns_there_is_a_verdict(name):
    for value in ODD_VALUES:
        verdict = getattr(check, name).verdict(lambda *_, value=value: value)
        assert verdict.startswith("Not yet: "), value


def test_a_summary_in_an_odd_form_gets_a_verdict_too():
    def odd(messages, summarize, archive):
        archive.save_transcript(messages)
        summarize(messages)
        return user({"type": "text", "text": 1})

    assert check.auto_compact.verdict(odd).startswith("Not yet: the first message reads differently.")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_with_other_parameters_is_told_what_python_says(name):
    assert getattr(check, name).verdict(lambda: 1).startswith("Not yet: it raised TypeError.")


@pytest.mark.parametrize("name", EXERCISES)
def test_every_exercise_has_three_hints_and_then_its_solution(name, capsys):
    for number in (1, 2, 3, 4):
        check.hint(name, number)
    printed = capsys.readouterr().out.splitlines()
    assert len(set(printed)) == 4 and all(f"Hint {n} of 3: " in printed[n - 1] for n in (1, 2, 3))
    solution = printed[3].removesuffix(".").rpartition("notebooks/solutions/")[2]
    assert (SOLUTIONS / solution).is_file()


@pytest.mark.parametrize("solution", sorted(SOLUTIONS.glob("*.py")), ids=lambda path: path.stem)
def test_a_solution_is_right(solution, capsys):
    runpy.run_path(str(solution))
    assert capsys.readouterr().out.startswith("Right. ")


def answer_of(solution):
    """The function that a solution defines."""
    return runpy.run_path(str(SOLUTIONS / solution))["my_" + Path(solution).stem[3:]]


def test_the_solutions_work_with_a_real_archive_too(tmp_path):
    messages, archive = list(PROBE), Archive(tmp_path)
    for after in (answer_of("03_auto_compact.py")(messages, lambda messages: "All passed.", archive),
                  answer_of("05_snip_compact.py")(messages, archive, 3, 1, 1)):
        path = next(path for block in blocks(after[after[0] == messages[0]]) if (path := marker_path(block["text"])))
        assert problems(after) == []
        assert archive.load(path) in (messages, messages[1:3])


def test_a_hint_for_an_unknown_exercise_names_those_there_are(capsys):
    check.hint("nano_compact")
    assert capsys.readouterr().out == f"There is no exercise 'nano_compact'. The exercises: {', '.join(EXERCISES)}.\n"


def test_the_verdict_is_the_same_in_every_process():
    program = "from wrong_answers import keeps_two\nfrom learn_compact import check\ncheck.micro_compact(keeps_two)"
    printed = {in_python(extra + program, PYTHONHASHSEED=seed) for seed, extra in [
        ("1", ""), ("2", "import learn_compact.offline, learn_compact.agent\n")]}
    assert printed == {check.micro_compact.verdict(keeps_two) + "\n"}


def test_the_verdict_reads_like_this():
    assert check.micro_compact.verdict(keeps_two) == """\
Not yet: one of the newest 3 results was cleared.

Given
  0 user       "Yes."
  1 assistant  call_1: calls bash
               call_2: calls bash
               call_3: calls bash
  2 user       call_1: result "Line after line. Line after line. Li … ne. Line after line." (101 characters)
               call_2: result "Yes."
               call_3: result "Yes."
  3 assistant  "Yes."

Yours
  2 user       call_1: result "[Previous: used bash]"

Expected
  2 user       call_1: result "Line after line. Line after line. Li … ne. Line after line." (101 characters)

The newest 3 results stay, whatever messages they stand in: results[:-3] are the old ones."""


def test_an_error_is_told_with_its_line_and_the_smallest_input():
    verdict = check.micro_compact.verdict(fails_for_long)
    assert verdict.startswith("Not yet: it raised AttributeError.\n\nGiven\n  0 user ")
    assert verdict.endswith("'list' object has no attribute 'missing', in the line: messages.missing()")


@pytest.mark.parametrize("leave", [sys.exit, lambda: (_ for _ in ()).throw(KeyboardInterrupt)])
def test_an_answer_that_wants_to_leave_does_not_take_the_notebook_along(leave):
    def leaves(messages):
        return leave() or next(leave())

    assert check.micro_compact.verdict(leaves).startswith("Not yet: it raised ")


def test_what_an_answer_prints_is_dropped(capsys):
    check.micro_compact(lambda messages: print("here") or micro_compact(messages))
    assert capsys.readouterr().out.startswith("Right. ")


def test_an_answer_that_changes_its_mind_gets_a_verdict_all_the_same():
    moody = random.Random(7)
    verdict = check.micro_compact.verdict(lambda messages: messages if moody.random() < 0.5 else messages[:-1])
    assert verdict.startswith("Not yet: ")


def test_a_call_that_hangs_is_ended_and_leaves_no_thread_behind():
    def hangs():
        while True:
            pass

    before = threading.active_count()
    value, error = within(0.1, hangs)
    assert value is None and type(error).__name__ == "TooSlow"
    assert threading.active_count() == before


def test_an_estimate_that_keeps_the_rules_must_still_beat_the_rule_of_four():
    def five_hundred_a_message(messages):
        return sum(500 + 2 * len(message["content"]) * isinstance(message["content"], str) for message in messages)

    verdict = check.better_estimate.verdict(five_hundred_a_message)
    assert verdict.startswith("Not yet: the rule of four is nearer") and "sniffly-d3ad4cdc" in verdict


@pytest.mark.parametrize("order", list(itertools.permutations(ORDER)))
def test_only_the_order_of_s08_and_its_equal_are_right(order):
    is_right = order.index("micro_compact") == 2 and order.index("compact_history") == 3
    assert check.order_steps.verdict(list(order)).startswith("Right. " if is_right else "Not yet: ")


@pytest.mark.parametrize(("answer", "begins"), [
    ([], "order_steps is not filled in yet."),
    ([...], "order_steps is not filled in yet."),
    (None, "order_steps is not filled in yet."),
    (list(ORDER[:3]), "Not yet: the list should name each of these once: compact_history,"),
    (["tool_result_budget", "micro_compact", "snip_compact", "compact_history"],
     "Not yet: micro_compact comes before snip_compact."),
])
def test_an_order_that_is_no_order_is_told_why(answer, begins):
    assert check.order_steps.verdict(answer).startswith(begins)
