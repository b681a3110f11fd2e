"""Outlines: what the shipped ones say, what damaged ones are told, and the conversations that take their place."""

import json
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learn_compact.data import load_outline, load_usage, outline_names
from learn_compact.data.fill import INTERRUPTED
from learn_compact.errors import OutlineError
from learn_compact.messages import blocks, problems, tool_results

SEGMENTS = [segment for name in outline_names() for segment in load_outline(name).segments]
IDS = [f"{segment.name}/{segment.number}" for segment in SEGMENTS]
each_segment = pytest.mark.parametrize("segment", SEGMENTS, ids=IDS)

# sha256 of each conversation as JSON with sorted keys, its first 16 digits.
DIGESTS = {
    "cctrace-phase0/0": "b7a2b30c3c57ee04",
    "codemie-196820da/0": "aca884fa131e80dc",
    "codemie-3fe1b6bc/0": "3db2860df1dd667f",
    "codemie-624a4a58/0": "8e704b46d98c5061",
    "codemie-624a4a58/1": "f842de665e25490e",
    "sniffly-d3ad4cdc/0": "e7c360268566807c",
    "spotter-258c7280/0": "57df3bcb5dfa50d6",
    "spotter-258c7280/1": "fe6d13cc71b0a13e",
    "spotter-ae4a77f8/0": "6d2268ac8307b01a",
    "spotter-ae4a77f8/1": "7554de2d149a88af",
}


def block_size(block):
    """The size of a filled block as an outline counts it: (kind, tool, characters)."""
    match block["type"]:
        case "tool_use":
            compact = json.dumps(block["input"], ensure_ascii=False, separators=(",", ":"))
            return "tool_use", block["name"], len(compact)
        case "tool_result":
            content = block.get("content") or ""
            texts = [content] if isinstance(content, str) else [part.get("text", "") for part in content]
            return "tool_result", "", sum(map(len, texts))
        case "image":
            return "image", "", None
        case kind:
            return kind, "", len(block[kind])


def outline_size(block):
    """The size of an outline's block; that of an image is not honoured."""
    return block.kind, block.tool, None if block.kind == "image" else block.chars


def filled_sizes(conversation):
    """(role, sizes) of every message that is not a mere closing, closing results left out."""
    sizes = [(message["role"], [block_size(block) for block in blocks(message) if block.get("content") != INTERRUPTED])
             for message in conversation]
    return [(role, found) for role, found in sizes if found]


def outline_sizes(messages):
    return [(message.role, [outline_size(block) for block in message.blocks]) for message in messages]


# The shipped outlines


@each_segment
def test_a_conversation_is_valid_for_the_api(segment):
    assert [str(problem) for problem in problems(segment.conversation())] == []


@each_segment
def test_a_conversation_is_block_by_block_as_large_as_its_outline(segment):
    assert filled_sizes(segment.conversation()) == outline_sizes(segment.messages)


@each_segment
def test_a_conversation_is_the_same_on_every_machine(segment):
    conversation = segment.conversation()
    digest = sha256(json.dumps(conversation, sort_keys=True).encode()).hexdigest()[:16]
    assert digest == DIGESTS[f"{segment.name}/{segment.number}"]
    assert segment.conversation() is not conversation


def test_only_interrupted_calls_get_a_result_that_the_outline_has_not():
    added = {f"{segment.name}/{segment.number}": found for segment in SEGMENTS
             if (found := [(len(conversation) - result.message_index, result.block)
                           for conversation in [segment.conversation()] for result in tool_results(conversation)
                           if result.block["content"] == INTERRUPTED])}
    assert added.keys() == {"cctrace-phase0/0", "sniffly-d3ad4cdc/0"}
    for [(from_the_end, result)] in added.values():
        assert from_the_end == 1
        assert result["is_error"] is True


@each_segment
def test_a_request_stands_where_the_assistant_answered(segment):
    conversation, usage = segment.conversation(), load_usage(segment.name)
    rows = [row for row in usage if row.segment == segment.number]
    assert [conversation[request.index]["role"] for request in segment.requests] == ["assistant"] * len(rows)
    assert [(request.model, request.context_tokens, request.usage["output_tokens"]) for request in segment.requests] \
        == [(row.model, row.real_input_tokens, row.output_tokens_logged) for row in rows]


