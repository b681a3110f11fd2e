"""The server on a real socket: clients that are not the SDK, requests that are no requests, and a clean end."""

import http.client
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading

import anthropic
import pytest
from offline_parts import HELLO, calls_bash, hello, says

from learn_compact.__main__ import main
from learn_compact.errors import ConnectionSetupError
from learn_compact.offline import Fault, OfflineAPI
from learn_compact.offline.serve import Server

FAULTS = [Fault(call=2, kind="disconnect"), Fault(call=3, kind="timeout"), Fault(call=4, kind="cut")]
STORY = "Hello to you, and to you. 🙂 " * 10


def serving(api):
    server = Server(api, port=0)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    return server


@pytest.fixture(scope="module")
def server():
    with serving(OfflineAPI(window=2_000, model=says(STORY))) as server:
        yield server
        server.shutdown()


@pytest.fixture
def connection(server):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    yield connection
    connection.close()


def ask(connection, method, path, body=None, headers=None):
    connection.request(method, path, body, headers or {})
    response = connection.getresponse()
    return response.status, json.loads(response.read() or "null"), response


def test_a_message_comes_over_the_socket(connection):
    for _ in range(2):  # the connection is kept
        status, message, response = ask(connection, "POST", "/v1/messages", json.dumps(HELLO))
        assert (status, message["content"][0]["text"]) == (200, STORY)
        assert response.getheader("request-id").startswith("req_")


def test_a_stream_comes_over_the_socket(connection):
    connection.request("POST", "/v1/messages", json.dumps(hello(stream=True)))
    response = connection.getresponse()
    assert response.getheader("content-type") == "text/event-stream; charset=utf-8"
    names = [line.removeprefix("event: ") for line in response.read().decode().split("\n") if line.startswith("event")]
    assert (names[0], names[-2:]) == ("message_start", ["message_delta", "message_stop"])


def test_the_sdk_talks_to_it_as_to_any_address(server):
    client = anthropic.Anthropic(api_key="any", base_url=server.url)
    with client.messages.stream(**HELLO) as stream:
        assert stream.get_final_text() == STORY
    assert client.messages.create(**HELLO).content[0].text == STORY
    assert client.messages.count_tokens(**hello(max_tokens=...)).input_tokens == 13
    assert [model.id for model in client.models.list()] == ["stand-in"]
    with pytest.raises(anthropic.BadRequestError, match="prompt is too long: 5013 tokens > 2000 maximum"):
        client.messages.create(**hello(messages=[{"role": "user", "content": "word " * 5_000}]))


BAD = [
    ("POST", "/v1/messages", b"{", {}, 400, "invalid_request_error"),
    ("POST", "/v1/messages", None, {}, 400, "invalid_request_error"),
    ("POST", "/v1/messages", b'{"max_tokens": NaN}', {}, 400, "invalid_request_error"),
    ("POST", "/v1/messages", json.dumps(hello(system="\ud800")).encode(), {}, 400, "invalid_request_error"),
    ("POST", "/v1/messages", b"[" * 1_000_000, {}, 400, "invalid_request_error"),
    ("POST", "/v1/messages", b" " * 40_000_000, {}, 413, "request_too_large"),
    ("POST", "/v1/messages", json.dumps(hello(messages=[])), {}, 400, "invalid_request_error"),
    ("POST", "/v1/messages", b"", {"content-length": "many"}, 400, "invalid_request_error"),
    ("POST", "/v1/messages", b"", {"content-length": "-1"}, 400, "invalid_request_error"),
    ("POST", "/v1/messages", b"", {"content-length": "9" * 5_000}, 400, "invalid_request_error"),
    ("POST", "/v1/messages", iter([b"{}"]), {}, 411, "invalid_request_error"),
    ("GET", "/v1/messages", None, {}, 405, "invalid_request_error"),
    ("BREW", "/v1/messages", None, {}, 405, "invalid_request_error"),
    ("GET", "/v2/messages", None, {}, 404, "not_found_error"),
    ("GET", "//", None, {}, 404, "not_found_error"),
    ("GET", "/v1/models/%00%ff", None, {}, 404, "not_found_error"),
    ("GET", "/" + "x" * 70_000, None, {}, 414, "invalid_request_error"),
    ("GET", "/v1/models", None, {"x-long": "x" * 70_000}, 431, "invalid_request_error"),
    ("GET", "/v1/models", None, {"host": "attacker.example"}, 403, "permission_error"),
]


@pytest.mark.parametrize(("method", "path", "body", "headers", "status", "kind"), BAD,
                         ids=[f"{row[0]} {row[1][:12]} {row[4]}" for row in BAD])
def test_a_bad_request_gets_an_error_of_the_api_and_the_server_stays(
        connection, server, method, path, body, headers, status, kind):
    found, answer, response = ask(connection, method, path, body, headers)
    assert (found, answer["type"], answer["error"]["type"]) == (status, "error", kind)
    assert answer["request_id"] == response.getheader("request-id")
    after = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    assert ask(after, "POST", "/v1/messages", json.dumps(HELLO))[0] == 200
    after.close()


