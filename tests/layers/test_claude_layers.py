"""The layers of Claude Code over any conversation: by age, collapse, and the full compaction."""

import copy
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from talk import all_blocks, assistant, long_talk, sizes, thought, user

from learn_compact.archive import Archive
from learn_compact.check.strategies import conversations
from learn_compact.errors import PolicyError
from learn_compact.layers.age import Ages, is_recoverable, micro_by_age
from learn_compact.layers.auto import compact_history
from learn_compact.layers.collapse import collapse, collapse_finished, finished_spans
from learn_compact.layers.full import NO_ROOM, Attachment, full_compact
from learn_compact.messages import carried_request, newest_request, problems, tool_results, unseen_results
from learn_compact.pipeline import Pipeline, Projection, Step
from learn_compact.summaries import Summary

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")


def assert_the_rules_hold(before, after, archive=None):
    assert not problems(after)
    assert after is before or all(new <= old for new, old in zip(sizes(after), sizes(before), strict=True))
    assert newest_request(after, archive) == newest_request(before, archive)
    assert [found.block for found in unseen_results(after)] == [found.block for found in unseen_results(before)]


@given(conversations(max_turns=10), st.integers(0, 20), st.integers(0, 5), st.integers(0, 200))
def test_by_age_the_rules_hold_and_only_what_is_old_and_recoverable_goes(messages, old, keep_recent, min_chars):
    as_it_was, places = copy.deepcopy(messages), {id(message): i for i, message in enumerate(messages)}
    after = micro_by_age(messages, age_of=lambda message: 100 if places[id(message)] < old else 0, max_age=50,
                         keep_recent=keep_recent, min_chars=min_chars)
    assert messages == as_it_was
    assert_the_rules_hold(messages, after)
    there = {found.tool_use_id: found.block for found in tool_results(after)}
    recoverable = {block["id"] for block in all_blocks(messages) if is_recoverable(block)}
    for i, _, block in tool_results(messages):
        assert there[block["tool_use_id"]] == block or (
            i < old and block["tool_use_id"] in recoverable and not block.get("is_error"))
    again = micro_by_age(after, age_of=lambda message: 0)
    assert again is after


def test_by_age_thinking_behind_a_change_goes_but_for_the_newest_answers():
    talk = long_talk(2, content="y" * 200)
    talk[3]["content"].insert(0, thought())
    messages = [*talk, {"role": "assistant", "content": [thought(), {"type": "text", "text": "Two."}]}]
    after = micro_by_age(messages, age_of=lambda message: 9_999, keep_recent=1)
    assert [block["type"] for block in after[3]["content"]] == ["text", "tool_use"] and after[-1] is messages[-1]


def test_messages_whose_time_nobody_knows_are_as_old_as_what_stands_around_them():
    now = [0]
    ages = Ages(lambda: now[0])
    messages = [*long_talk(5, content="y" * 200), assistant("Five.")]
    ages.see(messages)
    now[0] = 10
    assert micro_by_age(messages, age_of=ages, max_age=10) is messages
    now[0] = 11
    assert micro_by_age(messages, age_of=ages, max_age=10) is not messages


def spans_in(messages, choose):
    ends = sorted(choose.draw(st.sets(st.integers(0, len(messages)), max_size=6)))
    return [{"start": one, "end": other, "summary": choose.draw(st.sampled_from(["Done.", "word " * 200]))}
            for one, other in zip(ends[::2], ends[1::2], strict=False)]


@given(conversations(max_turns=10), st.data())
def test_collapse_keeps_the_rules_and_what_is_stored(messages, choose):
    as_it_was, spans = copy.deepcopy(messages), spans_in(messages, choose)
    after = collapse(messages, spans)
    assert messages == as_it_was
    assert_the_rules_hold(messages, after)
    assert after[0] == messages[0] and collapse(messages, []) is messages
    assert all(message in messages or "messages collapsed]" in str(message) or message["role"] == "assistant"
               for message in after)


@given(conversations(max_turns=12), st.integers(1, 6), st.integers(0, 6))
def test_finished_work_holds_no_words_of_the_user_and_no_state(messages, span_messages, keep_last):
    spans = finished_spans(messages, span_messages=span_messages, keep_last=keep_last)
    for span in spans:
        for block in all_blocks(messages[span["start"]:span["end"]]):
            assert block["type"] != "tool_use" or is_recoverable(block)
        assert all(message["role"] == "assistant" or {block["type"] for block in message["content"]} == {"tool_result"}
                   for message in messages[span["start"]:span["end"]])
        assert span["end"] <= len(messages) - keep_last
    after = collapse_finished(messages, span_messages=span_messages, keep_last=keep_last)
    assert_the_rules_hold(messages, after)


def test_as_a_conversation_grows_the_beginning_of_what_is_read_stays():
    talk = long_talk(60, content="word " * 100)
    before, after = collapse_finished(talk[:81]), collapse_finished(talk[:89])
    assert before[:4] == after[:4] and "[20 messages collapsed]" in str(before[:4])


@pytest.mark.parametrize("spans", [
    [{"start": 1, "end": 9, "summary": ""}], [{"start": 2, "end": 2, "summary": ""}],
    [{"start": -1, "end": 2, "summary": ""}],
    [{"start": 1, "end": 3, "summary": ""}, {"start": 2, "end": 4, "summary": ""}]])
