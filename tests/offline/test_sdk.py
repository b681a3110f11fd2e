"""The real SDK against the API inside the process: what works through it, and which exception it raises when not."""

from typing import get_args, get_type_hints

import anthropic
import pytest
from anthropic import types
from anthropic.types.beta import BetaMessage
from offline_parts import BASH, HELLO, api_and_client, calls_bash, hello

from learn_compact.messages import problems, to_message
from learn_compact.offline import Fault, shapes


def patient(client):
    return client.with_options(max_retries=2)


def impatient(client):
    return client.with_options(max_retries=0)


def test_create_gives_a_message_of_the_sdk():
    _, client = api_and_client()
    message = client.messages.create(**HELLO)
    assert isinstance(message, types.Message)
    assert (message.content[0].text, message.stop_reason) == ("Hello to you.", "end_turn")
    assert message.usage.input_tokens == 13 and message._request_id == "req_000000000000000000000001"


@pytest.mark.parametrize("as_sent_back", [
    lambda response: {"role": "assistant", "content": response.content},
    lambda response: response.to_param(),
    to_message,
], ids=["the SDK's blocks", "to_param", "to_message"])
def test_a_conversation_goes_on_with_what_came_back(as_sent_back):
    _, client = api_and_client(calls_bash)
    messages = list(HELLO["messages"])
    first = client.messages.create(**hello(messages=messages, tools=[BASH]))
    messages += [as_sent_back(first), {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": first.content[1].id, "content": "a.py"}]}]
    second = client.messages.create(**hello(messages=messages, tools=[BASH]))
    assert second.content[0].text == "Done."
    assert second.usage.input_tokens > first.usage.input_tokens


def test_the_beta_door_leads_to_the_same_room():
    api, client = api_and_client()
    message = client.beta.messages.create(**HELLO, betas=["context-management-2025-06-27"])
    assert isinstance(message, BetaMessage) and message.content[0].text == "Hello to you."
    assert client.beta.messages.count_tokens(**hello(max_tokens=...)).input_tokens == 13
    with pytest.raises(anthropic.BadRequestError, match="context_management: not offered by the offline API"):
        client.beta.messages.create(**HELLO, context_management={"edits": [{"type": "clear_tool_uses_20250919"}]})


def test_tokens_are_counted_through_the_sdk():
    api, client = api_and_client()
    assert client.messages.count_tokens(**hello(max_tokens=..., system="Brief.", tools=[BASH])).input_tokens > 13
    assert api.calls == []


def test_the_models_are_listed_with_their_window():
    _, client = api_and_client(window=20_000)
    [model] = client.models.list()
    assert (model.id, model.max_input_tokens, model.lifecycle) == ("stand-in", 20_000, "active")
    assert client.models.retrieve("stand-in") == model
    with pytest.raises(anthropic.NotFoundError, match="model: claude-x"):
        client.models.retrieve("claude-x")


def test_a_long_answer_needs_a_stream_as_the_sdk_wants_it():
    _, client = api_and_client()
    with pytest.raises(ValueError, match="Streaming is required"):
        client.messages.create(**hello(max_tokens=30_000))


ERRORS = [
    (400, anthropic.BadRequestError, "invalid_request_error", 1),
    (401, anthropic.AuthenticationError, "authentication_error", 1),
    (402, anthropic.PaymentRequiredError, "billing_error", 1),
    (403, anthropic.PermissionDeniedError, "permission_error", 1),
    (404, anthropic.NotFoundError, "not_found_error", 1),
    (409, anthropic.ConflictError, "conflict_error", 3),
    (413, anthropic.ContentTooLargeError, "request_too_large", 1),
    (429, anthropic.RateLimitError, "rate_limit_error", 3),
    (500, anthropic.InternalServerError, "api_error", 3),
    (504, anthropic.GatewayTimeoutError, "timeout_error", 3),
    (529, anthropic.OverloadedError, "overloaded_error", 3),
]


@pytest.mark.parametrize(("status", "error", "kind", "attempts"), ERRORS, ids=[str(row[0]) for row in ERRORS])
def test_a_status_becomes_the_sdks_exception_after_its_retries(status, error, kind, attempts):
    api, client = api_and_client(faults=[Fault(call=1, status=status, times=9, retry_after=0.001, message="So it is.")])
    with pytest.raises(error) as caught:
        patient(client).messages.create(**HELLO)
    assert type(caught.value) is error
    assert (caught.value.status_code, caught.value.type, caught.value.api_message) == (status, kind, "So it is.")
    assert caught.value.request_id == f"req_{attempts:024}"
    assert [call.status for call in api.calls] == [status] * attempts


def test_a_retry_gets_through_and_is_a_call_too():
    api, client = api_and_client(faults=[Fault(call=2, status=529, times=2, retry_after=0.001)])
    assert [client.messages.create(**HELLO).stop_reason for _ in range(2)] == ["end_turn"] * 2
    assert [call.status for call in api.calls] == [200, 529, 529, 200]


def test_the_sdk_waits_as_long_as_retry_after_says(monkeypatch):
    waited = []
    monkeypatch.setattr("time.sleep", waited.append)
    _, client = api_and_client(faults=[Fault(call=1, status=429, retry_after=7), Fault(call=2, status=429)])
    client.messages.create(**HELLO)
    assert waited[0] == 7 and 0 < waited[1] <= 8


@pytest.mark.parametrize(("kind", "error"), [
    ("timeout", anthropic.APITimeoutError), ("disconnect", anthropic.APIConnectionError),
    ("cut", anthropic.APIConnectionError),
])
def test_a_lost_connection_is_the_sdks_connection_error_after_its_retries(kind, error, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    api, client = api_and_client(faults=[Fault(call=1, kind=kind, times=3)])
    with pytest.raises(error) as caught:
        client.messages.create(**HELLO)
    assert type(caught.value) is error
    assert [(call.status, call.error) for call in api.calls] == [
        (None, "timeout" if kind == "timeout" else "disconnect")] * 3
    assert client.messages.create(**HELLO).stop_reason == "end_turn"


@pytest.mark.parametrize("change", [
    {"messages": []}, {"model": "claude-x"}, {"messages": [{"role": "user", "content": "word " * 300}]}])
def test_what_is_wrong_with_the_request_is_never_retried(change):
    api, client = api_and_client(window=200)
    with pytest.raises((anthropic.BadRequestError, anthropic.NotFoundError)):
        patient(client).messages.create(**hello(**change))
    assert len(api.calls) == 1


@pytest.mark.parametrize(("content", "error"), [
    ("\ud800", UnicodeEncodeError), ([{"type": "text", "text": float("nan")}], ValueError), (b"Hello", TypeError)])
def test_what_no_json_can_say_never_reaches_the_api(content, error):
    api, client = api_and_client()
    with pytest.raises(error):
        client.messages.create(**hello(messages=[{"role": "user", "content": content}]))
    assert api.calls == []


def test_the_tool_runner_runs_tools_on_the_offline_api():
    @anthropic.beta_tool
    def bash(command: str) -> str:
        """Run a command."""
        return f"ran {command}"

    api, client = api_and_client(calls_bash)
    runner = client.beta.messages.tool_runner(**HELLO, tools=[bash], thread=False)
    assert runner.until_done().content[0].text == "Done."
    sent = api.calls[1].request["messages"]
    assert problems(sent) == [] and sent[-1]["content"][0]["content"] == "ran ls"


def test_a_fault_stays_away_from_the_other_calls():
    _, client = api_and_client(faults=[Fault(call=2, status=400)])
    impatient(client).messages.create(**HELLO)
    with pytest.raises(anthropic.BadRequestError):
        impatient(client).messages.create(**HELLO)
    impatient(client).messages.create(**HELLO)


# The SDK's types are the authority for names: what it can send must be known here, and nothing else.


def fields(type_):
    return set(get_type_hints(type_))


LEFT_OUT = {"container", "diagnostics", "format"}  # refused, since nothing here would do them
IN_HEADERS = {"user_profile_id", "workspace_id"}


@pytest.mark.parametrize(("ours", "theirs"), [
    (shapes.CreateRequest, types.message_create_params.MessageCreateParamsStreaming),
    (shapes.CountRequest, types.MessageCountTokensParams),
    (shapes.CacheControl, types.CacheControlEphemeralParam),
    (shapes.SystemText, types.TextBlockParam),
    (shapes.CustomTool, types.ToolParam),
    (shapes.Metadata, types.MetadataParam),
    (shapes.OutputConfig, types.OutputConfigParam),
    (shapes.ChoiceAuto, types.ToolChoiceAutoParam),
    (shapes.ChoiceAny, types.ToolChoiceAnyParam),
    (shapes.ChoiceTool, types.ToolChoiceToolParam),
    (shapes.ChoiceNone, types.ToolChoiceNoneParam),
    (shapes.ThinkingEnabled, types.ThinkingConfigEnabledParam),
    (shapes.ThinkingByItself, types.ThinkingConfigAdaptiveParam),
])
def test_a_shape_has_the_fields_of_the_sdks_type(ours, theirs):
    assert fields(ours) == fields(theirs) - LEFT_OUT - IN_HEADERS


@pytest.mark.parametrize("kind", shapes.BLOCK_FIELDS)
def test_a_block_may_hold_what_the_sdks_type_holds(kind):
    name = "".join(map(str.capitalize, kind.split("_"))) + "BlockParam"
    assert shapes.BLOCK_FIELDS[kind] == fields(getattr(types, name))


def test_the_live_models_default_is_one_that_the_sdk_knows_and_does_not_warn_of():
    from anthropic._data import DEPRECATED_MODELS

    from learn_compact.offline import MODEL_ID

    assert MODEL_ID in get_args(get_args(types.Model)[0])
    assert MODEL_ID not in DEPRECATED_MODELS
