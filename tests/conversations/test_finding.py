"""`find`: what is there, newest first, without reading more than the ends of the files."""

import os
from datetime import UTC, datetime

import pytest
from claude_log import Log, result, text

from learn_compact.conversations import find
from learn_compact.errors import ConversationError


def project(root, name="-repo"):
    folder = root / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def session(folder, *said, name="a.jsonl", hour=9):
    log = Log()
    for one in said:
        log.user(one) if isinstance(one, str) else log.user(*one[0], **one[1])
    for line in log.lines:
        line["timestamp"] = line["timestamp"].replace("T09", f"T{hour:02}")
    return log.write(folder, name)


def test_the_newest_comes_first_by_what_stands_in_the_files(tmp_path):
    for name, hour in (("b", 11), ("a", 10), ("c", 12)):
        path = session(project(tmp_path), f"Asked at {hour}.", name=f"{name}.jsonl", hour=hour)
        os.utime(path, (1_000_000_000 - hour, 1_000_000_000 - hour))
    assert [one.title for one in find(tmp_path)] == ["Asked at 12.", "Asked at 11.", "Asked at 10."]


def test_what_is_found_says_what_it_is(tmp_path):
    path = session(project(tmp_path), "Count the\n functions.", "Thanks.")
    [found] = find(tmp_path)
    assert (found.path, found.title, found.cwd, found.size) == (
        path, "Count the functions.", "/repo", path.stat().st_size)
    assert found.at == datetime(2026, 1, 6, 9, 0, 2, tzinfo=UTC)


@pytest.mark.parametrize(("said", "title"), [
    ([([text("<system-reminder>x</system-reminder>"), text("Count.")], {})], "Count."),
    (["Caveat: The messages below", "<command-name>/clear</command-name>", "Count."], "Count."),
    ([(["Base directory: x"], {"isMeta": True}), "Count."], "Count."),
    ([([result("A")], {}), "Count."], "Count."),
    (["x" * 100], "x" * 79 + "…"),
    ([([7, text(None)], {})], ""),
])
def test_the_title_is_what_the_user_said_first(tmp_path, said, title):
    session(project(tmp_path), *said)
    assert find(tmp_path)[0].title == title


def test_a_title_behind_much_else_is_found(tmp_path):
    session(project(tmp_path), (["x" * 200_000], {"isMeta": True}), "Count.")
    assert find(tmp_path)[0].title == "Count."


def test_logs_of_sub_agents_and_other_files_are_left_out(tmp_path):
    folder = project(tmp_path)
    session(folder, "Count.")
    session(folder, "You count.", name="agent-1.jsonl")
    session(project(folder, "a/subagents"), "You too.", name="agent-2.jsonl")
    session(folder, "Notes.", name="notes.txt")
    assert [one.title for one in find(tmp_path)] == ["Count."]


@pytest.mark.parametrize("content", [b"", b"\xff\x00\n", b"[]\n{}\n7\n", b"{", b'{"type":"mode","sessionId":"s"}\n'])
def test_a_file_in_which_nobody_says_anything_is_left_out(tmp_path, content):
    (project(tmp_path) / "odd.jsonl").write_bytes(content)
    assert find(tmp_path) == []


def test_a_log_without_times_has_the_time_of_its_file(tmp_path):
    path = project(tmp_path) / "messages.jsonl"
    path.write_text('{"role": "user", "content": "Count.", "timestamp": "yesterday at noon"}\n')
    os.utime(path, (1_700_000_000, 1_700_000_000))
    [found] = find(tmp_path)
    assert (found.title, found.cwd, found.at.timestamp()) == ("Count.", "", 1_700_000_000)


def test_only_the_ends_of_a_long_file_are_read(tmp_path):
    path = session(project(tmp_path), "Count.", "x" * 40_000)
    with open(path, "r+b") as file:
        file.truncate(10**11)  # takes no room on the disk, and would fit into no memory
    [found] = find(tmp_path)
    assert (found.title, found.size) == ("Count.", 10**11)


def test_the_time_of_a_long_last_line_is_found(tmp_path):
    log = Log()
    log.user("Count.")
    log.user(result("A"), toolUseResult="x" * 100_000)
    log.write(project(tmp_path))
    assert find(tmp_path)[0].at == datetime(2026, 1, 6, 9, 0, 2, tzinfo=UTC)


def test_without_claude_code_nothing_is_found(tmp_path, monkeypatch):
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "none"))
    assert find() == []


def test_claude_codes_own_folder_is_looked_into(tmp_path, monkeypatch):
    session(project(tmp_path / "projects"), "Count.")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    assert [one.title for one in find()] == ["Count."]
    monkeypatch.delenv("CLAUDE_CONFIG_DIR")
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".claude").symlink_to(tmp_path)
    assert [one.title for one in find()] == ["Count."]


def test_a_folder_that_is_none_is_refused(tmp_path):
    with pytest.raises(ConversationError, match=r"is no folder\. Pass the one that holds the conversations"):
        find(tmp_path / "gone")
