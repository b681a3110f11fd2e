"""micro_compact costs a walk over the blocks, and an agent's own bookkeeping as much at turn 10,000 as at turn 1."""

import json
import tempfile
from itertools import count
from time import process_time
from types import SimpleNamespace
from unittest.mock import patch

from figures import Figure, seconds

from learn_compact.agent import Agent
from learn_compact.layers.micro import micro_compact
from learn_compact.messages import blocks
from learn_compact.offline import MODEL


def history(messages, content="x" * 500):
    """A request, and calls of bash with their results: so many messages in all."""
    said = [{"role": "user", "content": "Count the functions."}]
    for n in range((messages - 1) // 2):
        said.append({"role": "assistant", "content": [
            {"type": "text", "text": "Next."},
            {"type": "tool_use", "id": f"call_{n}", "name": "bash", "input": {"command": "ls"}}]})
        said.append({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": f"call_{n}", "content": content}]})
    return said


def walk(messages):
    for message in messages:
        for block in blocks(message):
            block.get("type")


class Turns:
    """A client whose model calls one tool after the other: a request costs it nothing, so what is measured is ours."""

    def __init__(self):
        self.messages, self.numbers = self, count()

    def create(self, **request):
        call = {"type": "tool_use", "id": f"call_{next(self.numbers)}", "name": "read_file", "input": {"path": "a.txt"}}
        return SimpleNamespace(role="assistant", content=[call], stop_reason="tool_use",
                               usage={"input_tokens": 1, "output_tokens": 1})


class Nothing:
    """A policy that leaves everything as it is."""

    def prepare(self, messages):
        return messages

    overflowed = prepare


def seconds_of_turns(turns):
    """Processor time of an agent's turns, where model and policy cost nothing and nobody waits for the disk."""
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/a.txt", "w") as file:
            file.write("a line\n")
        agent = Agent(Turns(), MODEL, folder, Nothing(), on_event=lambda event: None, approve=lambda *_: True,
                      max_turns=turns)
        with patch("os.fsync", lambda descriptor: None):
            began = process_time()
            agent.ask("Read on.")
            return process_time() - began


def figures():
    uncleared = history(10_000)
    cleared = micro_compact(uncleared)
    one_more = [*cleared, *history(3)[1:]]
    a_walk = seconds(lambda: walk(cleared), 30)
    yield Figure("micro_compact on 10,000 messages at every turn / a plain walk over the blocks",
                 seconds(lambda: micro_compact(one_more), 30) / a_walk, 1.5)
    yield Figure("the same where all 5,000 results go at once / one json.dumps (s06 as documented: 1.3 ± 40 %)",
                 seconds(lambda: micro_compact(uncleared), 30) / seconds(lambda: json.dumps(uncleared), 30), 1.8)
    seconds_of_turns(100)  # reads the vocabulary
    short, long = (min(seconds_of_turns(turns) for _ in range(3)) for turns in (1_000, 10_000))
    yield Figure("an agent's own bookkeeping, 10,000 turns / 1,000 turns", long / short, 12)
