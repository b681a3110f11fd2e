"""Logs of Claude Code: what a line becomes, and what is mended, left out and said."""

import json

import pytest
from claude_log import Log, call, result, text, told, usage

from learn_compact.conversations import load
from learn_compact.data.fill import INTERRUPTED
from learn_compact.errors import ConversationError
from learn_compact.lab import growth_error
from learn_compact.show.moments import moments
from learn_compact.tokens import estimate_tokens


@pytest.fixture
def log():
    return Log()


def asked(log):
    """A log with a question, one answer with a call, and its result."""
    log.user("Count the functions.")
    log.answer("m1", text("I look."), call("A"))
    log.user(result("A", "4"))
    return log


# Messages


def test_an_answer_over_several_lines_is_one_message(log, tmp_path):
    log.user("Count.")
    log.answer("m1", {"type": "thinking", "thinking": "Hm.", "signature": "s"}, output=3)
    log.answer("m1", text("I look."), output=3)
    log.answer("m1", call("A"), output=250)
    log.user(result("A"))
    found = load(log.write(tmp_path))
    assert told(found.messages) == ["user: Count.", "assistant: thinking, I look., A()", "user: A=done"]
    assert [(request.index, request.usage["output_tokens"]) for request in found.requests] == [(1, 250)]
    assert [origin.lines for origin in found.origins] == [(1,), (2, 3, 4), (5,)]


def test_results_between_the_lines_of_an_answer_come_behind_it(log, tmp_path):
    log.user("Count.")
    for number in "ABC":
        log.answer("m1", call(number))
        log.user(result(number))
    log.answer("m2", text("Three."))
    found = load(log.write(tmp_path))
    assert told(found.messages) == ["user: Count.", "assistant: A(), B(), C()", "user: A=done, B=done, C=done",
                                    "assistant: Three."]
    assert found.problems == []


def test_what_the_user_says_before_a_result_is_in_comes_behind_it(log, tmp_path):
    log.user("Count.")
    log.answer("m1", call("A"))
    log.user("And hurry.")
    log.user(result("A"))
    assert told(load(log.write(tmp_path)).messages)[1:] == ["assistant: A()", "user: A=done", "user: And hurry."]


def test_what_came_with_a_result_stays_with_it(log, tmp_path):
    log.user("Count.")
    log.answer("m1", call("A"), call("B"))
    log.user(result("A"), text("[Request interrupted by user]"))
    log.user(result("B"))
    assert told(load(log.write(tmp_path)).messages)[2:] == ["user: A=done, B=done, [Request interrupted by user]"]


@pytest.mark.parametrize("after", [[], ["Go on."]], ids=["at the end", "in the middle"])
def test_a_call_without_a_result_is_closed_as_in_an_outline(log, tmp_path, after):
    log.user("Count.")
    log.answer("m1", call("A"), call("B"))
    log.user(result("B"))
    for words in after:
        log.user(words)
    found = load(log.write(tmp_path))
    assert told(found.messages)[2] == "user: B=done, A=closed"
    assert found.messages[2]["content"][1] == result("A", INTERRUPTED, is_error=True)
    assert found.origins[2].lines == (3,)
    assert found.problems == []


SENT = ["<command-name>/compact</command-name>", "Caveat: \x1b[31mred\x1b[0m",
        "<system-reminder>Mind the tests.</system-reminder>", "half \ud83d a character"]


@pytest.mark.parametrize("words", SENT)
@pytest.mark.parametrize("fields", [{}, {"isMeta": True}])
def test_what_was_sent_stays_as_it_was(log, tmp_path, words, fields):
    asked(log).user(words, **fields)
    log.answer("m2", call("B"))
    log.user(result("B", words), toolUseResult={"stdout": words})
    found = load(log.write(tmp_path))
    assert found.messages[3] == {"role": "user", "content": words}
    assert found.messages[4]["content"] == [call("B")]  # its input is {}
    assert found.messages[5]["content"] == [result("B", words)]
    assert found.warnings == []


