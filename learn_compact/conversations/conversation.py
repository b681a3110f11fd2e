"""What a conversation of another program is here: segments between compactions, like an outline's, with their words.

The words of a large log stay in its file: a segment reads its own when they are asked for, so that the figures of a
conversation of gigabytes fit into little memory. Left out: how a file is read (`load`).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from learn_compact.data import Request
from learn_compact.messages import blocks
from learn_compact.rules import Problem
from learn_compact.tokens import count_tools


class Origin(NamedTuple):
    """Where a message came from: the numbers of its lines in the file (from 1; none where it was added here) and its
    time, in seconds since the first message of the conversation (None where the file doesn't say).
    """

    lines: tuple[int, ...]
    at: float | None = None


class Compaction(NamedTuple):
    """One compaction that a program made: its trigger, when it came, and the context before and after it, in tokens.

    `before` and `after` are the program's own figure or the API's for the nearest request; None where there is neither.
    """

    trigger: str
    at: float | None
    before: int | None
    after: int | None


@dataclass(frozen=True)
class Segment:
    """A stretch that no compaction interrupts, of the same shape as an outline's: pictures and measures take both.

    `compaction` says what began it ("auto", "manual", "unknown" where the file doesn't say, None where it begins the
    conversation), `pre_tokens` the context before that. `origins` has one entry per message. `problems` are what the
    API would reject in it, as `rules.problems` says it.
    """

    name: str
    number: int
    requests: list[Request]
    origins: list[Origin] = field(repr=False)
    problems: list[Problem]
    compaction: str | None
    pre_tokens: int | None
    read: Callable[[], list] = field(repr=False)

    def conversation(self):
        """The messages of this stretch, read anew: a list that may be changed.

        Raises ConversationError where the file has changed or gone since it was loaded.
        """
        return self.read()


def requests_of(segment, messages):
    """The requests that the API answered in a stretch; where its file has no usage, one before every answer."""
    return segment.requests or [Request(i, 0.0, "", {}) for i, message in enumerate(messages)
                                if i and message.get("role") == "assistant"]


def fixed_parts(source, measure):
    """The tokens of what stands before the messages and is in the file, system prompt and tools, as a dict by part."""
    tools = getattr(source, "tools", None)
    found = {"system": sum(map(measure, blocks({"content": getattr(source, "system", None)}))),
             "tools": count_tools(tools if isinstance(tools, list) else ())}
    return {part: tokens for part, tokens in found.items() if tokens}


@dataclass(frozen=True)
class Conversation:
    """A conversation that another program wrote.

    `source` names the format, `system` and `tools` are as a request has them (None where the file doesn't hold them),
    `model` is the one that answered last. `beside` are the tokens, in and out, that the API reported in the file for
    answers that are not in the conversation: on branches that were left, and of sub-agents. `warnings` are sentences:
    what was left out, mended or not understood.
    """

    name: str
    source: str
    segments: tuple[Segment, ...] = field(repr=False)
    system: str | list | None = field(default=None, repr=False)
    tools: list | None = field(default=None, repr=False)
    model: str | None = None
    started: str | None = None
    beside: int = 0
    warnings: list[str] = field(default_factory=list, repr=False)

    @cached_property
    def messages(self):
        """The messages of the context as it is now: those since the last compaction."""
        return self.segments[-1].conversation()

    @property
    def origins(self):
        """Where each of `messages` came from."""
        return self.segments[-1].origins

    @property
    def problems(self):
        """What the API would reject in `messages`; [] where it would take them."""
        return self.segments[-1].problems

    @property
    def requests(self):
        """Every request that the API answered; the `index` of each is the place in its segment's conversation."""
        return [request for segment in self.segments for request in segment.requests]

    @property
    def compactions(self):
        """The compactions that the program made, in order."""
        found, before = [], None
        for segment in self.segments:
            first = segment.requests[0] if segment.requests else None
            if segment.compaction:
                found.append(Compaction(segment.compaction, segment.origins[0].at, segment.pre_tokens or before,
                                        first and first.context_tokens))
            before = segment.requests[-1].context_tokens if segment.requests else None
        return found
