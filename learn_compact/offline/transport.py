"""The SDK's way to the API inside the process: a transport of its HTTP client that never opens a socket."""

import httpx2

from learn_compact.offline.replies import ConnectionLost

_LOST = {"timeout": httpx2.ReadTimeout, "disconnect": httpx2.RemoteProtocolError}


class OfflineTransport(httpx2.BaseTransport):
    """Hands every request of the client to `api` and what it replies back to the client."""

    def __init__(self, api):
        self.api = api

    def handle_request(self, request):
        try:
            reply = self.api.handle(request.method, request.url.raw_path.decode(), request.read())
        except ConnectionLost as lost:
            raise _as_network_error(lost, request) from None
        body = reply.body if isinstance(reply.body, bytes) else _pieces(reply.body, request)
        return httpx2.Response(reply.status, headers=dict(reply.headers), content=body, request=request)


def _pieces(body, request):
    try:
        yield from body
    except ConnectionLost as lost:
        raise _as_network_error(lost, request) from None


def _as_network_error(lost, request):
    kind = str(lost)
    return _LOST[kind](f"{kind}, as the fault of this call wants it", request=request)
