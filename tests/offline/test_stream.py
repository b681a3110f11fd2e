"""The stream of events: in the API's order, and the same message in the end."""

import json

import anthropic
import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from offline_parts import BASH, CALL, HELLO, api_and_client, hello, says

from learn_compact.offline import Fault
from learn_compact.offline.stream import as_sse, events

STORY = "Zuerst wurde eine Datei gelesen 🙂 und dann 压缩上下文。\n" * 5
THINKING = {"type": "thinking", "thinking": "Look first. " * 10, "signature": "EqQBCgIYAhIM"}
CONTENTS = [
    [],
    [{"type": "text", "text": STORY}],
    [CALL],
    [{"type": "text", "text": "I look."}, CALL, {**CALL, "input": {}}, {**CALL, "input": {"deep": [{"text": STORY}]}}],
    [THINKING, {"type": "redacted_thinking", "data": "EvwBCoYB"}, {"type": "text", "text": "Hello."}],
]


@pytest.mark.parametrize("content", CONTENTS, ids=lambda content: "+".join(block["type"] for block in content))
def test_a_stream_ends_in_the_message_that_create_gives(content):
    _, client = api_and_client(lambda request: content)
    request = hello(max_tokens=2_000, tools=[BASH])
    whole = client.messages.create(**request)
    with client.messages.stream(**request) as stream:
        streamed = stream.get_final_message()
    assert streamed.to_dict() == whole.to_dict()
    with client.beta.messages.stream(**request) as stream:
        assert stream.get_final_message().id == whole.id


def test_text_arrives_piece_by_piece():
    _, client = api_and_client(says(STORY))
    with client.messages.stream(**hello(max_tokens=2_000)) as stream:
        pieces = list(stream.text_stream)
    assert len(pieces) > 5 and "".join(pieces) == STORY


def test_the_events_come_in_the_apis_order():
    _, client = api_and_client(lambda request: [{"type": "text", "text": "I look."}, CALL])
    found = list(client.messages.create(**hello(tools=[BASH]), stream=True))
    assert [event.type for event in found] == [
        "message_start", "content_block_start", "content_block_delta", "content_block_stop",
        "content_block_start", "content_block_delta", "content_block_delta", "content_block_stop",
        "message_delta", "message_stop"]
    start, delta = found[0].message, found[-2]
    assert (start.content, start.stop_reason, start.usage.output_tokens) == ([], None, 1)
    assert (delta.delta.stop_reason, delta.usage.input_tokens) == ("tool_use", start.usage.input_tokens)
    assert found[5].delta.partial_json == "" and json.loads(found[6].delta.partial_json) == CALL["input"]


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_an_event_is_two_lines_and_an_empty_one(text):
    lines = as_sse({"type": "ping", "text": text}).split(b"\n")
    assert lines[0] == b"event: ping" and lines[2:] == [b"", b""]
    assert json.loads(lines[1].removeprefix(b"data: "))["text"] == text


def test_the_usage_of_the_last_event_is_a_running_total():
    usage = {"input_tokens": 5, "cache_read_input_tokens": 1_000, "output_tokens": 7, "service_tier": "standard"}
    *_, delta, _ = events({"content": [], "stop_reason": "end_turn", "usage": usage})
    assert delta["usage"] == {"input_tokens": 5, "cache_read_input_tokens": 1_000, "output_tokens": 7}


def test_a_refused_stream_is_refused_before_it_starts():
    _, client = api_and_client(window=5)
    with pytest.raises(anthropic.BadRequestError, match="prompt is too long: 13 tokens > 5 maximum"):
        client.messages.create(**HELLO, stream=True)


def test_a_stream_that_is_cut_gives_its_beginning_and_then_the_http_clients_error():
    api, client = api_and_client(says(STORY), faults=[Fault(call=1, kind="cut")])
    pieces = []
    # Not one of the SDK's errors: what happens once a stream has begun, the SDK passes on as it is.
    with pytest.raises(httpx2.RemoteProtocolError), client.messages.stream(**hello(max_tokens=2_000)) as stream:
        pieces.extend(stream.text_stream)
    text = "".join(pieces)
    assert text and text != STORY and STORY.startswith(text)
    assert len(api.calls) == 1  # what has begun is not asked again
