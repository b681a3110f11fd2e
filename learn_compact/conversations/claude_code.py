"""The logs of Claude Code: one JSON object a line, each with its parent, in `~/.claude/projects`.

A file is read once for its threads, without keeping words, and then stretch by stretch. What a log doesn't hold:
system prompt, tools, and the reminders that Claude Code adds in words of its own. Left out: sub-agents beside the
main thread.
"""

from collections import defaultdict
from datetime import UTC, datetime
from functools import partial

from learn_compact.conversations.assemble import Said, assemble
from learn_compact.conversations.conversation import Conversation, Segment
from learn_compact.conversations.notes import Notes
from learn_compact.conversations.reading import changed, json_lines, read_lines_at
from learn_compact.conversations.thread import BEFORE, Record, main_thread, stretches
from learn_compact.errors import ConversationError
from learn_compact.rules import problems

SYNTHETIC = "<synthetic>"  # the model of messages that Claude Code wrote itself


def is_line(value):
    """Whether a value is a message as Claude Code logs one."""
    return isinstance(value, dict) and value.get("type") in ("user", "assistant") \
        and isinstance(value.get("message"), dict)


def read(path, size, progress=None):
    """The `Conversation` in a log of Claude Code; ConversationError where it holds no message."""
    notes = Notes()
    records = [record for line in json_lines(path, size, notes, progress) if (record := _record(line))]
    main = [record for record in records if not record.is_aside]
    if not any(record.role for record in main):
        main = records
    for record in records:
        if record.is_aside and main is not records and record.role:
            notes.at("Of a sub-agent, not of the main thread", record.line)
    thread = main_thread(main, notes)
    off_thread = _OffThread(path, main, thread)
    begun = next((record.at for record in thread if record.at is not None), None)
    segments = []
    for stretch in stretches(thread):
        reading = partial(_assembled, path, off_thread.completed(stretch), begun, off_thread)
        made = reading(notes)
        if made.messages:
            number = len(segments)
            segments.append(Segment(path.stem, number, made.requests, made.origins, problems(made.messages),
                                    next((one.compaction for one in stretch if one.compaction), None),
                                    next((one.pre_tokens for one in stretch if one.pre_tokens), None),
                                    partial(_messages, reading)))
    if not segments:
        raise ConversationError(f"{path} is a log of Claude Code without a message in it. Pass another file.")
    models = [request.model for segment in segments for request in segment.requests]
    return Conversation(path.stem, "claude-code", tuple(segments), model=models[-1] if models else None,
                        started=begun and datetime.fromtimestamp(begun, UTC).isoformat(), warnings=notes.sentences())


def _record(line):
    value = line.value
    if not isinstance(value, dict) or not (is_line(value) or isinstance(value.get("uuid"), str)):
        return None
    role, content = _said(value)
    uuid, parent = value.get("uuid"), value.get("parentUuid", BEFORE)
    if parent is None:
        parent = value.get("logicalParentUuid")
    message = value["message"] if is_line(value) else {}
    compaction, pre_tokens = _compaction(value)
    return Record(line.number, line.offset, line.size, uuid if isinstance(uuid, str) else f"line {line.number}",
                  parent if parent is None or isinstance(parent, str) else BEFORE, role, _seconds(value),
                  message["id"] if role == "assistant" and isinstance(message.get("id"), str) else "",
                  _results(content) if role == "user" else (),
                  bool(value.get("isSidechain") or value.get("parent_tool_use_id")), compaction, pre_tokens)


def _said(value):
    """(role, content) of what a line sent to the API or got from it; ("", "") where it is about something else."""
    if is_line(value) and not value.get("isApiErrorMessage"):
        return value["type"], value["message"].get("content")
    return "", ""


def _results(content):
    return tuple(block["tool_use_id"] for block in content if isinstance(block, dict)
                 and block.get("type") == "tool_result" and isinstance(block.get("tool_use_id"), str)) \
        if isinstance(content, list) else ()


def _compaction(value):
    """(trigger, tokens before) of a compaction that this line tells of, (None, None) where it tells of none."""
    if value.get("subtype") == "compact_boundary":
        told = value.get("compactMetadata")
        told = told if isinstance(told, dict) else {}
        trigger, tokens = told.get("trigger"), told.get("preTokens")
        return trigger if trigger in ("auto", "manual") else "unknown", tokens if _is_count(tokens) else None
    return ("unknown" if value.get("isCompactSummary") else None), None


def _seconds(value):
    try:
        time = datetime.fromisoformat(value["timestamp"])
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    except (KeyError, TypeError, ValueError, OverflowError):
        return None


class _OffThread:
    """What belongs to the thread though no parent leads there: parallel calls branch off, and so do their results."""

    def __init__(self, path, records, thread):
        self._path = path
        on_thread = {record.line for record in thread}
        self._answers, self._results = defaultdict(list), {}
        for record in records:
            if record.line not in on_thread:
                if record.answer:
                    self._answers[record.answer].append(record)
                for call in record.results:
                    self._results.setdefault(call, record)

    def completed(self, stretch):
        """The stretch with the lines of its answers that are not on the thread, behind those that are."""
        return stretch

    def result(self, call):
        """(result block, line) of a call that was answered off the thread, or None."""
        record = self._results.get(call)
        if record is None:
            return None
        [value] = read_lines_at(self._path, [(record.offset, record.size)])
        return next((block, record.line) for block in _said(value)[1]
                    if isinstance(block, dict) and block.get("tool_use_id") == call)


def _assembled(path, stretch, begun, off_thread, notes):
    records = [record for record in stretch if record.role]
    values = read_lines_at(path, [(record.offset, record.size) for record in records])
    said = (_as_said(path, record, value, begun) for record, value in zip(records, values, strict=True))
    return assemble(said, notes, off_thread.result)


def _as_said(path, record, value, begun):
    if not isinstance(value, dict) or value.get("uuid", record.uuid) != record.uuid:
        raise changed(path)
    role, content = _said(value)
    message = value.get("message") or {}
    model = message.get("model")
    return Said(role, content, record.line, None if record.at is None else record.at - begun, record.answer,
                model if isinstance(model, str) else "", _usage(message.get("usage")))


def _messages(reading):
    return reading(Notes()).messages


def _usage(found):
    """What the API reported, where it is figures; None where it isn't."""
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
    if not isinstance(found, dict) or not all(_is_count(found.get(name) or 0) for name in names):
        return None
    return {name: found.get(name) or 0 for name in names}


def _is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
