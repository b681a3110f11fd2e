"""What each step of a pipeline saves."""

import pytest
from pictures import outside, overlapping

from learn_compact.data import load_outline
from learn_compact.errors import PolicyError
from learn_compact.layers.micro import micro_compact
from learn_compact.pipeline import Pipeline, Step
from learn_compact.show import waterfall

REAL = load_outline("sniffly-d3ad4cdc").segments[0].conversation()
STEPS = [Step("never", lambda messages: messages, when=lambda messages: False), Step("micro_compact", micro_compact)]


def test_the_steps_stand_in_order_with_what_they_leave_and_save():
    reports = Pipeline(STEPS).run(REAL).reports
    picture = waterfall(reports)
    saved = reports[1].tokens_before - reports[1].tokens_after
    assert [row[0] for row in picture.table.rows] == ["before", "never", "micro_compact"]
    assert picture.table.rows[-1][1:3] == (reports[1].tokens_after, saved) and saved > 0
    assert f"micro_compact saves most, {saved:,}" in picture.alt
    assert any("did not run" in mark.text for mark in picture.figure.marks if hasattr(mark, "text"))
    assert not overlapping(picture.figure) and not outside(picture.figure)


def test_a_run_that_saves_nothing_says_so():
    assert waterfall(Pipeline(STEPS[:1]).run(REAL).reports).alt.endswith("after one step; no step saves anything.")


def test_no_steps_are_refused_with_a_sentence():
    with pytest.raises(PolicyError, match="at least one step"):
        waterfall([])
