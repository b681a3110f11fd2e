"""What the API sends back: a reply, and the error in the API's own form.

Source of statuses and error types: `reference/messages_api.md`, section Errors.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pydantic_core import to_json

ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    405: "invalid_request_error",
    408: "timeout_error",
    409: "conflict_error",
    411: "invalid_request_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}


class Reply(NamedTuple):
    """One HTTP reply: status, headers, and a body in one piece (bytes) or as it comes (an iterable of bytes)."""

    status: int
    headers: Mapping[str, str]
    body: bytes | Iterable[bytes]


class Refusal(Exception):
    """A request that the API answers with an error; `str(refusal)` is the API's sentence."""

    def __init__(self, status, message, headers=None):
        super().__init__(message)
        self.status = status
        self.type = ERROR_TYPES.get(status, "invalid_request_error" if status < 500 else "api_error")
        self.headers = headers or {}


class ConnectionLost(Exception):
    """The connection fails before or while the reply is on its way: `str(lost)` is "timeout" or "disconnect"."""


def json_reply(value, request_id, status=200, headers=None):
    """A value as a JSON reply with its request id."""
    return Reply(status, {"content-type": "application/json", "request-id": request_id, **(headers or {})},
                 to_json(value))


def error_reply(refusal, request_id):
    """A refusal in the API's form: `{"type": "error", "error": {"type", "message"}, "request_id"}`."""
    value = {"type": "error", "error": {"type": refusal.type, "message": str(refusal)}, "request_id": request_id}
    return json_reply(value, request_id, refusal.status, refusal.headers)
