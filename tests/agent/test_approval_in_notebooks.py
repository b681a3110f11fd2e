"""A live agent in a notebook asks before it changes something; one that a program runs gets no for an answer."""

import pytest
from nbclient import NotebookClient
from nbformat import v4

from learn_compact.agent import ask_at_terminal

COMMAND = {"command": "make test"}


@pytest.mark.parametrize(("answer", "allowed"), [("y", True), ("a", True), ("n", False), ("", False)])
def test_a_notebook_asks_in_place_of_the_terminal(monkeypatch, capsys, answer, allowed):
    monkeypatch.setattr("builtins.input", lambda question: answer)  # as a kernel does
    assert ask_at_terminal("bash", COMMAND) is allowed
    assert "make test" in capsys.readouterr().out


def test_always_is_asked_once(monkeypatch):
    answers = iter(["always"])
    monkeypatch.setattr("builtins.input", lambda question: next(answers))
    always = set()
    assert all(ask_at_terminal("bash", COMMAND, always) for _ in range(3))
    with pytest.raises(StopIteration):
        ask_at_terminal("write_file", COMMAND, always)


def test_a_notebook_that_a_program_runs_gets_no_for_an_answer():
    cell = "from learn_compact.agent import ask_at_terminal\nask_at_terminal('bash', {'command': 'make test'})"
    notebook = v4.new_notebook(cells=[v4.new_code_cell(cell)])
    NotebookClient(notebook, timeout=60, kernel_name="python3",
                   extra_arguments=["--IPKernelApp.log_level=ERROR"]).execute()
    outputs = notebook.cells[0].outputs
    assert [output.data["text/plain"] for output in outputs if output.output_type == "execute_result"] == ["False"]


def test_without_a_terminal_or_a_notebook_nobody_is_asked(capsys):
    assert ask_at_terminal("bash", COMMAND) is False
    assert capsys.readouterr().out == ""
