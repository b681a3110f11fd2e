"""Histories of every kind, valid and broken: answered or refused with the right 400, never with an internal error."""

import json
import os

from hypothesis import given, settings
from hypothesis import strategies as st
from junk import JUNK, MESSAGES
from offline_parts import hello, says, send

from learn_compact.check.broken import broken_conversations
from learn_compact.check.strategies import conversations
from learn_compact.messages import problems
from learn_compact.offline import OfflineAPI
from learn_compact.tokens import count_tokens

FIELDS = ["model", "max_tokens", "system", "tools", "tool_choice", "thinking", "metadata", "stop_sequences", "stream",
          "cache_control", "output_config", "service_tier", "other"]
API = OfflineAPI(model=says("Hello to you."))
many = settings(max_examples=10_000 if os.environ.get("LEARN_COMPACT_SOAK") == "1" else 500)


@many
@given(conversations())
def test_a_valid_history_is_answered_and_counted(messages):
    status, body = send(API, hello(messages=messages))
    if messages[-1]["role"] == "assistant":
        assert (status, "prefill" in body["error"]["message"]) == (400, True)
    else:
        assert status == 200, body
        assert body["usage"]["input_tokens"] == count_tokens(messages)


@many
@given(broken_conversations())
def test_a_broken_history_is_refused_with_the_first_of_its_problems(broken):
    messages = broken[0]
    status, body = send(API, hello(messages=messages))
    assert (status, body["error"]["type"]) == (400, "invalid_request_error")
    assert body["error"]["message"] == str(problems(messages)[0])


def as_json(value):
    return json.dumps(value).encode("utf-8", "surrogatepass")


@given(MESSAGES)
def test_junk_for_a_history_is_refused_or_answered(messages):
    assert send(API, as_json(hello(messages=messages)))[0] in (200, 400)


@given(st.sampled_from(FIELDS), JUNK)
def test_junk_in_any_field_is_refused_or_answered(field, junk):
    reply = API.handle("POST", "/v1/messages", as_json(hello(**{field: junk})))
    assert reply.status in (200, 400, 404)
