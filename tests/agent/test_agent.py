"""The loop: what is sent, what is run, what is told, and a history that stays valid whatever happens."""

import errno
import os
from itertools import count

import anthropic
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted import Scripted, call, response, text

from learn_compact.agent import Agent, Event, print_event
from learn_compact.agent.tools import COMPACT_RESULT, GLOB
from learn_compact.archive import Archive
from learn_compact.errors import (
    ArchiveError,
    ContextWindowError,
    MessageError,
    RequestError,
    SummaryError,
    WorkspaceError,
)
from learn_compact.layers.micro import is_placeholder
from learn_compact.messages import problems, tool_results
from learn_compact.offline import MODEL, Fault, OfflineAPI, api_of, client_of
from learn_compact.pipeline import Pipeline, s06

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")

SUMMARY = "1) Half of the files were read."


def summarize(messages, focus=""):
    return SUMMARY


def refuse(messages, focus=""):
    raise SummaryError("No summary: the model refused to write it.")


def calls(*blocks):
    return response(*blocks, stop_reason="tool_use")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.txt").write_text("alpha")
    (tmp_path / "long.txt").write_text("A line of the file.\n" * 100)
    return tmp_path


def agent_of(folder, *script, policy=None, approve=lambda tool, arguments: True, **parameters):
    """An agent with a scripted client; `agent.told` are its events."""
    told = []
    agent = Agent(Scripted(*script), "a-model", folder, policy or Pipeline([]), approve=approve,
                  on_event=told.append, **parameters)
    agent.told = told
    return agent


def result_texts(agent):
    return [block["content"] for _, _, block in tool_results(agent.messages)]


# One turn


def test_a_request_carries_system_tools_messages_and_eight_thousand_tokens_of_room(folder):
    agent = agent_of(folder, response(text("Hello.")))
    assert agent.ask("Hello?") == "Hello."
    [request] = agent.client.requests
    assert request["max_tokens"] == 8_000 and request["model"] == "a-model"
    assert [tool["name"] for tool in request["tools"]] == ["bash", "read_file", "write_file", "edit_file", "compact"]
    assert str(folder) not in str(request)
    assert agent.messages == [{"role": "user", "content": "Hello?"},
                              {"role": "assistant", "content": [text("Hello.")]}]


def test_a_batch_runs_in_order_and_its_results_stand_in_one_user_message(folder):
    agent = agent_of(folder, calls(text("First I write."), call("1", "write_file", path="b.txt", content="beta"),
                                   call("2", "read_file", path="b.txt"), call("3", "bash", command="cat a.txt b.txt"),
                                   call("4", "edit_file", path="b.txt", old_text="beta", new_text="gamma"),
                                   call("5", "read_file", path="b.txt")), response(text("Done.")))
    assert agent.ask("Write.") == "Done."
    assert [message["role"] for message in agent.messages] == ["user", "assistant", "user", "assistant"]
    assert [block["tool_use_id"] for block in agent.messages[2]["content"]] == list("12345")
    assert result_texts(agent) == ["Wrote 4 bytes to b.txt", "beta", "alphabeta", "Edited b.txt", "gamma"]
    assert not any("is_error" in block for block in agent.messages[2]["content"])


