"""The project around the package: its commands, its pins, its page, and what may not be committed."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import nbformat
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
README = (ROOT / "README.md").read_text()
MAKEFILE = (ROOT / "Makefile").read_text()


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **options)


# Versions


def pin_lines():
    return [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]


def test_constraints_hold_names_and_versions_only_in_order():
    assert all(re.fullmatch(r"[a-z0-9-]+==[\w.]+", line) for line in pin_lines())
    names = [line.split("==")[0] for line in pin_lines()]
    assert names == sorted(set(names))


EXTRAS = PROJECT["optional-dependencies"]
DIRECT = sorted({*PROJECT["dependencies"], *EXTRAS["course"], *EXTRAS["test"]} - {"learn-compact[course]"})


@pytest.mark.parametrize("line", DIRECT)
def test_a_pin_lies_in_the_range_that_pyproject_gives(line):
    asked = Requirement(line)
    pins = dict(line.split("==") for line in pin_lines())
    assert pins[canonicalize_name(asked.name)] in asked.specifier


# Commands


def test_make_alone_names_every_target():
    targets = re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)[1].split()
    said = run("make", "--no-print-directory", cwd=ROOT).stdout
    assert [line.split()[0] for line in said.splitlines()[:len(targets)]] == targets


def program(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


OLD = f'exec "{sys.executable}" -c "import sys; sys.version_info = (3, 11); exec(sys.argv[1])" "$2"'
GOOD = f'exec "{sys.executable}" "$@"'
SHIM = "echo 'pyenv: python3.12: command not found' >&2; exit 127"


def make_venv(folder, pythons, **variables):
    """Run tools/make_venv.sh where only the given programs are on the PATH."""
    for name, text in pythons.items():
        program(folder / name, text)
    environment = {"PATH": str(folder), "PYENV_ROOT": str(folder), **variables}
    return run("/bin/sh", str(ROOT / "tools/make_venv.sh"), "venv", "test", cwd=folder, env=environment)


@pytest.mark.parametrize(("pythons", "variables"), [
    ({}, {}),
    ({"python3.12": SHIM, "python3": OLD, "python": "exit 1"}, {}),
    ({"python3.12": GOOD, "mine": OLD}, {"PYTHON": "mine"}),
], ids=["no Python", "a shim, an old one and a broken one", "an old one that was asked for"])
def test_without_a_python_one_sentence_says_what_to_install(tmp_path, pythons, variables):
    done = make_venv(tmp_path, pythons, **variables)
    assert done.returncode == 1 and done.stdout == ""
    [sentence] = done.stderr.splitlines()
    assert "needs Python 3.12 or newer" in sentence and "install" in sentence


@pytest.mark.parametrize(("pythons", "chosen"), [
    ({"python3.12": SHIM, "python3.13": GOOD, "python3": OLD}, "python3.13"),
    ({"python3.12": SHIM, "python3": OLD, "python": GOOD}, "python"),
    ({}, "3.12"),
], ids=["one behind a shim that is empty", "the last name tried", "none, so uv brings one"])
def test_uv_is_used_where_it_is_installed_with_the_python_that_is_there(tmp_path, pythons, chosen):
    done = make_venv(tmp_path, {**pythons, "uv": 'echo "$@"'})
    lines = done.stdout.splitlines()
    assert lines[0] == f"venv --quiet --clear --seed --python {chosen} venv"
    assert lines[-1] == "pip install --quiet --python venv/bin/python -e .[test]"


def test_ci_runs_make_test():
    assert os.access(ROOT / ".ci/run", os.X_OK)
    assert re.search(r"^make test$", (ROOT / ".ci/run").read_text(), re.MULTILINE)


def test_the_workflow_tests_every_push_with_pins_and_every_week_without():
    workflow = yaml.load((ROOT / ".github/workflows/test.yml").read_text(), yaml.BaseLoader)  # `on` is a word here
    assert {"push", "pull_request", "schedule"} <= workflow["on"].keys()
    commands = {step["run"]: step.get("if") for step in workflow["jobs"]["test"]["steps"] if "run" in step}
    assert commands[".ci/run"] == "github.event_name != 'schedule'"
    assert commands["make test PINS="] == "github.event_name == 'schedule'"


# Storing notebooks


def notebook(path, *sources, tags=()):
    """A notebook as an editor may leave it: with run times, the interpreter's version and a widget's state."""
    metadata = {"tags": list(tags), "execution": {"iopub.status.busy": "2026-11-30T20:41:00"}}
    cells = [nbformat.v4.new_code_cell(source, metadata=metadata) for source in sources]
    about = {"widgets": {}, "language_info": {"name": "python", "version": "3.12.1"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=about), path)
    return path


def store(path):
    return run(sys.executable, str(ROOT / "tools/store_notebooks.py"), str(path))


SHOW = """\
from IPython.display import display
from ipywidgets import IntSlider
print(1); print(2)
display(IntSlider()._repr_mimebundle_(), raw=True)"""


def test_stored_outputs_are_the_same_twice_and_hold_no_widget_time_or_version(tmp_path):
    path = notebook(tmp_path / "00_a.ipynb", SHOW, "from pathlib import Path\nlist(Path().glob('*'))")
    assert store(path).returncode == 0
    first = path.read_text()
    assert store(path).returncode == 0
    assert path.read_text() == first
    stored = json.loads(first)
    assert [cell["execution_count"] for cell in stored["cells"]] == [1, 2]
    stream, slider = stored["cells"][0]["outputs"]
    assert stream["text"] == ["1\n", "2\n"] and slider["data"].keys() == {"text/plain"}
    assert "00_a.ipynb" in stored["cells"][1]["outputs"][0]["data"]["text/plain"][0]  # it runs in its own folder
    assert "widgets" not in stored["metadata"] and "version" not in stored["metadata"]["language_info"]
    assert not any("execution" in cell["metadata"] for cell in stored["cells"])


@pytest.mark.parametrize(("source", "said"), [
    ("import sys\nprint('oh', file=sys.stderr)", "cell 0 prints to stderr: oh"),
    ("{}['a']", "cell 0 fails: KeyError: 'a'"),
])
def test_a_notebook_that_complains_is_not_stored(tmp_path, source, said):
    path = notebook(tmp_path / "00_a.ipynb", source)
    before = path.read_text()
    done = store(path)
    assert done.returncode == 1 and said in done.stdout
    assert path.read_text() == before


def test_an_error_that_is_meant_is_stored_without_the_folders_it_passed_through(tmp_path):
    path = notebook(tmp_path / "00_a.ipynb", "{}['a']", "1", tags=["raises-exception"])
    assert store(path).returncode == 0
    [error] = json.loads(path.read_text())["cells"][0]["outputs"]
    assert error["traceback"] == ["KeyError: 'a'"]


# What is committed


def committed():
    """The files of the project, as text; a picture or another binary file is passed over."""
    for name in run("git", "ls-files", "-z", cwd=ROOT).stdout.rstrip("\0").split("\0"):
        if (ROOT / name).is_file():
            try:
                yield name, (ROOT / name).read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue


def test_the_address_of_the_repository_stands_once():
    chapter_0 = r"HEAD\?urlpath=lab/tree/notebooks/00_start_here\.ipynb"
    [address] = re.findall(rf"mybinder\.org/v2/gh/([\w.-]+/[\w.-]+)/{chapter_0}", README)
    assert {name: text.count(address) for name, text in committed() if address in text} == {"README.md": 1}


@pytest.mark.parametrize("pattern", [
    r"sk-ant-[A-Za-z0-9-]{12,}",
    re.escape(str(ROOT)) + r"\b",
    re.escape(str(Path.home())) + r"/\w",
], ids=["a key", "this checkout's folder", "a home folder"])
def test_no_file_holds(pattern):
    texts = dict(committed())
    assert texts and not [name for name, text in texts.items() if re.search(pattern, text)]


# The page


def test_the_house_in_the_readme_is_the_house_that_stands():
    house = README.split("## How it is built")[1].split("```")[1]
    rooms = set(re.findall(r"^    (\w+(?:\.py|/))", house, re.MULTILINE))
    package = ROOT / "learn_compact"
    folders = {f"{path.parent.name}/" for path in package.glob("*/__init__.py")}
    assert rooms == folders | {path.name for path in package.glob("*.py")}


LINKS = set(re.findall(r"\]\((?!http)([^)#]+)\)", README))


def test_every_file_that_the_readme_links_to_is_there():
    assert not [link for link in LINKS if not (ROOT / link).exists()]


def test_the_readme_links_to_every_chapter():
    assert {f"notebooks/{path.name}" for path in (ROOT / "notebooks").glob("*.ipynb")} <= LINKS
