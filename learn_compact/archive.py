"""The disk behind the context: what a layer takes out of the conversation can be fetched again.

Three kinds of files, under names of ours: transcripts (a conversation as it was before a layer replaced it), results
(one tool result each) and the log (every message as it arrived). A file is there whole or not at all, none is ever
overwritten, and only its owner can read it. Left out: deleting anything.
"""

import itertools
import os
import re
import stat
import time
from hashlib import sha256
from pathlib import Path

from learn_compact import files
from learn_compact.errors import ArchiveError
from learn_compact.lines import from_line, to_line, to_lines
from learn_compact.messages import tool_results

TRANSCRIPTS = ".transcripts"
RESULTS = ".task_outputs/tool-results"

_NAMES = {
    TRANSCRIPTS: re.compile(r"transcript_\d{1,20}(_\d{1,9})?\.jsonl|log_\d{1,20}(_\d{1,9})?\.log", re.ASCII),
    RESULTS: re.compile(r"(?P<number>\d{4,9})_(?P<id>\w{1,64}|sha256-[0-9a-f]{32})\.(txt|json)", re.ASCII),
}
_ABOVE = {folder: list(itertools.accumulate(folder.split("/"), "{}/{}".format)) for folder in _NAMES}
_PLAIN_ID = re.compile(r"\w{1,64}", re.ASCII)  # an id that may stand in a file name as it is


