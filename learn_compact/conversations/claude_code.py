"""The logs of Claude Code: one JSON object a line, each with its parent, in `~/.claude/projects`.

A file is read once for its threads, without keeping words, and then stretch by stretch. What a log doesn't hold:
system prompt, tools, and the words of most reminders. Left out: sub-agents beside the main thread.
"""

from collections import defaultdict
from datetime import UTC, datetime
from functools import partial

from learn_compact.conversations.assemble import Said, assemble
from learn_compact.conversations.conversation import Conversation, Segment
from learn_compact.conversations.log_line import is_message, record_of, said, usage_of, uuid_of
from learn_compact.conversations.notes import Notes
from learn_compact.conversations.reading import changed, json_lines, read_lines_at, without_messages
from learn_compact.conversations.thread import main_thread, stretches
from learn_compact.rules import problems


def read_claude_code(path, size, progress):
    """The `Conversation` in a log of Claude Code; ConversationError where it holds no message."""
    notes = Notes()
    lines = json_lines(path, notes, lambda read: progress(read, 2 * size))
    records = [record for line in lines if (record := record_of(line, notes))]
    main = [record for record in records if not record.is_aside]
    if any(record.role for record in main):
        for record in records:
            if record.is_aside and record.role:
                notes.at("Of a sub-agent, left out", record.line)
    else:
        main = records  # a log of one sub-agent is a conversation too
    thread = main_thread(main, notes)
    log = _Log(path, main, thread)
    for record in _left(main, thread):
        notes.at("Answered on a branch that was left, left out", record.line)
    segments = log.segments(thread, notes, lambda read: progress(size + read, 2 * size))
    progress(2 * size, 2 * size)
    if not segments:
        raise without_messages(path)
    models = [request.model for segment in segments for request in segment.requests if request.model]
    started = None if log.begun is None else datetime.fromtimestamp(log.begun, UTC).isoformat()
    return Conversation(path.stem, "claude-code", segments, model=models[-1] if models else None, started=started,
                        beside=_beside(records, thread), warnings=notes.sentences())


def _left(records, thread):
    """The records of answers that are not on the thread."""
    on_thread = {record.answer or record.uuid for record in thread}
    return [record for record in records
            if record.role == "assistant" and (record.answer or record.uuid) not in on_thread]


def _beside(records, thread):
    """The tokens that the API reported for answers off the thread; every line of an answer repeats its count."""
    spent = {}
    for record in _left(records, thread):
        answer = record.answer or record.uuid
        spent[answer] = max(record.spent, spent.get(answer, 0))
    return sum(spent.values())


class _Log:
    """A log whose thread is known: reads the words of a stretch when they are asked for."""

    def __init__(self, path, records, thread):
        self.path = path
        self.begun = next((record.at for record in thread if record.at is not None), None)
        self._answers, self._results = defaultdict(list), {}  # off the thread: parallel calls and results branch off it
        on_thread = {record.line for record in thread}
        for record in records:
            if record.line not in on_thread:
                if record.answer:
                    self._answers[record.answer].append(record)
                self._results.update(dict.fromkeys(record.results, record))

    def segments(self, thread, notes, progress):
        """The stretches of the thread that hold messages, as a tuple of `Segment`."""
        found = []
        for stretch in stretches(thread):
            made = self._assembled(stretch, notes)
            if made.messages:
                began = stretch[0]
                progress(began.offset)
                found.append(Segment(self.path.stem, len(found), made.requests, made.origins, problems(made.messages),
                                     began.compaction, began.pre_tokens, partial(self._messages, stretch)))
        return tuple(found)

    def _messages(self, stretch):
        return self._assembled(stretch, Notes()).messages

    def _assembled(self, stretch, notes):
        records = [(record, is_beside) for record, is_beside in self._completed(stretch) if record.role]
        values = self._values([record for record, _ in records])
        said = (self._said(*record, value) for record, value in zip(records, values, strict=True))
        return assemble(said, notes, self._result)

    def _values(self, records):
        """What stands in the lines of records, one after the other, if it is still what stood there."""
        places = [(record.offset, record.size) for record in records]
        for record, value in zip(records, read_lines_at(self.path, places), strict=True):
            if not isinstance(value, dict) or said(value)[0] != record.role \
                    or uuid_of(value, record.line) != record.uuid:
                raise changed(self.path)
            yield value

    def _completed(self, stretch):
        """(record, whether no parent led to it): the lines of the stretch, and those that its answers lack."""
        last = {record.answer: i for i, record in enumerate(stretch) if record.answer}
        for i, record in enumerate(stretch):
            yield record, False
            if record.answer and last[record.answer] == i:
                for other in self._answers.get(record.answer, ()):
                    yield other, True

    def _said(self, record, is_beside, value):
        role, content = said(value)
        message = value["message"] if is_message(value) else {}
        at = None if record.at is None or self.begun is None else round(record.at - self.begun, 3)
        model = message.get("model")
        return Said(role, content, record.line, at, record.answer, model if isinstance(model, str) else "",
                    usage_of(message) if role == "assistant" else None, record.again, is_beside)

    def _result(self, call):
        """(result block, line) of a call that was answered off the thread, or None."""
        if call not in self._results:
            return None
        record = self._results[call]
        [value] = self._values([record])
        return next((block, record.line) for block in said(value)[1]
                    if isinstance(block, dict) and block.get("tool_use_id") == call)
