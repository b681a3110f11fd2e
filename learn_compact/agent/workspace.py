"""The folder that an agent works in: its files, by paths that can't leave it.

A path is followed to its end, symbolic links included, before anything is read or written. What is told about a file
names it as the agent named it, so no machine's path enters a conversation. Left out: commands (`command`), which no
path check can hold.
"""

import shutil
import stat
import tempfile
from glob import glob
from pathlib import Path

from learn_compact.archive import RESULTS, TRANSCRIPTS
from learn_compact.errors import WorkspaceError

MAX_OUTPUT_CHARS = 50_000  # s06, of a file and of a command's output

MAX_BROKEN = 0.3  # share of characters that are no UTF-8: a few come from an old encoding, more from no text at all

_ARCHIVE = tuple(Path(folder).parts[0] for folder in (TRANSCRIPTS, RESULTS))


class Workspace:
    """The files under `root`. Methods give what the tool's result says, and raise WorkspaceError in a sentence."""

    def __init__(self, root):
        self.root = Path(root).resolve()
        if not self.root.is_dir():
            raise WorkspaceError(f"There is no folder {root} to work in.")

    def read(self, path, limit=None):
        """The text of a file, its first `limit` lines where given, at most MAX_OUTPUT_CHARS characters of it."""
        content, size = self._bytes(path, 4 * MAX_OUTPUT_CHARS + 1)  # a character takes at most four bytes
        if b"\0" in content:
            raise WorkspaceError(f"{path} holds no text.")
        text = content.decode("utf-8", "replace")
        if text.count("\N{REPLACEMENT CHARACTER}") > len(text) * MAX_BROKEN:
            raise WorkspaceError(f"{path} holds no text.")
        if limit is not None:
            lines = text.splitlines(keepends=True)
            more = len(lines) - max(0, limit)
            text = "".join(lines[:max(0, limit)]) + (f"... ({more} more lines)" if more > 0 else "")
        if size > len(content):
            return f"{text[:MAX_OUTPUT_CHARS]}\n[the rest of {size} bytes left out here]"
        return cut(text)

    def find(self, pattern):
        """The files whose paths fit a pattern, one a line, in order; hidden ones where the pattern names the dot."""
        try:
            found = sorted(glob(pattern, root_dir=self.root, recursive=True))
        except (OSError, ValueError, RecursionError) as error:
            raise WorkspaceError(f"{pattern!r} can't be a pattern: {error}.") from error
        inside = [Path(path).as_posix() for path in found if self._is_file_inside(path)]
        return cut("\n".join(inside) or f"No file fits {pattern}.")

    def write(self, path, content):
        """Write a file, new or not, and the folders above it."""
        file, encoded = self._to_write(path), _encoded(path, content)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(encoded)
        except OSError as error:
            raise _refused(path, error) from error
        return f"Wrote {len(encoded)} bytes to {path}"

    def edit(self, path, old_text, new_text):
        """Replace the first place where `old_text` stands in a file, to the letter."""
        file = self._to_write(path)
        try:
            text = self._bytes(path)[0].decode("utf-8")
        except UnicodeDecodeError as error:
            raise WorkspaceError(f"{path} is not UTF-8 text, so it can't be edited.") from error
        if not old_text or old_text not in text:
            raise WorkspaceError(f"The text to replace doesn't stand in {path}. Read the file, and copy to the letter.")
        encoded = _encoded(path, text.replace(old_text, new_text, 1))
        try:
            file.write_bytes(encoded)
        except OSError as error:
            raise _refused(path, error) from error
        return f"Edited {path}"

    def inside(self, path):
        """Where a path leads to; WorkspaceError where that is outside.

        >>> Workspace(".").inside("../elsewhere")
        Traceback (most recent call last):
            ...
        learn_compact.errors.WorkspaceError: ../elsewhere leads out of the workspace. Use a path inside it.
        """
        try:
            file = (self.root / path).resolve()
        except (OSError, ValueError, RuntimeError) as error:  # a null byte, a circle of links, a name that is too long
            raise WorkspaceError(f"{path[:200]!r} can't be a path here.") from error
        if not file.is_relative_to(self.root):
            raise WorkspaceError(f"{path} leads out of the workspace. Use a path inside it.")
        return file

    def _is_file_inside(self, path):
        file = (self.root / path).resolve()
        return file.is_relative_to(self.root) and file.is_file()

    def _to_write(self, path):
        file = self.inside(path)
        if file.relative_to(self.root).parts[:1] in [(name,) for name in _ARCHIVE]:
            raise WorkspaceError(f"{path} belongs to the archive, which can be read but not written to.")
        return file

    def _bytes(self, path, most=-1):
        """The first `most` bytes of a file, and how many it has."""
        file = self.inside(path)
        try:
            found = file.stat()
            if not stat.S_ISREG(found.st_mode):
                raise WorkspaceError(f"{path} is a folder." if file.is_dir() else f"{path} is no ordinary file.")
            with open(file, "rb") as opened:
                return opened.read(most), found.st_size
        except OSError as error:
            raise _refused(path, error) from error


def cut(text, most=MAX_OUTPUT_CHARS):
    """The text, or its beginning and how much of it is left out.

    >>> cut("abcdef", most=4)
    'abcd\\n[2 characters left out here]'
    """
    return text if len(text) <= most else f"{text[:most]}\n[{len(text) - most} characters left out here]"


def copy_workspace(folder):
    """A copy of a folder in a temporary place, for an agent that may do there what it likes; its path."""
    folder = Path(folder).resolve()
    if not folder.is_dir():
        raise WorkspaceError(f"There is no folder {folder} to copy.")
    left_out = shutil.ignore_patterns(".git", ".venv", *_ARCHIVE)
    try:
        copy = Path(tempfile.mkdtemp(prefix="learn-compact-")) / folder.name
        return Path(shutil.copytree(folder, copy, symlinks=True, ignore=left_out))
    except OSError as error:
        raise WorkspaceError(f"{folder} can't be copied: {error}") from error


def _encoded(path, text):
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise WorkspaceError(f"What is to be written to {path} holds a character that no file can: {error}.") from error


def _refused(path, error):
    return WorkspaceError(f"{path}: {error.strerror or type(error).__name__}")
