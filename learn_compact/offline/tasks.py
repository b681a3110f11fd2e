"""Scored tasks out of a seed: a project, what is asked about it, the right answer, and a score for what came out.

The words are put together here, and no chapter uses them; the right answers are computed with `ast` and plain string
functions, apart from the stand-in. The tasks are fair to a real model too. A ranking of policies that rests on the
stand-in's runs must be labelled so: see README.md beside this file.
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

    >>> audit(7).prompt[:32], audit(7).answer
    ('Work through each Python module ', 1239)
    """
    rng = Random(f"audit {seed}")
    files, inside, outside, where = _project(rng)
    measure = rng.choice([measure for measure, total in _totals(files, outside).items() if total])  # the rule matters
    prompt = rng.choice(_AUDITS).format(measure=rng.choice(_MEASURES[measure]), **where)
    return Task(f"audit {seed}", prompt, _totals(files, inside)[measure], files)


def edit(seed):
    """An edit: a line put at the top of the Python files of one folder, or a word replaced in them, with a rule.

    >>> edit(7).prompt[:32], len(edit(7).answer)
    ('Everywhere in the Python modules', 19)
    """
    rng = Random(f"edit {seed}")
    files, inside, outside, where = _project(rng)
    if rng.random() < 0.5:
        line = rng.choice(_LINES)
        prompt = rng.choice(_ADDITIONS).format(line=line, **where)
        changed = {path: f"{line}\n{files[path]}" for path in inside}
    else:
        old, new = rng.choice([(old, new) for old, new in _WORDS
                               if _has(files, inside, old) and _has(files, outside, old)])  # the rule matters
        prompt = rng.choice(_SWAPS).format(old=old, new=new, **where)
        changed = {path: re.sub(rf"\b{old}\b", new, files[path]) for path in inside}
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
    """(files, those that a task is about, those that its rule leaves out, the words for both)."""
    folder, other = rng.sample(_FOLDERS, 2)
    pattern, decoy = rng.sample(list(_NAMES), 2)
    sizes = {f"{folder}/zenith.py": 600, f"{folder}/{_NAMES[pattern].format('zephyr')}": 6_000}
    for stem in rng.sample(_STEMS, rng.randrange(6, 15)):
        name = rng.choice(["{}.py", "{}.py", "{}.py", _NAMES[pattern], _NAMES[decoy]]).format(stem)
        sizes[f"{folder}/{rng.choice(['', '', 'inner/'])}{name}"] = rng.randrange(400, 9_000)
    sizes |= {f"{other}/{stem}.py": 1_500 for stem in rng.sample(_STEMS, 4)}
    files = {path: grow.module(rng, path.replace("test_", ""), size) for path, size in sizes.items()}
    files |= {path: grow.page(rng, path, 700) for path in (f"{folder}/notes.md", "README.md")}
    inside = [path for path in sizes if path.startswith(f"{folder}/")]
    outside = [path for path in inside if fnmatchcase(PurePosixPath(path).name, pattern)]
    where = {"under": rng.choice(_UNDER).format(folder), "rule": rng.choice(_RULES[pattern])}
    return files, [path for path in inside if path not in outside], outside, where


def _totals(files, paths):
    """What the files have in all, by measure."""
    nodes = [node for path in paths for node in ast.walk(ast.parse(files[path]))]
    return {"functions": sum(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) for node in nodes),
            "classes": sum(isinstance(node, ast.ClassDef) for node in nodes),
            "lines": sum(len(files[path].splitlines()) for path in paths)}


def _has(files, paths, word):
    return any(re.search(rf"\b{word}\b", files[path]) for path in paths)


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