@pytest.mark.parametrize(("tool", "arguments", "said"), [
    ("nope", {}, "There is no tool nope. There are: bash, read_file, write_file, edit_file, compact."),
    ("read_file", {}, "read_file: `path` is missing. The tool was not run."),
    ("read_file", {"file": "a.txt"}, "read_file: `path` is missing. The tool was not run."),
    ("read_file", {"path": 7}, "read_file: `path` must be a string. The tool was not run."),
    ("read_file", {"path": "a.txt", "limit": "3"}, "read_file: `limit` must be a integer. The tool was not run."),
    ("read_file", {"path": "a.txt", "limit": True}, "read_file: `limit` must be a integer. The tool was not run."),
    ("read_file", {"path": "../a.txt"}, "../a.txt leads out of the workspace. Use a path inside it."),
    ("read_file", {"path": "nope"}, "nope: No such file or directory"),
    ("edit_file", {"path": "a.txt", "old_text": "x", "new_text": "y"},
     "The text to replace doesn't stand in a.txt. Read the file, and copy to the letter."),
    ("bash", {"command": "exit 3"}, "[exit code 3]"),
    ("bash", {"command": "sudo ls"}, "This command is dangerous and was not run."),
    ("compact", {"focus": 7}, "compact: `focus` must be a string. The tool was not run."),
])
def test_what_goes_wrong_in_a_tool_is_a_result_that_says_so(folder, tool, arguments, said):
    agent = agent_of(folder, calls(call("1", tool, **arguments)), response(text("I see.")))
    assert agent.ask("Try.") == "I see."
    [(_, _, block)] = tool_results(agent.messages)
    assert block == {"type": "tool_result", "tool_use_id": "1", "content": said, "is_error": True}


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
def test_input_that_is_no_object_is_a_result_too(folder):
    agent = agent_of(folder, calls({**call("1", "bash"), "input": "ls"}), response(text("I see.")))
    agent.ask("Try.")
    assert result_texts(agent) == ["bash: the input must be an object. The tool was not run."]


def test_a_command_without_output_says_so(folder):
    agent = agent_of(folder, calls(call("1", "bash", command="true")), response(text("Done.")))
    agent.ask("Try.")
    assert result_texts(agent) == ["(no output)"]


def test_the_list_that_a_caller_holds_stays_the_history(folder):
    agent = agent_of(folder, calls(call("1", "read_file", path="long.txt")), calls(call("2", "compact")),
                     policy=s06(summarize, Archive(folder)))
    held = agent.messages
    agent.ask("Read long.txt, then compact.")
    assert held is agent.messages and held[0]["content"][0]["text"].endswith(SUMMARY)


def test_tools_that_came_since_the_last_request_are_in_the_next_and_are_counted(folder):
    agent = agent_of(folder, response(text("One.")), response(text("Two.")))
    agent.ask("Begin.")
    agent.tools[GLOB.name] = GLOB
    agent.ask("Go on.")
    names = [[tool["name"] for tool in request["tools"]] for request in agent.client.requests]
    assert names[1] == [*names[0], "glob"]
    assert agent.points[1].parts["tools"] > agent.points[0].parts["tools"]


def test_a_blank_request_is_refused_before_anything_happens(folder):
    agent = agent_of(folder)
    with pytest.raises(MessageError, match="blank"):
        agent.ask(" \n")
    assert agent.messages == []


def test_a_workspace_that_is_not_there_is_a_sentence(folder):
    with pytest.raises(WorkspaceError, match="There is no folder"):
        agent_of(folder / "nope")


# Reasons to stop


CUT_CALL = call("1", "write_file", path="b.txt", content="be")


