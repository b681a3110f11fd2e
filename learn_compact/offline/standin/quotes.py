"""What stands in quotation marks: hidden while a sentence is understood, so that no word in it is taken for ours."""

import re

NAME = re.compile(r"[\w*?\[\]-]*[*?._/][\w*?.\[\]/-]*")  # what only a file, a folder or a pattern is called
HIDDEN = re.compile(r"⟦(\d+)⟧")

_QUOTED = re.compile(r"\"([^\"\n]+)\"|“([^”\n]+)”|«([^»\n]+)»|`([^`\n]+)`|‘([^’\n]+)’|(?<!\w)'([^'\n]+)'(?!\w)")


def hide_quotes(text):
    """The text with `⟦0⟧`, `⟦1⟧` … for what is quoted, and what was quoted; names of files stay in sight.

    >>> hide_quotes('Replace "ship it" in `core/`')
    ('Replace ⟦0⟧ in core/', ('ship it',))
    """
    quoted = []

    def hide(match):
        inside = next(group for group in match.groups() if group is not None)
        if NAME.fullmatch(inside):
            return inside
        quoted.append(inside)
        return f"⟦{len(quoted) - 1}⟧"

    return _QUOTED.sub(hide, text), tuple(quoted)


def shown(word, quoted):
    """A word as the user wrote it: what was quoted where it is a `⟦0⟧`, else the word."""
    match = HIDDEN.fullmatch(word)
    return quoted[int(match[1])] if match and int(match[1]) < len(quoted) else word
