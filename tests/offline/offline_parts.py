"""What the tests of the offline API share: small models, a small request, and the two ways to send it."""

import json

from learn_compact.offline import MODEL, OfflineAPI, client_of

HELLO = {"model": MODEL, "max_tokens": 200, "messages": [{"role": "user", "content": "Hello"}]}
BASH = {"name": "bash", "description": "Run a command.", "input_schema": {"type": "object"}}
CALL = {"type": "tool_use", "name": "bash", "input": {"command": "ls"}}
MARK = {"type": "ephemeral"}


def says(*texts):
    """A model that always says the same."""
    return lambda request: [{"type": "text", "text": text} for text in texts]


def calls_bash(request):
    """A model that calls a tool once, and ends when it has a result."""
    has_result = len(request["messages"]) > 1
    return [{"type": "text", "text": "Done."}] if has_result else [{"type": "text", "text": "I look."}, CALL]


def api_and_client(model=None, **options):
    """An offline API with a model of the test's own, and a client of the real SDK."""
    api = OfflineAPI(model=model or says("Hello to you."), **options)
    return api, client_of(api)


def hello(**changes):
    """The smallest request, with changes; a field changed to `...` is left out."""
    return {name: value for name, value in {**HELLO, **changes}.items() if value is not ...}


def send(api, request, path="/v1/messages", method="POST"):
    """(status, body) of one request to the handler; bytes are sent as they are."""
    reply = api.handle(method, path, request if isinstance(request, bytes) else json.dumps(request).encode())
    return reply.status, json.loads(reply.body)