@pytest.mark.parametrize(("answers", "returned", "stopped"), [
    ([response(text("Done."))], "Done.", None),
    ([response(text("Done."), stop_reason="stop_sequence")], "Done.", None),
    ([response(text("One."), text("Two."))], "One.\n\nTwo.", None),
    ([response()], "", "the model said nothing"),
    ([response(text(""))], "", "the model said nothing"),
    ([response(text(" \n"))], "", "the model said nothing"),
    ([response(text("I beg"), stop_reason="max_tokens")], "I beg", "the answer was cut off at max_tokens"),
    ([response(stop_reason="max_tokens")], "", "the answer was cut off at max_tokens"),
    ([response(text("I write."), CUT_CALL, stop_reason="max_tokens")], "I write.", "cut off at max_tokens"),
    ([response(text("Never."), stop_reason="refusal")], "Never.", "the model refused to answer"),
    ([response(stop_reason="refusal")], "", "the model refused to answer"),
    ([response(text("Half"), stop_reason="model_context_window_exceeded")] * 2, "Half", "the context window ended"),
    ([response(text("Searching."), stop_reason="pause_turn"), response(text("Found."))], "Found.", None),
    ([response(text("Hm."), stop_reason="unheard_of")], "Hm.", "stop reason unheard_of"),
    ([response(text("Hm."), CUT_CALL, stop_reason="unheard_of")], "Hm.", "stop reason unheard_of"),
    ([response(text("Hm."), CUT_CALL)], "Hm.", None),
    ([response(text("Hm."), stop_reason=None)], "Hm.", "the model gave no reason"),
    ([response(text("No calls."), stop_reason="tool_use")], "No calls.", "stop reason tool_use"),
])
def test_every_reason_to_stop_leaves_a_valid_history_and_is_told(folder, answers, returned, stopped):
    agent = agent_of(folder, *answers, response(text("Again.")))
    assert agent.ask("Go.") == returned
    assert agent.stop_reason == answers[-1].stop_reason or len(agent.client.script) == 1
    assert problems(agent.messages) == []
    told = [event.text for event in agent.told if event.kind == "stopped"]
    assert len(told) == (stopped is not None) and (stopped is None or stopped in told[0])
    assert not (folder / "b.txt").exists(), "a call that may be cut is not run"
    agent.client.script = [response(text("Again."))]
    assert agent.ask("And now?") == "Again." and problems(agent.messages) == []


def test_a_call_that_was_cut_off_is_answered_with_what_happened(folder):
    agent = agent_of(folder, response(CUT_CALL, stop_reason="max_tokens"))
    agent.ask("Write.")
    [(_, _, block)] = tool_results(agent.messages)
    assert block["is_error"] and "cut off before it was complete" in block["content"]


def test_thinking_is_sent_back_as_it_came(folder):
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "EqQB"}
    agent = agent_of(folder, calls(thought, text(""), call("1", "read_file", path="a.txt")), response(text("Done.")))
    agent.ask("Read.")
    assert agent.client.requests[1]["messages"][1]["content"][0] == thought
    assert [block["type"] for block in agent.messages[1]["content"]] == ["thinking", "tool_use"], "blank text is gone"


def test_a_number_of_turns_can_be_the_most(folder):
    agent = agent_of(folder, *(calls(call(str(n), "read_file", path="a.txt")) for n in range(9)), max_turns=3)
    assert agent.ask("Read on.") == ""
    assert len(agent.client.requests) == 3 and problems(agent.messages) == []
    assert agent.told[-1] == Event("stopped", "3 requests were made, as many as max_turns allows")


# The policy: before every request, on request, and after a refusal


def reading(n):
    return calls(call(f"toolu_{n}", "read_file", path="long.txt"))


def test_the_threshold_is_looked_at_before_every_request_and_the_work_goes_on(folder):
    archive = Archive(folder, clock=lambda: 7)
    agent = agent_of(folder, *map(reading, range(4)), response(text("Done.")),
                     policy=s06(summarize, archive, threshold=1_000))
    assert agent.ask("Read.") == "Done."
    assert [event.kind for event in agent.told if event.kind != "tool"] == ["auto_compact", "transcript"] * 3
    assert [event.text for event in agent.told if event.kind == "transcript"] == [
        f".transcripts/transcript_7{more}.jsonl" for more in ("", "_2", "_3")]
    assert all(problems(request["messages"]) == [] for request in agent.client.requests)


