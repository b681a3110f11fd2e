"""Messages as programs keep them: the Messages API's form, transcripts, OpenAI's chat messages."""

import json
from types import SimpleNamespace

import anthropic
import pytest
from claude_log import call, result, text, told, usage

from learn_compact.archive import Archive
from learn_compact.conversations import load
from learn_compact.conversations.sdk_repr import blocks_of_repr

MESSAGES = [{"role": "user", "content": "Count."},
            {"role": "assistant", "content": [text("I look."), call("A", path="agents")]},
            {"role": "user", "content": [result("A", "4")]},
            {"role": "assistant", "content": "Four."}]
TOOLS = [{"name": "Bash", "input_schema": {"type": "object"}}]


def written(folder, content, name="found.json"):
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def lines(values):
    return "".join(json.dumps(value) + "\n" for value in values)


# The Messages API


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("around", [{}, {"model": "m", "system": "Be brief.", "tools": TOOLS, "max_tokens": 9},
                                    {"system": [text("Be brief.")], "tools": []}])
def test_a_request_is_read_as_it_is(tmp_path, indent, around):
    found = load(written(tmp_path, json.dumps({**around, "messages": MESSAGES}, indent=indent)))
    assert found.source == "messages-api"
    assert found.messages == MESSAGES
    assert (found.system, found.tools, found.model) == tuple(map(around.get, ("system", "tools", "model")))
    assert (found.name, found.problems, found.warnings, found.requests) == ("found", [], [], [])
    assert len(found.origins) == 4


@pytest.mark.parametrize("content", [json.dumps(MESSAGES), json.dumps(MESSAGES, indent=1), lines(MESSAGES),
                                     lines(MESSAGES).removesuffix("\n")])
def test_messages_are_read_as_a_list_or_one_a_line(tmp_path, content):
    assert load(written(tmp_path, content)).messages == MESSAGES


def test_lines_tell_where_a_message_came_from(tmp_path):
    found = load(written(tmp_path, "\n" + lines(MESSAGES)))
    assert [origin.lines for origin in found.origins] == [(2,), (3,), (4,), (5,)]


def test_of_requests_one_a_line_the_last_counts(tmp_path):
    found = load(written(tmp_path, lines([{"messages": MESSAGES[:1]}, {"messages": MESSAGES, "system": "Be brief."}])))
    assert (found.messages, found.system) == (MESSAGES, "Be brief.")
    assert found.warnings == ["An earlier request, left out: line 1."]


def test_answers_that_were_kept_whole_are_requests(tmp_path):
    answer = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn",
              "content": [{**text("Four."), "citations": None}], "usage": usage(300)}
    found = load(written(tmp_path, lines([MESSAGES[0], answer])))
    assert found.messages == [MESSAGES[0], {"role": "assistant", "content": [text("Four.")]}]
    assert [(request.index, request.context_tokens, request.model) for request in found.requests] == [(1, 300, "m")]
    assert found.model == "m"


def test_nothing_is_mended_and_problems_say_what_is_wrong(tmp_path):
    broken = [MESSAGES[1], {"role": "user", "content": ""}, {"role": "assistant", "content": 7}]
    found = load(written(tmp_path, lines([*broken, {"role": None, "content": "x"}, {"role": "user"}, 7])))
    assert found.messages == broken
    assert [problem.kind for problem in found.problems] == ["first", "content", "content", "unanswered"]
    assert found.warnings == ["No message, left out: lines 4, 5 and 6."]


@pytest.mark.parametrize("indent", [None, 1])
def test_a_request_is_read_up_to_where_it_breaks_off(tmp_path, indent):
    whole = json.dumps({"system": "Be brief.", "tools": TOOLS, "messages": MESSAGES}, indent=indent)
    broken = whole[:whole.index("Four.") + 2]
    found = load(written(tmp_path, broken))
    assert (found.messages, found.system, found.tools) == (MESSAGES[:3], "Be brief.", TOOLS)
    assert found.warnings == [f"Broken off or damaged, what follows left out: line {len(broken.splitlines())}."]


def test_what_a_broken_message_holds_is_not_taken_for_the_requests_own(tmp_path):
    whole = json.dumps({"messages": [*MESSAGES[:1], {"role": "assistant", "system": "x", "messages": [MESSAGES[3]]}]})
    found = load(written(tmp_path, whole[:-3]))
    assert (found.messages, found.system) == (MESSAGES[:1], None)


