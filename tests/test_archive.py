"""The archive: whole files under names of ours, nothing overwritten, everything read back equal."""

import errno
import os
import stat
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learn_compact import files
from learn_compact.archive import RESULTS, TRANSCRIPTS, Archive
from learn_compact.check.strategies import conversations
from learn_compact.errors import ArchiveError

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")

MESSAGES = [{"role": "user", "content": "Count the functions."}, {"role": "assistant", "content": "Four."}]


def result(tool_use_id, content):
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": tool_use_id, "content": content}]}


@pytest.fixture
def archive(tmp_path):
    return Archive(tmp_path / "root", clock=lambda: 7.9)


def on_disk(archive):
    return {path.relative_to(archive.root).as_posix(): path.read_bytes()
            for path in archive.root.rglob("*") if path.is_file()}


# Transcripts


@given(conversations())
def test_a_transcript_reads_back_equal(tmp_path_factory, messages):
    archive = Archive(tmp_path_factory.mktemp("root"))
    assert archive.load(archive.save_transcript(messages)) == messages


def test_a_transcript_holds_what_json_lacks(archive):
    messages = [{"role": "user", "content": [{"type": "text", "text": "\ud800", "raw": b"\x00",
                                              "at": datetime(2026, 11, 30, tzinfo=UTC), "pair": "\ud83d\ude00"}]}]
    assert archive.load(archive.save_transcript(messages)) == messages


def test_a_transcript_is_named_by_the_second_and_two_of_one_second_are_two_files(archive):
    paths = [archive.save_transcript([message]) for message in MESSAGES] + [archive.save_transcript([])]
    assert paths == [f".transcripts/transcript_7{more}.jsonl" for more in ("", "_2", "_3")]
    assert [archive.load(path) for path in paths] == [[MESSAGES[0]], [MESSAGES[1]], []]


def test_the_documented_archive_loses_the_first_of_two_transcripts_of_one_second(tmp_path):
    archive = Archive(tmp_path, clock=lambda: 7, unique_names=False)
    assert [archive.save_transcript([message]) for message in MESSAGES] == [".transcripts/transcript_7.jsonl"] * 2
    assert archive.load(".transcripts/transcript_7.jsonl") == [MESSAGES[1]]


def test_nothing_is_made_before_the_first_write_and_what_is_made_is_for_its_owner_alone(archive):
    archive.knows("x"), "a" in archive
    assert not archive.root.exists()
    archive.log(MESSAGES[0]), archive.save_transcript(MESSAGES), archive.save_result("a", "text")
    made = list(archive.root.rglob("*"))
    assert len(made) == 6
    for path in made:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


# Results


@pytest.mark.parametrize("content", [
    "text", "", "línea\r\nline\r", "\ufeffbom", "\ud800", None, [], [{"type": "text", "text": "é"}], b"\x00",
    [{"type": "image", "source": {"type": "base64", "data": "AA=="}}]], ids=repr)
def test_a_result_reads_back_equal_by_its_path_and_by_its_id(archive, content):
    path = archive.save_result("toolu_1", content)
    assert archive.load_result(path) == content
    assert Archive(archive.root).result("toolu_1") == content


def test_text_lies_on_disk_as_it_was_so_that_the_model_can_read_it(archive):
    path = archive.save_result("toolu_1", "é\r\n")
    assert (archive.root / path).read_bytes() == "é\r\n".encode()


AWKWARD_IDS = ["../../x", "/etc/passwd", "a" * 5_000, "x", "X", "", ".", "..", "nul", "a/b", "a\\b", "a\0b", "é", "7",
               "\ud800", "x.txt", "0001_x", "-rf", "sha256-9cdf6a50100a862e14286c7a334296da", 7, None]


def test_no_id_leads_out_of_the_folder_or_to_a_file_that_is_there(archive):
    paths = [archive.save_result(id_, f"{n}") for n, id_ in enumerate(AWKWARD_IDS)]
    assert len({path.lower() for path in paths}) == len(AWKWARD_IDS)
    assert all(path.startswith(RESULTS + "/") and archive.knows(path) for path in paths)
    assert set(on_disk(archive)) == set(paths)
    for again in (archive, Archive(archive.root)):
        assert [again.result(id_) for id_ in AWKWARD_IDS] == [str(n) for n in range(len(AWKWARD_IDS))]


