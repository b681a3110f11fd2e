"""The handler without SDK or socket: what it refuses, in which words, and with which status."""

import json

import pytest
from offline_parts import BASH, MARK, hello, says, send

from learn_compact.errors import ConnectionSetupError
from learn_compact.offline import MODEL, OfflineAPI
from learn_compact.tokens import count_tokens

CUSTOM = {"name": "bash", "input_schema": {}}
ONE_HOUR = {**MARK, "ttl": "1h"}


def text(**fields):
    return {"type": "text", "text": "Hello", **fields}


def said(*content, role="user"):
    return [{"role": role, "content": list(content)}]


@pytest.fixture
def api():
    return OfflineAPI(model=says("Hello to you."))


REFUSED = [
    (hello(model=...), "model: Field required"),
    (hello(max_tokens=...), "max_tokens: Field required"),
    (hello(messages=...), "messages: Field required"),
    (hello(messages="Hello"), "messages: Input should be a valid list"),
    (hello(messages=[]), "messages: at least one message is required"),
    (hello(model=5), "model: Input should be a valid string"),
    (hello(max_tokens="200"), "max_tokens: Input should be a valid integer"),
    (hello(max_tokens=True), "max_tokens: Input should be a valid integer"),
    (hello(max_tokens=1.5), "max_tokens: Input should be a valid integer"),
    (hello(max_tokens=-1), "max_tokens: Input should be greater than or equal to 0"),
    (hello(max_tokens=128_001),
     f"max_tokens: 128001 > 128000, which is the maximum allowed number of output tokens for {MODEL}"),
    (hello(foo=1), "foo: Extra inputs are not permitted"),
    (hello(stream="yes"), "stream: Input should be a valid boolean"),
    (hello(temperature=1.0), "`temperature` is deprecated for this model."),
    (hello(system=5), "system: Input should be a valid list"),
    (hello(system=[{"type": "image"}]), "system.0.type: Input should be 'text'"),
    (hello(system=[{"type": "text", "text": 5}]), "system.0.text: Input should be a valid string"),
    (hello(stop_sequences="END"), "stop_sequences: Input should be a valid list"),
    (hello(stop_sequences=[""]), "stop_sequences.0: String should have at least 1 character"),
    (hello(metadata={"name": "x"}), "metadata.name: Extra inputs are not permitted"),
    (hello(service_tier="fast"), "service_tier: Input should be 'auto' or 'standard_only'"),
    (hello(thinking={"type": "enabled"}), "thinking.enabled.budget_tokens: Field required"),
    (hello(thinking={"type": "enabled", "budget_tokens": 1_023}),
     "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"),
    (hello(max_tokens=2_000, thinking={"type": "enabled", "budget_tokens": 2_000}),
     "`max_tokens` must be greater than `thinking.budget_tokens`."),
    (hello(tools=BASH), "tools: Input should be a valid list"),
    (hello(tools=[{"name": "bash"}]), "tools.0.custom.input_schema: Field required"),
    (hello(tools=[{"name": "my tool", "input_schema": {}}]),
     "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"),
    (hello(tools=[{**BASH, "run": 1}]), "tools.0.custom.run: Extra inputs are not permitted"),
    (hello(tools=[BASH, CUSTOM]), "tools: Tool names must be unique."),
    (hello(tools=[BASH], tool_choice={"type": "some"}), "tool_choice: Input tag 'some' found using 'type' does not "
     "match any of the expected tags: 'auto', 'any', 'tool', 'none'"),
    (hello(tools=[BASH], tool_choice={"type": "tool"}), "tool_choice.tool.name: Field required"),
    (hello(tools=[BASH], tool_choice={"type": "tool", "name": "glob"}),
     "tool_choice: Tool 'glob' not found in provided tools."),
    (hello(tool_choice={"type": "any"}), "tool_choice: tool_choice may only be specified while providing tools."),
    (hello(messages=[*hello()["messages"], {"role": "assistant", "content": "The total is"}]),
     "This model does not support assistant message prefill. The conversation must end with a user message."),
    (hello(messages=[{"role": "user", "content": "Hello", "id": "msg_1"}]),
     "messages.0.id: Extra inputs are not permitted"),
    (hello(messages=said(text(parsed=None))), "messages.0.content.0.text.parsed: Extra inputs are not permitted"),
    (hello(messages=said(text(cache_control={"type": "persistent"}))),
     "messages.0.content.0.text.cache_control.type: Input should be 'ephemeral'"),
    (hello(messages=said(text(cache_control={**MARK, "ttl": "1d"}))),
     "messages.0.content.0.text.cache_control.ttl: Input should be '5m' or '1h'"),
    (hello(messages=said(*[text(cache_control=MARK)] * 5)),
     "A maximum of 4 blocks with cache_control may be provided. Found 5."),
    (hello(messages=said(*[text(cache_control=MARK)] * 4, text()), cache_control=MARK),
     "A maximum of 4 blocks with cache_control may be provided. Found 5."),
    (hello(tools=[{**BASH, "cache_control": MARK}], messages=said(text(cache_control=ONE_HOUR))),
     "messages.0.content.0.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' "
     "cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`."),
    *((hello(**{name: {}}), f"{name}: not offered by the offline API; connect to a live one to use it.")
      for name in ("context_management", "compaction", "thread", "container", "diagnostics", "mcp_servers")),
    (hello(output_config={"format": {}}), "output_config.format: Extra inputs are not permitted"),
]


@pytest.mark.parametrize(("request_", "sentence"), REFUSED, ids=[sentence[:50] for _, sentence in REFUSED])
def test_a_wrong_request_is_refused_in_the_apis_words(api, request_, sentence):
    status, body = send(api, request_)
    assert (status, body["type"]) == (400, "error")
    assert body["error"] == {"type": "invalid_request_error", "message": sentence}
    assert body["request_id"] == "req_000000000000000000000001"


ACCEPTED = [
    hello(system="You are brief."), hello(system=[{"type": "text", "text": "Brief.", "cache_control": MARK}]),
    hello(tools=[BASH], tool_choice={"type": "auto", "disable_parallel_tool_use": True}),
    hello(tools=[CUSTOM], tool_choice={"type": "tool", "name": "bash"}), hello(tools=[]),
    hello(tools=[{"type": "bash_20250124", "name": "bash"}]), hello(tools=[{**BASH, "type": None}]),
    hello(thinking={"type": "adaptive"}), hello(output_config={"effort": "low"}),
    hello(metadata={"user_id": None}), hello(stop_sequences=["END"]),
    hello(max_tokens=0), hello(max_tokens=128_000), hello(service_tier="auto", cache_control=None),
    hello(messages=said(text(cache_control=None, citations=None))),
    hello(messages=said(*[text(cache_control=MARK)] * 4)),
    hello(tools=[{**BASH, "cache_control": ONE_HOUR}], messages=said(text(cache_control=MARK))),
]


@pytest.mark.parametrize("request_", ACCEPTED)
def test_what_the_api_takes_is_taken(api, request_):
    assert send(api, request_)[0] == 200


def test_an_unknown_model_is_not_found(api):
    assert send(api, hello(model="claude-sonnet-5-5")) == (404, {
        "type": "error", "error": {"type": "not_found_error", "message": "model: claude-sonnet-5-5"},
        "request_id": "req_000000000000000000000001"})


@pytest.mark.parametrize(("method", "path", "status", "kind", "sentence"), [
    ("GET", "/", 404, "not_found_error", "Not Found"),
    ("POST", "/v1/complete", 404, "not_found_error", "Not Found"),
    ("GET", "http://[", 404, "not_found_error", "Not Found"),
    ("POST", "/v1/messages/batches", 404, "not_found_error", "Not Found"),
    ("GET", "/v1/models/claude%2Dx", 404, "not_found_error", "model: claude-x"),
    ("GET", "/v1/messages", 405, "invalid_request_error", "Method Not Allowed"),
    ("DELETE", "/v1/messages/count_tokens?beta=true", 405, "invalid_request_error", "Method Not Allowed"),
    ("POST", "/v1/models", 405, "invalid_request_error", "Method Not Allowed"),
])
def test_wrong_paths_and_methods_get_an_error_of_the_api(api, method, path, status, kind, sentence):
    found, body = send(api, hello(), path, method)
    assert (found, body["error"]) == (status, {"type": kind, "message": sentence})


