"""Who is asked before a tool changes something."""

import sys
from functools import partial

from learn_compact.agent.events import printable


def ask_at_terminal(tool, arguments, always=None):
    """Ask whoever sits at the terminal: yes, no, or from now on always, which the set of tools `always` keeps.

    Where nobody sits there (a notebook, a test, a pipe) the answer is no.
    """
    always = set() if always is None else always
    if tool in always:
        return True
    if not sys.stdin.isatty():
        return False
    shown = "\n".join(f"  {name}: {value}" for name, value in arguments.items())
    print(printable(f"{tool}\n{shown}"))
    try:
        answer = input(f"Allow this? [y]es, [n]o, [a]lways for {tool}: ").strip().lower()
    except EOFError:
        return False
    if answer in ("a", "always"):
        always.add(tool)
    return tool in always or answer in ("y", "yes")


def approval_for(client):
    """How an agent with this client asks, where nobody says how: offline not at all, live at the terminal."""
    from learn_compact.offline.clients import is_offline  # late: it loads what only a client needs

    return _allow if is_offline(client) else partial(ask_at_terminal, always=set())


def _allow(tool, arguments):
    return True