class Archive:
    """The files of one agent under `root`: `.transcripts/` and `.task_outputs/tool-results/`, made at the first write.

    Paths that it returns are relative to `root`, with forward slashes, so that no machine's path enters a context.
    `clock` gives the seconds that stand in the names of transcripts and logs. `unique_names=False` is the documented
    s06: two transcripts of one second have one name, and the second replaces the first. `log_path` is the path of this
    archive's log, None before the first message.
    Raises ArchiveError where a file can't be written or read; nothing else has changed then.
    """

    def __init__(self, root, clock=time.time, unique_names=True):
        self.root = Path(root).resolve()
        self.log_path = None
        self._clock, self._unique_names = clock, unique_names
        self._log_owner, self._log_end = None, 0
        self._used = {}  # the newest stem and second of a name: how many names with it are used up
        self._ends = {}  # (process, path of a transcript it wrote): {number of messages: offset behind them}
        self._logged = None  # name of a tool_use_id: (path of a log, offset of the line), the newest
        self._saved, self._number = None, 0  # name of a tool_use_id: path of the newest file; the last file's number

    def save_transcript(self, messages):
        """Write the messages to a new `.transcripts/transcript_TIME.jsonl`, one JSON a line; the file's path."""
        lines = to_lines(messages)
        names = self._timed_names("transcript", "jsonl")
        path = self._write(TRANSCRIPTS, names, lines, replace=not self._unique_names)
        self._ends[os.getpid(), path] = {len(messages): len(lines)}
        return path

    def extend_transcript(self, path, count, messages):
        """Append messages behind the first `count` of a transcript; whether they stand there now.

        False, and nothing written, where this process didn't write it or others follow already: a new transcript is
        due then. Doing the same twice writes once. A process that dies in the middle leaves a torn last line, which
        `load` leaves out.
        """
        end = self._ends.get((os.getpid(), path), {}).get(count)
        if end is None:
            return False
        file, payload = f"{self.root}/{path}", to_lines(messages)
        try:
            if os.path.getsize(file) != end:
                return self._read(path)[end:] == payload
            files.append(file, end, payload)
        except OSError as error:
            raise _failure("write", path, error) from error
        self._ends[os.getpid(), path] = {count: end, count + len(messages): end + len(payload)}
        return True

    def save_result(self, tool_use_id, content):
        """Write the content of a tool_result to a new file; its path. Text is written as it is, anything else as JSON.

        The name begins with a number of ours, so no id can lead out of the folder or to a file that is there.
        """
        try:
            payload, ending = content.encode("utf-8"), "txt"
        except (AttributeError, UnicodeEncodeError):  # a list of blocks, None, or text with lone surrogates
            payload, ending = to_line(content), "json"
        saved, name = self._saved_results(), _name_of(tool_use_id)
        names = (f"{n:04d}_{name}.{ending}" for n in itertools.count(self._number + 1))
        saved[name] = path = self._write(RESULTS, names, payload)
        self._number = int(path.removeprefix(RESULTS + "/").partition("_")[0])
        return path

    def log(self, message):
        """Append a message to this archive's own log, one JSON a line; on disk when this returns.

        A process that dies in the middle leaves a torn last line, which `load` leaves out.
        """
        line = to_line(message)
        if self._log_owner != os.getpid():  # one writer per log: a second process, forked or not, has its own
            self.log_path = self._write(TRANSCRIPTS, self._timed_names("log", "log"), b"")
            self._log_owner, self._log_end = os.getpid(), 0
        try:
            files.append(self.root / self.log_path, self._log_end, line)
        except OSError as error:
            raise _failure("write", self.log_path, error) from error
        if self._logged is not None:
            self._index(self.log_path, self._log_end, message)
        self._log_end += len(line)

    def load(self, path):
        """The messages of a transcript or log of ours, equal to what was written.

        Raises ArchiveError for a file that isn't ours, and for a damaged line, by its number; a torn last line (its
        process died while it wrote) is left out.
        """
        return [message for _, message in self._lines(path)]

    def load_result(self, path):
        """The content that `save_result` wrote to this path."""
        payload = self._read(path)
        return payload.decode("utf-8") if path.endswith(".txt") else from_line(payload)

    def result(self, tool_use_id):
        """The original content of a tool result: as it arrived in a log, else as `save_result` wrote it; the newest.

        Raises ArchiveError where this archive has none (`tool_use_id in archive` asks first). What other processes
        wrote is read once, at the first question.
        """
        name = _name_of(tool_use_id)
        if name in self._logged_results():
            message = from_line(self._read(*self._logged[name]))
            return next(found.block.get("content") for found in reversed(tool_results([message]))
                        if found.tool_use_id == tool_use_id)
        if name in self._saved_results():
            return self.load_result(self._saved[name])
        raise ArchiveError(f"The archive under {self.root.name}/ has no result of the call {tool_use_id!r}: it was "
                           "neither logged nor saved there. Is this the archive that the agent used?")

    def path_of(self, tool_use_id):
        """The file that holds the original content of a tool result, a log before a result; None where none does."""
        name = _name_of(tool_use_id)
        return self._logged_results().get(name, (None,))[0] or self._saved_results().get(name)

    def __contains__(self, tool_use_id):
        return self.path_of(tool_use_id) is not None

    def knows(self, path):
        """Whether `path` is a file that an archive under this root wrote: a name of ours, in a folder of ours, there.

        What stands in a conversation is no proof, because a tool's output can say anything; so a marker counts only
        where this says yes. Symbolic links are not believed.
        """
        folder, _, name = path.rpartition("/") if isinstance(path, str) else ("", "", "")
        if folder not in _NAMES or not _NAMES[folder].fullmatch(name):
            return False
        try:  # root has no links in it, so what lies between it and the file is all that can lead elsewhere
            return (all([stat.S_ISDIR(os.lstat(f"{self.root}/{above}").st_mode) for above in _ABOVE[folder]])
                    and stat.S_ISREG(os.lstat(f"{self.root}/{path}").st_mode))
        except OSError:
            return False

    def _timed_names(self, stem, ending):
        """Names with this second in them; numbers that this archive has used up in it are not tried again."""
        stamp = f"{stem}_{int(self._clock())}"
        if stamp not in self._used:
            self._used = {stamp: 0}
        for number in itertools.count(self._used[stamp] + 1 if self._unique_names else 1):
            self._used[stamp] = number
            yield f"{stamp}.{ending}" if number == 1 else f"{stamp}_{number}.{ending}"

    def _write(self, folder, names, payload, replace=False):
        try:
            return f"{folder}/{files.write_new(files.make_folder(self.root, folder), names, payload, replace)}"
        except OSError as error:
            raise _failure("write", f"{folder}/", error) from error

    def _listed(self, folder):
        """The names of ours in a folder, oldest first."""
        try:
            found = os.listdir(self.root / folder)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise _failure("read", f"{folder}/", error) from error
        return sorted(filter(_NAMES[folder].fullmatch, found),
                      key=lambda name: [int(number) for number in re.findall(r"\d+", name)[:2]])

    def _saved_results(self):
        if self._saved is None:
            names = [_NAMES[RESULTS].fullmatch(name) for name in self._listed(RESULTS)]
            self._saved = {name["id"]: f"{RESULTS}/{name[0]}" for name in names}
            self._number = int(names[-1]["number"]) if names else 0
        return self._saved

    def _logged_results(self):
        if self._logged is None:
            self._logged = {}
            for name in self._listed(TRANSCRIPTS):
                if name.startswith("log_"):
                    for offset, message in self._lines(f"{TRANSCRIPTS}/{name}"):
                        self._index(f"{TRANSCRIPTS}/{name}", offset, message)
        return self._logged

    def _index(self, path, offset, message):
        for found in tool_results([message]):
            self._logged[_name_of(found.tool_use_id)] = (path, offset)

    def _lines(self, path):
        """The messages of a file with the offset of each line."""
        offset, lines = 0, self._read(path).splitlines(keepends=True)
        for number, line in enumerate(lines, 1):
            if not line.endswith(b"\n"):
                return  # torn
            try:
                yield offset, from_line(line)
            except ArchiveError as error:
                raise ArchiveError(f"{path}, line {number}, is damaged. {error}") from error
            offset += len(line)

    def _read(self, path, offset=None):
        """The bytes of a file of ours; with an offset, of the line that begins there."""
        if not self.knows(path):
            raise ArchiveError(f"{path} is no file of the archive under {self.root.name}/.")
        try:
            with open(self.root / path, "rb") as file:
                file.seek(offset or 0)
                return file.read() if offset is None else file.readline()
        except OSError as error:
            raise _failure("read", path, error) from error


def _name_of(tool_use_id):
    """What stands for this id in a file's name: the id where it is harmless, else its hash."""
    if isinstance(tool_use_id, str) and _PLAIN_ID.fullmatch(tool_use_id):
        return tool_use_id
    return "sha256-" + sha256(str(tool_use_id).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _failure(verb, path, error):
    return ArchiveError(f"The archive can't {verb} {path}: {error.strerror or error}. Nothing was changed; free space "
                        f"or give the right to {verb} there, then try again.")
