"""tool_result_budget (s08, step 1): what is too large for the context goes to disk; its path and its beginning stay.

It calls no model and loses nothing, so it comes first: a step behind it that clears the result clears a preview.
Left out: pictures and documents in a result. They stay, because the first characters of base64 say nothing.
"""

import re

from learn_compact.archive import RESULTS
from learn_compact.errors import PolicyError, demand
from learn_compact.layers.results import with_contents
from learn_compact.layers.thinking import without_stale_thinking
from learn_compact.messages import result_text, tool_results

MAX_RESULT_CHARS = 30_000
PREVIEW_CHARS = 2_000

_FORM = "<persisted-output>\nFull output: {path}\nPreview:\n{preview}\n</persisted-output>"
_READ = re.compile(r"<persisted-output>\nFull output: (?P<path>[^\n]+)\nPreview:\n(?P<preview>.*)\n</persisted-output>",
                   re.DOTALL)
_FORM_CHARS = 256  # the form takes less, whatever the path: what isn't larger than preview and form is no gain


def tool_result_budget(messages, *, archive, max_chars=MAX_RESULT_CHARS, preview_chars=PREVIEW_CHARS,
                       max_batch_chars=None):
    """The messages with every tool result of more than `max_chars` characters of text on disk, in `archive`.

    The result keeps its id, `is_error` and its pictures; its text becomes the path and the first `preview_chars`
    characters between `<persisted-output>` tags. What the model has not seen yet goes too: it can read it there. A
    result that is on disk already isn't written again, at most its preview becomes shorter; that it is, the archive
    must say, because a tool's output can hold any text.

    Source: s08. Later versions move a result only where those of its message together exceed a limit (200,000
    characters), the largest first, until they don't: that limit is `max_batch_chars`.
    Raises PolicyError for a negative number, ArchiveError where the disk refuses.

    >>> import tempfile
    >>> from learn_compact import Archive
    >>> call = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "bash", "input": {}}]}
    >>> result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "x" * 30_001}]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     after = tool_result_budget([call, result], archive=Archive(folder), preview_chars=3)
    >>> print(after[1]["content"][0]["content"])
    <persisted-output>
    Full output: .task_outputs/tool-results/0001_a.txt
    Preview:
    xxx
    </persisted-output>
    """
    if max_chars < 0 or preview_chars < 0 or (max_batch_chars or 0) < 0:
        raise PolicyError(f"max_chars is {max_chars}, preview_chars {preview_chars}, max_batch_chars "
                          f"{max_batch_chars}: none can be less than 0.")
    large = _too_large(messages, max_chars, preview_chars, max_batch_chars)
    demand(not large or hasattr(archive, "save_result"), "archive", "an Archive(folder)", archive)
    contents = {(i, j): _persisted(block, archive, preview_chars) for i, j, block in large}
    return without_stale_thinking(with_contents(messages, contents), min(contents)[0]) if contents else messages


def has_large_result(message, max_chars=MAX_RESULT_CHARS):
    """Whether a message holds a result of more than `max_chars` characters: what a step can count to know its time."""
    if message.get("role") == "user" and isinstance(content := message.get("content"), list):
        for block in content:
            if isinstance(block, dict) and block.get("type") == "tool_result" and len(result_text(block)) > max_chars:
                return True
    return False


def persisted_path(block, archive):
    """Where the full text of a tool_result lies, if the budget moved it to disk; else None.

    The form alone proves nothing: the archive must know the path, and the file must begin with the preview.
    """
    found = _READ.fullmatch(result_text(block))
    if not found or not found["path"].startswith(f"{RESULTS}/") or not archive.knows(found["path"]):
        return None
    original = result_text({"content": archive.load_result(found["path"])})
    return found["path"] if original.startswith(found["preview"]) else None


def _too_large(messages, max_chars, preview_chars, max_batch_chars):
    """The results that must go, each as ToolResult."""
    smaller = preview_chars + _FORM_CHARS  # no result is larger than this when it has gone
    limit = max(max_chars, smaller)
    large = [found._replace(message_index=i)
             for i, message in enumerate(messages) if has_large_result(message, limit)
             for found in tool_results([message]) if _size(found) > limit]
    if max_batch_chars is None:
        return large
    over = {i: sum(map(_size, tool_results([messages[i]]))) - max_batch_chars for i, _, _ in large}
    chosen = []
    for found in sorted(large, key=_size, reverse=True):
        if over[found.message_index] > 0:
            over[found.message_index] -= _size(found) - smaller
            chosen.append(found)
    return chosen


def _size(found):
    return len(result_text(found.block))


def _persisted(block, archive, preview_chars):
    """The content with its text on disk, where it may be already: then its preview becomes shorter."""
    path, content = persisted_path(block, archive), block["content"]
    if path:
        text = result_text({"content": archive.load_result(path)})
    else:
        text, path = result_text(block), archive.save_result(block.get("tool_use_id"), content)
    form = _FORM.format(path=path, preview=text[:preview_chars])
    if isinstance(content, str):
        return form
    rest = [part for part in content if not (isinstance(part, dict) and part.get("type") == "text")]
    return [{"type": "text", "text": form}, *rest]