def test_compact_runs_after_the_whole_batch_with_its_result_in_the_transcript_and_ends_the_turn(folder):
    asked = []

    def summarize(messages, focus=""):
        asked.append((list(messages), focus))
        assert (folder / "b.txt").read_text() == "beta", "what stands behind compact in the batch has run"
        return SUMMARY

    archive = Archive(folder, clock=lambda: 7)
    agent = agent_of(folder, reading(0), calls(
        text("I compact."), call("1", "compact", focus="the parser"),
        call("2", "write_file", path="b.txt", content="beta")), policy=s06(summarize, archive))
    assert agent.ask("Read, then compact.") == "I compact."
    assert [focus for _, focus in asked] == ["the parser"] and len(agent.client.requests) == 2
    transcript = archive.load(".transcripts/transcript_7.jsonl")
    assert [block["content"] for _, _, block in tool_results(transcript)][1:] == [
        COMPACT_RESULT, "Wrote 4 bytes to b.txt"]
    assert [event.kind for event in agent.told] == ["tool", "tool", "tool", "manual_compact", "transcript"]
    assert len(agent.messages) == 3 and problems(agent.messages) == []
    agent.client.script = [response(text("Going on."))]
    assert agent.ask("Go on.") == "Going on." and problems(agent.client.requests[-1]["messages"]) == []


def test_a_compaction_that_would_save_nothing_is_not_done_and_says_why(folder):
    agent = agent_of(folder, calls(call("1", "compact")), policy=s06(summarize, Archive(folder)))
    agent.ask("Compact.")
    assert [event.kind for event in agent.told] == ["tool", "manual_compact", "unchanged"]
    assert "would not be smaller" in agent.told[-1].text and len(agent.messages) == 3


def test_an_automatic_compaction_that_saves_nothing_says_why_too(folder):
    policy = s06(lambda messages, focus: "x" * 500, Archive(folder), threshold=0)
    agent = agent_of(folder, response(text("Hello.")), policy=policy)
    assert agent.ask("Hello?") == "Hello."
    assert [event.kind for event in agent.told] == ["unchanged"]


def test_a_failing_summary_is_told_and_the_work_goes_on_with_what_cost_nothing(folder):
    commands = [calls(call(f"toolu_{n}", "bash", command="cat long.txt")) for n in range(5)]
    agent = agent_of(folder, *commands, response(text("Done.")), policy=s06(refuse, Archive(folder), threshold=1_000))
    assert agent.ask("Read.") == "Done."
    failed = [event.text for event in agent.told if event.kind == "failed"]
    assert failed and set(failed) == {"No summary: the model refused to write it."}
    assert [is_placeholder(content) for content in result_texts(agent)] == [True, True, False, False, False]


@pytest.mark.parametrize("by_hand", [True, False])
def test_a_manual_compaction_that_fails_changes_nothing(folder, by_hand):
    agent = agent_of(folder, reading(0), calls(call("1", "compact")), response(text("Read.")),
                     policy=s06(refuse, Archive(folder)))
    agent.ask("Read.")
    before = list(agent.messages)
    if by_hand:
        agent.compact("the parser")
    assert agent.messages == before and len(before) == 5
    assert agent.told[-2:] == [Event("manual_compact"), Event("failed", "No summary: the model refused to write it.")]


def test_a_policy_needs_no_more_than_two_methods(folder):
    class KeepLast:
        def prepare(self, messages):
            return messages

        def overflowed(self, messages):
            return messages[-1:]

    agent = agent_of(folder, response(text("One.")), response(text("Two.")), policy=KeepLast())
    agent.ask("1")
    agent.messages.append({"role": "user", "content": "2"})
    agent.compact()
    assert agent.messages == [{"role": "user", "content": "2"}]


def test_a_policy_that_can_make_no_summary_says_so(folder):
    agent = agent_of(folder, calls(call("1", "compact")))
    agent.ask("Compact.")
    assert agent.told[-1].kind == "failed" and "can make a summary" in agent.told[-1].text


# Refusals of the API, through the real SDK


def offline_agent(folder, model, *, window=200_000, faults=(), policy=None, **parameters):
    client = client_of(OfflineAPI(window, model=model, faults=faults)).with_options(max_retries=0)
    told = []
    agent = Agent(client, MODEL, folder, policy or Pipeline([]), on_event=told.append, **parameters)
    agent.told = told
    return agent


def reads_for_ever(words=""):
    numbers = count()

    def model(request):
        return [call(f"toolu_{next(numbers)}", "read_file", path="long.txt"), text(words or "Reading.")]
    return model


