"""Calling a reader's function with care: its own copy of the input, a time limit, its errors as sentences."""

import copy
import ctypes
import threading
import traceback
from contextlib import redirect_stdout
from io import StringIO

from learn_compact.check.lines import conversation_lines
from learn_compact.check.wrong import Wrong, differing

SECONDS = 2.0  # for one call; a good answer takes less than a millisecond, a busy machine may take longer


class TooSlow(BaseException):
    """Raised inside a function that has run for longer than its time limit; not an Exception, so few catch it."""


class Careful:
    """A reader's function, called so that whatever it does becomes a value or a `Wrong`.

    The first argument is copied for every call and compared afterwards: the layers of this package never change what
    they are given. What the function prints is dropped.
    """

    def __init__(self, function, seconds=SECONDS):
        self.function, self.seconds = function, seconds

    def __call__(self, given, *others, **named):
        mine = copy.deepcopy(given)
        value, error = within(self.seconds, self.function, mine, *others, **named)
        if isinstance(error, TooSlow):
            raise Wrong("it didn't come back", f"It was still running after {self.seconds:g} seconds.", error=error)
        if mine != given:
            raise Wrong("it changed what it was given",
                        "Whoever called it still needs the old one: for the transcript, or when something fails. "
                        "Build new lists and dicts where something changes, and share the rest.",
                        [("Given, after your call", conversation_lines(mine, differing(mine, given)))])
        if error is not None:
            raise Wrong(f"it raised {type(error).__name__}", described(error, self.function), error=error)
        if value is None:
            raise Wrong("it returned nothing here", "Every way through the function must return a result.")
        return value

    def glimpse(self, given, *others, **named):
        """What the function returns, with no rule held against it; None where it fails. For finding out why."""
        return within(self.seconds, self.function, copy.deepcopy(given), *others, **named)[0]


def is_unfilled(function, *arguments):
    """Whether a function does nothing yet: it gives `...`, None or NotImplemented, or raises NotImplementedError."""
    mine = copy.deepcopy(arguments[0])
    value, error = within(SECONDS, function, mine, *arguments[1:])
    nothing = error is None and any(value is empty for empty in (None, ..., NotImplemented))
    idle = nothing or isinstance(error, NotImplementedError)
    return idle and mine == arguments[0]


def within(seconds, function, *arguments, **named):
    """(value, error) of a call that may take that long. What hangs in Python code is ended with `TooSlow`.

    A thread, because signals would need the main thread and don't exist on Windows.
    """
    outcome = []

    def call():
        try:
            outcome.append((function(*arguments, **named), None))
        except BaseException as error:
            outcome.append((None, error))

    thread = threading.Thread(target=call, daemon=True)
    with redirect_stdout(StringIO()):
        thread.start()
        thread.join(seconds)
        if thread.is_alive():
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(TooSlow))
            thread.join(seconds)
    return outcome[0] if outcome else (None, TooSlow())


def described(error, function):
    """An error as one sentence: its text, and the line of the reader's function that it came from."""
    where = getattr(getattr(function, "__code__", None), "co_filename", None)
    lines = [frame.line for frame in traceback.extract_tb(error.__traceback__) if frame.filename == where]
    text = f"{type(error).__name__}: {error}".rstrip(": ")
    return f"{text}, in the line: {lines[-1]}" if lines and lines[-1] else text
