"""The s08 table of seed_facts, line by line: each test bears the line's name. Then the cures, and an agent at work."""

import re

import pytest
from talk import all_blocks, assistant, calls, long_talk, results, round_trip, user

from learn_compact.agent import MAX_TOKENS, S08_TOOLS, Agent
from learn_compact.agent.loop import MAX_REACTIVE_RETRIES
from learn_compact.archive import Archive
from learn_compact.errors import ContextWindowError, PolicyError
from learn_compact.layers.auto import CONTEXT_CHAR_LIMIT, reactive_compact
from learn_compact.layers.budget import persisted_path
from learn_compact.ledger import KEPT
from learn_compact.messages import blocks, newest_request, problems, tool_results
from learn_compact.offline import MODEL, OfflineAPI, client_of, tasks
from learn_compact.pipeline import Pipeline, s08
from learn_compact.summaries import ModelSummarizer
from learn_compact.tokens import estimate_chars

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")


def summarize(messages, focus=""):
    return "Half of the files are counted."


@pytest.fixture
def archive(tmp_path):
    return Archive(tmp_path, clock=lambda: 7)


def ran(run):
    return [report.name for report in run.reports if report.after is not report.before]


# | order |


def test_order_budget_snip_micro_history(archive):
    assert [step.name for step in s08(summarize, archive).steps] == [
        "tool_result_budget", "snip_compact", "micro_compact", "compact_history"]


def test_order_each_step_sees_what_the_one_before_it_left(archive):
    messages = [*long_talk(30, content="y" * 500), calls("big"), results(("big", "x" * 60_000)), *round_trip(99)]
    run = s08(summarize, archive, char_limit=5_000).run(messages)
    assert ran(run) == ["tool_result_budget", "snip_compact", "micro_compact", "compact_history"]
    for earlier, later in zip(run.reports, run.reports[1:], strict=False):
        assert later.before is earlier.after


@pytest.mark.parametrize(("name", "wrong", "wanted"), [
    ("char_limit", "x", "whole number"), ("char_limit", -5, "whole number"), ("keep_messages", "a", "whole number"),
    ("keep_messages", -1, "whole number"), ("snip_to", "x", "whole number"), ("max_batch_chars", -1, "whole number"),
    ("keep_last", None, "whole number"), ("micro_to", 2, "share, 0 to 1"), ("micro_to", "x", "share, 0 to 1"),
])
def test_parameters_out_of_their_range_are_refused_by_name(archive, name, wrong, wanted):
    with pytest.raises(PolicyError, match=f"{name} must be a {wanted}.*, not {wrong!r}"):
        s08(summarize, archive, **{name: wrong})


@pytest.mark.parametrize("parameters", [{"keep_messages": "a"}, {"keep_messages": -1}, {"max_kept_chars": "a"}])
def test_parameters_of_reactive_compact_alone_are_refused_too(archive, parameters):
    with pytest.raises(PolicyError, match=f"{next(iter(parameters))} must be a .*number, 0 or more"):
        reactive_compact(long_talk(9), summarize=summarize, archive=archive, **parameters)


# | tool_result_budget |


def test_tool_result_budget_results_over_30_000_characters_go_to_disk_and_leave_path_and_preview(archive):
    messages = [user("Look."), calls("a", "b"), results(("a", "x" * 30_001), ("b", "y" * 30_000))]
    large, small = (found.block for found in tool_results(s08(summarize, archive).prepare(messages)))
    assert large["content"].startswith("<persisted-output>\nFull output: .task_outputs/tool-results/0001_a.txt\n"
                                       "Preview:\nxxx")
    assert archive.load_result(".task_outputs/tool-results/0001_a.txt") == "x" * 30_001
    assert small["content"] == "y" * 30_000


# | snip_compact |


def test_snip_compact_above_50_messages_the_first_3_and_the_last_47_stay(archive):
    messages = [(user, assistant)[n % 2](f"Message {n}, and some words more so that it is worth it.")
                for n in range(59)]
    after = s08(summarize, archive).prepare(messages)
    assert after[:3] == messages[:3] and after[4:] == messages[-47:]
    assert "[9 messages archived at .transcripts/transcript_7.jsonl]" in str(after[3])
    assert s08(summarize, archive).prepare(messages[:50]) == messages[:50]


# | micro_compact |


def test_micro_compact_the_3_newest_stay_and_the_others_become_placeholders(archive):
    after = s08(summarize, archive).prepare(long_talk(6, content="y" * 200))
    assert [found.block["content"] for found in tool_results(after)] == ["[Previous: used bash]"] * 3 + ["y" * 200] * 3


