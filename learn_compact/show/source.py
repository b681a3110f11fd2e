"""The package's own code, shown in a notebook: never copied there, so it can't drift from what runs."""

import ast
import inspect
import re
from pathlib import Path
from textwrap import dedent

from learn_compact.errors import LearnCompactError

_ROOT = Path(__file__).resolve().parents[2]


class Source:
    """A piece of code and the file it stands in; a notebook shows it highlighted, everything else as text."""

    def __init__(self, code, file):
        self.code, self.file = code, file

    def __str__(self):
        return f"# {self.file}\n{self.code}"

    def _repr_mimebundle_(self, include=None, exclude=None):
        # As Markdown the front end colours it, in its own light or dark theme, and no HTML of ours is needed.
        fence = max(["``", *re.findall("`{3,}", self.code)], key=len) + "`"
        return {"text/plain": str(self), "text/markdown": f"`{self.file}`\n\n{fence}python\n{self.code}\n{fence}"}


def show_source(thing, docstring=True):
    """The source of a function or class as `Source`, with the file it stands in; `docstring=False` leaves that out.

    Raises LearnCompactError where there is no source in Python, as for built-in functions.

    >>> from learn_compact.tokens import estimate_tokens
    >>> print(show_source(estimate_tokens, docstring=False))
    # learn_compact/tokens/estimate.py
    def estimate_tokens(messages):
        return len(str(messages)) // CHARS_PER_TOKEN
    """
    thing = inspect.unwrap(thing) if callable(thing) else thing
    try:
        code, file = dedent(inspect.getsource(thing)).rstrip(), Path(inspect.getsourcefile(thing)).resolve()
    except (TypeError, OSError):
        name = getattr(thing, "__name__", repr(thing)[:60])
        raise LearnCompactError(f"There is no Python source to show for {name}: "
                                "pass a function or class, without calling it.") from None
    name = file.relative_to(_ROOT).as_posix() if file.is_relative_to(_ROOT) else "your notebook"
    return Source(code if docstring else _without_docstring(code), name)


def _without_docstring(code):
    node = ast.parse(code).body[0]
    if ast.get_docstring(node, clean=False) is None:
        return code
    lines, text = code.split("\n"), node.body[0]
    rest = lines[text.end_lineno:]
    while rest and not rest[0].strip():
        rest = rest[1:]
    return "\n".join(lines[:text.lineno - 1] + rest)