@pytest.mark.parametrize("sent", [
    b"Hello\r\n\r\n", b"\x00\xff\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"POST /v1/messages HTTP/1.1\r\n",
    b"POST /v1/messages HTTP/1.1\r\nContent-Length: 500\r\n\r\n{", b""])
def test_what_is_no_http_does_no_harm(server, connection, sent):
    with socket.create_connection(("127.0.0.1", server.server_port)) as raw:
        raw.sendall(sent)
        raw.shutdown(socket.SHUT_WR)
        raw.settimeout(10)
        while raw.recv(65_536):
            pass
    assert ask(connection, "GET", "/v1/models")[0] == 200


def test_a_client_that_goes_away_is_no_error(server, connection, capsys):
    body = json.dumps(hello(stream=True)).encode()
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", server.server_port)) as raw:
            raw.sendall(b"POST /v1/messages HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body) * 20)
            raw.recv(10)
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # leaves with a reset
    assert ask(connection, "GET", "/v1/models")[0] == 200
    assert "Traceback" not in capsys.readouterr().err


def test_head_gets_headers_alone(server):
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=10) as raw:
        raw.sendall(b"HEAD /v1/messages HTTP/1.1\r\nConnection: close\r\n\r\n")
        answer = b"".join(iter(lambda: raw.recv(65_536), b""))
    assert answer.startswith(b"HTTP/1.1 405 ") and answer.endswith(b"\r\n\r\n")


def test_faults_reach_a_client_over_the_socket():
    with serving(OfflineAPI(model=says(STORY), faults=FAULTS)) as server:
        client = anthropic.Anthropic(api_key="any", base_url=server.url, max_retries=0, timeout=10)
        assert client.messages.create(**HELLO).stop_reason == "end_turn"
        with pytest.raises(anthropic.APIConnectionError):
            client.messages.create(**HELLO)
        with pytest.raises(anthropic.APITimeoutError):
            client.with_options(timeout=0.2).messages.create(**HELLO)
        with pytest.raises(Exception, match="incomplete chunked read"), client.messages.stream(**HELLO) as stream:
            stream.until_done()
        assert client.messages.create(**HELLO).stop_reason == "end_turn"
        server.shutdown()


def test_a_defect_of_the_model_is_the_apis_internal_error_and_the_server_stays(capsys):
    def defect(request):
        if len(request["messages"]) == 1:
            raise KeyError("no such rule")
        return []

    with serving(OfflineAPI(model=defect)) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
        status, body, _ = ask(connection, "POST", "/v1/messages", json.dumps(HELLO))
        assert (status, body["error"]["type"]) == (500, "api_error")
        assert "no such rule" not in str(body) and "no such rule" in capsys.readouterr().err
        two = hello(messages=HELLO["messages"] * 2)
        assert ask(connection, "POST", "/v1/messages", json.dumps(two))[0] == 200
        server.shutdown()


def test_many_clients_at_once_are_all_answered_and_counted():
    api = OfflineAPI(model=calls_bash)
    with serving(api) as server:
        def run(found):
            client = anthropic.Anthropic(api_key="any", base_url=server.url)
            found += [client.messages.create(**HELLO).stop_reason for _ in range(10)]

        found = []
        threads = [threading.Thread(target=run, args=(found,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        server.shutdown()
    assert found == ["tool_use"] * 80
    assert [call.number for call in api.calls] == list(range(1, 81))


def test_it_listens_on_the_loopback_address_alone(server):
    assert server.server_address[0] == "127.0.0.1"


def test_a_used_port_is_one_clear_sentence(server, capsys):
    assert main(["serve", "--port", str(server.server_port)]) == 1
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert f"Port {server.server_port} of 127.0.0.1 can't be had" in err and "--port" in err
    with pytest.raises(ConnectionSetupError):
        Server(OfflineAPI(model=says("Hello.")), server.server_port)


@pytest.mark.parametrize("arguments", [["serve", "--port", "http"], ["serve", "--port", "65536"],
                                       ["serve", "--window", "big"], ["sevre"], []])
def test_a_wrong_argument_is_told_without_a_traceback(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage: python -m learn_compact" in capsys.readouterr().err


def test_a_window_of_nothing_is_one_clear_sentence(capsys):
    assert main(["serve", "--port", "0", "--window", "0"]) == 1
    assert "whole number of tokens" in capsys.readouterr().err


def test_help_lists_the_commands(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0 and "serve " in capsys.readouterr().out


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT to send")
def test_ctrl_c_stops_it_cleanly():
    with subprocess.Popen([sys.executable, "-m", "learn_compact", "serve", "--port", "0"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        address = process.stdout.readline().split()[3].rstrip(",")
        connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=10)
        assert ask(connection, "GET", "/v1/models")[1]["data"][0]["id"] == "stand-in"
        process.send_signal(signal.SIGINT)  # with a connection still open
        out, err = process.communicate(timeout=10)
    assert (process.returncode, out) == (0, "Stopped.\n")
    assert "Traceback" not in err


def test_without_a_command_all_commands_are_listed(capsys):
    with pytest.raises(SystemExit):
        main([])
    listed = capsys.readouterr().err
    assert all(f"  {name} " in listed for name in ("chat", "profile", "serve"))