def test_spans_out_of_range_or_over_one_another_are_refused(spans):
    with pytest.raises(PolicyError, match="span"):
        collapse(long_talk(2), spans)


class Files:
    """A restoration that attaches so many characters, and remembers whether caches were cleared."""

    def __init__(self, chars):
        self.chars, self.cleared = chars, 0

    def focus(self, messages, trigger):
        return ""

    def attachments(self, messages, archive, trigger):
        return [Attachment("The plan as it stands:\n> [ ] Count"),
                *(Attachment(f"Restored file: {n}.py\nRead again.\n```\n{'x' * self.chars}\n```", name=f"{n}.py")
                  for n in range(2))]

    def clear(self):
        self.cleared += 1


@given(conversations(max_turns=10), st.integers(0, 1_000), st.booleans())
def test_a_full_compaction_keeps_the_rules_whatever_is_attached(messages, chars, as_sections):
    as_it_was, restoration = copy.deepcopy(messages), Files(chars)
    summary = Summary({"Current work": "the parser"}) if as_sections else "Half of it is done."
    with TemporaryDirectory() as folder:
        archive = Archive(Path(folder), clock=lambda: 7)
        parameters = {"archive": archive, "restoration": restoration}
        after = full_compact(messages, summarize=lambda messages, focus: summary, **parameters)
        assert messages == as_it_was
        assert_the_rules_hold(messages, after, archive)
        assert restoration.cleared == (after is not messages)
        again = full_compact(after, summarize=lambda messages, focus: summary, **parameters)
        assert again is after or after is messages
        if after is not messages:
            assert "> [ ] Count" in str(after[0])


def test_what_was_attached_is_not_shown_to_whoever_summarises_next(tmp_path):
    archive, shown = Archive(tmp_path, clock=lambda: 7), []

    def summarize(messages, focus=""):
        shown.append(messages)
        return "Half."

    parameters = {"summarize": summarize, "archive": archive, "restoration": Files(50)}
    once = full_compact([*long_talk(4, content="word " * 200), assistant("Four.")], **parameters)
    twice = full_compact([*once, assistant("word " * 900), user("Go on.")], **parameters)
    assert "Restored file" in str(once) and "Restored file" in str(twice)
    assert "Restored file" not in str(shown[1]) and "Transcript:" not in str(shown[1]) and "Half." in str(shown[1])
    assert newest_request(twice, archive) == "Go on."


def test_a_summary_of_s08_stays_known_as_one_of_ours_when_the_next_is_made(tmp_path):
    archive, shown = Archive(tmp_path, clock=lambda: 7), []
    talk = [*long_talk(4, content="word " * 200), assistant("Four.")]
    ours = compact_history(talk, summarize=lambda messages, focus: "Half.", archive=archive)
    full_compact([*ours, assistant("word " * 900)], archive=archive,
                 summarize=lambda messages, focus: shown.append(messages) or "More.")
    assert carried_request(shown[0][0], archive) == "Count the functions."


def test_where_there_is_no_room_files_go_before_state(tmp_path):
    messages = [user("Count."), assistant("word " * 400)]
    [ours] = full_compact(messages, summarize=lambda messages, focus: "Half.", archive=Archive(tmp_path),
                          restoration=Files(700))
    assert "Restored file: 0.py" in str(ours) and "Restored file: 1.py" not in str(ours)
    assert f"{NO_ROOM}\n> 1.py" in [block.get("text") for block in ours["content"]] and "> [ ] Count" in str(ours)


def test_files_and_their_names_never_keep_a_compaction_from_winning(tmp_path):
    def made(chars, files):
        restoration = Files(700)
        restoration.attachments = lambda *_: Files.attachments(restoration, *_)[:3 if files else 1]
        messages = [user("Count."), assistant("x" * chars)]
        return full_compact(messages, summarize=lambda messages, focus: "Half.", archive=Archive(tmp_path),
                            restoration=restoration) is not messages

    won = [made(chars, files=True) for chars in range(300, 900, 4)]
    assert won == [made(chars, files=False) for chars in range(300, 900, 4)] and set(won) == {True, False}


@given(conversations(max_turns=8))
def test_a_projection_changes_what_is_read_and_nothing_else(messages):
    policy = Pipeline([Projection("collapse", collapse_finished, span_messages=2, keep_last=0),
                       Step("all", lambda messages: messages)])
    assert policy.prepare(messages) is messages
    assert policy.view(messages) == collapse_finished(messages, span_messages=2, keep_last=0)
    policy.last_run.ledger.see(messages)
    assert {entry.fate for entry in policy.last_run.ledger.entries} == {"kept"}


def test_a_span_that_saves_nothing_is_not_collapsed_and_others_are():
    talk = [*long_talk(3, content="word " * 90), assistant("Three.")]
    larger, smaller = ({"start": one, "end": one + 2, "summary": words} for one, words in ((1, "word " * 500), (3, "")))
    assert collapse(talk, [larger]) is talk
    assert len(collapse(talk, [larger, smaller])) == len(talk) - 1


@pytest.mark.parametrize("name", ["start_task", "check_task", "TaskOutput"])
def test_a_stretch_with_state_in_it_is_never_finished_work(name):
    talk = [*long_talk(4), assistant("Four.")]
    talk[3]["content"][1]["name"] = name
    assert [(span["start"], span["end"]) for span in finished_spans(talk, span_messages=2, keep_last=0)] == [
        (1, 3), (5, 7), (7, 9)]
