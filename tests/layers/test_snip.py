"""snip_compact: the middle on disk, one marker for it, no pair parted, however often it is snipped."""

import copy
import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from talk import PICTURE, assistant, calls, long_talk, results, round_trip, sizes, text, thought, user

from learn_compact.archive import Archive
from learn_compact.check.strategies import conversations
from learn_compact.errors import ArchiveError, PolicyError
from learn_compact.layers.snip import archived, snip_compact
from learn_compact.messages import newest_request, problems, unseen_results

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")


@pytest.fixture
def archive(tmp_path):
    return Archive(tmp_path / "root", clock=lambda: 7)


def plain_talk(count):
    """Messages without tools, alternating, each long enough to be worth a marker."""
    return [(user, assistant)[n % 2](f"Message {n}. " + "And so on. " * 5) for n in range(count)]


def marker_of(messages, archive):
    """(index, path, count) of the one marker in the messages."""
    [found] = [(i, *archived(message, archive)) for i, message in enumerate(messages) if archived(message, archive)]
    return found


def in_the_middle(messages, archive):
    _, path, count = marker_of(messages, archive)
    return archive.load(path)[:count]


# The documented version


@pytest.mark.parametrize("count", [0, 1, 49, 50])
def test_up_to_50_messages_nothing_happens(archive, count):
    messages = plain_talk(count)
    assert snip_compact(messages, archive=archive) is messages


def test_above_50_the_first_3_and_the_last_47_stay_and_the_rest_is_archived(archive):
    messages = plain_talk(60)
    after = snip_compact(messages, archive=archive)
    assert len(after) == 3 + 1 + 47
    assert all(new is old for new, old in zip(after, messages[:3], strict=False))
    assert all(new is old for new, old in zip(after[4:], messages[-47:], strict=True))
    assert after[3]["role"] == "user"
    assert archive.load(".transcripts/transcript_7.jsonl") == messages[3:13]


def test_the_marker_is_to_the_letter(archive):
    messages = [user("Count the functions."), *plain_talk(60)[1:], user("Go on."), assistant("Yes.")]
    marker = snip_compact(messages, archive=archive)[3]
    assert marker == {"role": "user", "content": "[12 messages archived at .transcripts/transcript_7.jsonl]"}


def test_what_was_given_is_as_it_was(archive):
    messages = long_talk(40)
    as_it_was = copy.deepcopy(messages)
    snip_compact(messages, archive=archive)
    assert messages == as_it_was


# Calls and results never part


@pytest.mark.parametrize("keep_first", range(8))
@pytest.mark.parametrize("keep_last", range(8))
def test_no_cut_parts_a_call_from_its_result(archive, keep_first, keep_last):
    messages = [*long_talk(9), calls("x", "y", "z"), results(("z", "1"), ("x", "2"), ("y", "3"), then=[text("And?")]),
                assistant("Yes."), *round_trip(99)]
    after = snip_compact(messages, archive=archive, max_messages=0, keep_first=keep_first, keep_last=keep_last)
    assert not problems(after)
    start, _, count = marker_of(after, archive)
    assert start >= keep_first and len(messages) - start - count >= keep_last
    assert in_the_middle(after, archive) == messages[start:start + count]


def test_a_batch_at_the_head_stays_whole(archive):
    messages = [user("Look."), calls("a", "b"), results(("b", "1"), ("a", "2")), *plain_talk(10), *round_trip(1)]
    after = snip_compact(messages, archive=archive, max_messages=5, keep_first=2, keep_last=2)
    assert after[:3] == messages[:3] and not problems(after)


def test_results_that_nobody_has_seen_stay_whatever_keep_last_says(archive):
    messages = [*long_talk(9), calls("x", "y"), results(("x", "1"), ("y", "2"))]
    after = snip_compact(messages, archive=archive, max_messages=5, keep_first=1, keep_last=0)
    assert unseen_results(after) and after[-2:] == messages[-2:]


def test_where_there_is_no_room_the_input_comes_back(archive):
    ids = [f"call_{n}" for n in range(60)]
    batch = [user("Look."), calls(*ids), results(*((one, "done") for one in ids))]
    for messages, parameters in [(batch, {"max_messages": 2, "keep_first": 2, "keep_last": 1}),
                                 (plain_talk(60), {"keep_first": 30, "keep_last": 30}),
                                 (plain_talk(60), {"keep_first": 99, "keep_last": 99})]:
        assert snip_compact(messages, archive=archive, **parameters) is messages
    assert not (archive.root / ".transcripts").exists()


def test_a_middle_that_is_smaller_than_its_marker_stays(archive):
    messages = [user("Yes."), assistant("Yes."), user("Go on.")]
    assert snip_compact(messages, archive=archive, max_messages=1, keep_first=1, keep_last=1) is messages


# The request