def test_a_segment_says_how_it_began():
    began = {f"{segment.name}/{segment.number}": (segment.compaction, segment.pre_tokens) for segment in SEGMENTS
             if segment.compaction}
    assert began == {"codemie-624a4a58/1": ("auto", 155_979), "spotter-258c7280/1": ("auto", 167_094),
                     "spotter-ae4a77f8/1": ("manual", 142_431)}
    assert all((segment.number > 0) == (segment.compaction is not None) for segment in SEGMENTS)


def test_a_segment_after_a_compaction_opens_with_the_boundary():
    summary = load_outline("codemie-624a4a58").segments[1].conversation()[0]
    assert summary["role"] == "user"
    assert summary["content"].startswith("[Conversation compacted: auto, 155979 tokens before]\n\n")


@pytest.mark.parametrize("name", outline_names())
def test_a_file_has_one_path_and_a_path_one_file(name):
    outline = load_outline(name)
    numbers = {(segment.number, block.call): block.file for segment in outline.segments
               for message in segment.messages for block in message.blocks if block.file}
    pairs = {(numbers[segment.number, int(block["id"][-16:])],
              block["input"].get("file_path") or block["input"].get("notebook_path"))
             for segment in outline.segments for message in segment.conversation() for block in blocks(message)
             if block["type"] == "tool_use" and (segment.number, int(block["id"][-16:])) in numbers}
    files, paths = {file for file, _ in pairs}, {path for _, path in pairs}
    assert len(pairs) == len(files) == len(paths) == len(set(numbers.values()))
    assert all(path.startswith("/repo/") for path in paths)


def test_a_file_read_whole_twice_gives_the_same_text():
    texts = {}
    for conversation in (segment.conversation() for segment in load_outline("spotter-258c7280").segments):
        asked = {block["id"]: block for message in conversation for block in blocks(message)
                 if block["type"] == "tool_use" and block["name"] == "Read" and len(block["input"]) == 1}
        for result in tool_results(conversation):
            if result.tool_use_id in asked and "is_error" not in result.block:
                path = asked[result.tool_use_id]["input"]["file_path"]
                texts.setdefault(path, []).append(result.block["content"])
    again = [found for found in texts.values() if len(found) > 1]
    assert again
    for found in again:
        assert all(max(found, key=len).startswith(text) for text in found)


# The public conversations that three of the outlines were made from

CONVERSATIONS = Path(__file__).parents[2].parent / "shared" / "conversations"


@pytest.mark.skipif(not CONVERSATIONS.is_dir(), reason="the public conversations are not beside this project")
@pytest.mark.parametrize("name", ["cctrace-phase0", "codemie-624a4a58", "sniffly-d3ad4cdc"])
def test_sizes_are_those_of_the_public_conversation(name):
    lines = [json.loads(line) for line in (CONVERSATIONS / f"{name}.jsonl").read_text("utf-8").splitlines()]
    public = Counter((line["type"], *block_size(block)) for line in lines
                     if line["type"] in ("user", "assistant") for block in blocks(line["message"]))
    ours = Counter((role, *size) for segment in load_outline(name).segments
                   for role, found in filled_sizes(segment.conversation()) for size in found)
    assert ours == public


# Outlines of any shape


def test_an_interrupted_call_is_closed_wherever_it_stands(tmp_path):
    call = {"kind": "tool_use", "tool": "Bash", "chars": 60}
    outline = written(tmp_path, [
        user(text(20)), assistant(call | {"call": 1}, call | {"call": 2}),
        user({"kind": "tool_result", "call": 2, "chars": 9}, text(8)), assistant(call | {"call": 3}),
        user(text(29)), assistant(call | {"call": 4}),
        user(text(900)) | {"compaction": "manual", "pre_tokens": 1_000}, assistant(call | {"call": 5}),
        assistant(text(5))])
    first, second = (segment.conversation() for segment in outline.segments)
    assert problems(first) == problems(second) == []
    assert [(result.message_index, result.block_index, int(result.tool_use_id[-16:]))
            for result in tool_results(first) + tool_results(second) if result.block["content"] == INTERRUPTED] \
        == [(2, 1, 1), (4, 0, 3), (7, 0, 4), (2, 0, 5)]
    assert [request.index for request in outline.segments[0].requests] == [1, 3, 6]


def test_pictures_are_small_and_real(tmp_path):
    call = {"kind": "tool_use", "tool": "Read", "chars": 60, "call": 1, "file": 1}
    result = {"kind": "tool_result", "call": 1, "images": 2}
    for chars in 0, 12:
        outline = written(tmp_path, [user({"kind": "image", "chars": 70_000}, text(9)), assistant(call),
                                     user(result | {"chars": chars})])
        question, _, answer = outline.segments[0].conversation()
        kinds = [block["type"] for block in answer["content"][0]["content"]]
        assert kinds == ["text"] * (chars > 0) + ["image"] * 2
        assert question["content"][0]["source"]["data"].startswith("iVBORw0KGgo")


