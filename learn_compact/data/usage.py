"""The usage figures of the outlines, request by request: what the API counted, and the characters then visible.

The figures of chapter 1. Left out: everything about single messages, which the outlines hold.
"""

import csv
from dataclasses import dataclass, fields

from learn_compact.data.shelf import read_lines
from learn_compact.errors import OutlineError


@dataclass(frozen=True, slots=True)
class UsageRow:
    """One request: tokens that the API counted, and the characters visible before it, in all and by kind.

    `tool_use` counts the compact JSON of the inputs and the names of the tools.
    """

    segment: int
    request: int
    model: str
    real_input_tokens: int
    output_tokens_logged: int
    visible_chars_before: int
    text: int
    think: int
    tool_use: int
    tool_result: int


_COLUMNS = [column.name for column in fields(UsageRow)]


def load_usage(name_or_path):
    """The usage figures of the outline with this name, or of a csv file by its path: a list of UsageRow, in order.

    Raises OutlineError where the file is missing or damaged, with the line and what it should hold.

    >>> load_usage("sniffly-d3ad4cdc")[-1].real_input_tokens
    105848
    """
    _, file, lines = read_lines(name_or_path, ".csv")
    rows = csv.reader(lines, strict=True)
    try:
        if (header := next(rows, [])) != _COLUMNS:
            raise OutlineError(f"{file}, line 1: the header is {','.join(header)!r}, and must be "
                               f"{','.join(_COLUMNS)!r}. Copy the file again.")
        usage = [_row(f"{file}, line {rows.line_num}", row) for row in rows if row]
    except csv.Error as error:
        raise OutlineError(f"{file}, line {rows.line_num}: this is no csv ({error}). Copy the file again.") from None
    if not usage:
        raise OutlineError(f"{file} holds no request. Copy the file again.")
    return usage


def _row(where, row):
    if len(row) != len(_COLUMNS):
        raise OutlineError(f"{where}: {len(row)} values where the header has {len(_COLUMNS)}. Copy the file again.")
    for column, value in zip(_COLUMNS, row, strict=True):
        if column == "model" and not value:
            raise OutlineError(f"{where}: `model` is empty. Copy the file again.")
        if column != "model" and not (value.isascii() and value.isdigit() and len(value) < 13):
            raise OutlineError(f"{where}: `{column}` is {value[:40]!r}, and must be a whole number from 0. "
                               "Copy the file again.")
    return UsageRow(*(value if column == "model" else int(value) for column, value in zip(_COLUMNS, row, strict=True)))
