"""Shell commands in the workspace: bounded in time and output, with an environment that holds no keys.

This is no sandbox. A command can read and write whatever its user can; what it may do is decided by who is asked
before (`approve`), or by the copy that it works in. A few commands that are never meant well are refused.
"""

import os
import re
import signal
import subprocess
import threading

from learn_compact.agent.workspace import MAX_OUTPUT_CHARS, cut
from learn_compact.errors import WorkspaceError

TIMEOUT_SECONDS = 120  # s06

# Handed on from the environment; everything else, keys among it, stays here.
_KEPT = ("PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "COMSPEC", "PATHEXT", "VIRTUAL_ENV")
_DANGEROUS = re.compile(
    r"\bsudo\b|\bsu\s+-|\b(?:shutdown|reboot|halt|poweroff|mkfs(?:\.\w+)?)\b"
    r"|\brm\s+(?:-\S+\s+)*-\w*[rRf]\w*\s+(?:-\S+\s+)*[\"']?(?:/|~|\$HOME)[\"']?\*?(?:\s|;|&|\||$)"  # rm -rf /
    r"|\bof=/dev/|>\s*/dev/(?!null\b|stdout\b|stderr\b|tty\b|fd/)"
    r"|:\s*\(\s*\)\s*\{.*\}\s*;\s*:")  # a fork bomb


def run_command(root, command, timeout=TIMEOUT_SECONDS):
    """(output, exit code) of a shell command run in the folder `root`; output is stdout and stderr as they came.

    The command and whatever it started are killed after `timeout` seconds, and when it ends. At most
    MAX_OUTPUT_CHARS characters are kept. Raises WorkspaceError for what is refused, can't start, or takes too long.
    """
    if _DANGEROUS.search(command):
        raise WorkspaceError("This command is dangerous and was not run.")
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ} | {"HOME": str(root)}
    try:
        process = subprocess.Popen(command, shell=True, cwd=root, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    except (OSError, ValueError) as error:
        raise WorkspaceError(f"The command can't be started: {error}.") from error
    reader = _Reader(process.stdout)
    try:
        code = process.wait(timeout)
    except subprocess.TimeoutExpired as error:
        raise WorkspaceError(f"The command took more than {timeout} seconds and was stopped.\n"
                             f"{_stopped(process, reader)}".rstrip()) from error
    except BaseException:  # Ctrl-C stops the command too
        _stopped(process, reader)
        raise
    return _stopped(process, reader), code


class _Reader(threading.Thread):
    """Reads a pipe to its end, so that the command never waits, and keeps only as much as is wanted."""

    def __init__(self, pipe):
        super().__init__(daemon=True)
        self.pipe, self.kept, self.size = pipe, bytearray(), 0
        self.start()

    def run(self):
        room = 4 * MAX_OUTPUT_CHARS  # a character takes at most four bytes
        while piece := self.pipe.read1(65_536):
            self.kept += piece[:room - len(self.kept)]
            self.size += len(piece)


def _stopped(process, reader):
    """Kill what is left of the command, and say what it had written."""
    if hasattr(os, "killpg"):
        try:
            os.killpg(process.pid, signal.SIGKILL)  # the whole group: children that run on in the background too
        except (ProcessLookupError, PermissionError):
            pass  # all of it has ended
    else:
        process.kill()
    process.wait()
    reader.join(1)  # a child that left the group may hold the pipe open: what it writes is nobody's business
    text = bytes(reader.kept).decode("utf-8", "replace")
    if reader.size > len(reader.kept):
        return f"{text[:MAX_OUTPUT_CHARS]}\n[the rest of {reader.size} bytes left out here]"
    return cut(text.removesuffix("\n"))
