"""A client that answers by a script: for answers that the offline API doesn't give on request."""

from anthropic.types import Message


def text(words):
    return {"type": "text", "text": words}


def call(id_, name="bash", **arguments):
    return {"type": "tool_use", "id": id_, "name": name, "input": arguments}


def response(*content, stop_reason="end_turn"):
    """A response of the SDK's own class, which it builds from whatever a server sends."""
    return Message.construct(id="msg_1", type="message", role="assistant", model="scripted", content=list(content),
                             stop_reason=stop_reason, usage={"input_tokens": 10, "output_tokens": 20})


class Scripted:
    """A client whose `messages.create` gives the answers of the script in turn, or raises those that are errors."""

    def __init__(self, *script):
        self.script, self.requests = list(script), []

    @property
    def messages(self):
        return self

    def create(self, **request):
        self.requests.append(request)
        answer = self.script.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer
