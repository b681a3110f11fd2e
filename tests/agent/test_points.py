"""Points: what each request carried, counted as it grows and equal to counting it anew."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted import Scripted, call, response, text

from learn_compact.agent import Agent
from learn_compact.agent.points import Point, RunningParts
from learn_compact.archive import Archive
from learn_compact.check.strategies import conversations
from learn_compact.pipeline import s06
from learn_compact.tokens import PARTS, context_parts, estimate_block

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")

TOOLS = [{"name": "bash", "description": "Run a command.", "input_schema": {"type": "object", "properties": {}}}]


@given(conversations(), conversations(), st.data())
def test_parts_counted_as_a_history_changes_are_those_counted_anew(one, other, data):
    running = RunningParts("You are a coding agent.", TOOLS, estimate_block)
    for _ in range(data.draw(st.integers(1, 5))):
        history = data.draw(st.sampled_from([one, other]))
        cut, more = data.draw(st.integers(0, len(history))), data.draw(st.booleans())
        messages = history[:cut] + (other if more else [])
        expected = context_parts("You are a coding agent.", TOOLS, messages, estimate_block).parts
        assert running.of(messages) == expected
        assert running.of([*messages, *one], same=len(messages)) == context_parts(
            "You are a coding agent.", TOOLS, messages + one, estimate_block).parts


def test_only_new_messages_are_counted():
    counted = []

    def measure(block):
        counted.append(block)
        return 1

    running, messages = RunningParts(None, None, measure), [{"role": "user", "content": str(n)} for n in range(9)]
    running.of(messages)
    counted.clear()
    running.of([*messages, {"role": "user", "content": "9"}])
    assert [block["text"] for block in counted] == ["9"]


def test_an_agent_keeps_a_point_for_every_request(tmp_path):
    (tmp_path / "long.txt").write_text("A line of the file.\n" * 100)
    reading = (response(text("Reading."), call(f"toolu_{n}", "read_file", path="long.txt"), stop_reason="tool_use")
               for n in range(3))
    policy = s06(lambda messages, focus: "1) Half.", Archive(tmp_path), threshold=1_500)
    agent = Agent(Scripted(*reading, response(text("Done."))), "a-model", tmp_path, policy,
                  approve=lambda *_: True, on_event=lambda event: None)
    agent.ask("Read.")
    assert [point.request for point in agent.points] == [1, 2, 3, 4]
    assert [point.messages for point in agent.points] == [1, 3, 5, 3]
    assert [point.compaction for point in agent.points] == [None, None, None, "auto"]
    assert [point.counted for point in agent.points] == [10] * 4, "what the API reported"
    sent = agent.client.requests[-1]
    expected = context_parts(sent["system"], sent["tools"], agent.messages[:-1]).parts
    assert agent.points[-1].parts == expected and agent.points[-1].total == sum(expected.values())
    full = context_parts(sent["system"], sent["tools"], agent.archive.load(agent.archive.log_path)[:7]).total
    assert [point.compacted_from for point in agent.points] == [None, None, None, full], "the third result too"
    assert list(agent.points[0].parts) == list(PARTS)
    assert agent.points[0].parts["system"] > 0 < agent.points[0].parts["tools"]
    assert agent.points[-1].parts["summary"] > 0 == agent.points[-2].parts["summary"]


def test_a_refused_request_has_a_point_without_the_apis_count(tmp_path):
    agent = Agent(Scripted(KeyboardInterrupt()), "a-model", tmp_path, s06(None, Archive(tmp_path)),
                  approve=lambda *_: True)
    with pytest.raises(KeyboardInterrupt):
        agent.ask("Hello?")
    [point] = agent.points
    assert isinstance(point, Point) and point.counted is None and point.total > 0
