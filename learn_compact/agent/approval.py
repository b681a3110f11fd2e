"""Who is asked before a tool changes something."""

import sys
from functools import partial
from types import BuiltinFunctionType

from learn_compact.agent.events import printable


def ask_at_terminal(tool, arguments, always=None):
    """Ask whoever sits at the terminal or before the notebook: yes, no, or from now on always, which `always` keeps.

    Where nobody does (a notebook that a program runs, a test, a pipe) the answer is no.
    """
    always = set() if always is None else always
    if tool in always:
        return True
    if not (sys.stdin.isatty() or _in_notebook()):
        return False
    shown = "\n".join(f"  {name}: {value}" for name, value in arguments.items())
    print(printable(f"{tool}\n{shown}"))
    try:
        answer = input(f"Allow this? [y]es, [n]o, [a]lways for {tool}: ").strip().lower()
    except (EOFError, NotImplementedError):  # the second: the notebook is run by a program
        return False
    if answer in ("a", "always"):
        always.add(tool)
    return tool in always or answer in ("y", "yes")


def approval_for(client):
    """How an agent with this client asks, where nobody says how: offline not at all, live at the terminal."""
    from learn_compact.offline.clients import is_offline  # late: it loads what only a client needs

    return _allow if is_offline(client) else partial(ask_at_terminal, always=set())


def _in_notebook():
    """Whether a notebook asks: its kernel puts a function of its own in the place of the built-in `input`."""
    return not isinstance(input, BuiltinFunctionType)


def _allow(tool, arguments):
    return True
