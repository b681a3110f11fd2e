"""The Claude Code table of seed_facts, line by line: each test bears the line's name. Then agents at work."""

import json
from functools import partial

import pytest
from scripted import Scripted, call, response
from talk import assistant, calls, long_talk, results, text, user

from learn_compact.agent import S08_TOOLS, Agent, BackgroundTasks, Workspace
from learn_compact.archive import Archive
from learn_compact.data import load_outline
from learn_compact.errors import ContextWindowError, SummaryError
from learn_compact.lab.trial import trial
from learn_compact.layers.age import RECOVERABLE_TOOLS, Ages, micro_by_age
from learn_compact.layers.budget import persisted_path
from learn_compact.layers.collapse import collapse
from learn_compact.layers.full import CONTINUES, full_compact
from learn_compact.messages import blocks, marker_path, newest_request, problems, tool_results
from learn_compact.offline import MODEL, OfflineAPI, client_of, connect, tasks, with_subtask
from learn_compact.pipeline import Pipeline, auto_compact_threshold, claude_code, request_source
from learn_compact.restore import MAX_FILES, MAX_TOKENS_EACH, MAX_TOKENS_IN_ALL, MemoryFile, Restoration, SystemPrompt
from learn_compact.summaries import NINE_SECTIONS, ModelSummarizer, PrefixSummarizer, nine_sections
from learn_compact.summaries.prompts import TEXT_ONLY
from learn_compact.tokens import PARTS, context_parts, estimate_by_kind

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")

WINDOW = 15_000  # effective: the threshold is 2,000 tokens
WHOLE = "\n".join(f"{n}. {title}:\nsaid about {n}" for n, title in enumerate(NINE_SECTIONS, 1))


def summarize(messages, focus=""):
    return "Half of the files are counted."


@pytest.fixture
def archive(tmp_path):
    return Archive(tmp_path, clock=lambda: 7)


class Clock:
    seconds = 0

    def __call__(self):
        return self.seconds


def ran(run):
    return [report.name for report in run.reports if report.after is not report.before]


def texts(message):
    return [block["text"] for block in blocks(message) if block["type"] == "text"]


LONG = [*long_talk(8, content="word " * 400), assistant("Eight.")]


# | what fills the window |


def test_what_fills_the_window_is_told_apart_and_a_tool_call_is_booked_twice():
    tool = {"name": "bash", "description": "Run.", "input_schema": {"type": "object"}}
    found = context_parts("You code.", [tool], long_talk(1, content="done"))
    assert set(found.parts) == set(PARTS) and found.fixed == found.parts["system"] + found.parts["tools"] > 0
    assert found.by_tool["bash"].tool_use > 0 and found.by_tool["bash"].tool_result > 0


# | five layers, light to heavy |


def test_five_layers_light_to_heavy(archive):
    assert [step.name for step in claude_code(summarize, archive).steps] == [
        "tool_result_budget", "snip_compact", "micro_by_age", "collapse", "auto_compact"]


def test_layer_1_large_tool_results_go_to_disk(archive):
    messages = [user("Look."), calls("a"), results(("a", "x" * 30_001))]
    after = claude_code(summarize, archive).prepare(messages)
    assert after[2]["content"][0]["content"].startswith("<persisted-output>\nFull output: ")


def test_layer_1_what_an_asynchronous_task_gave_stays_whole_on_disk_and_nothing_later_takes_its_path(archive):
    """No second call brings it back: so its file holds it, and the note with its path outlives layers 3 and 4."""
    clock, output = Clock(), "a line of the task\n" * 2_000
    policy = claude_code(summarize, archive, clock=clock, max_age=600, collapse_share=0)
    work = [user("Go."), *old_round("check_task", 0, output),
            *(message for n in range(1, 40) for message in old_round("bash", n, "word " * 40)), assistant("Done.")]
    kept = policy.prepare(work)
    clock.seconds = 601
    read = policy.view(policy.prepare(kept))
    assert ran(policy.last_run) == ["micro_by_age", "collapse"]
    note = next(found.block for found in tool_results(read) if found.tool_use_id == "c0")
    assert archive.load_result(persisted_path(note, archive)) == output


