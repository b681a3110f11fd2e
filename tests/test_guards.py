"""The guards of auto-compact: it never calls itself, gives up after three failures, and stops where nothing is won."""

import pytest
from talk import assistant, long_talk, user

from learn_compact.errors import NoProgressError, PolicyError, SummaryError
from learn_compact.pipeline import Guard, Guarded, Pipeline, auto_compact_threshold, request_source
from learn_compact.pipeline.guards import what_stays

LONG = [*long_talk(3, content="y" * 900), assistant("Done.")]


class Model:
    """A layer that asks: it fails, wins half of the messages, or wins nothing."""

    def __init__(self, mood="wins"):
        self.mood, self.triggers = mood, []

    def __call__(self, messages, summarize, trigger="auto", focus=""):
        self.triggers.append(trigger)
        summarize()
        if self.mood == "fails":
            raise SummaryError("No summary.")
        return messages[:1] if self.mood == "wins" else messages


def pipeline(layer, guard=None, when=lambda messages: True, summarize=lambda: None):
    return Pipeline([Guarded("auto_compact", layer, when, guard or Guard(), summarize=summarize)])


def fail(policy, times):
    for _ in range(times):
        with pytest.raises(SummaryError):
            policy.prepare(LONG)


@pytest.mark.parametrize("source", ["compact", "session_memory"])
def test_requests_that_come_from_a_compaction_are_never_compacted(source):
    layer = Model()
    with request_source(source):
        assert pipeline(layer).prepare(LONG) is LONG
    assert not layer.triggers
    assert pipeline(layer).prepare(LONG) == LONG[:1]


def test_a_summarizer_that_works_with_the_same_policy_does_not_compact_again():
    layer = Model()
    policy = pipeline(layer, summarize=lambda: policy.prepare(LONG))
    policy.prepare(LONG)
    assert layer.triggers == ["auto"]


def test_after_three_failures_in_a_row_no_automatic_attempt_is_made():
    layer = Model("fails")
    policy = pipeline(layer)
    fail(policy, 3)
    assert policy.prepare(LONG) is LONG and len(layer.triggers) == 3
    assert [report.ran for report in policy.last_run.reports] == [False]


def test_a_success_between_failures_counts_them_anew():
    layer = Model("fails")
    policy = pipeline(layer)
    fail(policy, 2)
    layer.mood = "wins"
    policy.prepare(LONG)
    layer.mood = "fails"
    fail(policy, 3)
    assert policy.prepare(LONG) is LONG


def test_a_compaction_by_hand_passes_the_breaker_with_its_words_and_closes_it():
    layer = Model("fails")
    policy = pipeline(layer)
    fail(policy, 3)
    layer.mood = "wins"
    assert policy.compact(LONG, "the failing test") == LONG[:1]
    assert layer.triggers[-1] == "manual"
    assert policy.prepare(LONG) == LONG[:1], "automatic ones are tried again"


def test_a_compaction_by_hand_closes_the_breaker_even_if_it_fails():
    policy = pipeline(Model("fails"))
    fail(policy, 3)
    with pytest.raises(SummaryError):
        policy.compact(LONG)
    fail(policy, 3)
    assert policy.prepare(LONG) is LONG


@pytest.mark.parametrize("source", ["compact", "session_memory"])
def test_a_refusal_is_not_answered_where_the_request_comes_from_a_compaction(source):
    layer = Model()
    policy = pipeline(layer, when=lambda messages: False)
    with request_source(source):
        assert policy.overflowed(LONG) is LONG
    assert not layer.triggers
    assert policy.overflowed(LONG) == LONG[:1] and layer.triggers == ["auto"]


def test_answers_to_a_refusal_count_for_the_breaker_and_obey_it():
    layer = Model("fails")
    policy = pipeline(layer)
    fail(policy, 2)
    with pytest.raises(SummaryError):
        policy.overflowed(LONG)
    assert policy.prepare(LONG) is LONG and policy.overflowed(LONG) is LONG and len(layer.triggers) == 3
    layer.mood = "wins"
    assert policy.compact(LONG) == LONG[:1]
    assert policy.overflowed(LONG) == LONG[:1], "a compaction by hand closes it"


def test_an_answer_to_a_refusal_that_works_counts_failures_anew_and_one_that_wins_nothing_does_not():
    layer = Model("fails")
    policy = pipeline(layer)
    for mood, failures_left in (("wins", 3), ("wins nothing", 1)):
        fail(policy, 2)
        layer.mood = mood
        policy.overflowed(LONG)
        layer.mood = "fails"
        fail(policy, failures_left)
        assert policy.prepare(LONG) is LONG
        policy.steps[0].guard.reset()


def test_a_refusal_is_answered_though_nothing_was_won_lately():
    layer = Model("wins nothing")
    policy = pipeline(layer)
    policy.prepare(LONG)
    with pytest.raises(NoProgressError):
        policy.prepare(LONG)
    layer.mood = "wins"
    assert policy.overflowed(LONG) == LONG[:1]
    assert policy.prepare(LONG) == LONG[:1], "and what was won counts"


def test_two_passes_that_save_almost_nothing_stop_and_say_what_cannot_be_shrunk():
    layer = Model("wins nothing")
    policy = pipeline(layer)
    assert policy.prepare(LONG) is LONG
    with pytest.raises(NoProgressError, match=r"2 compactions in a row saved almost nothing.*the newest answer \(13 "):
        policy.prepare(LONG)
    assert policy.prepare(LONG) is LONG and len(layer.triggers) == 2


def test_it_is_tried_again_when_the_context_has_grown_by_a_quarter():
    layer = Model("wins nothing")
    policy = pipeline(layer)
    policy.prepare(LONG)
    with pytest.raises(NoProgressError):
        policy.prepare(LONG)
    layer.mood, grown = "wins", [*LONG, user("y" * 4_000)]
    assert policy.prepare([*LONG, user("Go on.")]) and len(layer.triggers) == 2
    assert policy.prepare(grown) == grown[:1]


def test_what_is_not_due_is_not_counted():
    policy = pipeline(Model("wins nothing"), when=lambda messages: False)
    for _ in range(5):
        assert policy.prepare(LONG) is LONG


def test_unseen_results_are_named_by_their_tool():
    assert "results of bash that the model has not seen" in what_stays(LONG[:-1])


@pytest.mark.parametrize("window", [0, 13_000])
def test_a_window_no_larger_than_the_buffer_is_refused(window):
    with pytest.raises(PolicyError, match="larger window"):
        auto_compact_threshold(window)
