"""Faults on request: what goes wrong with a real API now and then, at the call where a lesson or a test wants it."""

from dataclasses import dataclass

from learn_compact.errors import ConnectionSetupError
from learn_compact.offline.replies import ERROR_TYPES, ConnectionLost, Refusal

KINDS = ("timeout", "disconnect", "cut", "empty", "refusal", "tool_call")

_MESSAGES = {401: "invalid x-api-key", 429: "This request would exceed your account's rate limit. Please try again "
             "later.", 500: "Internal server error", 504: "Request timed out", 529: "Overloaded"}


@dataclass(frozen=True)
class Fault:
    """Something that goes wrong at call number `call` (the first is 1, and a retry is a call), `times` calls in a row.

    Either an HTTP `status`, with `retry_after` in seconds and a `message` where wanted; or a `kind`: "timeout" and
    "disconnect" (no answer), "cut" (a stream that stops in its middle), "empty" (an answer without content),
    "refusal" (the model declines), "tool_call" (a call where text was asked for).

    >>> Fault(call=3, status=529)
    Fault(call=3, status=529, kind=None, times=1, retry_after=None, message=None)
    """

    call: int
    status: int | None = None
    kind: str | None = None
    times: int = 1
    retry_after: float | None = None
    message: str | None = None

    def __post_init__(self):
        if (self.status is None) == (self.kind is None):
            raise ConnectionSetupError(f"{self} needs either a status or a kind.")
        if self.kind is not None and self.kind not in KINDS:
            raise ConnectionSetupError(f"{self.kind!r} is no kind of fault; choose one of {', '.join(KINDS)}.")
        if self.status is not None and not 400 <= self.status <= 599:
            raise ConnectionSetupError(f"{self.status} is not the status of an error; choose one from 400 to 599.")

    def strikes(self, call):
        """Whether this fault is due at call number `call`."""
        return self.call <= call < self.call + self.times

    def before(self, is_stream):
        """Raises what the caller meets instead of an answer, where this fault leaves none."""
        if self.status is not None:
            headers = {} if self.retry_after is None else {"retry-after": f"{self.retry_after:g}"}
            sentence = self.message or _MESSAGES.get(self.status) or ERROR_TYPES.get(self.status, "error")
            raise Refusal(self.status, sentence, headers)
        if self.kind in ("timeout", "disconnect") or (self.kind == "cut" and not is_stream):
            raise ConnectionLost("timeout" if self.kind == "timeout" else "disconnect")

    def answer(self, request):
        """(content, stop_reason) that this fault puts in the model's place; None where the model speaks for itself."""
        if self.kind == "empty":
            return [], "end_turn"
        if self.kind == "refusal":
            return [], "refusal"
        if self.kind == "tool_call":
            tools = request.get("tools") or [{"name": "bash"}]
            return [{"type": "tool_use", "name": tools[0]["name"], "input": {}}], "tool_use"
        return None


def until_half(pieces):
    """The first half of the pieces of a stream, then the end of the connection."""
    yield from pieces[:len(pieces) // 2]
    raise ConnectionLost("disconnect")