def test_layer_2_ancient_messages_are_snipped(archive):
    policy = claude_code(summarize, archive, max_messages=40, snip_to=20)
    after = policy.prepare(long_talk(30))
    assert ran(policy.last_run) == ["snip_compact"] and len(after) <= 23
    assert "messages archived at" in str(after[3])


def test_layer_3_results_are_cleared_by_their_age_on_a_clock(archive):
    clock = Clock()
    policy = claude_code(summarize, archive, clock=clock, max_age=600)
    early = long_talk(6, content="y" * 200)
    assert policy.prepare(early) is early
    clock.seconds = 601
    later = [*early, assistant("Six."), user("On."), *long_talk(1)[1:]]
    later[-2] = {**later[-2], "content": [{**later[-2]["content"][-1], "id": "new"}]}
    later[-1] = results(("new", "z" * 200))
    contents = [found.block["content"] for found in tool_results(policy.prepare(later))]
    assert contents == ["[Previous: used bash]"] * 4 + ["y" * 200] * 2 + ["z" * 200]


def test_layer_4_collapse_is_a_projection_and_what_is_stored_stays(archive):
    policy = claude_code(summarize, archive, effective_window=40_000, collapse_share=0.1)
    messages = [*long_talk(30, content="word " * 100), assistant("Done.")]
    assert policy.prepare(messages) is messages
    read = policy.view(messages)
    assert "[20 messages collapsed]" in str(read) and len(read) == len(messages) - 2 * 20 + 2
    assert not problems(read) and newest_request(read) == newest_request(messages)
    assert ran(policy.last_run) == ["collapse"]
    assert not any(entry.fate != "kept" for entry in policy.last_run.ledger.entries)


def test_layer_5_auto_compact_puts_a_new_chain_in_place_of_all(archive):
    [ours] = claude_code(summarize, archive, effective_window=WINDOW).prepare(LONG)
    header, transcript, _, *summary = texts(ours)[0].split("\n")
    assert header == f"[Conversation compacted: auto, {estimate_by_kind(LONG)} tokens before]"
    assert archive.load(transcript.removeprefix("Transcript: ")) == LONG
    assert "\n".join(summary) == summarize([])


def test_what_is_read_collapsed_may_make_a_summary_needless(archive):
    messages = [*long_talk(40, content="word " * 100), assistant("Done.")]
    window = 13_000 + estimate_by_kind(messages) - 2_000
    policy = claude_code(summarize, archive, effective_window=window)
    assert policy.prepare(messages) is messages
    without = claude_code(summarize, archive, effective_window=window, collapse_share=9)
    assert len(without.prepare(messages)) == 1


def test_what_is_read_collapsed_is_the_same_after_saving_and_loading(archive):
    policy = claude_code(summarize, archive, effective_window=40_000, collapse_share=0.1)
    messages = [*long_talk(30, content="word " * 100), assistant("Done.")]
    loaded = archive.load(archive.save_transcript(messages))
    assert policy.view(loaded) == policy.view(messages) != messages and loaded == messages


@pytest.mark.parametrize(("window", "asked"), [(40_000, {1}), (60_000, {0})])
def test_in_chapter_7_no_light_layer_alone_decides_whether_a_model_is_asked(archive, window, asked):
    segment = load_outline("codemie-3fe1b6bc").segments[0]
    real, clock = segment.conversation()[:segment.requests[-1].index], Clock()
    ages = Ages(clock)
    ages.see(real[:60])
    clock.seconds = 3_601
    for without in (None, "tool_result_budget", "snip_compact", "micro_by_age", "collapse"):
        policy = claude_code(summarize, archive, effective_window=window, max_messages=120, snip_to=110, ages=ages,
                             collapse_share=9 if without == "collapse" else 0.8)
        run = Pipeline([step for step in policy.steps if step.name != without]).run(real)
        assert sum(report.calls for report in run.reports) in asked, without


# | trigger |


@pytest.mark.parametrize(("effective", "threshold"), [(200_000, 187_000), (1_000_000, 987_000)])
def test_trigger_is_the_effective_window_less_13_000_and_no_percentage(effective, threshold):
    assert auto_compact_threshold(effective) == threshold


