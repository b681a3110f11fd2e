"""The tools of s06 and s08: what the model is told about each, and what each does.

Whatever goes wrong in a tool is a result that says so, because the model can do something about it: a call that the
agent can't make sense of, a file that isn't there, a command that fails. Left out: who may call what (`approve`).
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from learn_compact.agent.command import run_command
from learn_compact.errors import WorkspaceError

COMPACT = "compact"
COMPACT_RESULT = "Manual compression requested."
CUT_OFF = "the answer was cut off before it was complete, so none of its calls was run"
INTERRUPTED = "the work was interrupted"

_TYPES = {"string": str, "integer": int}


@dataclass(frozen=True)
class Tool:
    """A tool: name, description, properties as JSON schema, and what it does: `run(workspace, **input)`, which gives
    the text of the result and whether it failed.

    Properties that are not in `optional` are required. `asks` is whether somebody is asked before it runs.
    """

    name: str
    description: str
    properties: dict
    run: Callable
    optional: tuple = ()
    asks: bool = False
    definition: dict = field(init=False)

    def __post_init__(self):
        required = [name for name in self.properties if name not in self.optional]
        schema = {"type": "object", "properties": self.properties} | ({"required": required} if required else {})
        object.__setattr__(self, "definition",
                           {"name": self.name, "description": self.description, "input_schema": schema})

    def call(self, workspace, arguments):
        """(text, failed) of one call: what `run` gives, or what is wrong with the arguments."""
        if wrong := self._wrong(arguments):
            return f"{self.name}: {wrong}. The tool was not run.", True
        try:
            return self.run(workspace, **{name: arguments[name] for name in self.properties if name in arguments})
        except WorkspaceError as error:
            return str(error), True

    def _wrong(self, arguments):
        if not isinstance(arguments, dict):
            return "the input must be an object"
        for name, schema in self.properties.items():
            if name not in arguments:
                if name not in self.optional:
                    return f"`{name}` is missing"
            elif not isinstance(arguments[name], _TYPES[schema["type"]]) or isinstance(arguments[name], bool):
                return f"`{name}` must be a {schema['type']}"
        return None


def result_block(call, text, failed=False):
    """The tool_result that answers a call.

    >>> result_block({"type": "tool_use", "id": "a", "name": "bash", "input": {}}, "42")
    {'type': 'tool_result', 'tool_use_id': 'a', 'content': '42'}
    """
    return {"type": "tool_result", "tool_use_id": call["id"], "content": text} | ({"is_error": True} if failed else {})


def not_run(call, why):
    """The tool_result of a call that was not run, or not to its end."""
    return result_block(call, f"No result: {why}.", failed=True)


def _bash(workspace, command):
    output, code = run_command(workspace.root, command)
    if code:
        return f"{output}\n[exit code {code}]".lstrip("\n"), True
    return output or "(no output)", False


_PATH = {"type": "string", "description": "Path of the file, from the workspace"}

S06_TOOLS = (
    Tool("bash", "Run a shell command in the workspace.", {"command": {"type": "string"}}, _bash, asks=True),
    Tool("read_file", "Read a text file.",
         {"path": _PATH, "limit": {"type": "integer", "description": "Read only so many lines"}},
         lambda workspace, path, limit=None: (workspace.read(path, limit), False), optional=("limit",)),
    Tool("write_file", "Write a text file; what it held before is gone.",
         {"path": _PATH, "content": {"type": "string"}},
         lambda workspace, path, content: (workspace.write(path, content), False), asks=True),
    Tool("edit_file", "Replace a piece of text in a file, once. It must stand there to the letter.",
         {"path": _PATH, "old_text": {"type": "string"}, "new_text": {"type": "string"}},
         lambda workspace, path, old_text, new_text: (workspace.edit(path, old_text, new_text), False), asks=True),
    Tool(COMPACT, "Trigger manual conversation compression.",
         {"focus": {"type": "string", "description": "What to preserve in the summary"}},
         lambda workspace, focus="": (COMPACT_RESULT, False), optional=("focus",)),
)

GLOB = Tool("glob", "Find files by a pattern such as **/*.py; ** stands for any number of folders.",
            {"pattern": {"type": "string", "description": "Pattern of paths, from the workspace"}},
            lambda workspace, pattern: (workspace.find(pattern), False))

S08_TOOLS = (*S06_TOOLS[:-1], GLOB, S06_TOOLS[-1])
