"""snip_compact (s08, step 2): the middle of a long conversation goes to disk, and one line says where it is.

The beginning holds the task and the end holds the work; what lies between is fetched back when it is needed.
Left out: any judgement of what the middle says. A summary makes one, and costs a call.
"""

import re
from bisect import bisect_left, bisect_right

from learn_compact.errors import PolicyError, demand
from learn_compact.layers.request import carried_blocks, with_blocks
from learn_compact.layers.thinking import newest_answer, without_stale_thinking
from learn_compact.layers.weight import outweighs
from learn_compact.messages import carried_request, first_text, safe_cuts

MAX_MESSAGES = 50
KEEP_FIRST = 3
KEEP_LAST = 47

_MARKER = "[{count} messages archived at {path}]"
_READ = re.compile(r"\[(?P<count>\d{1,9}) messages archived at (?P<path>\S+\.jsonl)\]", re.ASCII)
_LONGEST = (".transcripts/transcript_" + "0" * 30 + ".jsonl", 10**9)


def snip_compact(messages, *, archive, max_messages=MAX_MESSAGES, keep_first=KEEP_FIRST, keep_last=KEEP_LAST,
                 down_to=None):
    """The first and the last messages, and `[N messages archived at PATH]` in place of those between.

    Nothing happens up to `max_messages` messages. Above, the first `keep_first` and the last `keep_last` stay, and
    more where a cut would part a call from its result or take the newest answer and what follows it. The newest request
    follows the marker in a second block, where it lay in the middle. When a conversation is snipped again, the file
    of the earlier marker grows by what is new, so that one marker and one file hold the whole middle, in order.

    Source: s08. With 3 + 47 messages and a marker it snips again at every turn; later versions go down to 30 messages
    at once and then have peace for a while (`down_to=30`, the marker not counted).
    Raises PolicyError for a number out of range, ArchiveError where the disk refuses.

    >>> import tempfile
    >>> from learn_compact import Archive
    >>> messages = [{"role": ("user", "assistant")[n % 2], "content": f"Message {n}, " + "and so on. " * 9}
    ...             for n in range(60)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     after = snip_compact(messages, archive=Archive(folder, clock=lambda: 7))
    >>> len(after), after[3]["content"]
    (51, '[10 messages archived at .transcripts/transcript_7.jsonl]')
    """
    if min(max_messages, keep_first, keep_last) < 0 or (down_to is not None and down_to < keep_first):
        raise PolicyError(f"max_messages is {max_messages}, keep_first {keep_first}, keep_last {keep_last}: none can "
                          f"be less than 0, nor down_to ({down_to}) less than keep_first.")
    if len(messages) <= max_messages:
        return messages
    if down_to is not None:
        keep_last = min(keep_last, down_to - keep_first)
    demand(hasattr(archive, "save_transcript"), "archive", "an Archive(folder)", archive)
    start, end = _middle(messages, keep_first, keep_last)
    middle, tail = messages[start:end], messages[end:]
    earlier = [archived(message, archive) for message in middle]
    if all(place or carried_request(message, archive) is not None
           for place, message in zip(earlier, middle, strict=True)):
        return messages  # nothing, or only what a layer left there
    carried = carried_blocks(middle, tail, archive)
    if not outweighs(middle, [_marker(*_LONGEST, carried)]):
        return messages
    marker = _marker(*_save(middle, earlier, archive), carried)
    return without_stale_thinking([*messages[:start], marker, *tail], start)


def archived(message, archive):
    """(path, count) of the messages that a marker of ours stands for; None where the message is no such marker."""
    if message.get("role") != "user":
        return None
    found = _READ.fullmatch(first_text(message))
    return (found["path"], int(found["count"])) if found and archive.knows(found["path"]) else None


def _middle(messages, keep_first, keep_last):
    """Where the middle begins and ends: at the cuts nearest to what is asked, never taking more."""
    cuts = [0, *safe_cuts(messages), len(messages)]
    latest = max(0, min(newest_answer(messages), len(messages) - keep_last))
    return cuts[bisect_left(cuts, min(keep_first, len(messages)))], cuts[bisect_right(cuts, latest) - 1]


def _marker(path, count, carried):
    return {"role": "user", "content": with_blocks(_MARKER.format(count=count, path=path), carried)}


def _save(middle, earlier, archive):
    """Write the middle, and in place of each earlier marker what it stands for; (path, number of messages)."""
    if earlier[0] and not any(earlier[1:]):
        path, count = earlier[0]
        if archive.extend_transcript(path, count, middle[1:]):
            return path, count + len(middle) - 1
    whole = []
    for message, place in zip(middle, earlier, strict=True):
        whole += archive.load(place[0])[:place[1]] if place else [message]
    return archive.save_transcript(whole), len(whole)