def test_micro_compact_runs_always_as_in_s06(archive):
    run = s08(summarize, archive).run([user("Hello")])
    assert [report.name for report in run.reports if report.ran] == ["micro_compact"]


# | compact_history |


def exactly(chars):
    """A conversation of exactly so many characters."""
    messages = [user("Count."), assistant("x")]
    return [messages[0], assistant("x" * (chars - estimate_chars(messages) + 1))]


def test_compact_history_only_above_50_000_characters(archive):
    assert CONTEXT_CHAR_LIMIT == 50_000
    at_the_limit, above_it = exactly(50_000), exactly(50_001)
    assert s08(summarize, archive).prepare(at_the_limit) is at_the_limit
    [ours] = s08(summarize, archive).prepare(above_it)
    assert ours["content"][0]["text"] == "[Compacted]\nTranscript: .transcripts/transcript_7.jsonl\n\n" + summarize([])
    assert archive.load(".transcripts/transcript_7.jsonl") == above_it


def test_compact_history_the_unit_is_characters_and_no_tokens(archive):
    chinese = [user("数"), assistant("数" * 49_000)]  # some 50,000 tokens, and less than 50,000 characters
    assert s08(summarize, archive).prepare(chinese) is chinese


# | reactive_compact |


class Refusing:
    """A model that would answer, behind an API whose window is smaller than anybody thinks."""

    def __init__(self, window):
        self.api = OfflineAPI(window, model=lambda request: [{"type": "text", "text": "Understood."}])
        self.client = client_of(self.api)


def agent_with(refusing, archive, **parameters):
    policy = s08(summarize, archive, **parameters)
    return Agent(refusing.client, MODEL, archive.root, policy, tools=S08_TOOLS, on_event=lambda event: None)


def test_reactive_compact_after_prompt_too_long_compact_and_retry_once(archive):
    refusing = Refusing(window=4_000)
    agent = agent_with(refusing, archive)
    agent.messages[:] = [user("Count."), assistant("And so on. " * 3_000), *long_talk(3)[1:], assistant("Done.")]
    assert agent.ask("Go on.") == "Understood."
    refused, answered = refusing.api.calls
    assert (refused.status, answered.status) == (400, 200)
    assert blocks(agent.messages[0])[0]["text"].startswith("[Compacted]\nTranscript: ")
    assert newest_request(agent.messages, archive) == "Go on."


def test_reactive_compact_then_the_error(archive):
    refusing = Refusing(window=50)
    agent = agent_with(refusing, archive)
    agent.messages[:] = [*long_talk(12, content="a word " * 20), assistant("Done.")]
    with pytest.raises(ContextWindowError, match=r"prompt is too long: \d+ tokens > 50 maximum"):
        agent.ask("Go on.")
    assert [call.status for call in refusing.api.calls] == [400, 400]
    assert MAX_REACTIVE_RETRIES == 1
    assert not problems(agent.messages) and newest_request(agent.messages, archive) == "Go on."


# | invariant |


def test_invariant_a_result_always_follows_the_message_with_its_call(archive):
    policy, context = s08(summarize, archive, char_limit=6_000), [user("Count.")]
    for n in range(80):
        ids = [f"call_{n}_{k}" for k in range(1 + n % 4)]
        context += [calls(*ids), results(*((one, "y" * (n % 7) * 100) for one in reversed(ids)))]
        context = policy.prepare(context)
        for message, before in zip(context[1:], context, strict=False):
            answers = {block["tool_use_id"] for block in blocks(message) if block["type"] == "tool_result"}
            assert answers <= {block["id"] for block in blocks(before) if block["type"] == "tool_use"}
        assert not problems(context)


# The cures of later versions


def test_a_limit_for_the_batch_leaves_a_single_large_result_alone(archive):
    messages = [user("Look."), calls("a"), results(("a", "x" * 40_000))]
    assert s08(summarize, archive, max_batch_chars=200_000).prepare(messages) is messages


def test_a_deep_snip_gives_peace_where_the_documented_one_snips_at_every_turn(archive):
    snips = {}
    for snip_to in (None, 30):
        policy, context, snips[snip_to] = s08(summarize, archive, snip_to=snip_to), [user("Count.")], 0
        for n in range(60):
            context = policy.prepare([*context, *round_trip(n)])
            snips[snip_to] += "snip_compact" in ran(policy.last_run)
    assert snips[None] > 30 and snips[30] < 6


