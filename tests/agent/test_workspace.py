"""The workspace: what its files hold, and no way out of it."""

import os

import pytest

from learn_compact.agent.workspace import MAX_OUTPUT_CHARS, Workspace, copy_workspace, cut
from learn_compact.archive import Archive
from learn_compact.errors import WorkspaceError


@pytest.fixture
def workspace(tmp_path):
    """A workspace with a file, beside a folder that is none of its business."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text("secret")
    (tmp_path / "root" / "agents").mkdir(parents=True)
    (tmp_path / "root" / "agents" / "planner.py").write_text("def plan():\n    return 1\n")
    return Workspace(tmp_path / "root")


OUTSIDE = ["../outside/secret.txt", "agents/../../outside/secret.txt", "/etc/passwd", "..", "link/secret.txt",
           "file_link", "agents/deep_link/secret.txt", "~/../../outside/secret.txt"]


@pytest.fixture
def links(workspace):
    outside = workspace.root.parent / "outside"
    (workspace.root / "link").symlink_to(outside, target_is_directory=True)
    (workspace.root / "file_link").symlink_to(outside / "secret.txt")
    (workspace.root / "agents" / "deep_link").symlink_to("../link")
    (workspace.root / "~").mkdir()


@pytest.mark.usefixtures("links")
@pytest.mark.parametrize("path", OUTSIDE)
def test_no_path_leads_out(workspace, path):
    for tool in (lambda: workspace.read(path), lambda: workspace.write(path, "x"),
                 lambda: workspace.edit(path, "secret", "x")):
        with pytest.raises(WorkspaceError, match="leads out of the workspace"):
            tool()
    outside = workspace.root.parent / "outside"
    assert [file.read_text() for file in outside.iterdir()] == ["secret"]


@pytest.mark.usefixtures("links")
def test_a_new_file_behind_a_link_is_not_written_outside(workspace):
    with pytest.raises(WorkspaceError):
        workspace.write("link/new/file.txt", "x")
    assert not (workspace.root.parent / "outside" / "new").exists()


def test_a_link_that_stays_inside_is_a_path_like_any(workspace):
    (workspace.root / "plan.py").symlink_to("agents/planner.py")
    assert workspace.read("plan.py") == workspace.read("agents/planner.py")
    workspace.write("plan.py", "new")
    assert workspace.read("agents/planner.py") == "new"


@pytest.mark.parametrize(("path", "said"), [
    ("nope.py", r"^nope\.py: No such file or directory$"), ("agents", "agents is a folder"), ("", "is a folder"),
    ("a\0b", "can't be a path here"), ("x" * 5_000, "File name too long|can't be a path here"),
    ("loop", "Too many levels of symbolic links|can't be a path here"), ("agents/planner.py/x", "Not a directory"),
    ("pipe", "no ordinary file"), ("\ud800", "No such file|can't be a path here"),
])
def test_what_cannot_be_read_is_a_sentence_that_names_no_machine(workspace, path, said):
    (workspace.root / "loop").symlink_to("loop")
    os.mkfifo(workspace.root / "pipe")
    with pytest.raises(WorkspaceError, match=said) as raised:
        workspace.read(path)
    assert str(workspace.root) not in str(raised.value)


def test_a_file_is_read_as_it_is(workspace):
    (workspace.root / "file").write_bytes("é\r\n\ttab\n\n".encode())
    assert workspace.read("file") == "é\r\n\ttab\n\n"


@pytest.mark.parametrize(("limit", "text"), [
    (None, "a\nb\nc"), (3, "a\nb\nc"), (9, "a\nb\nc"), (1, "a\n... (2 more lines)"), (0, "... (3 more lines)"),
    (-1, "... (3 more lines)")])
def test_so_many_lines_are_read_as_were_asked_for(workspace, limit, text):
    workspace.write("file", "a\nb\nc")
    assert workspace.read("file", limit) == text


@pytest.mark.parametrize(("content", "ending"), [
    ("x" * 50_000, "x"), ("x" * 50_001, "\n[1 characters left out here]"), ("é" * 50_000, "é"),
    ("x" * 10**6, "\n[the rest of 1000000 bytes left out here]"),
    ("压" * 10**5, "\n[the rest of 300000 bytes left out here]"),
])
def test_a_long_file_is_cut_at_fifty_thousand_characters_and_says_so(workspace, content, ending):
    workspace.write("file", content)
    shown = workspace.read("file")
    assert shown.startswith(content[:50_000]) and shown.endswith(ending)
    assert len(shown) <= MAX_OUTPUT_CHARS + 60


def test_what_is_no_text_is_not_shown(workspace):
    (workspace.root / "picture.png").write_bytes(b"\x89PNG\x00")
    with pytest.raises(WorkspaceError, match="holds no text"):
        workspace.read("picture.png")
    (workspace.root / "picture.jpg").write_bytes(b"\xff\xd8\xff\xe1\x9c\xe4" * 9)
    with pytest.raises(WorkspaceError, match="holds no text"):
        workspace.read("picture.jpg")
    (workspace.root / "latin").write_bytes(b"caf\xe9")
    assert workspace.read("latin") == "caf\ufffd"


def test_writing_makes_folders_and_says_how_many_bytes(workspace):
    assert workspace.write("a/b/c.txt", "é\r\n") == "Wrote 4 bytes to a/b/c.txt"
    assert (workspace.root / "a/b/c.txt").read_bytes() == "é\r\n".encode()


@pytest.mark.parametrize(("path", "content", "said"), [
    ("agents", "x", "agents: Is a directory"), ("agents/planner.py/x", "x", "agents/planner.py/x: "),
    ("file", "\ud800", "a character that no file can"),
    (".transcripts/transcript_7.jsonl", "{}", "belongs to the archive"),
    (".task_outputs/tool-results/0001_a.txt", "x", "archive"), ("agents/../.transcripts/x", "x", "archive"),
])
def test_what_cannot_be_written_is_a_sentence(workspace, path, content, said):
    before = sorted(workspace.root.rglob("*"))
    with pytest.raises(WorkspaceError, match=said) as raised:
        workspace.write(path, content)
    assert str(workspace.root) not in str(raised.value) and sorted(workspace.root.rglob("*")) == before


def test_the_archive_can_be_read(workspace):
    archive = Archive(workspace.root)
    assert workspace.read(archive.save_result("a", "the original")) == "the original"


def test_an_edit_replaces_the_first_place_and_nothing_else(workspace):
    workspace.write("file", "one\r\ntwo\none\n")
    assert workspace.edit("file", "one", "1") == "Edited file"
    assert workspace.read("file") == "1\r\ntwo\none\n"
    workspace.edit("file", "\r\ntwo\n", "\n")
    assert workspace.read("file") == "1\none\n"


@pytest.mark.parametrize(("old", "said"), [("nope", "doesn't stand in file"), ("", "doesn't stand in file")])
def test_an_edit_without_its_place_changes_nothing(workspace, old, said):
    workspace.write("file", "text")
    with pytest.raises(WorkspaceError, match=said):
        workspace.edit("file", old, "new")
    assert workspace.read("file") == "text"


def test_a_file_that_is_not_utf8_is_not_edited(workspace):
    (workspace.root / "latin").write_bytes(b"caf\xe9")
    with pytest.raises(WorkspaceError, match="not UTF-8"):
        workspace.edit("latin", "caf", "tea")
    assert (workspace.root / "latin").read_bytes() == b"caf\xe9"


def test_a_folder_that_is_not_there_is_no_workspace(tmp_path):
    for make in (Workspace, copy_workspace):
        with pytest.raises(WorkspaceError, match="There is no folder"):
            make(tmp_path / "nope")


def test_a_copy_is_a_folder_of_its_own_without_what_earlier_agents_left(workspace):
    Archive(workspace.root).save_transcript([])
    (workspace.root / ".git").mkdir()
    copy = Workspace(copy_workspace(workspace.root))
    copy.write("agents/planner.py", "changed")
    assert workspace.read("agents/planner.py").startswith("def plan")
    assert sorted(path.name for path in copy.root.iterdir()) == ["agents"] and copy.root.name == "root"


@pytest.mark.usefixtures("links")
@pytest.mark.parametrize(("pattern", "found"), [
    ("**/*.py", "agents/planner.py"), ("*", "No file fits *."), ("../outside/*", "No file fits ../outside/*."),
    ("link/*", "No file fits link/*."), ("/etc/pass*", "No file fits /etc/pass*."),
])
def test_files_are_found_by_their_paths_and_none_outside(workspace, pattern, found):
    assert workspace.find(pattern) == found


def test_what_is_cut_says_how_much():
    assert cut("x" * 60_000).endswith("\n[10000 characters left out here]")
