"""The package's own code, shown as it is."""

import functools

import pytest

from learn_compact.errors import LearnCompactError
from learn_compact.layers.micro import micro_compact
from learn_compact.messages import ToolResult
from learn_compact.show import show_source


def quoting():
    return "```` and ```"


@functools.cache
def wrapped():
    """Defines.

    >>> 1
    1
    """

    return 1


def test_a_function_is_shown_with_its_file_and_without_a_machine_s_path():
    shown = show_source(micro_compact)
    forms = shown._repr_mimebundle_()
    assert shown.file == "learn_compact/layers/micro.py" and shown.code.startswith("def micro_compact(messages")
    assert shown.code in forms["text/plain"] and f"```python\n{shown.code}\n```" in forms["text/markdown"]


def test_the_docstring_can_be_left_out():
    assert '"""' in show_source(micro_compact).code and '"""' not in show_source(micro_compact, docstring=False).code
    assert show_source(wrapped, docstring=False).code == "@functools.cache\ndef wrapped():\n    return 1"
    assert show_source(quoting, docstring=False).code == show_source(quoting).code


def test_classes_are_shown_too():
    assert show_source(ToolResult).code.startswith("class ToolResult(NamedTuple):")


def test_backticks_in_the_code_do_not_end_the_block():
    assert show_source(quoting)._repr_mimebundle_()["text/markdown"].endswith("`````")


@pytest.mark.parametrize("thing", [len, 42, "micro_compact", None])
def test_what_has_no_source_is_refused_with_a_sentence(thing):
    with pytest.raises(LearnCompactError, match="no Python source"):
        show_source(thing)