def reads(times):
    numbers = count()

    def model(request):
        n = next(numbers)
        return [text("Done.")] if n == times else [call(f"toolu_{n}", "read_file", path="long.txt")]
    return model


def test_a_request_that_is_too_long_is_compacted_and_sent_once_more(folder):
    agent = offline_agent(folder, reads(5), window=2_000, policy=s06(summarize, Archive(folder)), max_tokens=100)
    assert agent.ask("Read.") == "Done."
    statuses = [one.status for one in api_of(agent.client).calls]
    assert 400 in statuses and all(b == 200 for a, b in zip(statuses, statuses[1:], strict=False) if a == 400)
    assert [event.kind for event in agent.told if event.kind != "tool"][:2] == ["auto_compact", "transcript"]
    assert [point.compaction for point in agent.points].count("overflow") >= statuses.count(400)


def test_what_stays_too_long_ends_in_the_apis_own_words_and_is_not_tried_unchanged(folder):
    agent = offline_agent(folder, reads_for_ever(), window=1_000, max_tokens=100)
    with pytest.raises(ContextWindowError, match=r"prompt is too long: \d+ tokens > 1000 maximum"):
        agent.ask("Read.")
    assert [one.status for one in api_of(agent.client).calls] == [200, 400]
    assert problems(agent.messages) == []


def test_what_stays_too_long_after_a_compaction_was_sent_twice_and_no_more(folder):
    (folder / "long.txt").write_text("A line of the file.\n" * 1_000)
    answers = iter([[text("I know. " * 40)], [call("toolu_1", "read_file", path="long.txt")]])
    agent = offline_agent(folder, lambda request: next(answers), window=2_000, max_tokens=200,
                          policy=s06(summarize, Archive(folder)))
    agent.ask("Do you know?")
    with pytest.raises(ContextWindowError):
        agent.ask("Read.")
    assert [one.status for one in api_of(agent.client).calls] == [200, 200, 400, 400]
    assert problems(agent.messages) == [] and SUMMARY in str(agent.messages[0])


def test_a_summary_that_fails_after_a_refusal_is_the_error(folder):
    agent = offline_agent(folder, reads_for_ever(), window=1_200, policy=s06(refuse, Archive(folder)), max_tokens=100)
    with pytest.raises(SummaryError):
        agent.ask("Read.")
    assert problems(agent.messages) == []


def test_an_answer_that_the_window_cut_off_is_thrown_away_and_asked_for_again(folder):
    half = response(text("Unfin"), stop_reason="model_context_window_exceeded")
    agent = agent_of(folder, reading(0), reading(1), half, response(text("Whole.")),
                     policy=s06(summarize, Archive(folder)))
    assert agent.ask("Read.") == "Whole."
    assert "Unfin" not in str(agent.messages) and len(agent.client.requests) == 4


@pytest.mark.parametrize(("fault", "sentence"), [
    (Fault(call=2, status=500), r"refused \(500\): .*Wait"), (Fault(call=2, status=529), "Overloaded. Wait"),
    (Fault(call=2, status=429), r"refused \(429\): .*Wait"),
    (Fault(call=2, kind="disconnect"), "gave no answer: .*Check the network"),
    (Fault(call=2, kind="timeout"), "gave no answer: .*Check the network"),
    (Fault(call=2, status=400, message="credit balance is too low"), "balance is too low. Mend what it names"),
    (Fault(call=2, status=401), "Check ANTHROPIC_API_KEY")], ids=lambda one: str(getattr(one, "status", one)))
def test_an_error_of_the_api_reaches_the_caller_as_a_sentence_and_asking_again_goes_on(folder, fault, sentence):
    agent = offline_agent(folder, reads(2), faults=[fault])
    with pytest.raises(RequestError, match=sentence) as raised:
        agent.ask("Read.")
    assert raised.value.status == fault.status and raised.value.__suppress_context__, "a sentence, and no long trace"
    assert problems(agent.messages) == [] and len(agent.messages) == 3
    assert agent.ask("Go on.") == "Done."
    assert problems(agent.messages) == []


