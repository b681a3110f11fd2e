"""What a wish to edit means for one file: the edits it takes, what is noted about it, and when it is done.

An edit names the text that it replaces, and that text must stand in the file only once: lines around a place are
taken in until it does, so that a tool that replaces the first place it finds, or refuses two, does what was meant.
"""

import re

from learn_compact.offline.standin.calls import Edit, Write
from learn_compact.offline.standin.wishes import AddLine


def edits(wish, path, text, offered, in_one=False):
    """The calls that fulfil the wish in a file with this text (`in_one`: a single one); [] where nothing is to do."""
    if isinstance(wish, AddLine):
        swaps = [] if _begins_with(text, wish.line) else _line_on_top(text, wish.line)
    else:
        swaps = _word_swaps(text, _word(wish.old), wish.new)
    if not swaps or ("edit_file" in offered and text and (len(swaps) == 1 or not in_one)):
        return [Edit(path, old, new) for old, new in swaps]
    after = text
    for old, new in swaps:
        after = after.replace(old, new, 1)
    if "edit_file" in offered and text:
        return [Edit(path, text, after)]
    return [Write(path, after if after.endswith("\n") else after + "\n")]


def made(wish):
    """The note on a file in which the wish was fulfilled."""
    return f"added {wish.line}" if isinstance(wish, AddLine) else f'replaced "{wish.old}" with "{wish.new}"'


def needless(wish):
    """The note on a file in which nothing was left to do."""
    return f"begins with {wish.line}" if isinstance(wish, AddLine) else f'no "{wish.old}" in it'


def serves(wish, edit):
    """Whether an edit that was made is one for this wish, as far as can be seen from it."""
    new = edit.new if isinstance(edit, Edit) else edit.content
    return (wish.line if isinstance(wish, AddLine) else wish.new) in new


def _word(old):
    return re.compile(rf"(?<!\w){re.escape(old)}(?!\w)")


def _begins_with(text, line):
    first, *rest = text.split("\n", 2)
    return line == (rest[0] if first.startswith("#!") and rest else first)


def _line_on_top(text, line):
    lines = text.split("\n")
    first = 1 if lines[0].startswith("#!") and len(lines) > 1 else 0
    last = _grown(text, lines, first, first + 1)[1]
    old = "\n".join(lines[first:last])
    return [(old, f"{line}\n{old}")]


def _word_swaps(text, word, new):
    lines, spans = text.split("\n"), []
    for at, line in enumerate(lines):
        if word.search(line):
            first, last = _grown(text, lines, at, at + 1)
            while spans and first < spans[-1][1]:
                before = spans.pop()
                first, last = min(first, before[0]), max(last, before[1])
            spans.append((first, last))
    found = ["\n".join(lines[first:last]) for first, last in spans]
    swaps = [(old, word.sub(lambda _: new, old)) for old in found]
    return swaps if _each_once(text, swaps) else [(text, word.sub(lambda _: new, text))]


def _grown(text, lines, first, last):
    """The span of lines, grown downwards and then upwards until its text stands only once in the file."""
    while _times(text, "\n".join(lines[first:last])) > 1:
        if last < len(lines):
            last += 1
        elif first > 0:
            first -= 1
        else:
            break
    return first, last


def _each_once(text, swaps):
    for old, new in swaps:
        if _times(text, old) != 1:
            return False
        text = text.replace(old, new)
    return True


def _times(text, old):
    """How often `old` stands in the file, which may end in a newline that what was shown of it lacks."""
    return (text + "\n").count(old)
