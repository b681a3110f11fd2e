"""Whatever happens to a file, `load` gives a conversation that holds together, or a sentence; never a traceback.

500 damaged variants of every kind of file and of parts of the real ones; 20,000 others in `make soak`.
"""

import json
import os
import random
from pathlib import Path

import pytest
from claude_log import Log, call, current_log, result, text

from learn_compact.conversations import load, save
from learn_compact.errors import ConversationError, MessageError
from learn_compact.profile import profile
from learn_compact.profile.text import text as text_of
from learn_compact.rules import problems
from learn_compact.show.moments import moments

SHARED = Path(__file__).parents[3] / "shared" / "conversations"
SOAK = os.environ.get("LEARN_COMPACT_SOAK") == "1"
VARIANTS = 20_000 if SOAK else 500
PART = 12  # lines of a real conversation in a variant
LONGEST = 20_000  # characters of such a line

PAIRING = {"orphan", "multiple", "duplicate"}  # what a log of Claude Code never has when it has been read
JUNK = [None, True, -1, 0.5, 10**30, "", "user", "\ud83d", [], {}, [[]], [None], {"type": "text"}, "tool_result", "A"]


def claude_code():
    log = Log()
    log.remark(type="summary", summary="Counting", leafUuid="u1")
    log.user("Count.")
    first = log.answer("m1", text("I look."), call("A"))
    second = log.answer("m1", call("B", path="agents"), parent=first)
    log.user(result("B", [text("4")]), parent=second)
    log.user(result("A", "4"), text("[Request interrupted]"), parent=first, toolUseResult={"stdout": "4"})
    log.user("You count.", isSidechain=True, parent=None)
    log.line("attachment", attachment={"type": "queued_command", "prompt": "Tests too."}, parent=first)
    log.answer("m2", text("Four."), context=150_000)
    log.boundary(preservedMessages={"anchorUuid": "summary", "uuids": ["u4", "u5"]})
    log.user("Summary: four.", isCompactSummary=True, uuid="summary")
    log.answer("m3", text("Ready."), parent="u5")
    log.line("system", subtype="local_command", content="<stdout>ok</stdout>")
    return log.lines


MESSAGES = [{"role": "user", "content": "Count."}, {"role": "assistant", "content": [text("I look."), call("A")]},
            {"role": "user", "content": [result("A", "4")]}, {"role": "assistant", "content": "Four."}]
TRANSCRIPT = [MESSAGES[0], {"role": "assistant", "content": [
    "TextBlock(text='I look.', type='text')", "ToolUseBlock(id='A', input={'a': [1]}, name='Bash', type='tool_use')"]},
    MESSAGES[2], {"role": "user", "content": {"$learn_compact": "tuple", "value": [1]}}]
CHAT = [{"role": "system", "content": "Be brief."}, MESSAGES[0],
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "A", "type": "function", "function": {"name": "Bash", "arguments": "{\"a\": 1}"}}]},
        {"role": "tool", "tool_call_id": "A", "content": [text("4")]},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]}]
REQUEST = {"model": "m", "system": [text("Be brief.")], "tools": [{"name": "Bash"}], "messages": MESSAGES}


def jsonl(values):
    return "".join(json.dumps(value) + "\n" for value in values).encode()


OWN = [(claude_code(), jsonl), (current_log().lines, jsonl), (MESSAGES, jsonl), (TRANSCRIPT, jsonl), (CHAT, jsonl),
       ([REQUEST, REQUEST], jsonl),
       (REQUEST, lambda value: json.dumps(value, indent=1).encode()), (CHAT, lambda value: json.dumps(value).encode())]


def part_of(path, rng):
    """Some lines of a real conversation that follow each other, without the very long ones."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if len(line) <= LONGEST]
    start = rng.randrange(max(1, len(lines) - PART))
    values = []
    for line in lines[start:start + PART]:
        try:
            values.append(json.loads(line))
        except ValueError:
            values.append(line)
    return values, jsonl


def spoil(value, rng):
    """The value with something in it replaced or taken away."""
    if isinstance(value, dict | list) and value and rng.random() < 0.85:
        key = rng.choice(list(value) if isinstance(value, dict) else range(len(value)))
        if rng.random() < 0.1:
            return {k: v for k, v in value.items() if k != key} if isinstance(value, dict) else value[:key]
        changed = dict(value) if isinstance(value, dict) else list(value)
        changed[key] = spoil(value[key], rng)
        return changed
    return rng.choice(JUNK)


def cut(raw, rng):
    start = rng.choice([0, 0, 0, rng.randrange(len(raw))])
    return raw[start:rng.randrange(start, len(raw)) + 1]


def flip(raw, rng):
    flipped = bytearray(raw)
    for _ in range(rng.choice([1, 3, 30])):
        flipped[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
    return bytes(flipped)


def swap(raw, rng):
    lines = raw.splitlines(keepends=True)
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[i], lines[j] = lines[j], lines[i]
    return b"".join(lines)


def double(raw, rng):
    lines = raw.splitlines(keepends=True)
    i = rng.randrange(len(lines))
    return b"".join(lines[:i + 1] + lines[rng.randrange(i + 1):])


def drop(raw, rng):
    lines = raw.splitlines(keepends=True)
    del lines[rng.randrange(len(lines))]
    return b"".join(lines) or raw


def variant(number):
    """The bytes of the variant with this number: the same for each number, on every machine that has the same files."""
    rng = random.Random(number)
    paths = sorted(SHARED.glob("*.jsonl"))
    value, written = part_of(rng.choice(paths), rng) if paths and rng.random() < 0.6 else rng.choice(OWN)
    for _ in range(rng.randrange(3)):
        value = spoil(value, rng)
    raw = written(value if isinstance(value, list | dict) and value else [value])
    for _ in range(rng.randrange(3)):
        raw = rng.choice([cut, flip, swap, double, drop])(raw, rng) or raw
    return raw


def check(path):
    """Load a file and say whether a conversation came of it; what comes has to hold together."""
    try:
        found = load(path)
    except ConversationError as error:
        assert str(error).startswith(str(path))
        return False
    for segment in found.segments:
        messages = segment.conversation()
        assert len(messages) == len(segment.origins) > 0
        assert segment.problems == problems(messages)
        assert all(messages[request.index]["role"] == "assistant" for request in segment.requests)
        assert found.source != "claude-code" or not PAIRING & {problem.kind for problem in segment.problems}
    assert all(isinstance(sentence, str) for sentence in found.warnings)
    _go_on(found, path.parent / "next.json")
    return True


def _go_on(found, path):
    """Save it, draw it and profile it, where its messages allow that."""
    try:
        save(found, path)
        assert load(path).messages == found.messages
    except ConversationError as error:
        assert found.problems or "what JSON lacks" in str(error)
    try:
        moments(found, lambda block: len(str(block)))
    except MessageError:
        assert not found.requests
    assert text_of(profile(found)).startswith(found.name)


@pytest.mark.usefixtures("no_waiting_for_the_disk")
def test_damaged_files_give_a_conversation_or_a_sentence(tmp_path):
    path, read = tmp_path / "log.jsonl", 0
    first = random.SystemRandom().randrange(10**9) if SOAK else 0
    for number in range(first, first + VARIANTS):
        path.write_bytes(variant(number))
        try:
            read += check(path)
        except Exception as error:
            raise AssertionError(f"variant({number}) gives a traceback") from error
    assert read > VARIANTS / 2  # the damage leaves something to read, else this tests only refusals