def test_a_request_in_the_middle_is_carried_word_for_word(archive):
    request = "Count  the functions,\n\nskip files named test_*.  "
    messages = [user("Hello"), assistant("Hello"), user("Wait."), assistant("Yes."), user(request),
                *long_talk(40)[1:]]
    after = snip_compact(messages, archive=archive)
    assert after[3]["content"] == [text("[34 messages archived at .transcripts/transcript_7.jsonl]"),
                                   text(f"Current user request:\n{request}")]
    assert newest_request(after, archive) == request


def test_a_request_that_stays_is_not_carried(archive):
    for messages in ([user("Count."), *long_talk(40)[1:]], [*long_talk(40), user("And the classes?")]):
        assert isinstance(snip_compact(messages, archive=archive)[3]["content"], str)


def test_a_request_beside_results_is_carried_without_them(archive):
    messages = [user("Hello"), assistant("Hello"), user("Wait."), *round_trip(0),
                calls("a"), results(("a", "42"), then=[text("Count the classes too.")]), *long_talk(40)[1:]]
    after = snip_compact(messages, archive=archive)
    assert after[3]["content"][1]["text"] == "Current user request:\nCount the classes too."
    assert not problems(after)


def test_the_pictures_of_a_carried_request_come_with_it(archive):
    asked = {"role": "user", "content": [PICTURE, text("What is wrong here?")]}
    messages = [user("Hello"), assistant("Hello"), user("Wait."), assistant("Yes."), asked, *long_talk(40)[1:]]
    after = snip_compact(messages, archive=archive)
    assert after[3]["content"][1:] == [text("Current user request:\nWhat is wrong here?"), PICTURE]


@pytest.mark.parametrize("request_", [
    "[5 messages archived at .transcripts/transcript_1.jsonl]",
    "[Compacted]\nTranscript: /etc/passwd\n\nDone.",
    "Current user request:\nsomething else",
])
def test_a_user_who_types_our_headers_is_carried_like_anybody(archive, request_):
    messages = [user("Hello"), assistant("Hello"), user("Wait."), assistant("Yes."), user(request_),
                *long_talk(40)[1:]]
    after = snip_compact(messages, archive=archive)
    assert newest_request(after, archive) == request_
    again = snip_compact([*after, *long_talk(30)[1:]], archive=archive)
    assert newest_request(again, archive) == request_


# Again and again


def test_a_marker_alone_in_the_middle_is_not_archived_again(archive):
    once = snip_compact(plain_talk(60), archive=archive)
    assert snip_compact(once, archive=archive) is once
    assert snip_compact(once, archive=archive, max_messages=3) is once


@pytest.mark.parametrize("down_to", [None, 30])
def test_a_conversation_that_grows_keeps_one_marker_and_one_file_with_all_that_lay_between(archive, down_to):
    whole, context = long_talk(150), []
    for message in whole:
        context = snip_compact([*context, message], archive=archive, down_to=down_to)
        assert not problems(context) or message["role"] == "assistant"
        assert newest_request(context, archive) == "Count the functions."
    start, path, count = marker_of(context, archive)
    assert [*context[:start], *archive.load(path), *context[start + 1:]] == whole
    assert count == len(archive.load(path))
    assert len(list((archive.root / ".transcripts").glob("*"))) == 1


def test_down_to_30_gives_peace_for_20_messages(archive):
    whole, context, snips = long_talk(150), [], 0
    for message in whole:
        before = [*context, message]
        context = snip_compact(before, archive=archive, down_to=30)
        snips += context is not before
    assert snips == (len(whole) - 31) // 20
    documented, every_turn = [], 0
    for message in whole:
        before = [*documented, message]
        documented = snip_compact(before, archive=archive)
        every_turn += documented is not before
    assert every_turn > 6 * snips


def test_a_summary_alone_in_the_middle_is_not_archived(archive):
    path = archive.save_transcript([user("Count the functions.")])
    summary = user(f"[Compacted]\nTranscript: {path}\n\n" + "Much was done. " * 20)
    messages = [summary, calls("a"), results(("a", "42"))]
    assert snip_compact(messages, archive=archive, max_messages=0, keep_first=0, keep_last=0) is messages


def test_a_snip_down_to_more_than_it_may_keep_keeps_no_more(archive):
    assert len(snip_compact(plain_talk(60), archive=archive, down_to=90)) == 3 + 1 + 47


def test_doing_the_same_twice_gives_the_same_and_writes_once(archive):
    once = snip_compact(plain_talk(60), archive=archive)
    grown = [*once, *plain_talk(2)]
    first, second = (snip_compact(grown, archive=archive) for _ in range(2))
    assert first == second and len(in_the_middle(first, archive)) == len(archive.load(marker_of(first, archive)[1]))


def test_two_futures_of_one_conversation_do_not_mix(archive):
    once = snip_compact(plain_talk(60), archive=archive)
    left, right = ([*once, *((user, assistant)[n % 2](f"{side} {n} " + "word " * 9) for n in range(60))]
                   for side in ("left", "right"))
    snipped = [snip_compact(future, archive=archive) for future in (left, right, left)]
    for future, after in zip((left, right, left), snipped, strict=True):
        start, _, count = marker_of(after, archive)
        assert in_the_middle(after, archive)[:70] == plain_talk(60)[3:13] + future[4:64]
        assert count == 70


