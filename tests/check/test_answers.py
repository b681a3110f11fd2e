"""Right and wrong answers to the exercises: the cause that is named, and how small the example is."""

import pytest
from wrong_answers import WRONG

from learn_compact import check

LONGEST = 28  # lines of a verdict: one screen


@pytest.mark.parametrize(("exercise", "cause", "answer"), WRONG, ids=lambda value: getattr(value, "__name__", None))
def test_a_wrong_answer_gets_its_cause_and_a_small_example(exercise, cause, answer):
    verdict = getattr(check, exercise).verdict(answer)
    assert verdict.startswith(f"Not yet: {cause}.\n"), verdict
    assert "Traceback" not in verdict and len(verdict.splitlines()) <= LONGEST, verdict
