"""What a user can want from the stand-in: one small class per kind of task. Everything else is not understood."""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from posixpath import basename, splitext


@dataclass(frozen=True)
class Files:
    """Which files: those named, or those of a kind anywhere under the folders; never one that a rule leaves out."""

    folders: tuple = (".",)
    suffix: str = ""
    skip: tuple = ()
    paths: tuple = ()

    def allows(self, path):
        """Whether no rule leaves the file out. A rule with `/` looks at the path, any other at the name.

        >>> Files(skip=("test_*", "legacy/*")).allows("agents/test_planner.py")
        False
        """
        return not any(_matches(path, pattern) for pattern in self.skip)


@dataclass(frozen=True)
class ReadFiles:
    """Read the files, and note what is in them."""

    files: Files
    one_by_one: bool = False


@dataclass(frozen=True)
class Audit:
    """Count the `measures` (functions, classes, lines, files) in the files and report the total."""

    files: Files
    measures: tuple
    one_by_one: bool = False
    per_file: bool = False


@dataclass(frozen=True)
class AddLine:
    """Put a line at the top of every file, once."""

    files: Files
    line: str


@dataclass(frozen=True)
class Replace:
    """Put one word in the place of another, everywhere, as a whole word."""

    files: Files
    old: str
    new: str


@dataclass(frozen=True)
class KeepReading:
    """Read files, and read them again, until the context shows that it was compacted."""

    files: Files = Files()


@dataclass(frozen=True)
class Compress:
    """Call the compact tool; `focus` says what to preserve."""

    focus: str = ""


@dataclass(frozen=True)
class Recall:
    """Say what the context holds: the "requests" of the user, or the "files" that were read."""

    what: str


@dataclass(frozen=True)
class Rule:
    """Leave files out of whatever is done: a wish that changes another one."""

    skip: tuple


@dataclass(frozen=True)
class GoOn:
    """Go on with what was asked before."""


@dataclass(frozen=True)
class Unclear:
    """A task that lacks something; `question` asks for it."""

    question: str


def _matches(path, pattern):
    if "/" in pattern:
        return fnmatchcase(path, pattern) or fnmatchcase(path, f"*/{pattern}")
    return fnmatchcase(basename(path), pattern) or fnmatchcase(splitext(basename(path))[0], pattern)