def test_trigger_to_the_token(archive):
    size = estimate_by_kind(LONG)
    assert claude_code(summarize, archive, effective_window=13_000 + size, collapse_share=9).prepare(LONG) is LONG
    assert claude_code(summarize, archive, effective_window=13_000 + size - 1).prepare(LONG) is not LONG


# | manual |


def test_manual_compaction_has_the_users_own_words_and_says_manual(archive):
    heard = []
    policy = claude_code(lambda messages, focus="": heard.append(focus) or "Half.", archive)
    [ours] = policy.compact(LONG, "the failing test")
    assert heard == ["the failing test"]
    assert texts(ours)[0].startswith("[Conversation compacted: manual, ")


def test_automatic_compaction_asks_the_user_no_question():
    assert "put no question to the user" in nine_sections()


# | guards |


def test_guards_three_failures_in_a_row_open_the_breaker_and_a_manual_one_passes(archive):
    attempts = []

    def refuse(messages, focus=""):
        attempts.append(focus)
        if focus != "now":
            raise SummaryError("No summary.")
        return "Half."

    policy = claude_code(refuse, archive, effective_window=WINDOW)
    for _ in range(3):
        with pytest.raises(SummaryError):
            policy.prepare(LONG)
    assert policy.prepare(LONG) is LONG and len(attempts) == 3
    assert len(policy.compact(LONG, "now")) == 1


@pytest.mark.parametrize("source", ["compact", "session_memory"])
def test_guards_requests_of_these_sources_are_not_compacted(archive, source):
    with request_source(source):
        policy = claude_code(summarize, archive, effective_window=WINDOW)
        assert policy.prepare(LONG) is LONG and policy.overflowed(LONG) is LONG


def test_guards_a_refusal_of_such_a_request_is_raised_as_a_sentence(archive):
    policy = claude_code(summarize, archive)
    agent = Agent(connect(window=2_000, live=False), MODEL, archive.root, policy, on_event=lambda event: None)
    agent.messages[:] = LONG
    with request_source("session_memory"), pytest.raises(ContextWindowError, match="The policy made it no smaller"):
        agent.ask("Go on.")
    assert agent.messages[:-1] == LONG and agent.ask("Go on.") is not None


def test_guards_one_breaker_stands_before_both_ways_to_a_summary(archive):
    attempts = []

    def refuse(messages, focus=""):
        attempts.append(focus)
        raise SummaryError("No summary.")

    policy = claude_code(refuse, archive, effective_window=WINDOW)
    for way in (policy.overflowed, policy.prepare, policy.overflowed):
        with pytest.raises(SummaryError):
            way(LONG)
    assert policy.prepare(LONG) is LONG and policy.overflowed(LONG) is LONG and len(attempts) == 3


# | new message chain |


def test_new_message_chain_boundary_summary_attachments_hook_results_and_the_old_messages_are_gone(archive):
    (archive.root / "desk.py").write_text("x = 1\n")
    read = [{"role": "assistant", "content": [call("r", "read_file", path="desk.py")]}, results(("r", "x = 1\n"))]
    restoration = Restoration(Workspace(archive.root), plan=lambda: ["[ ] Count"],
                              after=[lambda messages, trigger: "Tests first."])
    [ours] = full_compact([*LONG, *read, assistant("Read.")], summarize=summarize, archive=archive,
                          restoration=restoration)
    starts = ["[Conversation compacted: auto, ", "Current user request:\n", "The plan as it stands:",
              "Restored file: desk.py\n", "A hook said:", CONTINUES]
    assert [block.startswith(start) for block, start in zip(texts(ours), starts, strict=True)] == [True] * len(starts)
    assert "word word" not in str(ours) and not problems([ours])


# | recoverable tools, cleared first |


def test_recoverable_tools_are_these():
    assert RECOVERABLE_TOOLS == {"Read", "Bash", "Grep", "Glob", "WebFetch", "WebSearch", "Edit", "Write",
                                 "read_file", "bash", "glob", "edit_file", "write_file"}


def old_round(name, n, content="y" * 200, **arguments):
    return [{"role": "assistant", "content": [call(f"c{n}", name, **arguments)]}, results((f"c{n}", content))]


