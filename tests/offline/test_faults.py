"""Faults at the call where they are wanted (statuses and lost connections: test_sdk, streams: test_stream)."""

import pytest
from offline_parts import BASH, HELLO, api_and_client, hello

from learn_compact.errors import ConnectionSetupError
from learn_compact.offline import Fault


@pytest.mark.parametrize(("kind", "stop_reason", "kinds"), [
    ("empty", "end_turn", []), ("refusal", "refusal", []), ("tool_call", "tool_use", ["tool_use"])])
def test_an_answer_can_be_empty_a_refusal_or_a_call(kind, stop_reason, kinds):
    api, client = api_and_client(faults=[Fault(call=2, kind=kind)])
    answers = [client.messages.create(**HELLO) for _ in range(3)]
    assert [answer.stop_reason for answer in answers] == ["end_turn", stop_reason, "end_turn"]
    assert [block.type for block in answers[1].content] == kinds
    assert api.calls[1].status == 200


@pytest.mark.parametrize(("tools", "name"), [([BASH], "bash"), ([{**BASH, "name": "compact"}, BASH], "compact")])
def test_the_call_is_of_a_tool_that_was_offered(tools, name):
    _, client = api_and_client(faults=[Fault(call=1, kind="tool_call")])
    assert client.messages.create(**hello(tools=tools)).content[0].name == name


def test_a_status_comes_before_the_request_is_read():
    api, client = api_and_client(faults=[Fault(call=1, status=401)])
    with pytest.raises(Exception, match="invalid x-api-key"):
        client.messages.create(**hello(messages=[]))
    assert api.calls[0].error == "invalid x-api-key"


def test_the_first_of_two_faults_at_one_call_strikes():
    _, client = api_and_client(faults=[Fault(call=1, kind="empty"), Fault(call=1, status=400)])
    assert client.messages.create(**HELLO).content == []


@pytest.mark.parametrize("wrong", [
    {}, {"status": 529, "kind": "empty"}, {"kind": "explode"}, {"status": 200}, {"status": 600}])
def test_a_fault_that_is_none_is_refused_at_once(wrong):
    with pytest.raises(ConnectionSetupError):
        Fault(call=1, **wrong)
