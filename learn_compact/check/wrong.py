"""What is wrong with an answer, and how it is shown."""

from learn_compact.check.lines import conversation_lines, shown


class Wrong(Exception):
    """A rule that an answer broke.

    `cause` names it, to be read after "Not yet: "; `why` is one or two sentences on why the rule is there; `sections`
    are (title, lines) that are shown under the case. `error` is what the answer raised, if that is what is wrong.
    """

    def __init__(self, cause, why="", sections=(), error=None):
        super().__init__(cause)
        self.cause, self.why, self.sections, self.error = cause, why, list(sections), error


def need_messages(value):
    """Raise Wrong where a layer returned something else than a list of messages."""
    if not isinstance(value, list) or not all(isinstance(message, dict) for message in value):
        raise Wrong("it returned something else than a list of messages", "A layer goes from messages to messages.",
                    values(value))


def values(yours, *expected):
    """The sections of an answer that is no conversation; with a second value, of what it should have been as well."""
    return [(title, [f"    {shown(value)}"])
            for title, value in zip(("Yours", "Expected"), (yours, *expected), strict=False)]


def likely_cause(causes, fits, otherwise):
    """The first of `causes` ({cause: what an answer is then}) that `fits` what the answer is."""
    return next((cause for cause, value in causes.items() if fits(value)), otherwise)


def compared(yours, expected):
    """The sections of two conversations; where they are equally long, only the messages and blocks that differ."""
    only = differing(yours, expected)
    if only is not None:
        pairs = [_differing_blocks(*pair) for pair in zip(yours, expected, strict=True)]
        yours, expected = map(list, zip(*pairs, strict=True))
    return [("Yours", conversation_lines(yours, only)), ("Expected", conversation_lines(expected, only))]


def differing(before, after):
    """The indexes at which two lists differ; None where they aren't equally long."""
    if len(before) != len(after):
        return None
    return {i for i, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1]}


def _differing_blocks(yours, expected):
    """Two messages that differ in some blocks, without the blocks in which they don't."""
    contents = [message.get("content") if isinstance(message, dict) else None for message in (yours, expected)]
    only = differing(*contents) if all(isinstance(content, list) for content in contents) else None
    if not only:
        return yours, expected
    return [{**message, "content": [content[j] for j in sorted(only)]}
            for message, content in zip((yours, expected), contents, strict=True)]
