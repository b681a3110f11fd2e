"""Real conversations: every one loads, and agrees with the outline that was made from it apart from this package."""

import json
from pathlib import Path

import pytest
from claude_log import told

from learn_compact.conversations import load
from learn_compact.data import load_outline, outline_names
from learn_compact.messages import blocks
from learn_compact.show.moments import moments

FOLDER = Path(__file__).parents[3] / "shared" / "conversations"
PATHS = sorted(FOLDER.glob("*.jsonl"))
WITH_OUTLINE = [path for path in PATHS if path.stem in outline_names()]

pytestmark = pytest.mark.skipif(not PATHS, reason="the real conversations (../shared/conversations) are not here")


def by_name(paths):
    return pytest.mark.parametrize("path", paths, ids=[path.stem for path in paths])


def conversation(name):
    return load(FOLDER / f"{name}.jsonl")


def sizes(messages):
    """Who wrote each message, and the kind, tool and characters of its blocks; images and what was added count 0."""
    return [(message["role"], [_size(block) for block in blocks(message)]) for message in messages]


def _size(block):
    match block["type"]:
        case "tool_use":
            return block["name"], len(json.dumps(block["input"], ensure_ascii=False, separators=(",", ":")))
        case "tool_result":
            content = block.get("content") or ""
            parts = [content] if isinstance(content, str) else [part.get("text", "") for part in content]
            return "result", sum(map(len, parts))
        case kind:
            return kind, len(block.get(kind, ""))


@by_name(PATHS)
def test_a_real_conversation_loads_and_the_api_would_take_it(path):
    found = load(path)
    assert found.source == "claude-code"
    assert [problem for segment in found.segments for problem in segment.problems] == []
    assert len(found.origins) == len(found.messages) > 0


@by_name(WITH_OUTLINE)
def test_requests_and_tokens_agree_with_the_outline(path):
    def figures(requests):
        return [(one.index, one.model, one.context_tokens, one.usage["output_tokens"]) for one in requests]

    segments, outline = load(path).segments, load_outline(path.stem).segments
    assert [figures(one.requests) for one in segments] == [figures(one.requests) for one in outline]
    assert [one.at for segment in segments for one in segment.requests] == pytest.approx(
        [one.at for segment in outline for one in segment.requests], abs=0.1)
    assert [(one.compaction, one.pre_tokens) for one in segments] == [
        (one.compaction, one.pre_tokens) for one in outline]


@by_name(WITH_OUTLINE)
def test_every_block_is_as_large_as_the_outline_says(path):
    segments, outline = load(path).segments, load_outline(path.stem).segments
    assert [sizes(one.conversation()) for one in segments] == [sizes(one.conversation()) for one in outline]


@by_name(WITH_OUTLINE)
def test_pictures_show_the_contexts_of_the_outline(path):
    assert [(moment.request, moment.counted, moment.compaction) for moment in moments(load(path), len)] == [
        (moment.request, moment.counted, moment.compaction) for moment in moments(load_outline(path.stem), len)]


@by_name(PATHS)
def test_every_message_says_where_it_came_from(path):
    lines = path.read_bytes().split(b"\n")
    for segment in load(path).segments:
        for message, origin in zip(segment.conversation(), segment.origins, strict=True):
            for number in origin.lines:
                assert json.loads(lines[number - 1])["message"]["role"] == message["role"]


def test_a_call_at_the_end_is_closed():
    assert told(conversation("sniffly-d3ad4cdc").messages[-1:])[0].endswith("=closed")


def test_the_request_for_a_compaction_is_read_with_its_answer():
    found = conversation("spotter-acompact-e1f845")
    assert [message["role"] for message in found.messages] == ["user"] * 4 + ["assistant"]
    assert len(found.requests) == 1


def test_comments_are_told_of_and_images_are_there():
    found = conversation("moredip-images-in-user-messages")
    assert found.warnings == ["No JSON, left out: lines 1 and 2."]
    assert "image" in [block["type"] for message in found.messages for block in blocks(message)]


def test_one_compaction_has_its_figures():
    [compaction] = conversation("codemie-624a4a58").compactions
    assert (compaction.trigger, compaction.before, compaction.after) == ("auto", 155_979, 36_541)
