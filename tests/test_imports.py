"""Who imports whom: the house has floors, and the door opens without carrying the furniture in."""

import ast
import importlib
import json
import re
import subprocess
import sys
import tomllib
from graphlib import TopologicalSorter
from importlib.util import find_spec
from pathlib import Path

import pytest

import learn_compact

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "learn_compact"

# From the ground up. A room imports from floors below its own, and from its own floor as long as no circle comes of it.
FLOORS = (
    ("errors", "environment"),
    ("rules", "files", "lines"),
    ("messages",),
    ("tokens", "archive", "summaries", "data", "offline"),
    ("layers", "restore"),
    ("pipeline", "ledger"),
    ("agent", "lab", "conversations"),
    ("show", "check"),
    ("chat", "profile"),
    ("__main__",),
)
FLOOR_OF = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
ONLY = {  # rooms that could stand in a house of their own
    "offline": {"errors", "rules", "messages", "tokens"},
    "data": {"errors", "rules", "messages", "tokens"},
}
COMMAND_LINE = {"chat", "profile", "__main__"}
# The rooms that may import what only the extra `course` brings.
NEED_THE_COURSE = {"show", "check", "lab"} | COMMAND_LINE

HEAVY = ["anthropic", "matplotlib", "ipywidgets", "pandas", "hypothesis", "httpx2"]


def room(path):
    """The room that a file belongs to: the package's module or folder, `__init__` for the door."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(path):
    """The dotted names that a file imports, wherever in it: `from a import b` counts as `a.b`."""
    package = ("learn_compact", *path.relative_to(PACKAGE).parts[:-1])
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[:len(package) + 1 - node.level] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{module}.{alias.name}" for alias in node.names)


FILES = sorted(PACKAGE.rglob("*.py"))
ROOMS = {room(path) for path in FILES} - {"__init__"}
ARROWS = sorted({
    (room(path), name.split(".")[1])
    for path in FILES for name in imported(path) if name.startswith("learn_compact.")
    if room(path) not in ("__init__", name.split(".")[1])
})


def test_every_room_has_a_floor():
    assert ROOMS <= FLOOR_OF.keys()


@pytest.mark.parametrize(("importer", "taken"), ARROWS, ids=["<-".join(reversed(arrow)) for arrow in ARROWS])
def test_a_room_imports_only_from_below(importer, taken):
    assert taken in ROOMS, f"{importer} takes {taken} through the door: import it from its room"
    assert FLOOR_OF[taken] <= FLOOR_OF[importer]
    assert taken in ONLY.get(importer, ROOMS)
    assert taken != "show" or importer in ("__main__", "profile"), "pictures are for notebooks and the commands"


def test_no_rooms_import_each_other_in_a_circle():
    graph = {name: {taken for importer, taken in ARROWS if importer == name} for name in ROOMS}
    assert set(TopologicalSorter(graph).static_order()) == ROOMS


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = {key: {normal(re.match(r"[\w.-]+", line).group()) for line in lines}
             for key, lines in {"core": project["dependencies"], **project["optional-dependencies"]}.items()}
    return names["core"], names["core"] | names["course"] | names["scale"]


DISTRIBUTION = {"dotenv": "python-dotenv", "PIL": "matplotlib", "pydantic_core": "pydantic", "IPython": "ipywidgets"}


@pytest.mark.parametrize("name", sorted(ROOMS | {"__init__"}))
def test_a_room_imports_only_packages_that_pyproject_asks_for(name):
    core, everything = declared()
    taken = {module.split(".")[0] for path in FILES if room(path) == name for module in imported(path)}
    others = {normal(DISTRIBUTION.get(m, m)) for m in taken - sys.stdlib_module_names - {"learn_compact"}}
    assert others <= (everything if name in NEED_THE_COURSE else core)


def modules_after(statement):
    """The top-level modules that a fresh interpreter holds after one statement."""
    program = f"{statement}\nimport json, sys\nprint(json.dumps(list(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in json.loads(done.stdout)}


def test_importing_the_package_loads_nothing_heavy():
    loaded = modules_after("import learn_compact")
    assert "learn_compact" in loaded
    assert not loaded & set(HEAVY)


@pytest.mark.parametrize("name", HEAVY)
def test_what_is_not_loaded_could_have_been(name):
    assert find_spec(name), f"{name} is not installed: the test above proves nothing about it"


@pytest.mark.parametrize("name", learn_compact.__all__)
def test_every_name_on_the_door_is_behind_it(name):
    value = getattr(importlib.import_module("learn_compact"), name)
    assert isinstance(value, int | str | tuple) or value.__doc__
