"""Scored tasks out of a seed: a project, what is asked about it, the right answer, and a score for what came out.

The words are put together here, and no chapter uses them; the right answers are computed with `ast` and plain string
functions, apart from the stand-in. The tasks are fair to a real model too. A ranking of policies that rests on the
stand-in's runs must be labelled so: see `standin/README.md`.
"""

import ast
import re
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from random import Random

from learn_compact.offline import grow
from learn_compact.offline.project import write_files

_FOLDERS = ("cellar", "ferry_house", "harvest", "kiln", "loft", "orchard", "pantry", "quarry", "stable", "winery")
_STEMS = ("anchor", "basin", "cedar", "delta", "ember", "flint", "grove", "heron", "islet", "juniper", "kettle",
          "lantern", "meadow", "nectar", "osprey", "pebble", "quartz", "reed", "saddle", "thistle", "umber", "valley")
_UNDER = ("underneath {}", "in the {} directory", "anywhere inside {}/", "throughout {}", "within the folder {}")
_RULES = {  # a pattern → ways to say it
    "test_*": ("leaving out whatever is called test_*", "but pass over files whose names begin with test_"),
    "*_old.py": ("excluding anything that ends in _old.py", "but disregard files matching *_old.py"),
    "draft_*": ("apart from files starting with draft_", "but steer clear of anything named draft_*"),
}
_NAMES = {"test_*": "test_{}.py", "*_old.py": "{}_old.py", "draft_*": "draft_{}.py"}
_AUDITS = (
    "I need to know the number of {measure} that the Python files {under} have in total, {rule}.",
    "Work through each Python module {under}, {rule}. What is the grand total of {measure}?",
    "Tally the {measure} of every .py file {under}, {rule}; give me the sum as a total.",
    "How many {measure} do all Python sources {under} add up to, {rule}? State the total.",
)
_MEASURES = {"functions": ("functions", "function definitions", "defs"), "classes": ("classes", "class definitions"),
             "lines": ("lines", "lines of code")}
_LINES = ("# Reviewed by the harbour office", "# SPDX-License-Identifier: 0BSD", "# Part of the spring inventory")
_ADDITIONS = (
    'Insert the line "{line}" at the very beginning of each Python module {under}, {rule}. It must stand there once.',
    'See to it that every Python file {under} starts with the line "{line}", {rule}.',
    "Stamp all .py files {under} with one more first line, {rule}: {line}",
)
_SWAPS = (
    'Swap the word "{old}" for "{new}" in each Python file {under}, {rule}.',
    'Everywhere in the Python modules {under}, change the word "{old}" into "{new}", {rule}.',
)
_WORDS = (("copy", "fresh copy"), ("smallest", "very smallest"), ("table", "plain table"), ("rows", "lines"),
          ("largest", "widest"), ("kept", "chosen"), ("cells", "columns"))


@dataclass(frozen=True)
class Task:
    """A task: `prompt` is asked in the project that `build` writes, `answer` is what should come out.

    `answer` is the total of an audit, or for an edit the right text of every file, `{path: text}`.
    """

    name: str
    prompt: str
    answer: int | dict
    files: dict = field(repr=False)

    def build(self, folder):
        """Write the project into a folder; the folder as a `Path`."""
        return write_files(self.files, folder)

    def score(self, text, folder):
        """From 0 to 1: whether `text` states the right total; or the share of files in `folder` that are right."""
        if isinstance(self.answer, int):
            return float(stated_total(text) == self.answer)
        return _share_right(self.files, self.answer, Path(folder))


def audit(seed):
    """An audit: a total over the Python files of one folder, with a rule that leaves some of them out.

    >>> audit(7).prompt[:84], audit(7).answer
    ('I need to know the number of class definitions that the Python files underneath kiln', 7)
    """
    rng = Random(f"audit {seed}")
    folder, pattern, files = _project(rng)
    measure = rng.choice(list(_MEASURES))
    prompt = rng.choice(_AUDITS).format(measure=rng.choice(_MEASURES[measure]), **_where(rng, folder, pattern))
    total = sum(_measured(files[path])[measure] for path in _concerned(files, folder, pattern))
    return Task(f"audit {seed}", prompt, total, files)


