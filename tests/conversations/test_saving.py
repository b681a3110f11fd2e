"""`save`: what a program can go on with, written whole or not at all, and read back equal."""

import json
import os
import stat

import pytest
from claude_log import Log, call, result, text
from hypothesis import given
from hypothesis import strategies as st

from learn_compact.check.strategies import conversations
from learn_compact.conversations import load, save
from learn_compact.errors import ConversationError
from learn_compact.layers.micro import micro_compact
from learn_compact.offline import MODEL, OfflineAPI, client_of

MESSAGES = [{"role": "user", "content": "Count."}, {"role": "assistant", "content": [text("I look."), call("A")]},
            {"role": "user", "content": [result("A", "half \ud83d a character")]}]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("saved")


@pytest.mark.usefixtures("no_waiting_for_the_disk")
@given(messages=conversations(), system=st.none() | st.text() | st.just([text("Be brief.")]),
       tools=st.none() | st.just([]) | st.just([{"name": "Bash", "input_schema": {"type": "object"}}]))
def test_what_is_saved_reads_back_equal(folder, messages, system, tools):
    path = folder / "found.json"
    path.write_text(json.dumps({"messages": messages, "system": system, "tools": tools}))
    found = load(path)
    save(found, path)
    again = load(path)
    assert again.messages == found.messages == messages
    assert (again.system, again.tools, again.model) == (found.system, found.tools, found.model) == (system, tools, None)


def test_a_compacted_conversation_is_a_request_that_the_api_answers(tmp_path):
    log = Log()
    log.user("Count.")
    for number in "ABCDE":
        log.answer(f"m{number}", call(number), model=MODEL)
        log.user(result(number, f"{number} has 4 functions. " * 100))
    found = load(log.write(tmp_path))
    save(found, tmp_path / "next.json", micro_compact(found.messages))
    request = json.loads((tmp_path / "next.json").read_text())
    assert request.keys() == {"model", "messages"}
    assert request["messages"][2]["content"][0]["content"] == "[Previous: used Bash]"
    answer = client_of(OfflineAPI()).messages.create(**request, max_tokens=100)
    assert answer.role == "assistant"


def test_mere_messages_are_saved_too(tmp_path):
    save(MESSAGES, tmp_path / "next.json")
    assert load(tmp_path / "next.json").messages == MESSAGES
    assert json.loads((tmp_path / "next.json").read_text()).keys() == {"messages"}


def test_sdk_objects_are_saved_as_blocks(tmp_path):
    class Block:
        def to_dict(self):
            return text("I look.")

    save([MESSAGES[0], {"role": "assistant", "content": [Block()]}], tmp_path / "next.json")
    assert load(tmp_path / "next.json").messages[1]["content"] == [text("I look.")]


@pytest.mark.skipif(os.name != "posix", reason="only posix has such rights")
def test_only_the_owner_may_read_it(tmp_path):
    save(MESSAGES, tmp_path / "next.json")
    assert stat.S_IMODE((tmp_path / "next.json").stat().st_mode) == 0o600


REFUSED = [
    ([], "the API would reject the messages: messages: at least one message is required."),
    (MESSAGES[:2], "the API would reject the messages: messages.1: `tool_use` ids were found without"),
    ([{"role": "assistant", "content": ""}], r'first message must use the "user" role \(and 1 more\)\. Mend them'),
    ([7], "Input should be an object"),
    ([{"role": "user", "content": [{**text("x"), "n": float("nan")}]}], "a message holds what JSON lacks"),
    ([{"role": "user", "content": [{**text("x"), "n": b"x"}]}], "a message holds what JSON lacks"),
]


@pytest.mark.parametrize(("messages", "sentence"), REFUSED)
def test_what_no_program_could_go_on_with_is_refused_and_nothing_written(tmp_path, messages, sentence):
    path = tmp_path / "next.json"
    path.write_text("as it was")
    with pytest.raises(ConversationError, match=sentence):
        save(messages, path)
    assert os.listdir(tmp_path) == ["next.json"]
    assert path.read_text() == "as it was"


@pytest.mark.parametrize("place", ["", "none/next.json", "a\0b"])
def test_where_nothing_can_be_written_is_a_sentence(tmp_path, place):
    with pytest.raises(ConversationError):
        save(MESSAGES, tmp_path / place)
    assert os.listdir(tmp_path) == []


def test_a_full_disk_leaves_the_file_that_was_there(tmp_path, monkeypatch):
    path = tmp_path / "next.json"
    save(MESSAGES[:1], path)

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ConversationError, match=r"next\.json can't be written: No space left on device\. Nothing was"):
        save(MESSAGES, path)
    assert load(path).messages == MESSAGES[:1]
    assert os.listdir(tmp_path) == ["next.json"]


def test_saving_over_the_log_itself_keeps_what_was_loaded(tmp_path):
    log = Log()
    log.user("Count.")
    path = log.write(tmp_path)
    save(load(path), path)
    assert load(path).messages == MESSAGES[:1]