# Interrupts


@pytest.mark.parametrize("at", range(3))
def test_ctrl_c_in_the_middle_of_a_batch_leaves_no_call_without_its_result(folder, at):
    numbers = count()

    def approve(tool, arguments):
        if next(numbers) == at:
            raise KeyboardInterrupt
        return True

    agent = agent_of(folder, calls(*(call(str(n), "bash", command="echo done") for n in range(3))),
                     response(text("Going on.")), approve=approve)
    with pytest.raises(KeyboardInterrupt):
        agent.ask("Run.")
    assert problems(agent.messages) == []
    assert result_texts(agent) == ["done"] * at + ["No result: the work was interrupted."] * (3 - at)
    assert agent.ask("Go on.") == "Going on."
    assert agent.archive.load(agent.archive.log_path) == agent.messages


def test_ctrl_c_while_the_model_answers_or_the_summary_is_written_changes_nothing(folder):
    def interrupted(messages, focus=""):
        raise KeyboardInterrupt

    agent = agent_of(folder, KeyboardInterrupt(), response(text("Hello.")))
    with pytest.raises(KeyboardInterrupt):
        agent.ask("Hello?")
    assert agent.messages == [{"role": "user", "content": "Hello?"}] and agent.ask("Hello?") == "Hello."
    agent.policy = s06(interrupted, agent.archive, threshold=0)
    before = list(agent.messages)
    with pytest.raises(KeyboardInterrupt):
        agent.compact()
    assert agent.messages == before


# The log


def test_everything_that_arrives_is_logged_and_every_placeholder_leads_back_to_its_original(folder):
    archive = Archive(folder)
    originals = {f"toolu_{n}": "A line of the file.\n" * n for n in range(100, 106)}
    for n in range(100, 106):
        (folder / f"{n}.txt").write_text(originals[f"toolu_{n}"])
    agent = agent_of(folder, *(calls(call(f"toolu_{n}", "bash", command=f"cat {n}.txt")) for n in range(100, 106)),
                     response(text("Done.")), policy=s06(summarize, archive))
    agent.ask("Read.")
    assert sum(map(is_placeholder, result_texts(agent))) == 3
    for again in (archive, Archive(folder)):
        assert {id_: again.result(id_) + "\n" for id_ in originals} == originals
    assert len(archive.load(archive.log_path)) == len(agent.messages) == 14


def test_a_disk_that_is_full_for_a_while_stops_the_agent_with_a_sentence_and_no_message_is_missing(folder, monkeypatch):
    agent = agent_of(folder, reading(0), reading(1), response(text("Done.")), response(text("Again.")))
    write, numbers = os.write, count()

    def full(descriptor, payload):
        if 3 <= next(numbers) < 7:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, payload)

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(ArchiveError, match="No space left on device"):
        agent.ask("Read.")
    assert problems(agent.messages) == []
    with pytest.raises(ArchiveError):
        agent.ask("Go on.")
    assert problems(agent.messages) == []
    monkeypatch.setattr(os, "write", write)
    assert agent.ask("Go on.") == "Done."
    assert agent.archive.load(agent.archive.log_path) == agent.messages


# Who is asked


def test_what_changes_something_is_asked_about_and_reading_is_not(folder):
    asked = []

    def approve(tool, arguments):
        asked.append((tool, arguments))
        return tool != "bash"

    agent = agent_of(folder, calls(
        call("1", "bash", command="touch c.txt"), call("2", "read_file", path="a.txt"),
        call("3", "write_file", path="b.txt", content="x"), call("4", "compact"),
        call("5", "edit_file", path="b.txt", old_text="x", new_text="y")), approve=approve)
    agent.ask("Work.")
    assert asked == [("bash", {"command": "touch c.txt"}), ("write_file", {"path": "b.txt", "content": "x"}),
                     ("edit_file", {"path": "b.txt", "old_text": "x", "new_text": "y"})]
    assert "bash was not allowed" in result_texts(agent)[0] and not (folder / "c.txt").exists()
    assert (folder / "b.txt").read_text() == "y"


