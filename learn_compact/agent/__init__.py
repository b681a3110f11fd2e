"""An agent: the loop, its tools and its workspace.

Small files, each with what it leaves out: `loop` (the agent), `tools` (what it can do), `workspace` (the files it can
reach), `command` (shell commands), `approval` (who is asked), `events` (what it tells), `points` (figures of each
request), `refusals` (what the API says instead of an answer), `background` (tasks that run beside the conversation).
"""

from learn_compact.agent.approval import ask_at_terminal
from learn_compact.agent.background import BackgroundTasks
from learn_compact.agent.events import Event, print_event, printable
from learn_compact.agent.loop import MAX_TOKENS, Agent
from learn_compact.agent.points import Point
from learn_compact.agent.tools import S06_TOOLS, S08_TOOLS, Tool
from learn_compact.agent.workspace import Workspace, copy_workspace

__all__ = ["MAX_TOKENS", "S06_TOOLS", "S08_TOOLS", "Agent", "BackgroundTasks", "Event", "Point", "Tool", "Workspace",
           "ask_at_terminal", "copy_workspace", "print_event", "printable"]
