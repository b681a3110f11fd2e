"""Asking for a summary: what the model is shown, and what is taken for a summary of what it answers."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted import Scripted, call, response, text

from learn_compact.archive import Archive
from learn_compact.check.strategies import conversations
from learn_compact.errors import PolicyError, SummaryError
from learn_compact.layers.auto import auto_compact, compact_history, reactive_compact
from learn_compact.layers.full import full_compact
from learn_compact.messages import problems
from learn_compact.offline import MODEL, Fault, OfflineAPI, api_of, client_of
from learn_compact.summaries import ModelSummarizer, first_chars, last_chars, three_points, whole_messages

REQUEST = {"role": "user", "content": "Count the functions, and skip files named test_*."}
ANSWER = {"role": "assistant", "content": "There are four functions."}


def shown(client):
    [message] = client.requests[-1]["messages"]
    return message["content"]


# What the model is shown


def test_the_prompt_asks_for_three_points_and_then_comes_the_conversation():
    client = Scripted(response(text("1) Counted.")))
    assert ModelSummarizer(client, "a-model")([REQUEST, ANSWER]) == "1) Counted."
    assert client.requests == [{"model": "a-model", "max_tokens": 2_000, "messages": [{"role": "user", "content": (
        f"{three_points()}\n\n{json.dumps(REQUEST)}\n{json.dumps(ANSWER)}")}]}]
    for point in ("1) what was accomplished", "2) the current state", "3) the key decisions", "concise", "critical"):
        assert point in shown(client)


def test_a_focus_is_asked_for_and_only_where_there_is_one():
    client = Scripted(response(text("a")), response(text("b")))
    ModelSummarizer(client, "a-model")([REQUEST], focus="the failing test")
    assert "Preserve every detail about: the failing test" in shown(client)
    ModelSummarizer(client, "a-model")([REQUEST])
    assert "Preserve every detail" not in shown(client)


def parts_of(written):
    """The messages of a written conversation, None for a line that is none."""
    return [json.loads(line) if line.startswith("{") else None for line in written.split("\n")]


LONG = [REQUEST, *({"role": "assistant", "content": f"{n}: " + "x" * 2_000} for n in range(100))]


def test_a_long_conversation_keeps_its_first_request_and_newest_messages_whole_and_says_what_is_left_out():
    written = whole_messages(LONG)
    first, gap, *newest = parts_of(written)
    assert 78_000 < len(written) <= 80_000
    assert first == REQUEST and gap is None
    assert newest == LONG[-len(newest):]
    assert written.split("\n")[1] == f"[{len(LONG) - 1 - len(newest)} messages left out here]"


def test_the_documented_last_characters_miss_the_first_request_and_begin_in_the_middle_of_json():
    written = last_chars(LONG)
    assert len(written) == 80_000 and REQUEST["content"] not in written
    with pytest.raises(json.JSONDecodeError):
        json.loads(written)


def test_the_documented_first_characters_miss_what_is_new_and_end_in_the_middle_of_json():
    written = first_chars(LONG)
    assert len(written) == 80_000 and LONG[-1]["content"] not in written
    with pytest.raises(json.JSONDecodeError):
        json.loads(written)


def test_the_documented_cuts_can_be_asked_for():
    client = Scripted(response(text("a")))
    ModelSummarizer(client, "a-model", as_text=last_chars, max_chars=30)([REQUEST, ANSWER])
    assert shown(client) == f"{three_points()}\n\n" + json.dumps([REQUEST, ANSWER])[-30:]


def test_one_huge_message_loses_its_middle_and_pushes_nothing_out():
    huge = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": f"<{'x' * 10**6}>"}]}
    _, shortened, last = parts_of(whole_messages([REQUEST, huge, ANSWER]))
    content = shortened["content"][0]["content"]
    assert content.startswith("<xxx") and content.endswith("xxx>") and " characters left out here]" in content
    assert len(content) < 20_000 and last == ANSWER


def test_many_long_texts_in_one_message_share_its_room():
    batch = {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": str(n), "content": "x" * 20_000} for n in range(10)]}
    _, shortened, last = parts_of(whole_messages([REQUEST, batch, ANSWER]))
    assert len(shortened["content"]) == 10 and last == ANSWER
    assert len(json.dumps(shortened)) <= 20_000


def test_a_message_of_a_thousand_short_texts_keeps_within_its_room_too():
    batch = {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": str(n), "content": "short"} for n in range(2_000)]}
    written = whole_messages([REQUEST, batch, ANSWER]).split("\n")
    assert [len(line) <= 20_000 for line in written] == [True] * 3
    assert "characters left out here]" in written[1] and json.loads(written[2]) == ANSWER


def test_thinking_stays_out_and_pictures_are_named():
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
    messages = [{"role": "user", "content": [picture]},
                {"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm.", "signature": "EqQB"},
                                                  call("a", "bash")]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": [picture]}]}]
    written = whole_messages(messages)
    assert "Hm." not in written and "EqQB" not in written and "iVBOR" not in written
    assert written.count("[image left out here]") == 2


@given(conversations(), st.integers(20_000, 60_000))
def test_whatever_is_shown_has_whole_lines_in_order_and_stays_within_bounds(messages, max_chars):
    written = whole_messages(messages, max_chars)
    assert written.split("\n").count("") == 0 and written.encode("utf-8")
    assert len(written) <= max_chars
    first, *rest = parts_of(written)
    roles = [message["role"] for message in messages]
    assert first["role"] == "user"
    kept = [message["role"] for message in rest if message]
    assert kept == roles[len(roles) - len(kept):]


def test_what_json_or_utf8_lack_is_written_all_the_same():
    block = {"type": "text", "text": "\ud800", "raw": b"x", "at": {1}}
    written = whole_messages([{"role": "user", "content": [block]}])
    assert written.encode("utf-8") and "\\ud800" in written


# What is taken for a summary


@pytest.mark.parametrize(("answer", "cause"), [
    (response(), "the answer is empty"),
    (response(text(" \n")), "the answer is empty"),
    (response({"type": "thinking", "thinking": "Let me see.", "signature": "EqQB"}), "the answer is empty"),
    (response(text("1) Half of"), stop_reason="max_tokens"), "cut off at max_tokens, after 20 tokens"),
    (response(text("1) Half"), stop_reason="model_context_window_exceeded"), "where the context window ended"),
    (response(text("I can't."), stop_reason="refusal"), "refused to write it"),
    (response(call("a", "read_file"), stop_reason="tool_use"), "the model called read_file where text was asked for"),
    (response(text("Let me look."), call("a", "read_file"), stop_reason="end_turn"), "the model called read_file"),
    (response(text("Wait."), stop_reason="pause_turn"), "stopped with 'pause_turn'"),
    (response(text("Hm."), stop_reason="unheard_of"), "stopped with 'unheard_of'"),
    (response(text("Hm."), stop_reason=None), "stopped with None"),
])
def test_what_cannot_be_a_summary_is_refused_by_its_cause_and_the_history_stays(tmp_path, answer, cause):
    messages = [REQUEST, {"role": "assistant", "content": "x" * 1_000}]
    with pytest.raises(SummaryError, match=cause):
        auto_compact(messages, summarize=ModelSummarizer(Scripted(answer), "a-model"), archive=Archive(tmp_path))
    assert len(messages) == 2


@pytest.mark.parametrize("answer", [response(), response(text("1) Half of"), stop_reason="max_tokens")])
def test_the_documented_version_takes_whatever_comes_back(answer):
    found = ModelSummarizer(Scripted(answer), "a-model", strict=False)([REQUEST])
    assert found == "".join(block.text for block in answer.content)


def test_a_stop_sequence_and_several_texts_make_a_summary_too():
    answer = response(text("1) Half"), text(" of it."), stop_reason="stop_sequence")
    assert ModelSummarizer(Scripted(answer), "a-model")([REQUEST]) == "1) Half of it."


@pytest.mark.parametrize("client", [None, "a client", object(), lambda: None])
def test_what_is_no_client_is_told_when_the_summarizer_is_made(client):
    with pytest.raises(PolicyError, match=r"client must be a client such as connect\(\) gives, not "):
        ModelSummarizer(client, "a-model")


def test_what_is_no_prompt_is_told_too():
    with pytest.raises(PolicyError, match="prompt must be a function of the focus, .* not 'Sum it up.'"):
        ModelSummarizer(Scripted(), "a-model", "Sum it up.")


@pytest.mark.parametrize("layer", [auto_compact, compact_history, reactive_compact, full_compact])
@pytest.mark.parametrize(("given", "cause"), [
    (3, "gave back int"), (["Half."], "gave back list"), (response(text("Half.")), "gave back Message"),
    (b"Half.", "gave back bytes"), (None, "empty"), ("", "empty"), (" \n", "empty")])
def test_what_a_summarize_gives_back_is_text_or_a_summary_or_a_sentence_says_what_it_is(tmp_path, layer, given, cause):
    messages = [REQUEST, *({"role": "assistant", "content": "x" * 1_000} for _ in range(8))]
    with pytest.raises(SummaryError, match=f"{cause}.*stays as it was"):
        layer(messages, summarize=lambda messages, focus="": given, archive=Archive(tmp_path))


# The same through the real SDK


@pytest.mark.parametrize(("fault", "cause"), [
    (Fault(call=1, kind="empty"), "empty"), (Fault(call=1, kind="refusal"), "refused"),
    (Fault(call=1, kind="tool_call"), "called"), (Fault(call=1, status=400, message="No."), r"no answer: .*No\."),
    (Fault(call=1, status=529, times=3), "no answer: .*Overloaded"),
    (Fault(call=1, kind="disconnect", times=3), "no answer: Connection error"),
])
def test_an_api_that_fails_is_a_cause_like_any(fault, cause):
    client = client_of(OfflineAPI(faults=[fault])).with_options(max_retries=2)
    client._calculate_retry_timeout = lambda *_: 0
    with pytest.raises(SummaryError, match=cause):
        ModelSummarizer(client, MODEL)([REQUEST, ANSWER])


def test_a_summary_cut_off_at_max_tokens_is_no_summary():
    with pytest.raises(SummaryError, match="cut off at max_tokens, after 5 tokens"):
        ModelSummarizer(client_of(OfflineAPI()), MODEL, max_tokens=5)([REQUEST, ANSWER])


def test_a_request_that_is_too_long_is_never_sent_again_unchanged():
    client = client_of(OfflineAPI(window=1_000))
    with pytest.raises(SummaryError, match="prompt is too long"):
        ModelSummarizer(client, MODEL)([REQUEST, {"role": "assistant", "content": "word " * 5_000}])
    assert len(api_of(client).calls) == 1


@given(conversations())
def test_the_request_is_valid_whatever_the_conversation(messages):
    client = Scripted(response(text("1) Done.")))
    ModelSummarizer(client, "a-model")(messages)
    assert problems(client.requests[0]["messages"]) == []
