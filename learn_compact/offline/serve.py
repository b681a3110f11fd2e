"""The same API on a socket: `python -m learn_compact serve`, for any client that knows the Messages API.

It listens on 127.0.0.1 and answers only requests that name a loopback host, so that no web page can reach it under a
name of its own. Left out: TLS, keys (none is asked for), and requests whose body comes in chunks.
"""

import argparse
import os
import socket
import sys
import time
import traceback
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from learn_compact.errors import ConnectionSetupError
from learn_compact.offline import MODEL
from learn_compact.offline.api import MAX_BODY_BYTES, WINDOW, OfflineAPI
from learn_compact.offline.replies import ConnectionLost, Refusal, error_reply

HOST, PORT = "127.0.0.1", 8008
_LOOPBACK = (HOST, "localhost", "")


class Server(ThreadingHTTPServer):
    """An `OfflineAPI` that listens at `url`, each connection in a thread of its own; `serve_forever` starts it."""

    daemon_threads = True
    allow_reuse_address = os.name != "nt"  # on Windows it would let two servers share a port

    def __init__(self, api, port=PORT):
        self.api = api
        try:
            super().__init__((HOST, port), _Handler)
        except OSError as error:
            raise ConnectionSetupError(f"Port {port} of {HOST} can't be had: {error.strerror}. "
                                       "Choose another one with --port.") from None
        self.url = f"http://{HOST}:{self.server_port}"

    def handle_error(self, request, client_address):
        """A client that went away is none; anything else is told as ever."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or each event of a stream waits for the client's last word
    timeout = 60  # seconds that a connection may say nothing

    def __getattr__(self, name):
        """Every method is answered, those that nobody has heard of too."""
        if name.startswith("do_"):
            return self._answer
        raise AttributeError(name)

    def _answer(self):
        try:
            reply = self._reply()
        except ConnectionLost as lost:
            self._hang_up(lost)
        else:
            self._send(reply)

    def _reply(self):
        api = self.server.api
        try:
            return api.handle(self.command, self.path, self._body())
        except Refusal as refusal:  # of what HTTP carries, before the API has seen it
            self.close_connection = True
            return error_reply(refusal, api.request_id())
        except (ConnectionLost, ConnectionError, TimeoutError):
            raise
        except Exception:  # a defect of ours: the client gets the API's error, the terminal the details
            traceback.print_exc()
            return error_reply(Refusal(500, "Internal server error"), api.request_id())

    def _body(self):
        host = self.headers.get("host", "").partition(":")[0]
        if host not in _LOOPBACK:
            raise Refusal(403, f"This server answers to loopback names only, not to {host!r}.")
        if "transfer-encoding" in self.headers:
            raise Refusal(411, "Length Required")
        length = self.headers.get("content-length", "0")
        if not (length.isdecimal() and len(length) < 20):
            raise Refusal(400, "content-length: Input should be a valid integer")
        if int(length) > MAX_BODY_BYTES:
            raise Refusal(413, "Request exceeds the maximum size")
        return self.rfile.read(int(length))

    def _send(self, reply):
        is_whole = isinstance(reply.body, bytes)
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header(*(("content-length", str(len(reply.body))) if is_whole else ("transfer-encoding", "chunked")))
        if self.close_connection:
            self.send_header("connection", "close")
        self.end_headers()
        if not is_whole:
            return self._send_chunks(reply.body)
        self.wfile.write(b"" if self.command == "HEAD" else reply.body)
        if self.close_connection:
            self._let_finish()

    def _send_chunks(self, pieces):
        try:
            for piece in pieces:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.write(b"0\r\n\r\n")
        except ConnectionLost:
            self.close_connection = True  # without the last chunk: the client sees that something is missing

    def _let_finish(self):
        """Reads on, for a moment and within bounds: a client that is still sending would never see the answer."""
        left = 8 * MAX_BODY_BYTES
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(1)
            while left > 0 and (read := self.connection.recv(1024 * 1024)):
                left -= len(read)

    def _hang_up(self, lost):
        """Closes the connection without a word, at once or, for a time-out, once the client has given up."""
        self.close_connection = True
        if str(lost) == "timeout":
            self.rfile.read(1)

    def send_error(self, code, message=None, explain=None):
        """What http.server refuses by itself, in the API's form."""
        self.close_connection = True
        self._send(error_reply(Refusal(code, message or "Bad Request"), self.server.api.request_id()))


def main(arguments=None):
    """`python -m learn_compact serve`: listens until Ctrl-C."""
    parser = argparse.ArgumentParser("python -m learn_compact serve", description=__doc__.partition("\n")[0])
    parser.add_argument("--port", type=_port, default=PORT, help="0 for any free one (default: %(default)s)")
    parser.add_argument("--window", type=int, default=WINDOW, help="context window in tokens (default: %(default)s)")
    chosen = parser.parse_args(arguments)
    with Server(OfflineAPI(chosen.window, clock=time.monotonic), chosen.port) as server:
        print(f"Messages API at {server.url}, model {MODEL} with a window of {chosen.window:,} tokens. "
              "Point a client there with ANTHROPIC_BASE_URL; Ctrl-C stops it.", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print("Stopped.")


def _port(text):
    if not (text.isdecimal() and int(text) <= 65_535):
        raise argparse.ArgumentTypeError(f"{text!r} is no port; give a number from 0 to 65535")
    return int(text)
