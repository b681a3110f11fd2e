"""The sample project: what the chapters count on."""

import ast
import hashlib

import pytest

from learn_compact.offline.project import sample_files, sample_project

FILES = sample_files()
PYTHON = {path: text for path, text in FILES.items() if path.endswith(".py")}


def test_it_has_what_the_experiments_need():
    agents = [path for path in PYTHON if path.startswith("agents/")]
    assert len(PYTHON) == 40 and 12 <= len(agents) <= 16
    assert sum(len(FILES[path]) for path in agents) > 120_000  # 30,000 estimated tokens: more than a small window
    assert sum(map(len, FILES.values())) > 300_000             # and more than the 50,000 at which s06 compacts
    assert any(path.startswith("agents/test_") for path in agents)
    assert {path.rsplit(".", 1)[1] for path in FILES} == {"py", "md", "csv", "json", "log"}
    assert sum(15_000 < len(text) < 30_000 for text in PYTHON.values()) >= 3


def test_no_file_is_too_long_for_one_result():
    assert max(map(len, FILES.values())) < 30_000


@pytest.mark.parametrize("path", PYTHON)
def test_every_python_file_parses_and_ends_in_one_newline(path):
    assert ast.parse(PYTHON[path]).body and PYTHON[path].endswith("\n") and not PYTHON[path].endswith("\n\n")
    names = [node.name for node in ast.parse(PYTHON[path]).body if hasattr(node, "name")]
    assert len(names) == len(set(names))


def test_it_is_the_same_on_every_machine():
    characters = "".join(f"{path}\n{text}" for path, text in sorted(FILES.items()))
    known = hashlib.sha256(characters.encode()).hexdigest()[:16] == "798993b00c91dafb"
    assert known, "The chapters' figures rest on these characters: store the notebooks again."


def test_it_is_written_as_it_is(tmp_path):
    folder = sample_project(tmp_path / "new" / "project")
    written = {path.relative_to(folder).as_posix(): path.read_bytes().decode() for path in folder.rglob("*.*")}
    assert written == FILES
    assert sample_project(folder) == folder  # and again over itself
