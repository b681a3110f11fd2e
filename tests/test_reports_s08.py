"""Public reports of compaction going wrong that the steps of s08 must answer, each with the smallest input for it.

The numbers are those of reference/failures.md; every layer meets every history, at every size that can matter.
"""

from itertools import product

import pytest
from talk import PICTURE, assistant, calls, results, text, thought, user

from learn_compact.archive import Archive
from learn_compact.layers.auto import compact_history, reactive_compact
from learn_compact.layers.budget import tool_result_budget
from learn_compact.layers.micro import micro_compact
from learn_compact.layers.snip import snip_compact
from learn_compact.messages import newest_request, problems
from learn_compact.tokens import estimate_chars

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")

LONG = "and so on " * 40

HISTORIES = {
    "1 openclaw#8525: a cut between call and result": [
        user("Look."), calls("a"), results(("a", LONG)), user("Go on. " + LONG)],
    "5 kimi-code#1053, 6 agent-os#3077: a cut inside a parallel batch": [
        user("Look."), calls("a", "b"), results(("a", LONG), ("b", LONG)), assistant("Both."), user("Go on.")],
    "9 langchain#38352: one of several ids is enough": [
        user("Look."), calls("a", "b", "c"), results(("c", LONG), ("a", LONG), ("b", LONG)), calls("d"),
        results(("d", LONG))],
    "10 langchain#34282, deepagents#270: results behind a summary whose calls are gone": [
        user("Look."), assistant(LONG), calls("a"), results(("a", LONG)), calls("b"), results(("b", LONG))],
    "11 Codewhale#6119: a message with results and words": [
        user("Look."), calls("a"), results(("a", LONG), then=[text("And count the classes.")]), assistant(LONG)],
    "13 anthropic-sdk-python#1151: a server's tool and its result in one message": [
        user("Look."), {"role": "assistant", "content": [
            {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "context"}},
            {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}, text(LONG)]},
        user("Go on."), assistant(LONG)],
    "38 claude-code#22376, 47 codegraff#260: parts of the newest request vanish": [
        {"role": "user", "content": [text("What is wrong here?"), PICTURE, text("Look closely.")]},
        calls("a"), results(("a", LONG)), calls("b"), results(("b", LONG)), assistant("That.")],
    "56 claude-code#13692, opencode#41738: thinking in the newest answer": [
        user("Look."), calls("a", before=[thought()]), results(("a", LONG)), calls("b", before=[thought()]),
        results(("b", LONG))],
    "62 claux#39: neighbours of one role": [
        user("Look."), user("Please."), assistant(LONG), assistant("And " + LONG), user("Go on."), user(LONG)],
    "64 holmesgpt#2409, slicc#2011: one huge result, an error": [
        user("Look."), calls("a"), results(("a", "x" * 733_000), is_error=True), assistant("Too much.")],
}


def passes(messages, archive):
    """What every layer makes of the messages, at every number of messages and results to keep."""
    def summarize(messages, focus=""):
        return "Done."

    for keep_first, keep_last in product(range(len(messages)), repeat=2):
        yield snip_compact(messages, archive=archive, max_messages=0, keep_first=keep_first, keep_last=keep_last)
    for keep in range(len(messages)):
        yield micro_compact(messages, keep_recent=keep)
        yield reactive_compact(messages, summarize=summarize, archive=archive, keep_messages=keep)
    for max_chars in (0, 300, 30_000):
        yield tool_result_budget(messages, archive=archive, max_chars=max_chars, preview_chars=10)
    yield compact_history(messages, summarize=summarize, archive=archive)


@pytest.mark.parametrize("report", HISTORIES)
def test_no_layer_repeats_what_was_reported(report, tmp_path):
    messages, archive = HISTORIES[report], Archive(tmp_path, clock=lambda: 7)
    assert not problems(messages)
    seen = 0
    for after in passes(messages, archive):
        assert not problems(after)
        assert newest_request(after, archive) == newest_request(messages, archive)
        assert after is messages or estimate_chars(after) < estimate_chars(messages)
        if "thinking" in report:
            assert after[-2] is messages[-2]
        if "parts of the newest request" in report:
            assert PICTURE in [block for message in after if isinstance(message["content"], list)
                               for block in message["content"]]
        seen += after is not messages
    assert seen, "no layer did anything: this proves nothing"


def test_a_huge_error_becomes_small_and_stays_an_error(tmp_path):
    messages = HISTORIES["64 holmesgpt#2409, slicc#2011: one huge result, an error"]
    after = tool_result_budget(messages, archive=Archive(tmp_path))
    assert estimate_chars(after) < 3_000 and after[2]["content"][0]["is_error"] is True
