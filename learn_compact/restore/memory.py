"""What lives longer than a conversation is not summarised: it is loaded and built again.

Between two compactions both stay as they are, so that the prompt cache keeps them; a compaction clears them, and the
next request reads what is true then.
"""

from learn_compact.errors import WorkspaceError, demand
from learn_compact.restore.files import A_WORKSPACE

MEMORY_FILE = "CLAUDE.md"


class MemoryFile:
    """The text of a memory file, "" where there is none; read when it is first asked for, and again after `clear()`."""

    def __init__(self, workspace, path=MEMORY_FILE):
        demand(hasattr(workspace, "read"), "workspace", A_WORKSPACE, workspace)
        self.workspace, self.path = workspace, path
        self.clear()

    def __call__(self):
        if self._text is None:
            try:
                self._text = self.workspace.read(self.path)
            except WorkspaceError:  # most projects have none
                self._text = ""
        return self._text

    def clear(self):
        self._text = None


class SystemPrompt:
    """The system prompt as a callable: `build()` gives it with today's tools and permissions, the memory comes behind.

    It is built when it is first asked for, and again after `clear()`.

    >>> tools = ["bash"]
    >>> prompt = SystemPrompt(lambda: f"You have {', '.join(tools)}.")
    >>> prompt()
    'You have bash.'
    >>> tools.append("glob"); prompt()
    'You have bash.'
    >>> prompt.clear(); prompt()
    'You have bash, glob.'
    """

    def __init__(self, build, memory=None):
        demand(callable(build), "build", "a function that gives the text of the system prompt", build)
        demand(memory is None or isinstance(memory, MemoryFile), "memory", "a MemoryFile", memory)
        self.build, self.memory = build, memory
        self._text = None

    def __call__(self):
        if self._text is None:
            remembered = self.memory() if self.memory else ""
            self._text = self.build() + (f"\n\nMemory ({self.memory.path}):\n{remembered}" if remembered else "")
        return self._text

    def clear(self):
        self._text = None
        if self.memory:
            self.memory.clear()