def test_an_id_used_twice_has_two_files_and_the_newest_counts(archive):
    paths = [archive.save_result("a", content) for content in ("one", "two", "three")]
    assert paths == [f"{RESULTS}/000{n}_a.txt" for n in (1, 2, 3)]
    assert Archive(archive.root).save_result("b", "") == f"{RESULTS}/0004_b.txt"
    assert [archive.load_result(path) for path in paths] == ["one", "two", "three"]
    assert archive.result("a") == Archive(archive.root).result("a") == "three"


@given(st.lists(st.tuples(st.text(max_size=4), st.text(max_size=4)), max_size=8))
def test_every_saved_result_is_found_again_after_a_restart(tmp_path_factory, saved):
    archive = Archive(tmp_path_factory.mktemp("root"))
    for id_, content in saved:
        archive.save_result(id_, content)
    again = Archive(archive.root)
    assert {id_: again.result(id_) for id_, _ in saved} == dict(saved)


def test_what_the_archive_does_not_have_it_says(archive):
    with pytest.raises(ArchiveError, match=r"no result of the call 'a'.*Is this the archive"):
        archive.result("a")


# The log


def test_the_log_holds_every_message_and_gives_the_original_of_every_result(archive):
    messages = [*MESSAGES, result("a", "one"), result("b", [{"type": "text", "text": "\ud800"}]), result("a", "later")]
    for message in messages:
        archive.log(message)
    assert archive.load(archive.log_path) == messages
    for again in (archive, Archive(archive.root)):
        assert again.result("a") == "later" and again.result("b") == [{"type": "text", "text": "\ud800"}]
        assert "a" in again and "c" not in again


def test_asking_for_originals_before_and_between_messages_misses_none(archive):
    assert "a" not in archive
    for n in range(5):
        archive.log(result(f"call_{n}", str(n)))
        assert archive.result(f"call_{n}") == str(n)
    assert archive.result("call_0") == "0"


def test_a_log_wins_over_a_saved_result_because_it_holds_what_arrived(archive):
    archive.save_result("a", "a placeholder, saved later")
    archive.log(result("a", "what arrived"))
    assert archive.result("a") == Archive(archive.root).result("a") == "what arrived"


def test_every_archive_has_a_log_of_its_own_in_another_process_too(archive):
    others = [Archive(archive.root, clock=lambda: 7) for _ in range(3)]
    for n, other in enumerate([archive, *others]):
        other.log(result(f"call_{n}", str(n)))
    assert len({other.log_path for other in [archive, *others]}) == 4
    assert [Archive(archive.root).result(f"call_{n}") for n in range(4)] == ["0", "1", "2", "3"]


def test_a_child_that_was_forked_writes_a_log_of_its_own(archive, monkeypatch):
    archive.log(MESSAGES[0])
    parents = archive.log_path
    monkeypatch.setattr(os, "getpid", lambda: -1)  # what a forked child sees: the same object, another process
    archive.log(MESSAGES[1])
    assert archive.log_path != parents
    assert archive.load(parents) == [MESSAGES[0]] and archive.load(archive.log_path) == [MESSAGES[1]]


def test_a_torn_last_line_is_left_out_and_every_other_message_is_read(archive):
    for message in [MESSAGES[0], result("a", "one"), result("b", "two")]:
        archive.log(message)
    log = archive.root / archive.log_path
    whole = log.read_bytes()
    for length in range(len(whole)):
        log.write_bytes(whole[:length])
        complete = whole[:length].count(b"\n")
        again = Archive(archive.root)
        assert len(again.load(archive.log_path)) == complete
        assert ("a" in again, "b" in again) == (complete >= 2, complete >= 3)


@pytest.mark.parametrize(("kind", "line"), [("log", "2"), ("transcript", "2")])
def test_a_damaged_line_is_named(archive, kind, line):
    archive.log(MESSAGES[0]), archive.log(MESSAGES[1])
    path = archive.log_path if kind == "log" else archive.save_transcript(MESSAGES)
    file = archive.root / path
    file.write_bytes(file.read_bytes().replace(b'{"role":"assistant"', b'{"role:"assistant"'))
    with pytest.raises(ArchiveError, match=f"{path}, line {line}, is damaged"):
        archive.load(path)


# What is believed