def test_a_list_is_read_up_to_where_it_breaks_off(tmp_path):
    assert load(written(tmp_path, json.dumps(MESSAGES)[:-20])).messages == MESSAGES[:3]


def test_lines_are_read_up_to_where_they_break_off(tmp_path):
    found = load(written(tmp_path, lines(MESSAGES)[:-20]))
    assert found.messages == MESSAGES[:3]
    assert found.warnings == ["Cut off in the middle, left out: line 4."]


# Transcripts


def answer(*content):
    return anthropic.types.Message.model_validate({
        "id": "m", "type": "message", "role": "assistant", "model": "m", "content": list(content),
        "stop_reason": "tool_use", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}})


BLOCKS = [{"type": "thinking", "thinking": "It's \"odd\"\n\\d", "signature": "s="}, text("I'll \u2713 look.\ud83d"),
          call("A", path="a b", depth=[1, None, {"x": True}])]


@pytest.mark.parametrize("whole", [False, True], ids=["a repr each", "one repr"])
def test_sdk_objects_written_as_text_are_blocks_again(tmp_path, whole):
    """`json.dumps(message, default=str)`, as s06 and s08 write their transcripts."""
    content = answer(*BLOCKS).content
    spoilt = {"role": "assistant", "content": str(content) if whole else [str(block) for block in content]}
    spoilt = json.loads(json.dumps(spoilt))
    found = load(written(tmp_path, lines([MESSAGES[0], spoilt, MESSAGES[2]])))
    assert found.source == "transcript"
    assert found.messages == [MESSAGES[0], {"role": "assistant", "content": BLOCKS}, MESSAGES[2]]
    assert found.warnings == ["SDK objects written as text, read back: line 2."]
    assert found.problems == []


def test_the_repr_of_every_block_that_an_answer_may_hold_is_read():
    content = answer(*BLOCKS, {"type": "redacted_thinking", "data": "x"},
                     {"type": "server_tool_use", "id": "S", "name": "web_search", "input": {"query": "q"}}).content
    for block in content:
        assert blocks_of_repr(repr(block)) == [block.to_dict(exclude_none=True)]


@pytest.mark.parametrize("spoilt", ["TextBlock(text='cut o", "ToolUseBlock(id=evil, type='tool_use')", "Hello",
                                    "TextBlock(text=open('x').read(), type='text')", "Block(" * 10_000, "TextBlock()",
                                    "TextBlock(text='a' + 'b', type='text')", "[TextBlock(text='\0')]", "[Block(1)]"])
def test_what_is_no_whole_repr_is_kept_as_text(tmp_path, spoilt):
    found = load(written(tmp_path, lines([MESSAGES[0], {"role": "assistant", "content": [spoilt]}])))
    assert found.messages[1] == {"role": "assistant", "content": [text(spoilt)]}
    assert found.warnings[0] == "Text in the place of a block, kept as a block of text: line 2."


def test_what_a_user_says_is_no_sdk_object(tmp_path):
    said = {"role": "user", "content": "TextBlock(text='Hello', type='text')"}
    assert load(written(tmp_path, lines([said]))).messages == [said]


def test_what_our_archive_wrote_reads_back_equal(tmp_path):
    odd = [*MESSAGES, {"role": "user", "content": [{**result("A"), "content": (1, b"\0", float("inf"))}]}]
    archive = Archive(tmp_path)
    for message in odd:
        archive.log(message)
    for path in (archive.save_transcript(odd), archive.log_path):
        assert load(tmp_path / path).messages == odd


def test_a_forged_value_of_the_archive_is_kept_as_it_is(tmp_path):
    forged = {"role": "user", "content": [{"type": "text", "$learn_compact": "bytes", "value": "?"}]}
    found = load(written(tmp_path, lines([forged])))
    assert found.messages == [forged]
    assert len(found.warnings) == 1


# OpenAI


def asks(number, arguments='{"path": "agents"}', name="Bash"):
    return {"id": number, "type": "function", "function": {"name": name, "arguments": arguments}}


def answers(number, content="4", role="tool"):
    return {"role": role, "tool_call_id": number, "content": content}


CHAT = [{"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Count."},
        {"role": "assistant", "content": "I look.", "tool_calls": [asks("A"), asks("B", "{}")]},
        answers("A"), answers("B"),
        {"role": "assistant", "content": "Four.", "refusal": None}]


