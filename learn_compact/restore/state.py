"""State that is attached as it is, because prose would blur it: the plan, and the asynchronous tasks."""

from typing import NamedTuple

from learn_compact.messages import blocks, carried_request

PLAN_TOOLS = frozenset({"TodoWrite"})
PLAN = "The plan as it stands:"
TASKS = "Asynchronous tasks, as they are now:"

_BOXES = {"completed": "[x]", "in_progress": "[~]"}


class TaskState(NamedTuple):
    """A task that runs beside the conversation: its id, what it is about, its state in a word, where its output is."""

    task_id: str
    about: str
    state: str
    output: str = ""

    def __str__(self):
        return f"{self.task_id} ({self.state}): {self.about}" + (f"; output: {self.output}" if self.output else "")


def newest_plan(messages, archive=None):
    """The steps of the newest plan, each as a line: from a todo list that was written, or as an attachment carries it.

    >>> newest_plan([{"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "TodoWrite", "input": {
    ...     "todos": [{"content": "Read", "status": "completed"}, {"content": "Count", "status": "pending"}]}}]}])
    ['[x] Read', '[ ] Count']
    """
    for message in reversed(messages):
        for block in reversed(blocks(message)):
            if block.get("type") == "tool_use" and block.get("name") in PLAN_TOOLS:
                todos = block["input"].get("todos") if isinstance(block.get("input"), dict) else None
                return [f"{_BOXES.get(todo.get('status'), '[ ]')} {todo.get('content')}"
                        for todo in todos if isinstance(todo, dict)] if isinstance(todos, list) else []
            text = str(block.get("text"))
            if text.startswith(PLAN + "\n") and carried_request(message, archive) is not None:
                return [line.removeprefix("> ") for line in text.split("\n")[1:]]
    return []


def quoted(title, lines):
    """Lines (or a text of several) as quotations under a title, each in one line; "" where there are none.

    >>> print(quoted("Notes:", ["one", "two\\nlines"]))
    Notes:
    > one
    > two lines
    """
    lines = lines.splitlines() if isinstance(lines, str) else lines
    return "\n".join([title, *(f"> {' '.join(str(line).split())}" for line in lines)]) if lines else ""