def test_only_files_that_an_archive_wrote_here_are_known(archive, tmp_path):
    archive.log(MESSAGES[0])
    ours = [archive.log_path, archive.save_transcript(MESSAGES), archive.save_result("a", "x")]
    assert all(map(archive.knows, ours))
    root = archive.root
    (root / "notes.txt").write_text("x")
    (root / TRANSCRIPTS / "notes.jsonl").write_text("x")
    (root / TRANSCRIPTS / "transcript_8.jsonl").symlink_to(root / ours[1])
    (root / TRANSCRIPTS / "transcript_9.jsonl").mkdir()
    (root / RESULTS / "0009_b.txt").symlink_to("/etc/passwd")
    for path in ["", "notes.txt", f"{TRANSCRIPTS}/notes.jsonl", f"{TRANSCRIPTS}/transcript_8.jsonl",
                 f"{TRANSCRIPTS}/transcript_9.jsonl", f"{RESULTS}/0009_b.txt", f"{TRANSCRIPTS}/transcript_99.jsonl",
                 f"./{ours[1]}", f"{root}/{ours[1]}", f"{TRANSCRIPTS}/../{ours[1]}", f"{ours[1]}\n", f" {ours[1]}",
                 f"{TRANSCRIPTS}/transcript_{'1' * 5_000}.jsonl", f"{TRANSCRIPTS}/transcript_٣.jsonl", None, 7]:
        assert not archive.knows(path), path
        if isinstance(path, str):
            with pytest.raises(ArchiveError, match="is no file of the archive"):
                archive.load(path)


def test_a_file_of_another_root_is_not_known(archive, tmp_path):
    assert not Archive(tmp_path).knows(archive.save_transcript(MESSAGES))


@pytest.mark.parametrize("link", [TRANSCRIPTS, ".task_outputs", RESULTS])
def test_a_folder_that_a_link_leads_elsewhere_is_neither_written_nor_believed(tmp_path, link):
    outside, root = tmp_path / "outside", tmp_path / "root"
    (outside / "tool-results").mkdir(parents=True)
    (outside / "transcript_7.jsonl").write_text("{}\n")
    (root / link).parent.mkdir(parents=True)
    (root / link).symlink_to(outside, target_is_directory=True)
    archive = Archive(root, clock=lambda: 7)
    with pytest.raises(ArchiveError, match="leads elsewhere"):
        archive.save_transcript(MESSAGES) if link == TRANSCRIPTS else archive.save_result("a", "x")
    assert not archive.knows(f"{TRANSCRIPTS}/transcript_7.jsonl")
    assert sorted(path.name for path in outside.rglob("*")) == ["tool-results", "transcript_7.jsonl"]


# A disk that refuses


def full(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("call", ["fsync", "link", "mkdir"])
@pytest.mark.parametrize("write", [lambda archive: archive.save_transcript(MESSAGES),
                                   lambda archive: archive.save_result("a", "x"),
                                   lambda archive: archive.log(MESSAGES[0])], ids=["transcript", "result", "log"])
def test_a_full_disk_is_a_sentence_and_leaves_no_file(archive, monkeypatch, call, write):
    monkeypatch.setattr(os, call, full)
    with pytest.raises(ArchiveError, match=r"can't write \.\w+.*No space left on device\. Nothing was changed"):
        write(archive)
    assert not archive.root.exists() or on_disk(archive) == {}


def test_a_line_that_did_not_fit_is_gone_before_the_next_one_is_written(archive, monkeypatch):
    archive.log(MESSAGES[0])
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, line: write(descriptor, line[:10]))
    with pytest.raises(ArchiveError, match="only 10 of 39 bytes fit"):
        archive.log(MESSAGES[1])
    assert archive.load(archive.log_path) == [MESSAGES[0]]
    monkeypatch.undo()
    archive.log(MESSAGES[1])
    assert archive.load(archive.log_path) == MESSAGES


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_a_sentence(archive):
    archive.root.mkdir()
    archive.root.chmod(0o500)
    with pytest.raises(ArchiveError, match="Permission denied"):
        archive.save_transcript(MESSAGES)


def test_a_root_that_is_a_file_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    archive = Archive(tmp_path / "file")
    for write in (lambda: archive.save_transcript([]), lambda: archive.log({}), lambda: archive.save_result("a", "")):
        with pytest.raises(ArchiveError, match="The archive can't"):
            write()


def test_a_failed_write_leaves_no_partial_file_behind(archive, monkeypatch):
    archive.save_transcript(MESSAGES)
    before = on_disk(archive)
    monkeypatch.setattr(files.os, "link", full)
    with pytest.raises(ArchiveError):
        archive.save_transcript(MESSAGES)
    assert on_disk(archive) == before
