"""The stand-in's only memory is the request: what it answers depends on nothing else, and it changes nothing."""

import copy
import json
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_loop import AUDIT, FIVE, SMALL, ask, run

from learn_compact.check.strategies import conversations
from learn_compact.offline.project import write_files
from learn_compact.offline.standin import answer
from learn_compact.offline.standin.understanding import understand


def requests_of(messages):
    return [messages[:i] for i, message in enumerate(messages) if message["role"] == "assistant"]


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    folder = write_files(SMALL, tmp_path_factory.mktemp("small"))
    messages = run(AUDIT, folder)[1]
    messages = run('Put "# x" on top of every Python file under agents', folder, messages=messages)[1]
    return run("Which files did you read?", folder, messages=messages)[1]


def test_the_same_request_gets_the_same_answer_in_any_order(session):
    requests = requests_of(session)
    answers = [ask(*messages) for messages in requests]
    assert answers == [message["content"] for message in session if message["role"] == "assistant"]
    assert answers[::-1] == [ask(*messages) for messages in requests[::-1]]


def test_another_process_with_another_seed_of_hashes_answers_the_same(session):
    summarise = {"role": "user", "content": "Summarize this conversation. Focus on agents/b.py"}
    requests = [{"max_tokens": 500, "messages": [*messages, *more], "tools": FIVE}
                for messages in requests_of(session) for more in ([], [summarise])]
    code = ("import json, sys; from learn_compact.offline.standin import answer\n"
            "print(json.dumps([answer(request) for request in json.load(sys.stdin)]))")
    ran = subprocess.run([sys.executable, "-c", code], input=json.dumps(requests), capture_output=True, text=True,
                         check=True, env={**os.environ, "PYTHONHASHSEED": "31"})
    assert json.loads(ran.stdout) == [answer(request) for request in requests]


ODD_TEXTS = st.lists(st.sampled_from([
    "read", "count", "functions", "skip", "files named", "test_*", "agents/", ",", ".", "not", "replace", '"a"', "with",
    "'b'", "⟦0⟧", "⟦9⟧", "`", "“", "under", "the", "top", ":", "\n", "compact", "until", "*", "[", "line", "and", "no",
    "(", ")"]), max_size=14).map(" ".join) | st.text(max_size=60)


@given(ODD_TEXTS)
def test_any_words_are_understood_or_declined(text):
    assert understand(text) == understand(str(text))


SUMMARISE = {"role": "user", "content": "Summarize the conversation above."}
NEXT = st.sampled_from([[], [SUMMARISE], [{"role": "user", "content": AUDIT}],
                        [{"role": "user", "content": "What did I ask you?"}]])


@given(conversations(), NEXT)
def test_any_valid_conversation_gets_an_answer_and_stays_as_it_was(messages, more):
    request = {"model": "stand-in", "max_tokens": 400, "messages": [*messages, *more], "tools": FIVE}
    before = copy.deepcopy(request)
    content = answer(request)
    assert request == before and content == answer(before)
    assert content[0]["type"] == "text" and content[0]["text"].strip()
    assert {block["name"] for block in content[1:]} <= {tool["name"] for tool in FIVE}
    ids = [block["id"] for block in content[1:]]
    assert not set(ids) & {block.get("id") for message in messages if isinstance(message["content"], list)
                           for block in message["content"]} and len(set(ids)) == len(ids)