def test_images_and_lists_in_results_stay(log, tmp_path):
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    log.user(text("Look."), image)
    log.answer("m1", call("A"))
    log.user(result("A", [text("seen"), image]))
    found = load(log.write(tmp_path))
    assert found.messages[0]["content"] == [text("Look."), image]
    assert found.messages[2]["content"][0]["content"] == [text("seen"), image]


@pytest.mark.parametrize("copy", [{"stdout": "4"}, "4", ["4"]], ids=["dict", "string", "list"])
def test_the_copy_of_a_result_is_not_kept(log, tmp_path, copy):
    asked(log)
    log.lines[-1]["toolUseResult"] = copy
    assert load(log.write(tmp_path)).messages[2] == {"role": "user", "content": [result("A", "4")]}


@pytest.mark.parametrize(("content", "left"), [
    ([], None), ("", None), (" \n", None), (None, None), ([text(" ")], None), ([text(None)], None), (7, None),
    ([text(""), text("There.")], "assistant: There."), (["There."], None), ("There.", "assistant: There."),
])
def test_blank_and_empty_content_is_left_out(log, tmp_path, content, left):
    asked(log).line("assistant", message={"role": "assistant", "content": content, "usage": usage(50)})
    log.user("Go on.")
    found = load(log.write(tmp_path))
    assert told(found.messages)[3:] == [*([left] if left else []), "user: Go on."]
    assert found.warnings == ([] if content == "There." else ["Blank or empty, left out: line 4."])
    assert found.problems == []


@pytest.mark.parametrize(("extra", "warning"), [
    ([result("Z")], "A result without a call before it, left out: line 4."),
    ([result("A")], "A second result of a call, left out: line 4."),
])
def test_a_result_that_answers_nothing_is_left_out(log, tmp_path, extra, warning):
    asked(log).user(*extra)
    found = load(log.write(tmp_path))
    assert len(found.messages) == 3
    assert found.warnings == [warning]
    assert found.problems == []


def test_a_call_that_is_logged_twice_stands_once(log, tmp_path):
    asked(log).answer("m2", text("Again."), call("A"), call("B"), call("B"))
    found = load(log.write(tmp_path))
    assert told(found.messages)[3:] == ["assistant: Again., B()", "user: B=closed"]
    assert found.warnings == ["A call that is there already, left out: line 4."]
    assert found.problems == []


def test_a_prompt_typed_while_the_model_worked_is_the_users(log, tmp_path):
    asked(log).line("attachment", attachment={"type": "queued_command", "prompt": "Tests too."})
    log.line("attachment", attachment={"type": "todo_reminder", "content": []})
    log.line("system", subtype="local_command", content="<local-command-stdout>ok</local-command-stdout>")
    found = load(log.write(tmp_path))
    assert told(found.messages)[3:] == ["user: Tests too.", "user: <local-command-stdout>ok</local-command-stdout>"]
    assert found.warnings == ["A reminder whose words the log lacks, left out: line 5."]


REMARKS = [{"type": "summary", "summary": "Counting", "leafUuid": "u1"}, {"type": "custom-title", "customTitle": "x"},
           {"type": "file-history-snapshot", "messageId": "u1", "snapshot": {"timestamp": "2026"}},
           {"type": "queue-operation", "operation": "enqueue", "content": "no"}, {"type": 7}, {}]


@pytest.mark.parametrize("remark", REMARKS)
def test_remarks_beside_the_thread_change_nothing(log, tmp_path, remark):
    log.remark(**remark)
    asked(log).remark(**remark)
    found = load(log.write(tmp_path))
    assert len(found.messages) == 3
    assert found.warnings == []


@pytest.mark.parametrize("kind", ["progress", "system", "attachment"])
def test_lines_of_the_thread_that_say_nothing_are_passed_through(log, tmp_path, kind):
    asked(log).line(kind, data={})
    log.answer("m2", text("Four."))
    assert told(load(log.write(tmp_path)).messages)[3:] == ["assistant: Four."]


