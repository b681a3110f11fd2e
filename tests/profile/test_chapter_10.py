"""Chapter 10 runs to its end for whatever a reader puts into the cell to change."""

import json
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "10_your_own_conversations.ipynb"
CHANGED = "path = None  # your file here"
CALL = {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}
USER, ASSISTANT = {"role": "user", "content": "Count."}, {"role": "assistant", "content": "Four."}
THEIRS = {
    "openai": [USER, {"role": "assistant", "content": None, "tool_calls": [CALL]},
               {"role": "tool", "tool_call_id": "a", "content": "x"}, ASSISTANT],
    "without usage": [USER, ASSISTANT, USER, ASSISTANT],
    "one request": [USER, ASSISTANT],
    "no answer": [USER],
}


@pytest.mark.parametrize("messages", THEIRS.values(), ids=THEIRS)
def test_it_runs_whole(tmp_path, messages):
    theirs = tmp_path / "theirs.json"
    theirs.write_text(json.dumps(messages))
    cells = [cell for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    code = "\n".join("".join(cell["source"]) for cell in cells)
    assert code.count(CHANGED) == 1
    space = {}
    exec(compile(code.replace(CHANGED, f"path = {str(theirs)!r}"), NOTEBOOK.name, "exec"), space)
    assert space["conversation"].name == "theirs" and space["found"].cost is None
