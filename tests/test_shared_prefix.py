"""A summary asked for behind the conversation itself: what is read from the cache, and what if it can't be sent so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted import Scripted, response, text
from talk import assistant, calls, long_talk, results, user

from learn_compact.agent import S08_TOOLS, Agent, Workspace
from learn_compact.archive import Archive
from learn_compact.check.strategies import conversations
from learn_compact.errors import PolicyError, SummaryError
from learn_compact.layers.age import without_recoverable
from learn_compact.messages import newest_request, problems, tool_results
from learn_compact.offline import MODEL, Fault, OfflineAPI, client_of, tasks
from learn_compact.pipeline import Pipeline, claude_code
from learn_compact.restore import Restoration
from learn_compact.summaries import (
    NINE_SECTIONS,
    ModelSummarizer,
    PrefixSummarizer,
    Summary,
    all_requests,
    check_summary,
    nine_sections,
)
from learn_compact.summaries.prompts import TEXT_ONLY
from learn_compact.summaries.sharing import NOT_RUN
from learn_compact.tokens import context_tokens

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")

TOOL = {"name": "bash", "description": "Run.", "input_schema": {"type": "object"}}
REQUEST = {"model": MODEL, "system": "You code.", "tools": [TOOL], "cache_control": {"type": "ephemeral"}}
ANSWER = text("<summary>\n" + "\n".join(f"{n}. {title}:\nnone" for n, title in enumerate(NINE_SECTIONS, 1)))
TALK = [*long_talk(8, content="word " * 400), assistant("Eight.")]


def shares(usage):
    """(read from the cache, not from it) of the tokens of a request."""
    return usage["cache_read_input_tokens"], usage["cache_creation_input_tokens"] + usage["input_tokens"]


def agent_at(folder, policy=None, *, window=200_000, **options):
    api = OfflineAPI(window)
    return Agent(client_of(api), MODEL, folder, policy or Pipeline([]), tools=S08_TOOLS, cache=True,
                 on_event=lambda event: None, **options), api


# What is read from the cache


@pytest.fixture(scope="module")
def worked(tmp_path_factory):
    """An agent that has just audited a project, and its API."""
    folder, task = tmp_path_factory.mktemp("project"), tasks.audit(5)
    task.build(folder)
    agent, api = agent_at(folder)
    agent.ask(task.prompt)
    return agent, api


def test_all_that_the_conversations_last_request_had_is_read_and_only_the_rest_is_paid(worked):
    agent, api = worked
    seen = context_tokens({**api.calls[-1].usage, "output_tokens": 0})
    summarize = PrefixSummarizer(agent.client, lambda: agent.request)
    assert isinstance(summarize(agent.messages), Summary) and summarize.why_text is None
    read, paid = shares(api.calls[-1].usage)
    assert read == seen > 19_000 and paid < 700


@pytest.mark.parametrize("asked", [
    lambda agent: ModelSummarizer(agent.client, MODEL, nine_sections)(agent.messages),
    lambda agent: PrefixSummarizer(agent.client, agent.request)(without_recoverable(agent.messages)),
    lambda agent: PrefixSummarizer(agent.client, {**agent.request, "system": "Another."})(agent.messages),
    lambda agent: PrefixSummarizer(agent.client, {**agent.request, "tools": []})(agent.messages),
    lambda agent: PrefixSummarizer(agent.client, {**agent.request, "tool_choice": {"type": "none"}})(agent.messages),
], ids=["as text", "cleared", "another system prompt", "without tools", "tools forbidden by tool_choice"])
def test_whatever_changes_the_beginning_reads_nothing(worked, asked):
    agent, api = worked
    asked(agent)
    assert shares(api.calls[-1].usage)[0] < 1_500, "tools and system prompt at most"


def test_a_second_request_for_what_is_missing_reads_the_prefix_too(worked):
    agent, api = worked
    before = len(api.calls)
    PrefixSummarizer(agent.client, agent.request, max_tokens=600, ask_again=True)(
        [*agent.messages, user("Never touch setup.py. " + "And explain. " * 300)])
    reads = [shares(one.usage)[0] for one in api.calls[before:]]
    assert len(reads) == 2 and min(reads) > 19_000


# What is sent


def sent(messages, request=REQUEST, answer=ANSWER, **options):
    client = Scripted(response(answer))
    summarize = PrefixSummarizer(client, request, **options)
    summarize(messages)
    assert summarize.why_text is None
    return client.requests[0]


def test_the_conversation_is_sent_unchanged_and_text_only_is_said_first_and_last_behind_it():
    request = sent(TALK)
    *before, last = request.pop("messages")
    assert all(one is other for one, other in zip(before, TALK, strict=True))
    assert request == {**REQUEST, "max_tokens": 8_000}
    [asked] = last["content"]
    assert asked["text"].startswith(TEXT_ONLY) and asked["text"].endswith(TEXT_ONLY)


def test_calls_that_nothing_has_answered_are_answered_as_not_run():
    messages = [user("Look."), calls("a", "b")]
    *answers, asked = sent(messages)["messages"][-1]["content"]
    assert [(one["tool_use_id"], one["content"], one["is_error"]) for one in answers] == [
        ("a", NOT_RUN, True), ("b", NOT_RUN, True)]
    assert asked["type"] == "text" and problems(sent(messages)["messages"]) == []


def test_thinking_stays_as_it_was_and_leaves_room_for_the_answer():
    thinking = {"type": "enabled", "budget_tokens": 10_000}
    request = sent(TALK, {**REQUEST, "thinking": thinking, "max_tokens": 16_000})
    assert request["thinking"] == thinking and request["max_tokens"] == 18_000


def test_any_prompt_can_be_asked_and_nothing_else_of_the_summarizer_changes():
    client = Scripted(response(text("All is counted.")))
    assert PrefixSummarizer(client, REQUEST, lambda focus: f"Sum it up: {focus}")(TALK, "tests") == "All is counted."
    assert client.requests[0]["messages"][-1]["content"][0]["text"] == f"Sum it up: tests\n\n{TEXT_ONLY}"


@given(conversations(), st.data())
def test_the_api_takes_it_wherever_the_conversation_stands(messages, data):
    messages = messages[:data.draw(st.integers(1, len(messages)))]
    api = OfflineAPI()
    summarize = PrefixSummarizer(client_of(api), REQUEST)
    assert summarize(messages).missing == () and summarize.why_text is None
    assert [one.status for one in api.calls] == [200]


# Where it can't be sent


@pytest.mark.parametrize("broken", [
    [assistant("Hm.")], [user("Go."), results(("a", "x"))], [user("Go."), calls("a"), user("And?")], [user(" ")],
    [user("Go."), {"role": "assistant", "content": [{"type": "tool_use", "name": "bash", "input": {}}]}],
], ids=["without a request", "a result without its call", "a call without its result", "blank", "a call without an id"])
def test_a_conversation_that_the_api_would_refuse_is_sent_as_text(broken):
    client = Scripted(response(ANSWER))
    summarize = PrefixSummarizer(client, REQUEST)
    assert summarize(broken).missing == () and summarize.why_text.startswith("messages.")
    assert len(client.requests) == 1 and problems(client.requests[0]["messages"]) == []


def test_a_conversation_that_fills_the_window_is_sent_as_text_and_the_next_one_again_as_it_is():
    api = OfflineAPI(4_000)
    summarize = PrefixSummarizer(client_of(api), REQUEST, max_chars=6_000, max_tokens=1_500)
    assert "- User request: Count the functions." in summarize(TALK)["All user messages"]
    assert "prompt is too long" in summarize.why_text
    assert [one.status for one in api.calls] == [400, 200]
    summarize(TALK[:1])
    assert summarize.why_text is None and len(api.calls) == 3


def test_an_answer_for_which_the_window_had_no_room_is_asked_for_again_as_text():
    client = Scripted(response(text("<summary>\n1. Pri"), stop_reason="model_context_window_exceeded"),
                      response(ANSWER))
    summarize = PrefixSummarizer(client, REQUEST)
    assert summarize(TALK).missing == () and "no room" in summarize.why_text
    assert "tools" not in client.requests[1] and len(client.requests[1]["messages"]) == 1
    assert client.requests[1]["model"] == MODEL


@pytest.mark.parametrize(("fault", "cause"), [
    (Fault(call=1, kind="tool_call"), "called"), (Fault(call=1, kind="refusal"), "refused"),
    (Fault(call=1, status=400, message="No."), r"no answer: .*No\.")])
def test_what_is_no_summary_is_refused_and_not_asked_for_again(fault, cause):
    api = OfflineAPI(faults=[fault])
    with pytest.raises(SummaryError, match=cause):
        PrefixSummarizer(client_of(api), REQUEST)(TALK)
    assert len(api.calls) == 1


@pytest.mark.parametrize("request_", [{"system": "You code."}, None, "a-model", lambda: None])
def test_a_request_without_a_model_is_no_request(request_):
    with pytest.raises(PolicyError, match="request must be what the conversation's own requests say: model, "):
        PrefixSummarizer(Scripted(), request_)(TALK)


# In the five layers


def seen_by(summarize, policy, messages):
    policy.compact(messages)
    return summarize.client.requests[0]["messages"]


def test_the_five_layers_show_it_what_was_sent_and_nothing_cleared(tmp_path):
    summarize = PrefixSummarizer(Scripted(response(ANSWER)), REQUEST)
    shown = seen_by(summarize, claude_code(summarize, Archive(tmp_path)), TALK)
    assert shown[:-1] == TALK


def test_what_was_read_collapsed_is_what_it_is_shown(tmp_path):
    summarize = PrefixSummarizer(Scripted(response(ANSWER)), REQUEST)
    policy = claude_code(summarize, Archive(tmp_path), effective_window=40_000, collapse_share=0.1)
    messages = [*long_talk(30, content="word " * 100), assistant("Done.")]
    policy.prepare(messages)
    assert seen_by(summarize, policy, messages)[:-1] == policy.view(messages) != messages


def test_any_other_is_shown_the_conversation_without_what_can_be_fetched_again(tmp_path):
    shown = []
    policy = claude_code(lambda messages, focus="": shown.append(messages) or "Half.", Archive(tmp_path))
    policy.compact(TALK)
    assert [found.block["content"] for found in tool_results(shown[0])][0] == "[Previous: used bash]"


@pytest.mark.parametrize("task", [tasks.audit(13), tasks.edit(5)], ids=lambda task: task.name)
def test_a_task_goes_through_three_compactions_to_the_right_end_and_every_summary_reads_the_cache(task, tmp_path):
    task.build(tmp_path)
    summaries = []

    def asked(messages, focus=""):
        summary = shared(messages, focus)
        summaries.append((shares(api.calls[-1].usage), shared.why_text))
        return summary

    asked.shares_prefix = True
    policy = claude_code(asked, Archive(tmp_path, clock=lambda: 7), effective_window=13_000 + 8_000, clock=lambda: 7,
                         restoration=Restoration(Workspace(tmp_path), max_tokens=300))
    agent, api = agent_at(tmp_path, policy)
    shared = PrefixSummarizer(agent.client, lambda: agent.request)
    answer = agent.ask(task.prompt)
    assert len(summaries) >= 3 and task.score(answer, tmp_path) == 1.0
    assert newest_request(agent.messages, agent.archive) == task.prompt
    assert [one.status for one in api.calls] == [200] * len(api.calls)
    for (read, paid), why_text in summaries:
        assert why_text is None and paid < 700 and read > 5 * paid


@pytest.mark.parametrize("rounds", [1, 3, 5])
def test_requests_and_prohibitions_are_there_word_for_word_after_rounds_of_compaction(rounds, tmp_path):
    archive, messages, said = Archive(tmp_path, clock=lambda: 7), [], []
    policy = claude_code(PrefixSummarizer(client_of(OfflineAPI()), REQUEST), archive)
    for n in range(rounds):
        said.append(f"Count part {n}.\nNever open secret_{n}.py, whatever it says.")
        messages = policy.compact([*messages, user(said[-1]), assistant("It goes on. " * 300)])
    assert all_requests(messages, archive) == said
    check = check_summary(messages[0]["content"][0]["text"], [user(one) for one in said])
    assert check.missing == () and check.kept == 2 * rounds


def test_without_a_cache_the_agent_marks_nothing(tmp_path):
    agent, api = agent_at(tmp_path)
    for agent.cache in (False, True):
        agent.ask("Count.")
    assert ["cache_control" in one.request for one in api.calls] == [False, True]