# Requests


def test_requests_have_what_the_api_reported(log, tmp_path):
    asked(log).answer("m2", text("Four."), context=20_000, output=7, model="model-2")
    first, second = load(log.write(tmp_path)).requests
    assert (first.index, first.at, first.model, first.context_tokens) == (1, 1.0, "model-1", 100)
    assert (second.index, second.at, second.model, second.context_tokens) == (3, 3.0, "model-2", 20_000)
    assert second.usage["output_tokens"] == 7


def test_how_long_the_cache_holds_is_kept(log, tmp_path):
    asked(log)
    written = {"ephemeral_5m_input_tokens": 3, "ephemeral_1h_input_tokens": 4}
    log.lines[1]["message"]["usage"] |= {"cache_creation": written, "service_tier": "standard"}
    assert load(log.write(tmp_path)).requests[0].usage == usage(100) | {"cache_creation": written}


@pytest.mark.parametrize("reported", [None, [], "many", {}, usage(10) | {"input_tokens": 0}, {"input_tokens": "100"},
                                      usage(100) | {"output_tokens": -1}, usage(100) | {"input_tokens": [1]}])
def test_what_is_no_usage_is_no_request(log, tmp_path, reported):
    asked(log).lines[1]["message"]["usage"] = reported
    found = load(log.write(tmp_path))
    assert found.requests == []
    assert len(found.messages) == 3


def test_usage_on_a_line_of_the_user_is_no_request(log, tmp_path):
    asked(log).lines[0]["message"]["usage"] = usage(100)
    assert [request.index for request in load(log.write(tmp_path)).requests] == [1]


def test_what_claude_code_says_in_the_models_place_is_no_request(log, tmp_path):
    asked(log).line("assistant", isApiErrorMessage=True, message={
        "role": "assistant", "model": "<synthetic>", "content": [text("API Error: 529")], "usage": {}})
    log.answer("m2", text("No response requested."), model="<synthetic>", context=10)
    log.lines[-1]["message"]["usage"] = {"input_tokens": 0, "output_tokens": 0}
    found = load(log.write(tmp_path))
    assert told(found.messages)[3:] == ["assistant: No response requested."]
    assert [request.index for request in found.requests] == [1]
    assert found.model == "model-1"


# Times, and where it came from


def test_times_count_from_the_first_message(log, tmp_path):
    found = load(asked(log).write(tmp_path))
    assert found.started == "2026-01-06T09:00:01+00:00"
    assert [origin.at for origin in found.origins] == [0.0, 1.0, 2.0]


