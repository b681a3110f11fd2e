"""The reader's terminal: what is typed there, and what is printed."""

import sys
from contextlib import suppress

from learn_compact.agent import printable

HOW_TO_LEAVE = "Ctrl-C once more, Ctrl-D or /quit ends the chat."
NO_HISTORY = "Lines can't be fetched back with the arrow keys: that takes prompt_toolkit (learn-compact[course])."


def say(text):
    """Print for the reader, without anything that their terminal would obey."""
    print(printable(str(text)))


def lines(prompt):
    """What is typed, line by line, until Ctrl-D, or until Ctrl-C twice; a single Ctrl-C clears the line."""
    for stream in (sys.stdin, sys.stdout):
        with suppress(AttributeError):  # what stands in for a stream may know no encodings
            stream.reconfigure(errors="replace")
    read, typed = _reader()
    leaving = False
    while True:
        try:
            line = read(prompt)
        except EOFError:
            return
        except KeyboardInterrupt:
            if leaving and not typed():
                return
            leaving = True
            say(HOW_TO_LEAVE)
            continue
        leaving = False
        line = line.encode("utf-8", "replace").decode("utf-8").strip()  # bytes that are no text can't be sent
        if line:
            yield line


def _reader():
    """What reads a line, and what tells how much of one was typed when Ctrl-C came."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        try:
            from prompt_toolkit import PromptSession
        except ImportError:
            say(NO_HISTORY)
        else:
            session = PromptSession()
            return session.prompt, lambda: session.default_buffer.text
    return _read_plainly, str


def _read_plainly(prompt):
    """A line without any help; where nobody types, it is shown, so that the output can be read as a conversation."""
    try:
        line = input(prompt)
    except (EOFError, KeyboardInterrupt):
        say("")
        raise
    if not sys.stdin.isatty():
        say(line)
    return line
