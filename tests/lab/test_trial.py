"""One task, one policy, one fresh folder."""

import pytest

from learn_compact.agent import S08_TOOLS
from learn_compact.errors import MessageError
from learn_compact.lab import trial
from learn_compact.layers.micro import micro_compact
from learn_compact.offline import tasks
from learn_compact.pipeline import Pipeline, Step, s06, s08

AUDIT = "Count the functions in every Python file under agents/, skip files named test_*, and report the total."


def test_a_trial_tells_what_the_agent_did_and_what_it_cost():
    found = trial(AUDIT)
    assert found.error is None and "Total: 499 functions in 11 files" in found.answer
    assert found.requests == len(found.points) == len(found.api.calls) and found.summaries == 0
    assert [name for name, _ in found.calls] == ["bash"] + ["read_file"] * 11
    assert found.repeated == 0
    assert found.largest == found.points[-1].counted


def test_an_agent_that_makes_no_room_stops_with_a_sentence():
    found = trial(AUDIT, window=30_000)
    assert found.answer == "" and "prompt is too long" in found.error


def test_an_answer_that_was_cut_off_is_no_answer_given():
    task, heard = tasks.audit(5), []
    found = trial(task.prompt, s08, build=task.build, window=4_000, tools=S08_TOOLS, on_event=heard.append)
    assert found.answer and str(task.answer) not in found.answer
    assert found.error == "the answer was cut off where the context window ended" == heard[-1].text
    assert trial(AUDIT, max_turns=2).error == "2 requests were made, as many as max_turns allows"


def test_summaries_are_told_apart_from_requests_and_looks_from_looks_again():
    found = trial(AUDIT, lambda summarize, archive: s06(summarize, archive, threshold=10_000), window=30_000)
    assert found.summaries == len(found.api.calls) - found.requests > 0
    assert len(found.log) > len(found.messages)

    def clears_unseen(summarize, archive):
        return Pipeline([Step("micro", micro_compact, preserve=(), protect_unseen=False)])

    assert trial(AUDIT, clears_unseen).repeated > 0


def test_a_file_whose_parts_are_noted_and_in_sight_is_counted_whole():
    """Its first half was noted and is gone, its second is in sight: a window of 12,000 tokens makes that so."""
    found = trial(AUDIT, s08, window=12_000, tools=S08_TOOLS)
    assert any("sed -n" in arguments.get("command", "") for _, arguments in found.calls)
    assert "Total: 499 functions in 11 files" in found.answer


@pytest.mark.parametrize(("question", "options", "said"), [
    (None, {}, r"trial\(question\) must be a text, not None"), (AUDIT, {"policy": 3}, "a function such as s06, not 3"),
    (AUDIT, {"build": "folder"}, "a function that fills a folder"),
])
def test_what_is_no_trial_is_refused_with_a_sentence(question, options, said):
    with pytest.raises(MessageError, match=said):
        trial(question, **options)