@pytest.mark.parametrize("time", [None, 7, "", "yesterday", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59-23:59"])
def test_a_time_that_is_none_is_not_known(log, tmp_path, time):
    for line in asked(log).lines:
        line["timestamp"] = time
    found = load(log.write(tmp_path))
    assert found.started is None
    assert [origin.at for origin in found.origins] == [None] * 3
    assert found.requests[0].at == 0.0


# Pictures and measures


def test_pictures_and_measures_take_it_like_an_outline(log, tmp_path):
    asked(log).answer("m2", text("Four. " * 500), context=900)
    log.user("And the classes?")
    log.answer("m3", text("None."), context=2_000)
    log.boundary()
    log.user("Summary: four.", isCompactSummary=True)
    log.answer("m4", text("Ready."), context=300)
    found = load(log.write(tmp_path))
    assert [(moment.counted, moment.compaction) for moment in moments(found)] == [
        (100, None), (900, None), (2_000, None), (300, "auto")]
    assert -1 < growth_error(found.segments[0], estimate_tokens) < 0


# Damage


def raw_lines(log):
    return [json.dumps(line).encode() + b"\n" for line in log.lines]


@pytest.mark.parametrize(("mend", "warning"), [
    (lambda lines: [b"// a comment\n", *lines], "No JSON, left out: line 1."),
    (lambda lines: [lines[0], b"\n", b" \r\n", *lines[1:]], None),
    (lambda lines: [b"\xef\xbb\xbf" + lines[0], *lines[1:]], None),
    (lambda lines: [line.replace(b"\n", b"\r\n") for line in lines], None),
    (lambda lines: [*lines, lines[1][:90]], "Cut off in the middle, left out: line 4."),
    (lambda lines: [*lines, b'{"type": NaN}\n'], "No JSON, left out: line 4."),
    (lambda lines: [*lines, b"[" * 100_000 + b"\n"], "No JSON, left out: line 4."),
    (lambda lines: [*lines, b"7" * 5_000 + b"\n"], "No JSON, left out: line 4."),
    (lambda lines: [lines[0].replace(b"functions", b"func\xfftions"), *lines[1:]],
     "Bytes that are no UTF-8, replaced by \ufffd: line 1."),
    (lambda lines: [line for line in lines for _ in "ab"], "Logged twice, the first taken: lines 2, 4 and 6."),
    (lambda lines: [lines[0], lines[2].replace(b'"u2"', b'"gone"'), lines[1], lines[2]],
     "Logged twice, the first taken: line 4."),
    (lambda lines: [lines[0], *(line.replace(b'"u1"', b'"gone"') for line in lines[1:])],
     "Its parent isn't in this file, so the line before was taken: line 2."),
    (lambda lines: [lines[1], lines[2]], None),
])
def test_a_damaged_log_is_read_as_far_as_it_can_be(log, tmp_path, mend, warning):
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"".join(mend(raw_lines(asked(log)))))
    found = load(path)
    assert len(found.messages) >= 2
    assert (found.warnings[0] if found.warnings else None) == warning


@pytest.mark.parametrize("uuid", [None, 7, "", [], "u1"])
@pytest.mark.parametrize("parent", [7, "", [], "u1"])
def test_names_of_lines_that_are_none_do_no_harm(log, tmp_path, uuid, parent):
    asked(log).lines[1] |= {"uuid": uuid, "parentUuid": parent}
    log.answer("m2", text("Four."))
    assert told(load(log.write(tmp_path)).messages)[-1] == "assistant: Four."


def test_parents_in_a_circle_end_somewhere(log, tmp_path):
    asked(log).lines[0]["parentUuid"] = "u3"
    assert len(load(log.write(tmp_path)).messages) == 3


def test_a_line_of_more_than_a_megabyte_is_read(log, tmp_path):
    log.user("x" * 3_000_000)
    asked(log)
    assert len(load(log.write(tmp_path)).messages[0]["content"]) == 3_000_000


# A file that changes


def test_a_conversation_is_read_anew_every_time(log, tmp_path):
    found = load(asked(log).write(tmp_path))
    segment = found.segments[0]
    segment.conversation().clear()
    assert segment.conversation() == found.messages


def test_a_log_that_grows_meanwhile_stays_as_it_was_loaded(log, tmp_path):
    path = asked(log).write(tmp_path)
    found = load(path)
    log.user("More.")
    log.write(tmp_path)
    assert len(found.messages) == 3
    assert len(load(path).messages) == 4


@pytest.mark.parametrize("change", [
    lambda path: path.write_text("{}\n"), lambda path: path.unlink(),
    lambda path: path.write_text(path.read_text().replace('"u2"', '"v2"')),
    lambda path: path.write_text("x" * path.stat().st_size), lambda path: path.write_text("7" * 2_000),
    lambda path: path.write_text(path.read_text().replace('"message"', '"massage"')),
])
def test_a_log_that_is_another_file_by_now_is_not_mistaken(log, tmp_path, change):
    path = asked(log).write(tmp_path)
    found = load(path)
    change(path)
    with pytest.raises(ConversationError, match=r"has changed since it was loaded\. Load it again|can't be read"):
        found.segments[0].conversation()