def test_offline_nobody_is_asked(folder):
    numbers = count()
    agent = offline_agent(folder, lambda request: [text("Done.")] if next(numbers) else [call("1", command="echo hi")])
    assert agent.ask("Run.") == "Done." and result_texts(agent) == ["hi"]


def live_agent(folder):
    client = anthropic.Anthropic(api_key="none", base_url="http://127.0.0.1:9")
    return Agent(client, "a-model", folder, Pipeline([]), on_event=lambda event: None)


def test_live_without_a_terminal_the_answer_is_no(folder):
    assert live_agent(folder).approve("bash", {"command": "ls"}) is False


@pytest.mark.parametrize(("typed", "allowed"), [("y", True), (" YES ", True), ("n", False), ("", False), ("x", False)])
def test_live_whoever_sits_at_the_terminal_is_asked(folder, monkeypatch, capsys, typed, allowed):
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda prompt="": typed)
    assert live_agent(folder).approve("bash", {"command": "ls"}) is allowed
    assert "bash\n  command: ls" in capsys.readouterr().out


# What is told


def test_events_are_printed_as_s06_prints_them(folder, capsys):
    agent = Agent(Scripted(reading(0), calls(call("1", "compact"))), "a-model", folder,
                  s06(summarize, Archive(folder, clock=lambda: 7)), approve=lambda *_: True)
    agent.ask("Read, then compact.")
    assert capsys.readouterr().out == (
        f"> read_file:\n{('A line of the file.' + chr(10)) * 10}\n> compact:\n{COMPACT_RESULT}\n[manual compact]\n"
        "[transcript saved: .transcripts/transcript_7.jsonl]\n")
    print_event(Event("auto_compact"))
    print_event(Event("tool", "x" * 500, "bash"))
    assert capsys.readouterr().out == "[auto_compact triggered]\n> bash:\n" + "x" * 200 + "\n"


# Whatever the model says


INPUTS = [{}, {"path": "a.txt"}, {"path": "long.txt"}, {"path": "b", "content": "x"}, {"focus": "x"}]
THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "EqQB"}
BLOCKS = st.sampled_from([text("Hello."), text(""), text(" "), THOUGHT]) | st.builds(
    lambda tool, arguments: {"type": "tool_use", "name": tool, "input": arguments},
    st.sampled_from(["read_file", "write_file", "compact", "nope"]), st.sampled_from(INPUTS))
REASONS = st.sampled_from(["end_turn", "tool_use", "tool_use", "max_tokens", "stop_sequence", "pause_turn", "refusal",
                           "model_context_window_exceeded", "unheard_of", None])


@given(answers=st.lists(st.tuples(st.lists(BLOCKS, max_size=4), REASONS), max_size=8), data=st.data())
def test_whatever_the_model_answers_the_history_is_valid_at_every_request_and_at_the_end(
        tmp_path_factory, answers, data):
    folder = tmp_path_factory.mktemp("root")
    (folder / "long.txt").write_text("A line of the file.\n" * 100)
    ids = count()
    script = [response(*({**block, "id": f"toolu_{next(ids)}"} if block["type"] == "tool_use" else block
                         for block in blocks), stop_reason=reason) for blocks, reason in answers]
    interrupts = data.draw(st.sets(st.integers(0, 5), max_size=1))
    asked = count()

    def approve(tool, arguments):
        if next(asked) in interrupts:
            raise KeyboardInterrupt
        return True

    agent = agent_of(folder, *script, policy=s06(summarize, Archive(folder), threshold=600), approve=approve)
    while agent.client.script:
        try:
            agent.ask("Go on.")
        except (IndexError, KeyboardInterrupt):  # the script is at its end; somebody pressed Ctrl-C
            pass
        assert problems(agent.messages) == []
    assert all(problems(request["messages"]) == [] for request in agent.client.requests)
