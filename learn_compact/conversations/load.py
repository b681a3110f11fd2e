"""Reading a conversation, whatever program wrote it: the first lines say which that was."""

from learn_compact.conversations.claude_code import read_claude_code
from learn_compact.conversations.document import read_document
from learn_compact.conversations.log_line import is_log_line
from learn_compact.conversations.notes import Notes
from learn_compact.conversations.plain import is_chat_message, is_request, read_messages
from learn_compact.conversations.reading import begins_as_utf16, begins_document, checked_path, json_lines
from learn_compact.errors import ConversationError

LOOKED_AT = 1_000  # lines; a file that is nothing up to there is nothing

_EXPECTED = ("expected is a log of Claude Code (~/.claude/projects/*/*.jsonl), messages of the Messages API or of "
             "OpenAI's chat API (a JSON document, or one message a line), or a transcript of s06, s08 or an Archive")


def load(path, progress=None):
    """The conversation in a file that Claude Code, another program or this package wrote, as a `Conversation`.

    What can't be read is left out, and `warnings` say so. `progress(done, whole)` is told, in bytes, how far it is: a
    log is read twice, so that its words needn't be held in memory. Nothing is written and nothing leaves the machine.
    Raises ConversationError for a file that can't be read, that is larger than 2 GB, or that holds no conversation in
    one of these forms.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> said = '{"role": "user", "content": "Count."}\\n{"role": "assistant", "content": "Fo'
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "talk.jsonl")
    ...     _ = path.write_text(said)
    ...     found = load(path)
    >>> found.messages, found.warnings
    ([{'role': 'user', 'content': 'Count.'}], ['Cut off in the middle, left out: line 2.'])
    """
    path, size = checked_path(path)
    try:
        found = read_document(path, size) if begins_document(path) else None
        return found or _reader(path)(path, size, progress or _tell_nobody)
    except RecursionError:
        raise ConversationError(f"{path} holds values in values in values, too deep for any program that reads "
                                "conversations. Leave those lines out.") from None


def _tell_nobody(done, whole):
    pass


def _reader(path):
    """The function that reads this file, by the first line that says what it is."""
    for line in json_lines(path, Notes(), most=LOOKED_AT):
        if is_log_line(line.value):
            return read_claude_code
        if is_chat_message(line.value) or is_request(line.value):
            return read_messages
    if begins_as_utf16(path):
        raise ConversationError(f"{path} is written in UTF-16, as PowerShell does. Save it as UTF-8.")
    raise ConversationError(f"{path} holds no conversation that can be read here: {_EXPECTED}.")
