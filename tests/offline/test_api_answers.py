"""From what the model says to the message of the API: ids, what fits, and the reason to stop."""

import json

import pytest
from offline_parts import BASH, CALL, calls_bash, hello, says, send

from learn_compact.offline import OfflineAPI
from learn_compact.tokens import count_block, count_message

STORY = "One file was read, then another. " * 40


def answer(model, request=None, window=200_000):
    status, message = send(OfflineAPI(window, model=model), request or hello())
    assert status == 200, message
    return message


def test_an_answer_has_every_field_of_a_message():
    message = answer(says("Hello to you."))
    assert message == {
        "id": message["id"], "type": "message", "role": "assistant", "model": "stand-in",
        "content": [{"type": "text", "text": "Hello to you."}], "stop_reason": "end_turn", "stop_details": None,
        "stop_sequence": None, "usage": {
            "input_tokens": 13, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
            "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
            "output_tokens": count_message(message), "service_tier": "standard"}}
    assert message["id"].startswith("msg_")


def test_the_same_request_gets_the_same_answer_and_another_one_other_ids():
    first, again, other = answer(calls_bash), answer(calls_bash), answer(calls_bash, hello(system="Brief."))
    assert first == again
    assert first["stop_reason"] == "tool_use"
    assert first["id"] != other["id"] and first["content"][1]["id"] != other["content"][1]["id"]


def test_streaming_or_not_is_no_other_request():
    api = OfflineAPI(model=calls_bash)
    whole = send(api, hello())[1]
    streamed = b"".join(api.handle("POST", "/v1/messages", json.dumps(hello(stream=True)).encode()).body)
    assert whole["id"].encode() in streamed and whole["content"][1]["id"].encode() in streamed


def test_two_calls_of_one_answer_have_ids_of_their_own():
    first, second = answer(lambda request: [CALL, CALL], hello(tools=[BASH]))["content"]
    assert first["id"] != second["id"]


@pytest.mark.parametrize("limit", [0, 1, 12, 13, 14, 50, 200])
def test_a_text_is_cut_to_max_tokens(limit):
    message = answer(says(STORY), hello(max_tokens=limit))
    assert (message["stop_reason"], message["usage"]["output_tokens"]) == ("max_tokens", limit)
    assert count_message(message) <= limit
    assert all(STORY.startswith(block["text"]) for block in message["content"])
    assert count_message(message) > limit - 5 or limit < 20


def test_an_answer_that_just_fits_is_not_cut():
    size = count_block({"type": "text", "text": STORY})
    assert answer(says(STORY), hello(max_tokens=size))["stop_reason"] == "end_turn"
    assert answer(says(STORY), hello(max_tokens=size - 1))["stop_reason"] == "max_tokens"


def test_a_call_that_does_not_fit_keeps_its_name_and_loses_its_input():
    long = {**CALL, "input": {"command": "echo " + "word " * 100}}
    message = answer(lambda request: [{"type": "text", "text": "I write."}, long, CALL],
                     hello(max_tokens=60, tools=[BASH]))
    assert message["stop_reason"] == "max_tokens"
    assert [block["type"] for block in message["content"]] == ["text", "tool_use"]
    assert message["content"][1]["input"] == {}


def test_output_beyond_the_window_stops_with_a_reason_of_its_own():
    message = answer(says(STORY), hello(max_tokens=200), window=13 + 60)
    assert message["stop_reason"] == "model_context_window_exceeded"
    assert message["usage"]["output_tokens"] == 60 and count_message(message) <= 60


def test_output_that_meets_both_limits_stops_for_max_tokens():
    assert answer(says(STORY), hello(max_tokens=60), window=13 + 60)["stop_reason"] == "max_tokens"


def test_a_beginning_that_is_blank_is_left_out():
    assert answer(says("\n \n " * 400 + STORY), hello(max_tokens=30))["content"] == []


def test_a_max_tokens_beyond_the_window_does_no_harm_where_the_answer_fits():
    assert answer(says("Hello to you."), hello(max_tokens=100_000), window=100)["stop_reason"] == "end_turn"


def test_a_prompt_that_fills_the_window_leaves_no_room_for_an_answer():
    message = answer(says(STORY), window=13)
    assert (message["content"], message["stop_reason"]) == ([], "model_context_window_exceeded")


@pytest.mark.parametrize(("sequences", "text", "reason", "found"), [
    (["Beta"], "Alpha ", "stop_sequence", "Beta"),
    (["Gamma", "Beta"], "Alpha ", "stop_sequence", "Beta"),
    (["."], "Alpha Beta", "stop_sequence", "."),
    (["Delta"], "Alpha Beta. Gamma", "end_turn", None),
    (["Alpha"], None, "stop_sequence", "Alpha"),
])
def test_the_first_stop_sequence_ends_the_answer(sequences, text, reason, found):
    message = answer(says("Alpha Beta. Gamma"), hello(stop_sequences=sequences))
    assert [block["text"] for block in message["content"]] == ([text] if text else [])
    assert (message["stop_reason"], message["stop_sequence"]) == (reason, found)


def test_the_model_is_shown_the_request_as_it_came():
    seen = []
    answer(lambda request: seen.append(request) or [], hello(system="Brief.", tools=[BASH]))
    assert seen == [hello(system="Brief.", tools=[BASH])]