def test_an_answer_without_usage_is_no_request(tmp_path):
    silent = {"role": "assistant", "at": 1, "blocks": [text(30)]}
    nothing = {"input": 0, "cache_write": 0, "cache_read": 0, "output": 0}
    zero = silent | {"model": "<synthetic>", "usage": nothing}
    outline = written(tmp_path, [user(text(20)), silent, zero, assistant(text(3))])
    assert [request.index for request in outline.segments[0].requests] == [3]


TOOLS = ("Bash Read Write Edit NotebookEdit Grep Glob TodoWrite Task TaskOutput AskUserQuestion ExitPlanMode Skill "
         "WebSearch WebFetch mcp__server__tool").split()


@st.composite
def outline_lines(draw):
    """The lines of a valid outline: calls answered out of order or never, tiny and large sizes, files, pictures."""
    lines, calls = [user(text(draw(st.integers(1, 300))))], 0
    for _ in range(draw(st.integers(0, 4))):
        size = st.one_of(st.sampled_from([2, 6, 7, 8]), st.integers(9, 130), st.integers(100, 9_000))
        batch = [{"kind": "tool_use", "tool": draw(st.sampled_from(TOOLS)), "chars": draw(size), "call": calls + n + 1}
                 | draw(st.sampled_from([{}, {"file": 1}, {"file": 12}])) for n in range(draw(st.integers(0, 3)))]
        calls += len(batch)
        first = {"kind": "thinking", "chars": draw(st.integers(0, 90))}
        lines.append(assistant(first, text(draw(st.integers(1, 9))), *batch))
        results = [{"kind": "tool_result", "call": call["call"], "chars": draw(st.integers(1, 80)),
                    "error": draw(st.booleans()), "images": draw(st.integers(0, 1))} for call in batch]
        answered = draw(st.permutations(results))[:draw(st.integers(0, len(results)))]
        lines.append(user(*answered, text(draw(st.integers(1, 40)))))
        if draw(st.booleans()):
            lines.append(user(text(draw(st.integers(1, 200)))) | {"compaction": "auto", "pre_tokens": 9_000})
    return lines


@given(outline_lines())
def test_any_outline_gives_a_valid_conversation_of_its_sizes(tmp_path_factory, lines):
    outline = written(tmp_path_factory.mktemp("outline"), lines)
    for segment in outline.segments:
        conversation = segment.conversation()
        assert problems(conversation) == []
        assert filled_sizes(conversation) == outline_sizes(segment.messages)


def text(chars):
    return {"kind": "text", "chars": chars}


def user(*found):
    return {"role": "user", "at": 0.0, "blocks": list(found)}


def assistant(*found):
    usage = {"input": 10, "cache_write": 200, "cache_read": 3_000, "output": 40}
    return {"role": "assistant", "at": 1.5, "blocks": list(found), "model": "claude-opus-4-6", "usage": usage}


def written(folder, lines):
    """The outline that these lines make, loaded from a file."""
    path = folder / "made.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return load_outline(path)


# Damage

