"""What `load` refuses, each in a sentence, and what it tells while it reads."""

import os

import pytest
from claude_log import Log

from learn_compact.conversations import load, reading
from learn_compact.errors import ConversationError


def refused(path):
    with pytest.raises(ConversationError) as caught:
        load(path)
    return str(caught.value)


OTHERS = [b"PK\x03\x04\x00\xff", b"name,age\nAnna,7\n", b"Hello.\n" * 3_000, b"[1, 2, 3]", b"{}", b"null", b"7\n8\n",
          b"{\n", b"[", b"{\"messages\": [", b"{\"messages\": {}}", b"\x00" * 1_000, b"\xef\xbb\xbf", b"\n\n",
          b"Hello.\n" * 1_000 + b'{"role": "user", "content": "Hello."}\n',
          b'{"type": "user", "message": {"role"', b'{"role": "user", "blocks": []}\n']


@pytest.mark.parametrize("content", OTHERS)
def test_a_file_of_another_kind_is_refused_with_what_was_expected(tmp_path, content):
    path = tmp_path / "other.jsonl"
    path.write_bytes(content)
    said = refused(path)
    assert said.startswith(f"{path} holds no conversation that can be read here: expected is a log of Claude Code")


def test_a_conversation_without_a_message_is_refused(tmp_path):
    log, sentence = Log(), "has no message of a user or a model in it. Pass another file."
    log.remark(type="summary", summary="Counting", leafUuid="u1")
    assert refused(path := log.write(tmp_path)) == f"{path} {sentence}"
    log.user(" ")
    assert refused(log.write(tmp_path)) == f"{path} {sentence}"
    path.write_text('{"role": "system", "content": "Be brief."}')
    assert refused(path) == f"{path} {sentence}"


def test_a_folder_is_refused(tmp_path):
    assert refused(tmp_path) == (f"{tmp_path} is a folder. Pass one of the files in it (`find(folder)` lists them).")


def test_an_empty_file_is_refused(tmp_path):
    path = tmp_path / "empty.jsonl"
    path.touch()
    assert refused(path) == f"{path} is empty. Was the conversation ever begun? Pass another file."


@pytest.mark.parametrize("name", ["gone.jsonl", "x" * 300, "a\0b"])
def test_a_path_where_no_file_is_is_refused(tmp_path, name):
    assert "can't be read" in refused(tmp_path / name)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_is_closed_to_us_is_refused(tmp_path):
    path = Log().write(tmp_path)
    path.write_text("{}")
    path.chmod(0)
    assert "Permission denied" in refused(path)


def test_an_error_of_the_disk_is_a_sentence(tmp_path, monkeypatch):
    log = Log()
    log.user("Count.")
    path = log.write(tmp_path)

    def closed(*args):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", closed)
    assert refused(path) == f"{path} can't be read: Permission denied. Pass the path of a file that you may read."


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
def test_a_pipe_is_refused_without_waiting_for_it(tmp_path):
    os.mkfifo(tmp_path / "pipe.jsonl")
    assert "is no ordinary file" in refused(tmp_path / "pipe.jsonl")


def test_more_than_two_gigabytes_are_refused(tmp_path):
    path = tmp_path / "long.jsonl"
    with open(path, "wb") as file:
        file.truncate(2_400_000_000)  # takes no room on the disk
    assert f"{path} has 2.4 GB, and at most 2 GB are read here." in refused(path)


def test_a_line_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "MAX_LINE", 100)
    path = tmp_path / "line.jsonl"
    path.write_text("\n" + "x" * 101)
    assert f"{path}, line 2, has more than" in refused(path)


def test_progress_is_told_up_to_the_end(tmp_path):
    log = Log()
    for _ in range(20):
        log.user("Count.")
    log.boundary()
    log.user("Summary.")
    path, told = log.write(tmp_path), []
    load(path, progress=lambda done, whole: told.append((done, whole)))
    size = path.stat().st_size
    assert told[-1] == (2 * size, 2 * size)  # a log is read twice
    assert told == sorted(told)
    assert sum(done <= size for done, _ in told) > 20
    assert any(size < done < 2 * size for done, _ in told)


def test_progress_of_messages_is_told_up_to_the_end(tmp_path):
    path, told = tmp_path / "messages.jsonl", []
    path.write_text('{"role": "user", "content": "Count."}\n' * 3)
    load(path, progress=lambda done, whole: told.append(done / whole))
    assert told == pytest.approx([1 / 3, 2 / 3, 1])


MESSAGE, LOGGED = '{"role": "user", "content": %s}', '{"type": "user", "message": {"content": %s}}'


@pytest.mark.parametrize(("line", "depth"), [(MESSAGE, 700), (MESSAGE, 10_000), (LOGGED, 10_000), (LOGGED, 100_000)])
def test_a_message_nested_too_deeply_is_a_sentence(tmp_path, line, depth):
    path, block = tmp_path / "deep.jsonl", '{"type": "tool_result", "tool_use_id": "A", "content": '
    path.write_text(line % (("[" + block) * depth + '""' + "}]" * depth))
    assert refused(path).startswith(f"{path} holds ")


def test_a_path_may_be_text_and_begin_at_home(tmp_path, monkeypatch):
    log = Log()
    log.user("Count.")
    log.write(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert load("~/log.jsonl").name == "log"


@pytest.mark.parametrize("lines", [1, 3])
def test_a_file_in_utf16_is_refused_with_what_to_do(tmp_path, lines):
    path = tmp_path / "log.jsonl"
    path.write_text('{"role": "user", "content": "Count."}\n' * lines, encoding="utf-16")
    with pytest.raises(ConversationError, match=r"UTF-16.* Save it as UTF-8\.$"):
        load(path)
