"""micro_compact (s06, layer 1): old tool results become placeholders that still say what happened.

It calls no model and costs one walk over the blocks, so it can run before every request.
Left out: the input of the calls, which often holds as much (a written file stands in its call, not in its result).
"""

import re
from math import inf

from learn_compact.errors import PolicyError
from learn_compact.layers.budget import persisted_path
from learn_compact.layers.results import with_contents
from learn_compact.layers.thinking import newest_answer, without_stale_thinking
from learn_compact.messages import result_text, tool_names, tool_results
from learn_compact.tokens import estimate_chars

KEEP_RECENT = 3
MIN_CHARS = 100
PATH_CHARS = 128  # a path and the words before it take less
PRESERVE_RESULT_TOOLS = frozenset({"read_file"})

_PLACEHOLDER = re.compile(r"\[Previous: used [^\n]*\]")


def micro_compact(messages, *, keep_recent=KEEP_RECENT, min_chars=MIN_CHARS, preserve=PRESERVE_RESULT_TOOLS,
                  protect_unseen=True, archive=None, find_names=tool_names, enough_chars=inf, leave_path=False):
    """The messages with `[Previous: used NAME]` in place of old tool results.

    Old is what stands before the newest `keep_recent` results, however many messages those share. Only results of
    more than `min_chars` characters go (a picture counts as more), none of the tools in `preserve`, and none that the
    model has not seen yet. Everything else about a result stays, `is_error` too: that a call failed is worth more than
    its text. With an `archive`, a result that it doesn't hold yet is saved there first; with `leave_path` every one is,
    and its placeholder says where: `[Previous: used NAME. Full output: PATH]`. When `enough_chars` characters (of JSON)
    are won, the rest stays.

    Source: s06, which also clears unseen results (`protect_unseen=False`) and finds no name where blocks are dicts
    (`find_names=names_by_attribute`: every tool is "unknown" then, and nothing is preserved). The path: later versions
    of s08.
    Raises PolicyError for a negative number, ArchiveError where the archive can't be written.

    >>> call = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "bash", "input": {}}]}
    >>> result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "x" * 101}]}
    >>> messages = [{"role": "user", "content": "Look."}, call, result, {"role": "assistant", "content": "I looked."}]
    >>> micro_compact(messages, keep_recent=0)[2]["content"]
    [{'type': 'tool_result', 'tool_use_id': 'a', 'content': '[Previous: used bash]'}]
    """
    if keep_recent < 0 or min_chars < 0:
        raise PolicyError(f"keep_recent is {keep_recent} and min_chars {min_chars}: neither can be less than 0.")
    end = _oldest_kept(messages, keep_recent)
    if protect_unseen:
        end = min(end, (newest_answer(messages), 0))
    long = _long_results(messages, end, min_chars)
    names = find_names([messages[i - 1] for i, _, _ in long])
    if any(block.get("tool_use_id") not in names for _, _, block in long):
        names = find_names(messages)  # a damaged history: calls stand elsewhere
    placeholders = {}
    for i, j, block in long:
        name, content = names.get(block.get("tool_use_id"), "unknown"), block["content"]
        placeholder = f"[Previous: used {name}]"
        longest = len(placeholder) + leave_path * PATH_CHARS
        if (name in preserve or is_placeholder(content)
                or longest >= len(content if isinstance(content, str) else str(content))):
            continue
        if archive is not None and (leave_path or block["tool_use_id"] not in archive):
            path = persisted_path(block, archive) or archive.save_result(block["tool_use_id"], content)
            placeholder = f"[Previous: used {name}. Full output: {path}]" if leave_path else placeholder
        placeholders[i, j] = placeholder
        if enough_chars < inf:
            enough_chars -= estimate_chars(content) - estimate_chars(placeholder)
        if enough_chars <= 0:
            break
    if not placeholders:
        return messages
    first_changed = next(iter(placeholders))[0]
    return without_stale_thinking(with_contents(messages, placeholders), first_changed)


def micro_down_to(messages, *, max_chars, size=estimate_chars, **parameters):
    """What `micro_compact` does, but no more than is needed: the oldest results go, until at most `max_chars` remain.

    `size(messages)` counts in the unit of `max_chars`: characters of JSON. The other parameters are those of
    `micro_compact`. Source: later versions of s08, which go down to 80 % of the limit that was passed.
    """
    too_many = size(messages) - max_chars
    return micro_compact(messages, **parameters, enough_chars=too_many) if too_many > 0 else messages


def is_placeholder(content):
    """Whether the content of a tool_result has the form that `micro_compact` leaves.

    >>> is_placeholder("[Previous: used bash]")
    True
    """
    return isinstance(content, str) and _PLACEHOLDER.fullmatch(content) is not None


def names_by_attribute(messages):
    """The tools behind the calls as s06 looks for them, in attributes of SDK objects: in plain dicts it finds none.

    >>> names_by_attribute([{"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "bash"}]}])
    {}
    """
    return {block.id: block.name
            for message in messages if message["role"] == "assistant" and isinstance(message["content"], list)
            for block in message["content"] if getattr(block, "type", None) == "tool_use"}


def _oldest_kept(messages, keep_recent):
    """Where the oldest of the newest `keep_recent` results stands, as (message index, block index)."""
    place = (len(messages), 0)
    for i in range(len(messages) - 1, -1, -1):
        for found in reversed(tool_results(messages[i:i + 1])):
            if not keep_recent:
                return place
            place, keep_recent = (i, found.block_index), keep_recent - 1
    return place


def _long_results(messages, end, min_chars):
    """The results before `end` with more than `min_chars` characters, as (message index, block index, block).

    This is the walk that a long history pays for at every turn, so it stands in one expression.
    """
    return [(i, j, block)
            for i, message in enumerate(messages[:end[0] + 1])
            if message.get("role") == "user" and isinstance(content := message.get("content"), list)
            for j, block in enumerate(content)
            if isinstance(block, dict) and block.get("type") == "tool_result"
            and (len(text) > min_chars if isinstance(text := block.get("content"), str) else _is_long(block, min_chars))
            and (i, j) < end]


def _is_long(block, min_chars):
    """Whether a result that is no plain text has more than `min_chars` characters; what isn't text counts as more."""
    content = block.get("content")
    if not isinstance(content, list):
        return False
    only_text = all(isinstance(part, dict) and part.get("type") == "text" for part in content)
    return not only_text or len(result_text(block)) > min_chars
