"""The Messages API itself, as a function from a request to a reply: no socket, no SDK, no clock of its own.

`OfflineAPI.handle` takes what HTTP carries (method, target, body) and gives back what it would carry. The SDK's
transport (`transport`) and the server (`serve`) are two doors to this one room. Left out: batches, files, and all that
needs a server to do more than answer.
"""

import threading
from dataclasses import dataclass
from itertools import count
from urllib.parse import unquote

from pydantic_core import from_json

from learn_compact.errors import ConnectionSetupError
from learn_compact.offline import MODEL
from learn_compact.offline.answer import answer_message
from learn_compact.offline.cache import LIFETIMES, PromptCache, prefix_of
from learn_compact.offline.faults import until_half
from learn_compact.offline.replies import ConnectionLost, Refusal, Reply, error_reply, json_reply
from learn_compact.offline.shapes import COUNT, CREATE
from learn_compact.offline.stream import as_sse, events
from learn_compact.offline.validate import MAX_OUTPUT_TOKENS, check_breakpoints, check_request
from learn_compact.tokens import context_tokens

WINDOW = 200_000  # tokens
MAX_BODY_BYTES = 32 * 1024 * 1024
KEPT_REQUESTS = 50  # the figures of every call are kept, the requests of the last ones only

_numbers = count(1)


@dataclass
class Call:
    """One `POST /v1/messages`, a retry too: its number, what was asked, and what came of it.

    `status` is None where the connection was lost; `usage` and `stop_reason` are there where the model answered,
    `error` (the API's sentence) where it did not; `request` is None for calls long past.
    """

    number: int
    request: dict | None = None
    status: int | None = None
    usage: dict | None = None
    stop_reason: str | None = None
    error: str | None = None

    @property
    def context_tokens(self):
        """Tokens that the model was shown, cached or not; 0 where it was shown nothing."""
        return context_tokens(self.usage or {})


class OfflineAPI:
    """A Messages API with a context window of `window` tokens, answered by `model`.

    `model(request)` gives content blocks (default: the stand-in model). `clock()` gives the seconds by which the prompt
    cache forgets; without one time stands still, so that a notebook gives the same figures however long its reader
    takes. `faults` are `Fault`s. `calls` lists every call as a `Call`, the newest last. Safe for many threads.
    """

    def __init__(self, window=WINDOW, *, model=None, clock=None, faults=()):
        if isinstance(window, bool) or not isinstance(window, int) or window < 1:
            raise ConnectionSetupError(f"The window is {window!r}; it must be a whole number of tokens, 1 or more.")
        if model is None:
            from learn_compact.offline.standin import answer as model
        self.window, self.model, self.faults = window, model, tuple(faults)
        self.calls = []
        self.address = f"http://offline-{next(_numbers)}.invalid"  # a name that no network knows
        self._cache = PromptCache(clock or (lambda: 0))
        self._ids, self._lock = count(1), threading.Lock()

    def handle(self, method, target, body=b""):
        """The `Reply` to one HTTP request; raises ConnectionLost where a fault leaves none."""
        request_id = self.request_id()
        try:
            if len(body) > MAX_BODY_BYTES:
                raise Refusal(413, "Request exceeds the maximum size")
            return self._route(method, unquote(target.partition("?")[0]))(body, request_id)
        except Refusal as refusal:
            return error_reply(refusal, request_id)

    def request_id(self):
        """The next request id: they count up, so that every run has the same."""
        return f"req_{next(self._ids):024}"

    def _route(self, method, path):
        allowed, answer = {
            "/v1/messages": ("POST", self._create),
            "/v1/messages/count_tokens": ("POST", self._count_tokens),
            "/v1/models": ("GET", self._list_models),
            f"/v1/models/{MODEL}": ("GET", self._model),
        }.get(path, (None, None))
        if allowed is None:
            name = path.removeprefix("/v1/models/")
            raise Refusal(404, f"model: {name}" if name != path else "Not Found")
        if method != allowed:
            raise Refusal(405, "Method Not Allowed", {"allow": allowed})
        return answer

    def _create(self, body, request_id):
        call = self._new_call()
        try:
            message, fault = self._answer(call, _parsed(body))
        except Refusal as refusal:
            call.status, call.error = refusal.status, str(refusal)
            raise
        except ConnectionLost as lost:
            call.error = str(lost)
            raise
        call.status, call.usage, call.stop_reason = 200, message["usage"], message["stop_reason"]
        if not call.request.get("stream"):
            return json_reply(message, request_id)
        pieces = list(map(as_sse, events(message)))
        return Reply(200, {"content-type": "text/event-stream; charset=utf-8", "request-id": request_id},
                     until_half(pieces) if fault and fault.kind == "cut" else pieces)

    def _answer(self, call, request):
        call.request = request
        fault = next((fault for fault in self.faults if fault.strikes(call.number)), None)
        if fault:
            fault.before(is_stream=isinstance(request, dict) and request.get("stream") is True)
        prefix, tokens = _read(request, CREATE)
        if tokens > self.window:
            raise Refusal(400, f"prompt is too long: {tokens} tokens > {self.window} maximum")
        instead = fault and fault.answer(request)
        content, stop_reason = instead or (self.model(request), None)
        return answer_message(request, content, self.window - tokens, self._usage(request, prefix), stop_reason), fault

    def _usage(self, request, prefix):
        with self._lock:
            cached = self._cache.use(prefix, [request.get("tool_choice"), request.get("thinking")])
        return {"input_tokens": cached.fresh,
                "cache_creation_input_tokens": sum(cached.written.values()),
                "cache_read_input_tokens": cached.read,
                "cache_creation": {f"ephemeral_{ttl}_input_tokens": cached.written.get(ttl, 0) for ttl in LIFETIMES}}

    def _count_tokens(self, body, request_id):
        _, tokens = _read(_parsed(body), COUNT)
        return json_reply({"input_tokens": tokens}, request_id)

    def _list_models(self, _body, request_id):
        page = {"data": [self._model_info()], "has_more": False, "first_id": MODEL, "last_id": MODEL}
        return json_reply(page, request_id)

    def _model(self, _body, request_id):
        return json_reply(self._model_info(), request_id)

    def _model_info(self):
        return {"type": "model", "id": MODEL, "display_name": "Stand-in model of Learn Compact",
                "created_at": "2026-11-30T00:00:00Z", "lifecycle": "active",
                "max_input_tokens": self.window, "max_tokens": MAX_OUTPUT_TOKENS}

    def _new_call(self):
        with self._lock:
            call = Call(len(self.calls) + 1)
            self.calls.append(call)
            if len(self.calls) > KEPT_REQUESTS:
                self.calls[-KEPT_REQUESTS - 1].request = None
        return call


def _parsed(body):
    try:
        return from_json(body, allow_inf_nan=False)
    except ValueError as error:
        raise Refusal(400, f"The request body is not valid JSON: {error}") from None


def _read(request, shape):
    """The parts of a request that keeps the rules, and their tokens."""
    check_request(request, shape)
    prefix = prefix_of(request)
    check_breakpoints(prefix)
    return prefix, sum(part.tokens for part in prefix)
