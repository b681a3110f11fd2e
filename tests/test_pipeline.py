"""Pipelines: steps in order, each measured, nothing swallowed, and the caller's messages never touched."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from talk import assistant, calls, long_talk, results, sizes, thought, user

from learn_compact.archive import Archive
from learn_compact.check.strategies import conversations
from learn_compact.errors import PolicyError, SummaryError
from learn_compact.layers.auto import auto_compact
from learn_compact.layers.micro import micro_compact
from learn_compact.messages import newest_request, problems
from learn_compact.pipeline import Pipeline, Step, above_tokens, s06
from learn_compact.tokens import estimate_chars, estimate_tokens

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")

LONG = "x" * 1_000


def summarize(messages, focus=""):
    return "1) Half of the files were read."


def refuse(messages, focus=""):
    raise SummaryError("No summary: the model refused to write it.")


@pytest.fixture
def archive(tmp_path):
    return Archive(tmp_path, clock=lambda: 7)


def drop_last(messages):
    return messages[:-1]


def test_steps_run_in_order_each_on_what_the_one_before_left():
    one, two, three = messages = [user("One."), user("Two."), user("Three.")]
    run = Pipeline([Step("first", drop_last), Step("second", drop_last)]).run(messages)
    assert run.messages == [one]
    assert [(report.name, report.before, report.after) for report in run.reports] == [
        ("first", [one, two, three], [one, two]), ("second", [one, two], [one])]


@pytest.mark.parametrize("forgotten", [lambda messages: None, lambda messages: messages[0]])
def test_a_layer_that_gives_back_no_list_is_named(forgotten):
    with pytest.raises(PolicyError, match="The layer of step 'mine' gave back"):
        Pipeline([Step("mine", forgotten)]).run([user("Look.")])


@pytest.mark.parametrize(("build", "said"), [
    (lambda: Pipeline([micro_compact]), "A step of a pipeline must be a Step"),
    (lambda: Pipeline(Step("micro", micro_compact)), "The steps of a pipeline must be a list"),
    (lambda: Pipeline([], overflow=auto_compact), "A step of a pipeline must be a Step"),
    (lambda: Step("micro", "micro_compact"), "The layer of step 'micro' must be a function"),
    (lambda: Step("micro", micro_compact, when=50_000), "The trigger of step 'micro' must be a function"),
    (lambda: Step(micro_compact, "micro"), "The name of a step must be a text"),
    (lambda: Pipeline([]).run("Count the functions."), "What a pipeline is given must be a list of messages"),
])
def test_what_no_pipeline_can_be_made_of_is_told_in_a_sentence(build, said):
    with pytest.raises(PolicyError, match=said):
        build()


@pytest.mark.parametrize(("given", "said"), [
    ({"summarize": lambda messages: "It takes no focus."}, r'summarize must be a function such as summarize\(messages'),
    ({"summarize": None}, "summarize must be a function"), ({"archive": None}, r"archive must be an Archive\(folder\)"),
])
def test_a_summary_step_that_lacks_what_it_needs_says_so(archive, given, said):
    messages = long_talk(9)
    with pytest.raises(PolicyError, match=said):
        s06(**{"summarize": summarize, "archive": archive, **given}, threshold=0).run(messages)
    assert messages == long_talk(9)


def test_a_type_error_inside_a_summarize_is_its_own(archive):
    def broken(messages, focus=""):
        return "Half" + 1

    with pytest.raises(TypeError, match="concatenate"):
        s06(broken, archive, threshold=0).run(long_talk(9))


def test_a_step_whose_time_has_not_come_does_nothing_and_says_so():
    messages = long_talk(2)
    run = Pipeline([Step("never", drop_last, when=lambda messages: False), Step("micro", micro_compact)]).run(messages)
    assert [report.ran for report in run.reports] == [False, True]
    assert run.messages is messages


def test_parameters_are_handed_to_the_layer():
    messages = [*long_talk(5, content=LONG), assistant("Four.")]
    assert Step("micro", micro_compact, keep_recent=1).run(messages)[0] == micro_compact(messages, keep_recent=1)


def test_a_report_gives_tokens_and_characters_before_and_after_calls_seconds_and_what_the_cache_keeps(archive):
    messages = [*long_talk(5, content=LONG), assistant("Four.")]
    policy = Pipeline([Step("micro_compact", micro_compact),
                       Step("auto_compact", auto_compact, summarize=summarize, archive=archive)])
    micro, auto = policy.run(messages).reports
    cleared = micro_compact(messages)
    assert (micro.tokens_before, micro.tokens_after) == (estimate_tokens(messages), estimate_tokens(cleared))
    assert (micro.chars_before, micro.chars_after) == (estimate_chars(messages), estimate_chars(cleared))
    assert (auto.tokens_before, auto.chars_before) == (micro.tokens_after, micro.chars_after)
    assert (micro.calls, auto.calls) == (0, 1)
    assert micro.seconds >= 0 and auto.seconds >= 0
    assert micro.prefix_kept == pytest.approx(estimate_tokens(messages[:2]) / estimate_tokens(messages))
    assert auto.prefix_kept == pytest.approx(0, abs=0.01)
    assert policy.last_run.messages[0] is auto.after[0]


def test_reports_stay_true_when_the_agent_changes_its_list_in_place():
    messages = [*long_talk(5, content=LONG), assistant("Four.")]
    before = estimate_tokens(messages)
    run = Pipeline([Step("micro_compact", micro_compact)]).run(messages)
    messages[:] = run.messages
    messages.append(user("Go on."))
    assert run.reports[0].tokens_before == before and len(run.messages) == len(messages) - 1


def test_where_nothing_changes_the_prefix_is_whole():
    run = Pipeline([Step("micro_compact", micro_compact)]).run(long_talk(2))
    assert [report.prefix_kept for report in run.reports] == [1.0]


def test_what_a_step_raises_reaches_the_caller_with_what_the_steps_before_it_had_made(archive):
    messages = [*long_talk(5, content=LONG), assistant("Four.")]
    before = copy.deepcopy(messages)
    policy = s06(refuse, archive, threshold=0)
    with pytest.raises(SummaryError, match="refused") as raised:
        policy.prepare(messages)
    assert raised.value.reached == micro_compact(messages) and messages == before
    with pytest.raises(SummaryError) as raised:
        policy.prepare(messages[:3])
    assert raised.value.reached == messages[:3], "micro_compact had nothing to do"


def test_an_error_that_is_not_ours_goes_through_untouched():
    def broken(messages):
        raise ZeroDivisionError
    with pytest.raises(ZeroDivisionError):
        Pipeline([Step("broken", broken)]).prepare([])


@pytest.mark.parametrize("tokens", [1_000, 1_001])
def test_the_trigger_is_the_estimate_of_s06_to_the_token(tokens):
    messages = [user("x" * (4 * tokens - len(str([user("")]))))]
    assert estimate_tokens(messages) == tokens
    assert above_tokens(1_000)(messages) == (tokens > 1_000)


@given(conversations(), st.data())
def test_the_trigger_knows_the_size_of_any_history_however_it_came_about(messages, choose):
    trigger = above_tokens(threshold := choose.draw(st.integers(0, 3_000)))
    for cut in choose.draw(st.lists(st.integers(0, len(messages)), max_size=4)):
        assert trigger(messages[:cut]) == (cut > 0 and estimate_tokens(messages[:cut]) > threshold)
    after = micro_compact(messages, keep_recent=0)
    assert trigger(after) == (estimate_tokens(after) > threshold)


def test_asking_for_a_compaction_passes_by_the_trigger_and_hands_on_the_focus(archive):
    asked = []

    def summarize(messages, focus=""):
        asked.append(focus)
        return "1) Half."

    policy, messages = s06(summarize, archive), [*long_talk(5, content=LONG), assistant("Four.")]
    assert len(policy.prepare(messages)) == len(messages) and asked == []
    assert len(policy.compact(messages, "the failing test")) == 1
    assert len(policy.overflowed(messages)) == 1
    assert asked == ["the failing test", ""]
    assert [report.name for report in policy.last_run.reports] == ["auto_compact"]


def test_an_overflow_may_have_a_step_of_its_own():
    policy = Pipeline([], overflow=Step("drop", drop_last))
    assert policy.overflowed([user("One."), user("Two.")]) == [user("One.")]


@pytest.mark.parametrize("ask", [lambda policy: policy.compact([]), lambda policy: policy.overflowed([])])
def test_a_pipeline_that_has_no_summary_says_so(ask):
    with pytest.raises(PolicyError, match="can make a summary"):
        ask(Pipeline([Step("micro_compact", micro_compact)]))


def test_a_pipeline_knows_its_archive(archive):
    assert s06(summarize, archive).archive is archive
    assert Pipeline([Step("micro_compact", micro_compact)]).archive is None


# Thinking that could not go at once


def thinking_talk(rounds, content):
    messages = [user("Count the functions.")]
    for n in range(rounds):
        messages += [calls(f"call_{n}", before=[thought()]), results((f"call_{n}", content))]
    return messages


def test_thinking_that_was_the_newest_when_something_before_it_changed_goes_at_the_next_turn():
    policy = Pipeline([Step("micro_compact", micro_compact, keep_recent=1)])
    first = policy.prepare(thinking_talk(3, LONG))
    assert [block["type"] for block in first[-2]["content"]] == ["thinking", "tool_use"], "the newest answer's stays"
    short = [calls("call_9", before=[thought("I see.")]), results(("call_9", "short"))]
    second = policy.prepare([*first, *short])
    assert [block["type"] for block in second[5]["content"]] == ["tool_use"]
    assert second[-2:] == short
    assert policy.prepare(second) is second


def test_thinking_stays_as_long_as_nothing_before_it_changes():
    policy, messages = Pipeline([Step("micro_compact", micro_compact)]), thinking_talk(3, "short")
    assert policy.prepare(messages) is messages
    more = [*messages, *thinking_talk(1, "short")[1:]]
    assert policy.prepare(more) is more


# For every conversation


@pytest.fixture(scope="module")
def shared_archive(tmp_path_factory):
    return Archive(tmp_path_factory.mktemp("root"))


@given(messages=conversations(), threshold=st.sampled_from([0, 100, 10_000]))
def test_s06_keeps_every_rule_of_a_layer_and_a_second_pass_changes_nothing(shared_archive, messages, threshold):
    before = copy.deepcopy(messages)
    policy = s06(summarize, shared_archive, threshold=threshold)
    after = policy.prepare(messages)
    assert problems(after) == [] and messages == before
    assert all(new <= old for new, old in zip(sizes(after), sizes(messages), strict=True))
    assert newest_request(after, shared_archive) == newest_request(messages)
    assert policy.prepare(after) is after


@given(messages=conversations(max_turns=12), threshold=st.sampled_from([100, 500]))
def test_a_conversation_that_grows_turn_by_turn_under_s06_is_valid_at_every_request(
        shared_archive, messages, threshold):
    policy, history = s06(summarize, shared_archive, threshold=threshold), []
    for message in messages:
        if message["role"] == "assistant":
            history = policy.prepare(history)
            assert problems(history) == []
        history = [*history, message]
    assert history[-1] is messages[-1]