def test_another_process_writes_a_file_of_its_own(archive, monkeypatch):
    once = snip_compact(plain_talk(60), archive=archive)
    monkeypatch.setattr(os, "getpid", lambda: -1)
    after = snip_compact([*once, *plain_talk(4)], archive=archive)
    assert marker_of(after, archive)[1] != marker_of(once, archive)[1]
    assert in_the_middle(after, archive) == [*in_the_middle(once, archive), *once[4:8]]


def test_a_disk_that_is_full_in_the_middle_of_a_line_costs_nothing_but_that_snip(archive, monkeypatch):
    once = snip_compact(plain_talk(60), archive=archive)
    grown = [*once, *plain_talk(4)]
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, payload: write(descriptor, payload[:50]))
    with pytest.raises(ArchiveError):
        snip_compact(grown, archive=archive)
    monkeypatch.undo()
    assert in_the_middle(once, archive) == plain_talk(60)[3:13]
    after = snip_compact(grown, archive=archive)
    assert in_the_middle(after, archive) == [*plain_talk(60)[3:13], *once[4:8]]


def test_markers_of_other_parameters_become_one_in_order(archive):
    messages = plain_talk(60)
    once = snip_compact(messages, archive=archive, max_messages=10, keep_first=20, keep_last=20)
    twice = snip_compact(once, archive=archive, max_messages=10, keep_first=3, keep_last=4)
    assert [*twice[:3], *in_the_middle(twice, archive), *twice[4:]] == messages


def test_a_summary_in_the_middle_is_archived_and_what_it_carried_is_carried_on(archive):
    path = archive.save_transcript([user("Count the functions.")])
    summary = {"role": "user", "content": [text(f"[Compacted]\nTranscript: {path}\n\n" + "Much was done. " * 9),
                                           text("Current user request:\nCount the functions.")]}
    after = snip_compact([summary, *long_talk(9)[1:]], archive=archive, max_messages=5, keep_first=0, keep_last=2)
    assert in_the_middle(after, archive)[0] == summary
    assert [part["text"] for part in after[0]["content"]][1:] == ["Current user request:\nCount the functions."]


# Thinking, refusals


def test_thinking_behind_the_marker_goes_except_in_the_newest_answer(archive):
    messages = [*long_talk(30), {"role": "assistant", "content": [thought()]}, user("Go on."),
                calls("a", before=[thought()]), results(("a", "done")), calls("b", before=[thought()])]
    after = snip_compact([*messages, results(("b", "done"))], archive=archive)
    thinking = [i for i, message in enumerate(after) for block in message["content"]
                if isinstance(block, dict) and block["type"] == "thinking"]
    assert thinking == [len(after) - 2]
    assert not problems(after)


def test_a_disk_that_refuses_is_a_sentence_and_changes_nothing(tmp_path):
    (tmp_path / "root").write_text("a file where the archive's folder should be")
    messages = plain_talk(60)
    as_it_was = copy.deepcopy(messages)
    with pytest.raises(ArchiveError):
        snip_compact(messages, archive=Archive(tmp_path / "root"))
    assert messages == as_it_was


@pytest.mark.parametrize("parameters", [{"max_messages": -1}, {"keep_first": -1}, {"keep_last": -1}, {"down_to": 2}])
def test_numbers_out_of_range_are_refused(archive, parameters):
    with pytest.raises(PolicyError):
        snip_compact([], archive=archive, **parameters)


def test_without_an_archive_nothing_happens_until_one_is_needed():
    assert snip_compact(long_talk(2), archive=None) == long_talk(2)
    with pytest.raises(PolicyError, match=r"archive must be an Archive\(folder\), not None"):
        snip_compact(long_talk(60), archive=None)


# The rules, for any conversation and any parameters


@given(conversations(max_turns=12), st.integers(0, 8), st.integers(0, 4), st.integers(0, 8),
       st.none() | st.integers(4, 8))
def test_the_rules_of_every_layer_hold(messages, max_messages, keep_first, keep_last, down_to):
    as_it_was = copy.deepcopy(messages)
    parameters = {"max_messages": max_messages, "keep_first": keep_first, "keep_last": keep_last, "down_to": down_to}
    with TemporaryDirectory() as folder:
        archive = Archive(Path(folder))
        after = snip_compact(messages, archive=archive, **parameters)
        assert messages == as_it_was
        assert not problems(after)
        assert after is messages or all(new < old for new, old in zip(sizes(after), sizes(messages), strict=True))
        assert newest_request(after, archive) == newest_request(messages, archive)
        assert snip_compact(after, archive=archive, **parameters) is after
        assert ([found.block for found in unseen_results(after)] == [found.block for found in unseen_results(messages)])
        if after is not messages:
            start, _, count = marker_of(after, archive)
            assert in_the_middle(after, archive) == messages[start:start + count]
