"""Writing a conversation as a request of the Messages API that a program can go on with."""

import json
from pathlib import Path

from learn_compact import files
from learn_compact.conversations.conversation import Conversation
from learn_compact.conversations.plain import plain_message
from learn_compact.errors import ConversationError
from learn_compact.rules import problems


def save(conversation, path, messages=None):
    """Write a conversation, or a list of messages, to a JSON file: model, system and tools where known, and messages.

    `messages` take the place of those of the conversation, as a policy has made them:
    `save(found, "next.json", policy.prepare(found.messages))`. What comes out are the arguments of
    `client.messages.create` but for `max_tokens` and the user's next message, and `load` reads it back equal. Its
    `model` is the one that answered: to go on with another, or offline, put `model_for(client)` in its place. The file
    is written whole or not at all, over one of the same name, readable by its owner alone. Raises ConversationError for
    messages that the API would reject, for values that JSON lacks, and where the file can't be written.

    >>> from tempfile import TemporaryDirectory
    >>> from learn_compact.conversations import load
    >>> with TemporaryDirectory() as folder:
    ...     save([{"role": "user", "content": "Count."}], f"{folder}/next.json")
    ...     load(f"{folder}/next.json").messages
    [{'role': 'user', 'content': 'Count.'}]
    """
    path = Path(path).expanduser()
    if isinstance(conversation, Conversation):
        around = {"model": conversation.model, "system": conversation.system, "tools": conversation.tools}
        messages = conversation.messages if messages is None else messages
    else:
        around, messages = {}, conversation
    messages = [plain_message(message) if isinstance(message, dict) else message for message in messages]
    if found := problems(messages):
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise ConversationError(f"{path.name} is not written, because the API would reject the messages: "
                                f"{str(found[0]).rstrip('.')}{more}. Mend them, or save messages that a policy has "
                                "made valid.")
    request = {name: value for name, value in around.items() if value is not None} | {"messages": messages}
    try:
        payload = json.dumps(request, indent=1, allow_nan=False).encode("ascii")
        files.write_over(path, payload)
    except (TypeError, ValueError, RecursionError) as error:
        raise ConversationError(f"{path.name} is not written, because a message holds what JSON lacks: "
                                f"{error}.") from None
    except OSError as error:
        raise ConversationError(f"{path} can't be written: {error.strerror or error}. Nothing was changed; pass a path "
                                "in a folder that you may write to.") from None
