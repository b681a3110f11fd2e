"""compact_history and reactive_compact: one message in place of what goes, and nothing lost or half done on the way."""

import copy
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from talk import PICTURE, assistant, calls, long_talk, results, sizes, text, thought, user

from learn_compact.archive import Archive
from learn_compact.check.strategies import conversations
from learn_compact.errors import ArchiveError, SummaryError
from learn_compact.layers.auto import compact_history, reactive_compact
from learn_compact.layers.budget import persisted_path
from learn_compact.layers.micro import micro_compact
from learn_compact.messages import newest_request, problems, safe_cuts, tool_results, unseen_results
from learn_compact.tokens import estimate_chars

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")

HEADER = "[Compacted]\nTranscript: .transcripts/transcript_7.jsonl\n\n"


class Summarizer:
    """Says `words`, and remembers what it was shown."""

    def __init__(self, words="Half of the files are counted."):
        self.words, self.shown, self.focus = words, [], []

    def __call__(self, messages, focus=""):
        self.shown.append(messages)
        self.focus.append(focus)
        return self.words


@pytest.fixture
def archive(tmp_path):
    return Archive(tmp_path / "root", clock=lambda: 7)


@pytest.fixture
def summarize():
    return Summarizer()


LAYERS = pytest.mark.parametrize("layer", [compact_history, reactive_compact])


# compact_history


def test_the_header_is_to_the_letter_and_the_request_follows(archive, summarize):
    messages = [*long_talk(20), assistant("Done.")]
    [ours] = compact_history(messages, summarize=summarize, archive=archive)
    assert ours == {"role": "user", "content": [text(HEADER + "Half of the files are counted."),
                                                text("Current user request:\nCount the functions.")]}
    assert archive.load(".transcripts/transcript_7.jsonl") == messages


def test_results_that_nobody_has_seen_stay_with_the_answer_that_called_for_them(archive, summarize):
    messages = [*long_talk(20), calls("x", "y"), results(("x", "1"), ("y", "2"))]
    after = compact_history(messages, summarize=summarize, archive=archive)
    assert len(after) == 3 and after[1] is messages[-2] and after[2] is messages[-1]
    assert summarize.shown == [messages[:-2]]


def test_a_request_that_stands_among_what_is_kept_is_not_carried(archive, summarize):
    messages = [*long_talk(20), calls("x"), results(("x", "1"), then=[text("Count the classes too.")])]
    after = compact_history(messages, summarize=summarize, archive=archive)
    assert after[0]["content"] == HEADER + summarize.words
    assert newest_request(after, archive) == "Count the classes too."


def test_the_pictures_of_a_request_are_carried_with_it(archive, summarize):
    asked = {"role": "user", "content": [text("What is wrong here?"), PICTURE]}
    [ours] = compact_history([asked, *long_talk(20)[1:], assistant("That.")], summarize=summarize, archive=archive)
    assert ours["content"][1:] == [text("Current user request:\nWhat is wrong here?"), PICTURE]


def test_requests_are_carried_once_however_often_it_is_compacted(archive, summarize):
    context = [user("Count the functions.")]
    for _ in range(4):
        context = compact_history([*context, *long_talk(20)[1:], assistant("Done.")], summarize=summarize,
                                  archive=archive)
        assert context[0]["content"][1:] == [text("Current user request:\nCount the functions.")]


def test_the_transcript_holds_what_results_once_said(archive, summarize):
    messages = long_talk(9, content="y" * 200)
    for message in messages:
        archive.log(message)
    compact_history([*micro_compact(messages), assistant("Done.")], summarize=summarize, archive=archive)
    assert archive.load(".transcripts/transcript_7.jsonl") == [*messages, assistant("Done.")]


def test_focus_reaches_whoever_summarises(archive, summarize):
    compact_history([*long_talk(20), assistant("Done.")], summarize=summarize, archive=archive, focus="the totals")
    assert summarize.focus == ["the totals"]


# reactive_compact


def test_after_a_refusal_the_last_five_messages_stay_and_the_summary_covers_the_rest(archive, summarize):
    messages = [*long_talk(20), assistant("Done."), user("And the classes?"), assistant("Yes.")]
    after = reactive_compact(messages, summarize=summarize, archive=archive)
    assert len(after) == 1 + 5 and all(new is old for new, old in zip(after[1:], messages[-5:], strict=True))
    assert summarize.shown == [messages[:-5]]
    assert after[0]["content"] == HEADER + summarize.words  # the newest request is among what is kept
    assert archive.load(".transcripts/transcript_7.jsonl") == messages


@pytest.mark.parametrize("keep_messages", range(9))
def test_what_is_kept_begins_at_a_safe_cut(archive, summarize, keep_messages):
    messages = [*long_talk(9), calls("x", "y", "z"), results(("z", "1"), ("x", "2"), ("y", "3")), assistant("Three.")]
    after = reactive_compact(messages, summarize=summarize, archive=archive, keep_messages=keep_messages)
    kept = len(after) - 1
    assert not problems(after) and kept >= keep_messages
    assert kept == 0 or len(messages) - kept in safe_cuts(messages)
    assert kept <= keep_messages + 1


