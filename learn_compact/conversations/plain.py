"""Messages as a program keeps them: one JSON document, or one message a line.

The Messages API's own form, transcripts and logs of s06, s08 and our archive, and OpenAI's chat messages. All of it is
held in memory, as it is while the program works with it. Nothing is mended: `problems` says what the API would reject.
"""

from learn_compact.conversations.conversation import Conversation, Origin, Segment
from learn_compact.conversations.log_line import usage_of
from learn_compact.conversations.notes import Notes
from learn_compact.conversations.openai_chat import from_openai, is_openai, tool_of_openai
from learn_compact.conversations.reading import json_lines, without_messages
from learn_compact.conversations.sdk_repr import blocks_of_repr
from learn_compact.data import Request
from learn_compact.errors import ArchiveError
from learn_compact.lines import TAG, from_line
from learn_compact.messages import to_message
from learn_compact.rules import problems
from learn_compact.tokens import context_tokens

_TAG = f'"{TAG}"'.encode()


def is_chat_message(value):
    """Whether a value is a message as a program keeps it."""
    return isinstance(value, dict) and isinstance(value.get("role"), str) and ("content" in value or is_openai(value))


def is_request(value):
    """Whether a value is a whole conversation: a request, or the list of its messages."""
    messages = value.get("messages") if isinstance(value, dict) else value
    return isinstance(messages, list) and any(map(is_chat_message, messages))


def read_messages(path, size, progress):
    """The `Conversation` in a file of messages, one a line, or of requests, one a line, of which the last counts."""
    notes, found, request = Notes(), [], None
    for line in json_lines(path, notes, lambda read: progress(read, size)):
        value = _untagged(line, notes)
        if is_chat_message(value):
            found.append((value, line.number))
        elif is_request(value):
            if request:
                notes.at("An earlier request, left out", request[1])
            request = value, line.number
        else:
            notes.at("No message, left out", line.number)
    if not found:
        return of_request(path, *request, notes)
    if request:
        notes.at("A request between messages, left out", request[1])
    return _of_messages(path, found, {}, notes)


def of_request(path, request, line, notes):
    """The `Conversation` of a request, a dict or the mere list of its messages, that stands in this line."""
    request = request if isinstance(request, dict) else {"messages": request}
    found = [(message, line) for message in request["messages"] if isinstance(message, dict)]
    if len(found) < len(request["messages"]):
        notes.at("What is no message, left out", line)
    return _of_messages(path, found, request, notes)


def _of_messages(path, found, request, notes):
    """The `Conversation` of [(message, line)] in a request, or in {} where the messages are all there is."""
    system, tools, source = request.get("system"), request.get("tools"), "messages-api"
    if any(is_openai(message) for message, _ in found):
        source = "openai"
        said, made = from_openai(found, notes)
        system = system or said
        tools = [tool_of_openai(tool) for tool in tools] if isinstance(tools, list) else tools
    else:
        made = [(_with_objects(message, line, notes), [line]) for message, line in found]
        if any(new is not old for (new, _), (old, _) in zip(made, found, strict=True)):
            source = "transcript"
    if not made:
        raise without_messages(path)
    messages = [plain_message(message) for message, _ in made]
    requests = list(_requests(made))
    segment = Segment(path.stem, 0, requests, [Origin(tuple(lines)) for _, lines in made], problems(messages), None,
                      None, lambda: list(messages))
    model = requests[-1].model if requests else request.get("model")
    return Conversation(path.stem, source, (segment,), system, tools, model if isinstance(model, str) else None,
                        warnings=notes.sentences())


def _requests(made):
    """A `Request` for every answer that a program kept with its usage."""
    for index, (message, _) in enumerate(made):
        usage = usage_of(message) if message.get("role") == "assistant" else None
        if usage and context_tokens(usage):
            yield Request(index, 0.0, str(message.get("model") or ""), usage)


def _untagged(line, notes):
    """The value of a line, with what our archive writes for values that JSON lacks."""
    if _TAG in line.raw:
        try:
            return from_line(line.raw)
        except ArchiveError:
            notes.at("Values in the archive's own form that can't be read, kept as they are", line.number)
    return line.value


def _with_objects(message, line, notes):
    """The message with blocks for SDK objects that it holds as their repr; the same message where it holds none."""
    content = message.get("content")
    parts = [content] if isinstance(content, str) else content
    if message.get("role") != "assistant" or not isinstance(parts, list):
        return message
    read = [blocks_of_repr(part) if isinstance(part, str) else [part] for part in parts]
    if isinstance(content, str) and read == [None] or not any(isinstance(part, str) for part in parts):
        return message
    for part, found in zip(parts, read, strict=True):
        if found is None:
            notes.at("Text in the place of a block, kept as a block of text", line)
        elif isinstance(part, str):
            notes.at("SDK objects written as text, read back", line)
    blocks = [found or [{"type": "text", "text": part}] for part, found in zip(parts, read, strict=True)]
    return {**message, "content": [block for found in blocks for block in found]}


def plain_message(message):
    """Only role and content, without fields that are None; what has no such content stays, for `problems` to name."""
    if message.get("role") and isinstance(message.get("content"), str | list):
        return to_message(message)
    return {key: message[key] for key in ("role", "content") if key in message}
