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
    for it, None where it reported nothing; `again` says that this stood in an earlier segment too.
    """

    role: str
    content: str | list
    line: int
    at: float | None = None
    answer: str = ""
    model: str = ""
    usage: dict | None = None
    again: bool = False


@dataclass
class _Turn:
    """A message in the making, and for an answer with calls the message of its results."""

    said: Said
    content: str | list
    lines: list
    calls: dict = field(default_factory=dict)      # the id of each call: its result, or None
    remarks: list = field(default_factory=list)    # blocks that came with results
    result_lines: list = field(default_factory=list)
    results_at: float | None = None


@dataclass
class Assembled:
    """The messages of a segment, where each came from, and the requests that the API answered."""

    messages: list = field(default_factory=list)
    origins: list[Origin] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)

    def add(self, role, content, lines, at):
        self.messages.append({"role": role, "content": content})
        self.origins.append(Origin(tuple(lines), at))


def assemble(said, notes, result_elsewhere=lambda call: None):
    """The messages that the `Said` of a segment make.

    `result_elsewhere(call)` gives (result block, line) where a call was answered off the thread. A call that nobody
    answered gets the error result with which Claude Code closes one, as in a segment of an outline.
    """
    made = Assembled()
    for turn in _turns(said, notes):
        if turn.said.usage and not turn.said.again and context_tokens(turn.said.usage):
            made.requests.append(Request(len(made.messages), turn.said.at or 0.0, turn.said.model, turn.said.usage))
        made.add(turn.said.role, turn.content, turn.lines, turn.said.at)
        if turn.calls:
            _add_results(made, turn, result_elsewhere)
    return made


def _turns(said, notes):
    turns, of_answer, of_call = [], {}, {}
    for one in said:
        content = _solid(one.content, one.line, notes)
        if one.role == "assistant":
            _add_answer(one, content, turns, of_answer, of_call, notes)
        else:
            rest = _add_to_calls(one, content, of_call, notes)
            if rest:
                turns.append(_Turn(one, rest, [one.line]))
    return turns


def _add_answer(one, content, turns, of_answer, of_call, notes):
    turn = of_answer.get(one.answer)
    if turn:
        turn.said.usage = one.usage or turn.said.usage  # the last line of an answer has its final figures
        known = turn.content if isinstance(turn.content, list) else [{"type": "text", "text": turn.content}]
        content = content if isinstance(content, list) else [{"type": "text", "text": content}]
    new = [block for block in content if not _is_call(block) or block["id"] not in of_call] \
        if isinstance(content, list) else content
    if len(new) < len(content):
        notes.at("A call that is logged already, left out", one.line)
    if not new:
        return
    if turn:
        turn.content = known + new
        turn.lines.append(one.line)
    else:
        turn = _Turn(one, new, [one.line])
        turns.append(turn)
        if one.answer:
            of_answer[one.answer] = turn
    for block in new if isinstance(new, list) else ():
        if _is_call(block):
            turn.calls[block["id"]], of_call[block["id"]] = None, turn


def _add_to_calls(one, content, of_call, notes):
    """Give each result to its call; the content that is left."""
    if not isinstance(content, list):
        return content
    rest, answered = [], None
    for block in content:
        if not _is_result(block):
            rest.append(block)
            continue
        turn = of_call.get(block["tool_use_id"])
        if turn is None:
            notes.at("A result without a call before it, left out", one.line)
        elif turn.calls[block["tool_use_id"]]:
            notes.at("A second result of one call, left out", one.line)
        else:
            answered, turn.calls[block["tool_use_id"]] = turn, block
            turn.result_lines.append(one.line)
            turn.results_at = one.at
    if answered and rest:
        answered.remarks += rest
        return []
    return rest


def _add_results(made, turn, result_elsewhere):
    lines = list(turn.result_lines)
    for call, result in turn.calls.items():
        if result is None and (found := result_elsewhere(call)):
            turn.calls[call] = found[0]
            lines.append(found[1])
    results = [result or {"type": "tool_result", "tool_use_id": call, "content": INTERRUPTED, "is_error": True}
               for call, result in turn.calls.items()]
    at = turn.said.at if turn.results_at is None else turn.results_at
    made.add("user", results + turn.remarks, dict.fromkeys(lines), at)


def _solid(content, line, notes):
    """Content without what the API refuses by itself and programs never send: blank texts, blocks that are none."""
    if isinstance(content, str):
        if not content.strip():
            notes.at("Blank text, left out", line)
            return ""
        return content
    solid = []
    for block in content if isinstance(content, list) else ():
        if not isinstance(block, dict):
            notes.at("A block that is no object, left out", line)
        elif block.get("type") == "text" and not str(block.get("text") or "").strip():
            notes.at("Blank text, left out", line)
        else:
            solid.append({key: value for key, value in block.items() if value is not None})
    if not solid:
        notes.at("No content, left out", line)
    return solid


def _is_call(block):
    return block.get("type") == "tool_use" and isinstance(block.get("id"), str)


def _is_result(block):
    return block.get("type") == "tool_result" and isinstance(block.get("tool_use_id"), str)