def test_an_open_batch_is_kept_whole_whatever_keep_messages_says(archive, summarize):
    messages = [*long_talk(9), calls("x", "y"), results(("x", "1"), ("y", "2"))]
    after = reactive_compact(messages, summarize=summarize, archive=archive, keep_messages=0)
    assert after[1:] == messages[-2:]


def test_what_is_kept_is_shrunk_until_it_has_a_chance(archive, summarize):
    ids = [f"call_x{n}" for n in range(30)]
    messages = [*long_talk(9), calls(*ids), results(*((one, "z" * 29_000) for one in ids))]
    after = reactive_compact(messages, summarize=summarize, archive=archive)
    assert estimate_chars(after) < 70_000 < estimate_chars(messages) / 10
    assert not problems(after) and len(unseen_results(after)) == 30
    for found in unseen_results(after):
        assert archive.load_result(persisted_path(found.block, archive)) == "z" * 29_000


def test_where_nothing_can_be_summarised_large_results_still_go_to_disk(archive, summarize):
    messages = [user("Look."), calls("a", "b"), results(("a", "z" * 29_000), ("b", "z" * 29_000))]
    after = reactive_compact(messages, summarize=summarize, archive=archive)
    assert len(after) == 3 and estimate_chars(after) < 6_000 and not summarize.shown


def test_where_nothing_is_left_to_do_the_input_comes_back(archive, summarize):
    for messages in ([user("Look.")], [user("Look."), calls("a"), results(("a", "small"))]):
        assert reactive_compact(messages, summarize=summarize, archive=archive) is messages
    once = reactive_compact(long_talk(20), summarize=summarize, archive=archive)
    assert reactive_compact(once, summarize=summarize, archive=archive) is once


def test_thinking_is_kept_in_the_newest_answer_alone(archive, summarize):
    messages = [*long_talk(9), calls("a", before=[thought()]), results(("a", "1")),
                calls("b", before=[thought()]), results(("b", "2"))]
    after = reactive_compact(messages, summarize=summarize, archive=archive)
    thinking = [i for i, message in enumerate(after) for block in message["content"] if block["type"] == "thinking"]
    assert thinking == [len(after) - 2]


# What goes wrong


@LAYERS
@pytest.mark.parametrize("words", ["", "   \n", None])
def test_an_empty_summary_changes_nothing(archive, layer, words):
    messages = long_talk(20)
    as_it_was = copy.deepcopy(messages)
    with pytest.raises(SummaryError):
        layer(messages, summarize=Summarizer(words), archive=archive)
    assert messages == as_it_was


@LAYERS
def test_whoever_summarises_may_fail_and_nothing_is_changed(archive, layer):
    def fail(messages, focus=""):
        raise SummaryError("No summary: the model refused to write it.")

    messages = long_talk(20)
    as_it_was = copy.deepcopy(messages)
    with pytest.raises(SummaryError, match="refused"):
        layer(messages, summarize=fail, archive=archive)
    assert messages == as_it_was


@LAYERS
def test_nobody_is_asked_where_the_transcript_can_not_be_written(tmp_path, layer, summarize):
    (tmp_path / "root").write_text("a file where the archive's folder should be")
    with pytest.raises(ArchiveError):
        layer(long_talk(20), summarize=summarize, archive=Archive(tmp_path / "root"))
    assert not summarize.shown


@LAYERS
def test_a_summary_that_is_larger_than_what_it_stands_for_is_not_taken(archive, layer):
    messages = long_talk(20)
    assert layer(messages, summarize=Summarizer("word " * 5_000), archive=archive) is messages


@LAYERS
def test_one_who_changes_what_it_is_shown_changes_no_conversation(archive, layer):
    def greedy(messages, focus=""):
        messages.clear()
        return "All is done."

    messages = long_talk(20)
    as_it_was = copy.deepcopy(messages)
    layer(messages, summarize=greedy, archive=archive)
    assert messages == as_it_was


# The rules, for any conversation


@LAYERS
@given(conversations(max_turns=12), st.sampled_from(["Done.", "word " * 40]), st.integers(0, 6), st.integers(0, 3_000))
def test_the_rules_of_every_layer_hold(layer, messages, words, keep_messages, max_kept_chars):
    parameters = ({} if layer is compact_history else
                  {"keep_messages": keep_messages, "max_kept_chars": max_kept_chars})
    as_it_was, summarize = copy.deepcopy(messages), Summarizer(words)
    with TemporaryDirectory() as folder:
        archive = Archive(Path(folder))
        after = layer(messages, summarize=summarize, archive=archive, **parameters)
        assert messages == as_it_was
        assert not problems(after)
        assert after is messages or all(new < old for new, old in zip(sizes(after), sizes(messages), strict=True))
        assert newest_request(after, archive) == newest_request(messages, archive)
        assert not any(problems([user("Before."), *shown]) for shown in summarize.shown)
        unseen = {found.tool_use_id: found.block for found in unseen_results(messages)}
        for _, _, block in tool_results(after):
            if unseen.get(block["tool_use_id"], block) != block:
                assert archive.load_result(persisted_path(block, archive)) == unseen[block["tool_use_id"]]["content"]
        assert {found.tool_use_id for found in unseen_results(after)} >= set(unseen)
        again = layer(after, summarize=summarize, archive=archive, **parameters)
        assert again is after or (layer is reactive_compact and sizes(again) < sizes(after))  # refused once more
