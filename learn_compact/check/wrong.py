"""What is wrong with an answer, and how it is shown."""

from learn_compact.check.lines import conversation_lines


class Wrong(Exception):
    """A rule that an answer broke.

    `cause` names it, to be read after "Not yet: "; `why` is one or two sentences on why the rule is there; `sections`
    are (title, lines) that are shown under the case. `error` is what the answer raised, if that is what is wrong.
    """

    def __init__(self, cause, why="", sections=(), error=None):
        super().__init__(cause)
        self.cause, self.why, self.sections, self.error = cause, why, list(sections), error


def compared(yours, expected):
    """The sections of two conversations; where they are equally long, only the messages that differ."""
    only = differing(yours, expected)
    return [("Yours", conversation_lines(yours, only)), ("Expected", conversation_lines(expected, only))]


def differing(before, after):
    """The indexes at which two conversations differ; None where they aren't equally long."""
    if len(before) != len(after):
        return None
    return {i for i, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1]}