@pytest.mark.parametrize("name", sorted(RECOVERABLE_TOOLS))
def test_recoverable_tools_are_cleared(name):
    messages = [user("Go."), *old_round(name, 1), assistant("Done.")]
    after = micro_by_age(messages, age_of=lambda message: 9_999, keep_recent=0)
    assert after[2]["content"][0]["content"] == f"[Previous: used {name}]"


@pytest.mark.parametrize(("name", "arguments"), [
    ("Task", {}), ("TaskOutput", {}), ("check_task", {}), ("start_task", {}), ("BashOutput", {}), ("TodoWrite", {}),
    ("Bash", {"command": "make", "run_in_background": True}), ("mcp__db__query", {})])
def test_recoverable_tools_are_never_asynchronous_tasks_or_strangers(name, arguments):
    messages = [user("Go."), *old_round(name, 1, **arguments), assistant("Done.")]
    assert micro_by_age(messages, age_of=lambda message: 9_999, keep_recent=0) is messages


def test_recoverable_results_are_cleared_before_the_summary_and_state_is_not(archive):
    shown = []
    messages = [user("Go."), *old_round("check_task", 0, "state " * 90),
                *(block for n in range(1, 7) for block in old_round("bash", n)), assistant("Done.")]
    full_compact(messages, summarize=lambda messages, focus: shown.append(messages) or "Half.", archive=archive)
    contents = [found.block["content"] for found in tool_results(shown[0])]
    assert contents == ["state " * 90, *["[Previous: used bash]"] * 3, *["y" * 200] * 3]


# | file restoration |


def test_file_restoration_limits():
    assert (MAX_FILES, MAX_TOKENS_EACH, MAX_TOKENS_IN_ALL) == (5, 5_000, 50_000)


def test_file_restoration_shows_the_files_as_they_are_now(archive):
    file = archive.root / "desk.py"
    file.write_text("x = 1\n")
    read = [{"role": "assistant", "content": [call("r", "Read", file_path="desk.py")]}, results(("r", "1\tx = 1\n"))]
    file.write_text("x = 2\n")
    [ours] = full_compact([*LONG, *read, assistant("Read.")], summarize=summarize, archive=archive,
                          restoration=Restoration(Workspace(archive.root)))
    [restored] = [block for block in texts(ours) if block.startswith("Restored file: desk.py")]
    assert "It has changed since it was read." in restored and "\nx = 2\n" in restored


# | after the summary | memory file | system prompt |


def agent_with(client, archive, policy, **options):
    return Agent(client, MODEL, archive.root, policy, **{"tools": S08_TOOLS, "on_event": lambda event: None,
                                                               "approve": lambda tool, arguments: True, **options})


def test_after_the_summary_caches_are_cleared_and_the_next_request_has_memory_tools_and_permissions_anew(archive):
    memory_file, allowed = archive.root / "CLAUDE.md", ["bash"]
    memory_file.write_text("Use tabs.")
    system = SystemPrompt(lambda: f"Allowed: {allowed}.", MemoryFile(Workspace(archive.root)))
    client = Scripted(*(response(text("Understood.")) for _ in range(3)))
    policy = claude_code(summarize, archive, effective_window=WINDOW, restoration=Restoration(caches=[system]))
    agent = agent_with(client, archive, policy, system=system)
    agent.ask("Begin.")
    memory_file.write_text("Use spaces.")
    allowed.append("write_file")
    agent.ask("Go on.")
    agent.messages[1:1] = LONG[1:-1]
    agent.ask("Finish.")
    sent = [request["system"] for request in client.requests]
    assert sent[0] == sent[1] == "Allowed: ['bash'].\n\nMemory (CLAUDE.md):\nUse tabs."
    assert sent[2] == "Allowed: ['bash', 'write_file'].\n\nMemory (CLAUDE.md):\nUse spaces."
    assert "Use spaces." not in str(agent.messages), "the memory is not summarised"


def test_a_compaction_that_fails_clears_no_cache(archive):
    memory = MemoryFile(Workspace(archive.root))
    memory()
    with pytest.raises(SummaryError):
        full_compact(LONG, summarize=lambda messages, focus: " ", archive=archive,
                     restoration=Restoration(caches=[memory]))
    (archive.root / "CLAUDE.md").write_text("Use tabs.")
    assert memory() == ""


