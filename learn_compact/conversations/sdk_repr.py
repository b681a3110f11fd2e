"""SDK objects that a transcript holds as their `repr`: `TextBlock(text='Hello', type='text')` back to a block.

s06 and s08 write what they can't turn into JSON as text. The text is parsed and never run. Left out: what a program
cut before it wrote it.
"""

import ast
import re
import warnings

_OBJECT = re.compile(r"\[?\w*Block\(")


def blocks_of_repr(text):
    """The blocks that a text is the repr of, as a list; None where it is none.

    >>> blocks_of_repr("TextBlock(citations=None, text='Hello', type='text')")
    [{'text': 'Hello', 'type': 'text'}]
    """
    if not _OBJECT.match(text):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of odd escapes in what is no repr after all
            value = _value(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    blocks = value if isinstance(value, list) else [value]
    return blocks if all(isinstance(block, dict) and isinstance(block.get("type"), str) for block in blocks) else None


def _value(node):
    """The value of an expression of literals and objects with named fields; None fields are left out of objects."""
    match node:
        case ast.Call(func=ast.Name(), args=[], keywords=keywords):
            fields = {keyword.arg: _value(keyword.value) for keyword in keywords}
            return {name: value for name, value in fields.items() if name and value is not None}
        case ast.List(elts=items):
            return [_value(item) for item in items]
        case ast.Dict(keys=keys, values=values) if all(keys):
            return {ast.literal_eval(key): _value(value) for key, value in zip(keys, values, strict=True)}
        case _:
            return ast.literal_eval(node)
