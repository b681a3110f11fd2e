"""Outlines: real conversations without their words, and the conversations that take their place.

An `Outline` is a file's messages, a `Segment` the stretch between two compactions, a `Request` one answer of the API
and what it counted. Left out: reading a line (`reading`) and the words (`fill`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

from learn_compact.data.fill import INTERRUPTED, fill_conversation
from learn_compact.data.inputs import file_paths
from learn_compact.data.reading import Block, OutlineMessage, read_messages
from learn_compact.data.shelf import names, read_lines
from learn_compact.tokens import context_tokens


@dataclass(frozen=True)
class Request:
    """One request that the API answered: `index` is the place of the answer in the segment's conversation.

    `at` is in seconds since the first message of the outline, `usage` a dict with the API's own names, in tokens.
    """

    index: int
    at: float
    model: str
    usage: dict

    @property
    def context_tokens(self):
        """The context that the API counted: input, and what was written to and read from its cache, in tokens."""
        return context_tokens(self.usage)


@dataclass(frozen=True)
class Segment:
    """A stretch of an outline that no compaction interrupts; `compaction` and `pre_tokens` tell what came before it.

    >>> first, second = load_outline("codemie-624a4a58").segments
    >>> second.compaction, second.pre_tokens, second.requests[0].context_tokens
    ('auto', 155979, 36541)
    """

    name: str
    number: int
    messages: tuple[OutlineMessage, ...] = field(repr=False)
    paths: Mapping[int, str] = field(repr=False)

    @property
    def compaction(self):
        """What began this segment: "auto", "manual", or None where it begins the outline."""
        return self.messages[0].compaction

    @property
    def pre_tokens(self):
        """The context before the compaction that began this segment, in tokens; None where there was none."""
        return self.messages[0].pre_tokens

    @property
    def requests(self):
        """The requests that the API answered, in order; an answer without usage was not the API's."""
        return [Request(i, message.at, message.model, dict(message.usage))
                for i, message in enumerate(_closed(self.messages))
                if message.usage and context_tokens(message.usage)]

    def conversation(self):
        """The segment as plain messages: text of the same kind and size, always the same, valid for the API.

        Block by block as large as the outline says; only the error results that close interrupted calls are added. A
        new list every time, so it may be changed.

        >>> load_outline("sniffly-d3ad4cdc").segments[0].conversation()[2]["content"][0]["tool_use_id"]
        'toolu_5f44fa410000000000000001'
        """
        return fill_conversation(self.name, self.number, _closed(self.messages), self.paths)


@dataclass(frozen=True)
class Outline:
    """A real conversation in figures: roles, kinds, sizes, tools, times and what the API counted (see README.md)."""

    name: str
    messages: tuple[OutlineMessage, ...] = field(repr=False)

    @cached_property
    def segments(self):
        """The stretches between the compactions, in order; one where there was no compaction."""
        starts = [0, *(i for i, message in enumerate(self.messages) if i and message.compaction), len(self.messages)]
        paths = file_paths(self.messages, self.name)
        return tuple(Segment(self.name, n, self.messages[start:end], paths)
                     for n, (start, end) in enumerate(pairwise(starts)))


def outline_names():
    """The names of the outlines that come with the package.

    >>> len(outline_names())
    7
    """
    return names(".jsonl")


def load_outline(name_or_path):
    """The outline with this name, or the one in the file at this path; OutlineError where it's missing or damaged.

    >>> len(load_outline("sniffly-d3ad4cdc").segments[0].requests)
    62
    """
    name, file, lines = read_lines(name_or_path, ".jsonl")
    return Outline(name, read_messages(lines, file))


def _closed(messages):
    """The messages with an error result for every call that was interrupted, as Claude Code closes them."""
    closed, owed = [], ()
    for message, after in pairwise([*messages, None]):
        closed.append(_with_results(message, owed) if owed else message)
        answered = after.calls("tool_result") if after else []
        owed = tuple(Block("tool_result", len(INTERRUPTED), call=call, error=True, interrupted=True)
                     for call in message.calls() if call not in answered)
        if owed and not answered:
            closed.append(OutlineMessage("user", message.at, owed))
            owed = ()
    return closed


def _with_results(message, results):
    """The message with more results behind its last one."""
    place = max(i for i, block in enumerate(message.blocks, 1) if block.kind == "tool_result")
    return replace(message, blocks=message.blocks[:place] + results + message.blocks[place:])