# | summary prompt | nine sections |


def test_summary_prompt_text_only_first_and_last_and_the_analysis_is_thrown_away(archive):
    answer = f"<analysis>Let me see.</analysis>\n<summary>\n{WHOLE}\n</summary>"
    client = Scripted(response(text(answer)))
    [ours] = full_compact(LONG, summarize=ModelSummarizer(client, MODEL, nine_sections), archive=archive)
    asked = client.requests[0]["messages"][0]["content"]
    assert asked.startswith(TEXT_ONLY) and asked.endswith(TEXT_ONLY)
    assert "Let me see." not in str(ours) and "said about 8" in texts(ours)[0]


def test_nine_sections_are_these():
    assert NINE_SECTIONS == (
        "Primary request and intent", "Key technical concepts", "Files and code sections", "Errors and fixes",
        "Problem solving", "All user messages", "Pending tasks", "Current work", "Optional next step")


def test_all_user_messages_stand_in_the_sixth_section_whatever_the_model_wrote(archive):
    client = Scripted(response(text(f"<summary>\n{WHOLE}\n</summary>")))
    messages = [user("Never touch setup.py."), assistant("Fine."), *LONG]
    [ours] = full_compact(messages, summarize=ModelSummarizer(client, MODEL, nine_sections), archive=archive)
    assert "- User request: Never touch setup.py.\n- User request: Count the functions." in texts(ours)[0]


# | model |


def test_model_the_summary_is_asked_of_the_conversations_own_model_with_its_tools_and_prompt(archive):
    client = Scripted(response(text(f"<summary>\n{WHOLE}\n</summary>")), response(text("Done.")))
    policy = claude_code(PrefixSummarizer(client, lambda: agent.request), archive, effective_window=WINDOW)
    agent = agent_with(client, archive, policy)
    agent.model = "the-model-of-today"
    agent.messages[:] = LONG
    agent.ask("Go on.")
    asked_for_summary, asked = client.requests
    assert asked_for_summary["model"] == asked["model"] == "the-model-of-today"
    assert [asked_for_summary[name] for name in ("tools", "system")] == [asked[name] for name in ("tools", "system")]


# | continuation |


def test_continuation_the_chain_says_that_work_goes_on_and_carries_the_newest_request(archive):
    [ours] = full_compact(LONG, summarize=summarize, archive=archive)
    assert texts(ours)[-1] == CONTINUES and "do not start over" in CONTINUES.replace("\n", " ")
    assert newest_request([ours], archive) == "Count the functions."


# | why not wait for longer windows |


def test_why_not_wait_for_longer_windows_every_request_pays_again_for_all_that_was_said():
    """In tokens as the API counts them. How long a model takes, and what it overlooks in the middle, needs a model."""
    question = "Read every Python file in the agents/ directory one by one"
    waiting = trial(question, window=1_000_000)
    compacting = trial(question, partial(claude_code, effective_window=19_000, collapse_share=9))
    counted = [point.counted for point in waiting.points]
    assert counted == sorted(counted), "each carries what the one before it carried"

    def read(one):
        return sum(call.usage["input_tokens"] for call in one.api.calls)

    assert waiting.answer == compacting.answer and compacting.summaries > 3
    assert read(waiting) == sum(counted) > 8 * waiting.largest
    assert read(waiting) > 2 * read(compacting), "its summaries among what it read"


# | three common alternatives |


def rename(n):
    """Step n of a chain: each stands on what the one before it gave."""
    return [{"role": "assistant", "content": [call(f"c{n}", "bash", command=f"mv step{n} step{n + 1}")]},
            results((f"c{n}", f"step{n} is step{n + 1} now. " + "word " * 90))]


CHAIN = [user("Rename x to width, and never touch setup.py."), *(message for n in range(12) for message in rename(n)),
         assistant("The next step.")]


def window_of(messages, size):
    return messages[-size:]


def periodic_summary(messages, size):
    return [user(f"So far: {summarize(messages[:-size])}"), *messages[-size:]]