def edit(seed):
    """An edit: a line put at the top of the Python files of one folder, or a word replaced in them, with a rule.

    >>> edit(7).prompt[:56], len(edit(7).answer)
    ('See to it that every Python file anywhere inside quarry/', 19)
    """
    rng = Random(f"edit {seed}")
    folder, pattern, files = _project(rng)
    where, concerned = _where(rng, folder, pattern), _concerned(files, folder, pattern)
    if rng.random() < 0.5:
        line = rng.choice(_LINES)
        prompt = rng.choice(_ADDITIONS).format(line=line, **where)
        changed = {path: f"{line}\n{files[path]}" for path in concerned}
    else:
        old, new = rng.choice([pair for pair in _WORDS if any(_has(files[path], pair[0]) for path in concerned)])
        prompt = rng.choice(_SWAPS).format(old=old, new=new, **where)
        changed = {path: re.sub(rf"\b{old}\b", new, files[path]) for path in concerned}
    return Task(f"edit {seed}", prompt, {**files, **changed}, files)


def stated_total(text):
    """The number that a text gives as the total: the first behind the last "total", else the last before it.

    >>> stated_total("Total: 1,204 lines in 12 files."), stated_total("12 files hold 57 functions in total.")
    (1204, 57)
    """
    before, _, after = text.lower().rpartition("total")
    numbers = [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", after)]
    earlier = [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", before)]
    return next(iter(numbers or earlier[::-1]), None)


def _project(rng):
    """A folder, a pattern that some of its files match, and all files of a project around it."""
    folder, other = rng.sample(_FOLDERS, 2)
    pattern, *decoys = rng.sample(list(_NAMES), 2)
    stems = rng.sample(_STEMS, rng.randrange(6, 15))
    files = {}
    for stem in stems:
        name = rng.choice([f"{stem}.py", f"{stem}.py", f"{stem}.py", _NAMES[pattern].format(stem),
                           _NAMES[decoys[0]].format(stem)])
        path = f"{folder}/{rng.choice(['', '', 'inner/'])}{name}"
        files[path] = grow.module(rng, path, rng.randrange(400, 9_000))
    fixed = {f"{folder}/zenith.py": 600, f"{folder}/{_NAMES[pattern].format('zephyr')}": 900}  # the rule has work
    others = {f"{other}/{stem}.py": 1_500 for stem in rng.sample(_STEMS, 4)}
    files |= {path: grow.module(rng, path, size) for path, size in (fixed | others).items()}
    files |= {path: grow.page(rng, path, 700) for path in (f"{folder}/notes.md", "README.md")}
    return folder, pattern, files


def _where(rng, folder, pattern):
    return {"under": rng.choice(_UNDER).format(folder), "rule": rng.choice(_RULES[pattern])}


def _concerned(files, folder, pattern):
    return [path for path in files if path.startswith(f"{folder}/") and path.endswith(".py")
            and not fnmatchcase(PurePosixPath(path).name, pattern)]


def _measured(text):
    nodes = list(ast.walk(ast.parse(text)))
    return {"functions": sum(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) for node in nodes),
            "classes": sum(isinstance(node, ast.ClassDef) for node in nodes), "lines": len(text.splitlines())}


def _has(text, word):
    return re.search(rf"\b{word}\b", text) is not None


def _share_right(before, right, folder):
    """Right files among those that had to change, and those that were changed although they had not to."""
    found = {path: _text(folder / path) for path in before}
    counted = [path for path in before if before[path] != right[path] or found[path] != before[path]]
    return sum(found[path] == right[path] for path in counted) / len(counted)


def _text(path):
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