def test_clearing_down_to_a_share_waits_for_the_limit_and_stops_as_soon_as_it_may(archive):
    policy = s08(summarize, archive, micro_to=0.8)
    few = long_talk(6, content="y" * 200)
    assert policy.prepare(few) is few
    many = long_talk(20, content="y" * 3_000)
    after = policy.prepare(many)
    kept = [found.block["content"] for found in tool_results(after)].count("y" * 3_000)
    assert 39_000 - 3_100 < estimate_chars(after) <= 40_000 and kept == 11
    assert policy.prepare(after) is after


def test_what_is_cleared_may_leave_its_path_and_what_is_on_disk_already_is_not_saved_again(archive):
    policy = s08(summarize, archive, leave_path=True, keep_recent=1)
    messages = [user("Look."), calls("a", "b", "c"), results(("a", "x" * 40_000), ("b", "y" * 300), ("c", "z" * 120)),
                *round_trip(1)]
    large, small, tiny, _ = (found.block["content"] for found in tool_results(policy.prepare(messages)))
    assert large == "[Previous: used bash. Full output: .task_outputs/tool-results/0001_a.txt]"
    assert small == "[Previous: used bash. Full output: .task_outputs/tool-results/0002_b.txt]"
    assert tiny == "z" * 120  # a path would be as long
    assert archive.load_result(".task_outputs/tool-results/0001_a.txt") == "x" * 40_000
    assert archive.load_result(".task_outputs/tool-results/0002_b.txt") == "y" * 300
    assert policy.last_run.ledger.lost() == []


# An agent


@pytest.fixture(scope="module")
def audit(tmp_path_factory):
    """An audit of a project that is three times as large as the window, done by an agent with `s08()`."""
    task, folder = tasks.audit(5), tmp_path_factory.mktemp("audit")
    task.build(folder)
    unbounded = Agent(client_of(OfflineAPI(200_000)), MODEL, folder, Pipeline([]), archive=Archive(folder / ".other"),
                      tools=S08_TOOLS, on_event=lambda event: None)
    unbounded.ask(task.prompt)
    api, arrived = OfflineAPI(6_000), []
    client, archive = client_of(api), Archive(folder, clock=lambda: 7)
    log, archive.log = archive.log, lambda message: (arrived.append(message), log(message))
    agent = Agent(client, MODEL, folder, s08(ModelSummarizer(client, MODEL), archive), tools=S08_TOOLS,
                  on_event=lambda event: None)
    answer = agent.ask(task.prompt)
    return task, folder, unbounded, api, agent, answer, arrived


def test_the_audit_needs_three_windows_and_ends_right(audit):
    task, folder, unbounded, api, _, answer, _ = audit
    assert max(point.counted for point in unbounded.points) > 3 * api.window
    assert task.score(answer, folder) == 1.0


def test_no_pair_was_broken_at_any_request(audit):
    _, _, _, api, agent, _, _ = audit
    assert len(agent.points) > 10
    refusals = [call.error for call in api.calls if call.status != 200]
    assert all(re.fullmatch(r"prompt is too long: \d+ tokens > 6000 maximum", error) for error in refusals)


def test_every_original_comes_back_byte_for_byte_from_the_ledger(audit):
    *_, agent, _, arrived = audit
    ledger = agent.ledger
    originals = all_blocks(arrived)
    assert len(ledger.entries) == len(originals) > 30
    assert [ledger.restore(entry) for entry in ledger.entries] == originals
    assert not ledger.lost()
    assert sum(entry.fate != KEPT for entry in ledger.entries) > len(originals) / 2


def test_the_tools_of_s08_are_those_of_s06_and_glob():
    assert [tool.name for tool in S08_TOOLS] == ["bash", "read_file", "write_file", "edit_file", "glob", "compact"]
    assert MAX_TOKENS == 8_000


def test_what_a_budget_put_on_disk_can_be_read_with_the_path_that_it_left(archive):
    archive.root.joinpath("long.txt").write_text("\n".join(f"line {n}" for n in range(9_000)))
    after = s08(summarize, archive).prepare([user("Look."), calls("a"), results(("a", "z" * 40_000))])
    path = persisted_path(tool_results(after)[0].block, archive)
    [read] = [tool for tool in S08_TOOLS if tool.name == "read_file"]
    agent = agent_with(Refusing(window=200_000), archive)
    assert read.call(agent.workspace, {"path": path}) == ("z" * 40_000, False)