@pytest.mark.parametrize("body", [
    b"", b"{", b"Hello", b'{"max_tokens": NaN}', b'{"max_tokens": -Infinity}', b'{"a": "\\ud800"}',
    b'{"a": "\\udc00x"}', b'{"a": "\xed\xa0\x80"}', b"\xff\xfe", b"[" * 100_000, b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
    b"1" * 10_000, b'{"a": 1} {"b": 2}',
], ids=lambda body: repr(body[:24]))
def test_a_body_that_is_no_json_is_refused(api, body):
    status, answer = send(api, body)
    assert status == 400
    assert answer["error"]["message"].startswith("The request body is not valid JSON: ")


@pytest.mark.parametrize("body", [b"null", b"[]", b'"Hello"', b"5"])
def test_json_that_is_no_object_is_refused(api, body):
    assert send(api, body)[1]["error"]["message"] == "Input should be a valid dictionary"


def test_a_body_over_32_megabytes_is_too_large(api):
    status, answer = send(api, b" " * (32 * 1024 * 1024 + 1))
    assert (status, answer["error"]["type"]) == (413, "request_too_large")


def test_a_deeply_nested_input_is_answered(api):
    deep = json.loads('{"a":' * 150 + "1" + "}" * 150)
    call = {"type": "tool_use", "id": "t", "name": "bash", "input": deep}
    result = {"type": "tool_result", "tool_use_id": "t", "content": "42"}
    messages = [*hello()["messages"], *said(call, role="assistant"), *said(result)]
    assert send(api, hello(messages=messages))[0] == 200


LONG = hello(system="Brief.", tools=[BASH], messages=[{"role": "user", "content": "word " * 100}])
SIZE = count_tokens(LONG["messages"], LONG["system"], LONG["tools"])


def test_a_prompt_beyond_the_window_is_refused_by_both_figures():
    status, body = send(OfflineAPI(SIZE - 1, model=says("Hello.")), LONG)
    assert (status, body["error"]) == (400, {"type": "invalid_request_error", "message":
                                             f"prompt is too long: {SIZE} tokens > {SIZE - 1} maximum"})


def test_the_prompt_counts_with_system_and_tools(api):
    assert send(api, {**LONG, "max_tokens": 1})[1]["usage"]["input_tokens"] == SIZE
    counted = {name: LONG[name] for name in ("model", "messages", "system", "tools")}
    assert send(api, counted, "/v1/messages/count_tokens") == (200, {"input_tokens": SIZE})


def test_counting_knows_no_window_and_takes_no_max_tokens():
    api = OfflineAPI(1, model=says("Hello."))
    assert send(api, hello(max_tokens=...), "/v1/messages/count_tokens")[0] == 200
    status, body = send(api, hello(), "/v1/messages/count_tokens")
    assert (status, body["error"]["message"]) == (400, "max_tokens: Extra inputs are not permitted")


@pytest.mark.parametrize("window", [0, -5, 2.5, "200000", True, None])
def test_a_window_that_is_no_number_of_tokens_is_refused(window):
    with pytest.raises(ConnectionSetupError, match="whole number of tokens"):
        OfflineAPI(window, model=says("Hello."))


def test_every_call_is_listed_with_its_figures(api):
    send(api, hello())
    send(api, hello(messages=[]))
    send(api, hello(max_tokens=...), "/v1/messages/count_tokens")  # is no call of the model
    first, second = api.calls
    assert (first.number, first.status, first.stop_reason, first.error) == (1, 200, "end_turn", None)
    assert first.context_tokens == first.usage["input_tokens"] == 13
    assert first.request == hello()
    assert (second.number, second.status, second.context_tokens) == (2, 400, 0)
    assert second.error == "messages: at least one message is required"


def test_only_the_last_requests_are_kept(api):
    for _ in range(52):
        send(api, hello())
    kept = [call.number for call in api.calls if call.request]
    assert kept == list(range(3, 53))