@pytest.mark.parametrize("content", [lines(CHAT), json.dumps(CHAT), json.dumps({"messages": CHAT, "model": "m"})])
def test_chat_messages_become_messages(tmp_path, content):
    found = load(written(tmp_path, content))
    assert (found.source, found.system, found.problems, found.warnings) == ("openai", "Be brief.", [], [])
    assert found.messages == [
        MESSAGES[0], {"role": "assistant", "content": [text("I look."), call("A", path="agents"), call("B")]},
        {"role": "user", "content": [result("A", "4"), result("B", "4")]}, MESSAGES[3]]


def test_lines_of_chat_messages_tell_where_each_came_from(tmp_path):
    assert [origin.lines for origin in load(written(tmp_path, lines(CHAT))).origins] == [(2,), (3,), (4, 5), (6,)]


def test_a_functions_definition_becomes_a_tools(tmp_path):
    schema = {"type": "object", "properties": {"path": {"type": "string"}}}
    tools = [{"type": "function", "function": {"name": "Bash", "description": "Runs.", "parameters": schema}},
             {"type": "function", "function": {"name": "Stop"}}, {"type": "web_search"}]
    assert load(written(tmp_path, json.dumps({"messages": CHAT, "tools": tools}))).tools == [
        {"name": "Bash", "description": "Runs.", "input_schema": schema},
        {"name": "Stop", "input_schema": {"type": "object", "properties": {}}}, {"type": "web_search"}]


PNG = "data:image/png;base64,AAAA"


@pytest.mark.parametrize(("message", "content", "warnings"), [
    ({"role": "user", "content": [{"type": "text", "text": "Look."}, {"type": "image_url", "image_url": {"url": PNG}}]},
     [text("Look."), {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}], []),
    ({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}]},
     [{"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}], []),
    ({"role": "assistant", "content": None, "tool_calls": [asks("A", "{cut o")]}, [call("A", arguments="{cut o")],
     ["The arguments of a call that are no JSON object, kept as text: line 2."]),
    ({"role": "assistant", "content": None, "tool_calls": [asks("A", "")]}, [call("A")], []),
    ({"role": "assistant", "function_call": {"name": "Bash", "arguments": "{}"}}, [call("call_2")], []),
    ({"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}, {"type": "output_text", "text": "So."}]},
     [text("No."), text("So.")], []),
    ({"role": "user", "content": [{"type": "input_text", "text": "Hear."}, {"type": "input_audio"}]}, [text("Hear.")],
     ["A part of a kind that is not read here (input_audio), left out: line 2."]),
    ({"role": "user", "content": ""}, "", []),
])
def test_parts_of_chat_messages_become_blocks(tmp_path, message, content, warnings):
    found = load(written(tmp_path, lines([CHAT[0], message])))
    assert found.messages == [{"role": message["role"], "content": content}]
    assert found.warnings == warnings


def test_a_call_of_the_older_functions_gets_its_result(tmp_path):
    chat = [CHAT[1], {"role": "assistant", "function_call": {"name": "Bash", "arguments": "{}"}},
            {"role": "function", "name": "Bash", "content": "4"}]
    found = load(written(tmp_path, lines(chat)))
    assert told(found.messages) == ["user: Count.", "assistant: call_2()", "user: call_2=4"]
    assert found.problems == []


def test_a_system_message_in_the_middle_is_moved_and_told_of(tmp_path):
    found = load(written(tmp_path, lines([*CHAT, {"role": "developer", "content": [text("In English.")]}])))
    assert found.system == "Be brief.\n\nIn English."
    assert found.warnings == ["A system message in the middle, moved to the system prompt: line 7."]


@pytest.mark.parametrize("message", [
    answers("Z"), answers(None), {"role": "tool"}, {"role": "assistant", "tool_calls": "A"},
    {"role": "assistant", "tool_calls": [7, {}, {"function": []}, {"function": {"arguments": [1]}}]},
    {"role": "user", "content": [{"type": "image_url"}, 7, {"type": "text"}, {}]}, {"role": "function"},
])
def test_chat_messages_that_make_no_sense_are_named_by_problems(tmp_path, message):
    found = load(written(tmp_path, lines([CHAT[0], CHAT[1], message])))
    assert found.problems
    assert len(found.messages) == 2


@pytest.mark.filterwarnings("error")
def test_an_odd_escape_in_a_repr_is_no_warning_on_the_screen():
    assert blocks_of_repr(r"TextBlock(text='\d', type='text')") == [text(r"\d")]


def test_an_object_like_a_repr_is_not_run():
    assert blocks_of_repr("TextBlock(text=__import__('os').getcwd(), type='text')") is None
    assert blocks_of_repr(str(SimpleNamespace(type="text"))) is None
