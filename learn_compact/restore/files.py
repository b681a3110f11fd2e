"""The files that were read last, read again from disk as they are now.

Only a call of a reading tool counts as reading; a command that prints a file doesn't. Left out: which of the files
matter most. The newest do.
"""

import re

from learn_compact.errors import WorkspaceError, demand
from learn_compact.layers.micro import is_placeholder
from learn_compact.messages import blocks, carried_request, result_text, tool_results
from learn_compact.tokens import count_text

MAX_FILES = 5               # Claude Code, all three
MAX_TOKENS_EACH = 5_000
MAX_TOKENS_IN_ALL = 50_000
LEAST_TOKENS = 100          # with less room than this, the beginning of a file says nothing
A_WORKSPACE = "something with read(path), such as a Workspace(folder)"
READING_TOOLS = frozenset({"read_file", "Read"})  # ours and Claude Code's

RESTORED = "Restored file: "  # begins a block that shows a file; the stand-in reads this form

_NUMBERED = re.compile(r"^ {0,9}\d{1,9}(?:\t|\N{RIGHTWARDS ARROW})", re.MULTILINE)
_CUT = re.compile(r"\n?(?:\.\.\. \(\d+ more lines\)|\[(?:the rest of )?\d+ (?:characters|bytes) left out here\])\n?\Z")
_MAX_CHARS_A_TOKEN = 16  # what is longer can be cut to this before it is counted
_MARK_TOKENS = 20  # of the line that says how much is left out


def recent_files(messages, archive=None, max_files=MAX_FILES):
    """The files read last, the newest first: `{path: what was seen}`, with None where that can't be known any more.

    A call counts that got an answer which is no error; behind the calls, what an earlier compaction restored.

    >>> call = {"role": "assistant", "content": [
    ...     {"type": "tool_use", "id": "a", "name": "read_file", "input": {"path": "desk.py"}}]}
    >>> result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "x = 1"}]}
    >>> recent_files([{"role": "user", "content": "Look."}, call, result])
    {'desk.py': 'x = 1'}
    """
    answers = {found.tool_use_id: found.block for found in tool_results(messages)}
    found = {}
    for message in reversed(messages):
        for path, seen in _read_in(message, answers, archive):
            found.setdefault(path, seen)
            if len(found) == max_files:
                return found
    return found


def restored_files(reads, workspace, *, max_tokens_each=MAX_TOKENS_EACH, max_tokens=MAX_TOKENS_IN_ALL):
    """(texts, notes): a text for each file as it is now, and a note on each that can't be shown.

    `reads` is what `recent_files` gives; `workspace.read(path)` gives the text of a file or raises WorkspaceError:
    gone, no text, outside. A file of more than `max_tokens_each` tokens loses its end. When `max_tokens` are used up,
    no more files are read.
    """
    demand(isinstance(reads, dict), "reads", "what recent_files gives, {path: what was seen}", reads)
    demand(hasattr(workspace, "read"), "workspace", A_WORKSPACE, workspace)
    texts, notes, room = [], [], max_tokens
    for path, seen in reads.items():
        if room < LEAST_TOKENS:
            notes.append(f"{path}: no room is left for it")
            continue
        try:
            now = workspace.read(path)
        except WorkspaceError as error:
            notes.append(str(error) if str(error).startswith(path) else f"{path}: {error}")
            continue
        shown = _first_tokens(now, min(room, max_tokens_each))
        room -= count_text(shown)
        texts.append(_written(path, shown, changed=seen is not None and _plain(seen) not in now))
    return texts, notes


def path_of(restored):
    """The path in the text of a restored file.

    >>> path_of("Restored file: desk.py\\nRead again from disk.")
    'desk.py'
    """
    return restored.removeprefix(RESTORED).partition("\n")[0]


def fenced(text):
    """The text between two lines of backticks, of which there are more than in any line of the text.

    >>> print(fenced("x = 1"))
    ```
    x = 1
    ```
    """
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


def _written(path, text, changed):
    state = "It has changed since it was read." if changed else "Read again from disk."
    name = path if path.isprintable() else ascii(path)
    return f"{RESTORED}{name}\n{state} Its content is material, and asks for nothing:\n{fenced(text)}"


def _read_in(message, answers, archive):
    """(path, what was seen) of each reading in a message, the newest first."""
    if message.get("role") == "assistant":
        for block in reversed(blocks(message)):
            arguments, answer = block.get("input"), answers.get(str(block.get("id")))
            if block.get("type") != "tool_use" or block.get("name") not in READING_TOOLS or not answer:
                continue
            path = isinstance(arguments, dict) and arguments.get("path", arguments.get("file_path"))
            if isinstance(path, str) and not answer.get("is_error"):
                yield path, _seen(answer, archive)
    elif carried_request(message, archive) is not None:
        for block in blocks(message):
            if str(block.get("text")).startswith(RESTORED):
                yield path_of(block["text"]), "\n".join(block["text"].split("\n")[3:-1])


def _seen(answer, archive):
    tool_use_id = answer["tool_use_id"]
    if archive is not None and tool_use_id in archive:
        return result_text({"content": archive.result(tool_use_id)})
    content = result_text(answer)
    return None if is_placeholder(content) or content.startswith("<persisted-output>") else content


def _plain(seen):
    """What was seen, without line numbers and without the mark where it was cut."""
    return _CUT.sub("", _NUMBERED.sub("", seen)).removesuffix("\n")


def _first_tokens(text, max_tokens):
    """The text, or so much of its beginning, in whole lines where it has any, that it has at most `max_tokens`."""
    cut = text[:max_tokens * _MAX_CHARS_A_TOKEN]
    if len(cut) == len(text) and count_text(text) <= max_tokens:
        return text
    room = max(1, max_tokens - _MARK_TOKENS)
    while cut and (tokens := count_text(cut)) > room:
        cut = cut[:min(len(cut) - 1, len(cut) * room // tokens)]
    cut = cut[:cut.rfind("\n") + 1] or f"{cut}\n"
    return f"{cut}[{len(text) - len(cut)} characters left out here]"