def vector_recall(messages, size):
    """The messages that share most words with the newest: in the order of likeness."""
    words = set(str(messages[-2]).split())
    return sorted(messages[:-1], key=lambda message: -len(words & set(str(message).split())))[:size]


@pytest.mark.parametrize("alternative", [window_of, periodic_summary, vector_recall])
def test_three_common_alternatives_part_the_steps_and_lose_the_request_and_the_chain_keeps_both(archive, alternative):
    cut = [alternative(CHAIN, size) for size in range(2, len(CHAIN) // 2)]
    assert any(problems(messages) for messages in cut), "a call without its result"
    assert not any("never touch setup.py" in newest_request(messages) for messages in cut)
    for messages in (CHAIN, CHAIN[:-1]):
        after = full_compact(messages, summarize=summarize, archive=archive)
        assert not problems(after) and newest_request(after, archive) == CHAIN[0]["content"]
        assert archive.load(marker_path(texts(after[0])[0])) == messages[:len(messages) - (messages is not CHAIN) * 2]


# | the simple version for one's own agent | principle |


def test_a_second_pass_with_nothing_new_changes_nothing_and_asks_nobody(archive):
    asked = []
    policy = claude_code(lambda messages, focus="": asked.append(1) or "Half.", archive, effective_window=WINDOW)
    after = policy.prepare(LONG)
    assert policy.prepare(after) is after and asked == [1]


def test_spans_are_plain_data_that_can_be_saved_and_taken_back():
    spans = [{"start": 1, "end": 5, "summary": "Two calls."}]
    saved = json.loads(json.dumps(spans))
    assert collapse(LONG, saved) == collapse(LONG, spans) != LONG
    assert collapse(LONG, []) is LONG


# Agents at work


def working_agent(folder, task, model=None, window=20_000, threshold=1_500, tools=(), **restored):
    task.build(folder)
    api = OfflineAPI(window, **({"model": model} if model else {}))
    client, archive, workspace = client_of(api), Archive(folder, clock=lambda: 7), Workspace(folder)
    policy = claude_code(ModelSummarizer(client, MODEL, nine_sections, max_tokens=2_000, max_chars=12_000), archive,
                         effective_window=13_000 + threshold, clock=lambda: 7,
                         restoration=Restoration(workspace, max_tokens=300, **restored))
    return Agent(client, MODEL, workspace, policy, tools=(*S08_TOOLS, *tools), on_event=lambda event: None), api


def compactions(agent):
    return sum(point.compaction is not None for point in agent.points)


@pytest.mark.parametrize("task", [tasks.audit(13), tasks.audit(22), tasks.edit(5), tasks.edit(11)],
                         ids=lambda task: task.name)
def test_a_task_goes_through_three_compactions_to_the_right_end(task, tmp_path):
    agent, api = working_agent(tmp_path, task)
    answer = agent.ask(task.prompt)
    assert compactions(agent) >= 3
    assert task.score(answer, tmp_path) == 1.0
    assert [call.status for call in api.calls] == [200] * len(api.calls)
    assert newest_request(agent.messages, agent.archive) == task.prompt
    ledger = agent.ledger
    assert not ledger.lost()


def test_a_task_with_an_asynchronous_subtask_goes_through_three_compactions_to_the_right_end(tmp_path):
    task, background = tasks.audit(13), BackgroundTasks()
    agent, _ = working_agent(tmp_path, task, model=with_subtask("echo written by the subtask", "count all lines"),
                             tools=background.tools, tasks=background.states)
    answer = agent.ask(task.prompt)
    background.close()
    assert compactions(agent) >= 3
    assert task.score(answer, tmp_path) == 1.0 and answer.endswith("Subtask: written by the subtask")
    assert len(background.states()) == 1, "the subtask was not begun again"


def test_without_the_attachment_the_subtask_is_begun_again(tmp_path):
    task, background = tasks.audit(13), BackgroundTasks()
    agent, _ = working_agent(tmp_path, task, model=with_subtask("echo done", "count"), tools=background.tools)
    agent.max_turns = 30
    agent.ask(task.prompt)
    background.close()
    assert len(background.states()) > 1