COMPACTION = {"compaction": "auto", "pre_tokens": 9}
CALL = {"kind": "tool_use", "tool": "Bash", "chars": 60, "call": 1}
RESULT = {"kind": "tool_result", "call": 1, "chars": 9}
DAMAGE = {
    "an assistant first": ([assistant(text(3))], 1, "must be the user's"),
    "no object": ([user(text(3)), 7], 2, "no JSON object"),
    "a missing key": ([{"role": "user", "blocks": [text(3)]}], 1, "lacks at"),
    "an unknown key": ([user(text(3)) | {"mood": "good"}], 1, "mood"),
    "an unknown role": ([user(text(3)) | {"role": "system"}], 1, "must be user or assistant"),
    "no blocks": ([user()], 1, "a list of blocks that is not empty"),
    "a time that is none": ([user(text(3)) | {"at": "noon"}], 1, "a number of seconds"),
    "a time too large": ([user(text(3)) | {"at": 10**400}], 1, "a number of seconds"),
    "an unknown kind": ([user({"kind": "video", "chars": 3})], 1, "'video'"),
    "a kind that is no text": ([user({"kind": ["text"], "chars": 3})], 1, "kind ['text']"),
    "a block that is none": ([user("hello")], 1, "block 1"),
    "negative characters": ([user(text(3)), assistant(text(3), text(-1))], 2, "`chars` of block 2 is '-1'"),
    "half a character": ([user(text(3.5))], 1, "3.5"),
    "a true size": ([user(text(True))], 1, "True"),
    "more than a request holds": ([user(text(10**9))], 1, "32,000,000"),
    "an empty text": ([user(text(0))], 1, "leave the block out"),
    "an empty error": ([user(text(3)), assistant(CALL), user(RESULT | {"chars": 0, "error": True})], 3, "error"),
    "an input that no JSON has": ([user(text(3)), assistant(CALL | {"chars": 3})], 2, "no JSON object has"),
    "a call of the user": ([user(CALL)], 1, "can't stand in a message of the user"),
    "a result without call": ([user(text(3)), assistant(text(3)), user(RESULT)], 3, "which no line before it makes"),
    "a result too late": ([user(text(3)), assistant(CALL), user(text(3)), user(RESULT)], 4, "right after the call"),
    "a result behind a compaction": ([user(text(3)), assistant(CALL), user(RESULT) | COMPACTION], 3, "right after"),
    "two results": ([user(text(3)), assistant(CALL), user(RESULT, RESULT)], 3, "two results"),
    "a call number used twice": ([user(text(3)), assistant(CALL, CALL)], 2, "used twice"),
    "a call number used again": ([user(text(3)), assistant(CALL), user(RESULT), assistant(CALL)], 4, "used twice"),
    "a tool without a name": ([user(text(3)), assistant(CALL | {"tool": ""})], 2, "the name of a tool"),
    "a model without usage": ([user(text(3)) | {"model": "m"}], 1, "together"),
    "usage of the user": ([user(text(3)) | {"usage": {}, "model": "m"}], 1, "on an assistant message"),
    "usage that lacks a figure": ([user(text(3)), assistant(text(3)) | {"usage": {"input": 3}}], 2, "lacks cache_read"),
    "a negative usage": ([user(text(3)), assistant(text(3)) | {"usage": {
        "input": -3, "cache_write": 0, "cache_read": 0, "output": 0}}], 2, "`input` of `usage`"),
    "a compaction of a third kind": ([user(text(3)) | {"compaction": "half", "pre_tokens": 9}], 1, "auto or manual"),
    "a compaction without size": ([user(text(3)) | {"compaction": "auto"}], 1, "together"),
}


@pytest.mark.parametrize(("lines", "number", "said"), DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_outline_is_named_with_its_line(tmp_path, lines, number, said):
    with pytest.raises(OutlineError) as caught:
        written(tmp_path, lines)
    sentence = str(caught.value)
    assert f"made.jsonl, line {number}: " in sentence
    assert said in sentence
    assert sentence.endswith("Mend the line or copy the file again.")
    assert caught.value.__cause__ is None


RAW = {
    "not JSON": (b'{"role": "user"\n', "line 1: this is no JSON"),
    "cut off": (json.dumps(user(text(3))).encode() + b'\n{"role":"assis', "line 2: this is no JSON"),
    "nested without end": (b"[" * 100_000, "line 1: this is no JSON"),
    "a blank line": (json.dumps(user(text(3))).encode() + b"\n\n" + json.dumps(user(text(3))).encode(), "line 2: "),
    "empty": (b"", "holds no message"),
    "no text": (b"\n\xff\xfe", "line 2: this is no UTF-8"),
}


@pytest.mark.parametrize(("raw", "said"), RAW.values(), ids=RAW)
def test_a_file_that_is_no_outline_says_so(tmp_path, raw, said):
    (tmp_path / "raw.jsonl").write_bytes(raw)
    with pytest.raises(OutlineError, match="raw.jsonl") as caught:
        load_outline(tmp_path / "raw.jsonl")
    assert said in str(caught.value)


def test_an_unknown_name_is_told_the_known_ones():
    with pytest.raises(OutlineError, match="no 'snifly' here.*cctrace-phase0, .*sniffly-d3ad4cdc"):
        load_outline("snifly")


@pytest.mark.parametrize("make", [lambda folder: folder, lambda folder: folder / "missing.jsonl",
                                  lambda folder: str(folder / "missing.jsonl"), lambda folder: "a\0b.jsonl"])
def test_a_folder_or_a_missing_file_can_not_be_read(tmp_path, make):
    with pytest.raises(OutlineError, match="can't be read: .*Pass the path of a .jsonl file"):
        load_outline(make(tmp_path))
