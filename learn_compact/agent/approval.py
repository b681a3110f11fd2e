"""Who is asked before a tool changes something."""

import sys


def ask_at_terminal(tool, arguments):
    """Ask whoever sits at the terminal. Where nobody does (a notebook, a test, a pipe) the answer is no."""
    if not sys.stdin.isatty():
        return False
    shown = "\n".join(f"  {name}: {value}" for name, value in arguments.items())
    try:
        return input(f"{tool}\n{shown}\nAllow this? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def approval_for(client):
    """How an agent with this client asks, where nobody says how: offline not at all, live at the terminal."""
    from learn_compact.offline import MODEL, model_for  # late: it loads what only a client needs

    return _allow if model_for(client) == MODEL else ask_at_terminal


def _allow(tool, arguments):
    return True
