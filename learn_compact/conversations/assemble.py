"""Logged messages to messages of the API: one answer over several lines becomes one message, results come to calls.

Left out: which lines belong to the conversation (`thread`).
"""

from dataclasses import dataclass, field

from learn_compact.conversations.conversation import Origin
from learn_compact.data import Request
from learn_compact.data.fill import INTERRUPTED
from learn_compact.tokens import context_tokens


@dataclass
class Said:
    """What one line adds: who said it, the content, and what the log tells about it.

    `answer` joins the lines of one answer of the API (its message id, "" for none); `usage` is what the API reported
    for it, None where it reported nothing; `again` says that this stood in an earlier segment too, `is_beside` that
    no parent led here, so that what the answer has already isn't added again.
    """

    role: str
    content: str | list
    line: int
    at: float | None = None
    answer: str = ""
    model: str = ""
    usage: dict | None = None
    again: bool = False
    is_beside: bool = False


@dataclass
class Assembled:
    """The messages of a segment, where each came from, and the requests that the API answered."""

    messages: list = field(default_factory=list)
    origins: list[Origin] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)

    def add(self, role, content, lines, at):
        """Put a message behind the others."""
        self.messages.append({"role": role, "content": content})
        self.origins.append(Origin(tuple(lines), at))


@dataclass
class _Turn:
    """A message in the making, and where it has calls what becomes the message after it."""

    first: Said
    content: str | list
    lines: list[int]
    usage: dict | None
    calls: list[str] = field(default_factory=list)
    results: dict = field(default_factory=dict)  # call: its result, in the order in which they came
    remarks: list = field(default_factory=list)  # blocks that came with results
    result_lines: list[int] = field(default_factory=list)
    answered_at: float | None = None

    def answers(self, elsewhere):
        """(content, lines, time) of the message of results; calls without one get an error that says so."""
        blocks, lines = list(self.results.values()), list(self.result_lines)
        for call in self.calls:
            if call not in self.results:
                block, line = elsewhere(call) or (_closing(call), None)
                blocks.append(block)
                lines += [line] if line else []
        at = self.first.at if self.answered_at is None else self.answered_at
        return blocks + self.remarks, dict.fromkeys(lines), at


def assemble(said, notes, result_elsewhere=lambda call: None):
    """The messages that the `Said` of a segment make, as `Assembled`.

    `result_elsewhere(call)` gives (result block, line) where a call was answered off the thread, else None. A call
    that nobody answered gets an error result, as in a segment of an outline.
    """
    turns, made = _Turns(notes), Assembled()
    for one in said:
        turns.add(one)
    for turn in turns.all:
        first = turn.first
        if turn.usage and not first.again and context_tokens(turn.usage):
            made.requests.append(Request(len(made.messages), first.at or 0.0, first.model, turn.usage))
        made.add(first.role, turn.content, turn.lines, first.at)
        if turn.calls:
            made.add("user", *turn.answers(result_elsewhere))
    return made


class _Turns:
    """The turns of a segment as its lines come in; what has no place in them is noted."""

    def __init__(self, notes):
        self.all, self._notes = [], notes
        self._of_answer, self._of_call = {}, {}

    def add(self, one):
        """Take in what one line adds."""
        content, answered = self._solid(one), self._of_answer.get(one.answer)
        if one.role == "user":
            content = self._unanswered(one, content)
        elif answered:
            self._continue(answered, one, _as_blocks(content))
            return
        else:
            content = self._new(one, content, ())
        if content:
            turn = _Turn(one, content, [one.line], one.usage)
            self.all.append(turn)
            self._register(turn, content)
            if one.answer:
                self._of_answer[one.answer] = turn

    def _continue(self, turn, one, content):
        """Put what another line of an answer has behind what is known of it."""
        turn.content = _as_blocks(turn.content)
        if new := self._new(one, content, turn.content if one.is_beside else ()):
            turn.content = turn.content + new
            turn.lines.append(one.line)
            self._register(turn, new)
        # An answer is logged as it streams, so that only its last line has all of the output.
        turn.usage = max((usage for usage in (turn.usage, one.usage) if usage), key=_output, default=None)

    def _register(self, turn, content):
        if turn.first.role == "assistant":
            calls = [block["id"] for block in _as_blocks(content) if _is_call(block)]
            turn.calls += calls
            self._of_call.update(dict.fromkeys(calls, turn))

    def _new(self, one, content, known):
        """The content of an answer without blocks that are `known` and calls that are there already."""
        if isinstance(content, str):
            return content
        new, ids = [], set()
        for block in content:
            if block in known:
                continue
            if _is_call(block):
                if block["id"] in self._of_call or block["id"] in ids:
                    self._notes.at("A call that is there already, left out", one.line)
                    continue
                ids.add(block["id"])
            new.append(block)
        return new

    def _unanswered(self, one, content):
        """Give each result to the turn of its call; what is left of the content."""
        if isinstance(content, str):
            return content
        rest, turn = [], None
        for block in content:
            if not _is_result(block):
                rest.append(block)
                continue
            call = block["tool_use_id"]
            if call not in self._of_call:
                self._notes.at("A result without a call before it, left out", one.line)
            elif call in self._of_call[call].results:
                self._notes.at("A second result of a call, left out", one.line)
            else:
                turn = self._of_call[call]
                turn.results[call] = block
                turn.result_lines.append(one.line)
                turn.answered_at = one.at
        if turn:
            turn.remarks += rest
        return [] if turn else rest

    def _solid(self, one):
        """Content without what the API refuses by itself and programs never send: blank text, blocks that are none."""
        content = one.content if isinstance(one.content, str | list) else []
        if isinstance(content, str):
            solid = content if content.strip() else ""
        else:
            solid = [{key: value for key, value in block.items() if value is not None} for block in content
                     if isinstance(block, dict) and not _is_blank(block)]
        if not solid or len(solid) < len(content):
            self._notes.at("Blank or empty, left out", one.line)
        return solid


def _as_blocks(content):
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _closing(call):
    return {"type": "tool_result", "tool_use_id": call, "content": INTERRUPTED, "is_error": True}


def _is_blank(block):
    text = block.get("text")
    return block.get("type") == "text" and (text is None or isinstance(text, str) and not text.strip())


def _is_call(block):
    return block.get("type") == "tool_use" and isinstance(block.get("id"), str)


def _is_result(block):
    return block.get("type") == "tool_result" and isinstance(block.get("tool_use_id"), str)


def _output(usage):
    return usage["output_tokens"]
