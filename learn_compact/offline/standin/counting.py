"""What can be counted in the text of a file: its functions, its classes, its lines.

Whole Python files are read with `ast`; a part of a file, or a file that doesn't parse, line by line.
"""

import ast
import re
from functools import lru_cache

MEASURES = ("functions", "classes", "lines")

_DEF = re.compile(r"^[ \t]*(?:async[ \t]+)?def[ \t]+\w", re.M)
_CLASS = re.compile(r"^[ \t]*class[ \t]+\w", re.M)


def count(text):
    """Functions (methods and nested ones too), classes and lines of a text, by name.

    >>> count("class Box:\\n    def open(self):\\n        return 1\\n")
    {'functions': 1, 'classes': 1, 'lines': 3}
    """
    return dict(zip(MEASURES, (*_definitions(text), lines(text)), strict=True))


def lines(text):
    """How many lines a text has; a last line without a newline counts, an empty text has none."""
    return text.count("\n") + (not text.endswith("\n") and text != "")


@lru_cache(maxsize=512)  # by text: saves time in a long conversation, and changes no answer
def _definitions(text):
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return len(_DEF.findall(text)), len(_CLASS.findall(text))
    return (sum(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) for node in nodes),
            sum(isinstance(node, ast.ClassDef) for node in nodes))
