"""The conversations of Claude Code on this machine: which there are, without reading them."""

import os
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from learn_compact.conversations.log_line import said
from learn_compact.conversations.plain import is_chat_message
from learn_compact.conversations.reading import parse
from learn_compact.errors import ConversationError

HEAD, TAIL = 32_768, 8_192  # bytes that are read of a file: what was asked first, and when the last line was written
LONG = 1_048_576            # at either end, where a line there is long
TITLE = 80                  # characters

_TIME = re.compile(rb'"timestamp":\s?"([^"\\]{10,40})"')
_OURS = re.compile(r"\s*<[\w-]+>|Caveat:|\[Request interrupted|\[Image")  # what Claude Code put there, not the user


@dataclass(frozen=True)
class Found:
    """A conversation on this machine: `load(found.path)` reads it.

    `title` is the first thing that the user said, on one line, `cwd` the folder that the work was done in ("" where the
    beginning of the file doesn't tell them), `at` when the last line was written (UTC), `size` in bytes.
    """

    path: Path
    title: str
    cwd: str
    at: datetime
    size: int


def find(root=None):
    """The conversations that Claude Code keeps under `root`, newest first, as a list of `Found`.

    `root` is `~/.claude/projects` (under `CLAUDE_CONFIG_DIR` where that is set) unless another folder is given. Logs of
    sub-agents, and those in whose beginning (all of a short one) nobody says anything, are left out. Of each file a few
    kilobytes are read, so a thousand take less than a second.
    """
    folder = Path(root).expanduser() if root else _home() / "projects"
    if not folder.is_dir():
        if root is None:
            return []
        raise ConversationError(f"{folder} is no folder. Pass the one that holds the conversations, or none for "
                                "Claude Code's own.")
    found = []
    for parent, _, names in os.walk(folder):
        found += [_found(os.path.join(parent, name)) for name in names
                  if name.endswith(".jsonl") and not name.startswith("agent-")]
    return sorted(filter(None, found), key=lambda one: (one.at, str(one.path)), reverse=True)


def _home():
    return Path(os.environ.get("CLAUDE_CONFIG_DIR") or "~/.claude").expanduser()


def _found(path):
    """The `Found` of a file; None for one that is gone, closed to us, or without a message as far as it was read."""
    try:
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            head = file.read(HEAD)
            title, cwd, is_said = _beginning(head)
            if not title and len(head) == HEAD:
                head += file.read(LONG)
                title, cwd, is_said = _beginning(head)
            if not is_said and len(head) == status.st_size:
                return None
            times = _last_times(file, status.st_size, TAIL) or _last_times(file, status.st_size, LONG)
    except OSError:
        return None
    return Found(Path(path), title, cwd, _time(times, status.st_mtime), status.st_size)


def _last_times(file, size, tail):
    file.seek(max(0, size - tail))
    return _TIME.findall(file.read(tail))


def _beginning(head):
    """(title, cwd, whether a message is there) as far as whole lines tell."""
    title, cwd, is_said = "", "", False
    for raw in head.split(b"\n"):
        if title and cwd:
            break
        try:
            value = parse(raw)[0]
        except ValueError:
            continue
        if not isinstance(value, dict):
            continue
        if not cwd and isinstance(value.get("cwd"), str):
            cwd = value["cwd"]
        role, content = (value["role"], value.get("content")) if is_chat_message(value) else said(value)
        is_said = is_said or bool(role)
        if not title and role == "user" and not value.get("isMeta"):
            title = _title(content)
    return title, cwd, is_said


def _title(content):
    """The user's own words in a message, on one line; "" where there are none."""
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    texts = [block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
    text = next((text for text in texts if isinstance(text, str) and text.strip() and not _OURS.match(text)), "")
    words = " ".join(text[:TITLE * 10].split())
    return words if len(words) <= TITLE else words[:TITLE - 1] + "…"


def _time(times, changed):
    for time in reversed(times):
        try:
            found = datetime.fromisoformat(time.decode("ascii"))
            return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
        except (ValueError, OverflowError):
            continue
    return datetime.fromtimestamp(changed, UTC)
