"""The package's errors: one class per kind of failure, each with a sentence that says what, where and what to do."""


class LearnCompactError(Exception):
    """Any failure that this package reports; its text is a sentence for the reader.

    Where a step of a pipeline failed, `reached` are the messages that the steps before it had made.
    """

    reached = None


class MessageError(LearnCompactError):
    """A message or block that no function here can work on (see `problems` for what the API would reject)."""


class OutlineError(LearnCompactError):
    """A shipped outline or usage file that is damaged or has no such name; names the file and the line."""


class ArchiveError(LearnCompactError):
    """The disk behind the context could not be written or read; the messages are as they were."""


class SummaryError(LearnCompactError):
    """A summary that can't be used: empty, cut off, refused, a tool call; the history stays as it was."""


class NoProgressError(SummaryError):
    """Compactions that save almost nothing, one after the other; names what can't be shrunk."""


class ContextWindowError(LearnCompactError):
    """A request that does not fit into the model's window, and that compaction could not make small enough."""


class RequestError(LearnCompactError):
    """A request without an answer: the API refused it with `status`, or could not be reached (None); the history stays.
    """

    status = None


class WorkspaceError(LearnCompactError):
    """A path that leaves the agent's workspace, or a file there that can't be used."""


class ConnectionSetupError(LearnCompactError):
    """`connect` or `serve` can't start: a missing key, a port in use, a setting that can't be read."""


class PolicyError(LearnCompactError):
    """A pipeline put together in a way that can't work, or a parameter out of its range."""


class ConversationError(LearnCompactError):
    """A file that holds no conversation that can be read here, or one that can't be written."""


def demand(fits, what, wanted, given, error=PolicyError):
    """An error, in a sentence, where what was given for a parameter doesn't fit.

    >>> demand(callable(7), "clock", "a function that gives seconds, such as time.time", 7)
    Traceback (most recent call last):
        ...
    learn_compact.errors.PolicyError: clock must be a function that gives seconds, such as time.time, not 7.
    """
    if not fits:
        raise error(f"{what} must be {wanted}, not {repr(given)[:80]}.")
