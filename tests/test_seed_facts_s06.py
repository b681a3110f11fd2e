"""The s06 table of seed_facts, line by line: each test bears the name of its line."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from scripted import Scripted, call, response, text
from talk import assistant, calls, long_talk, results, user

from learn_compact.agent import MAX_TOKENS, S06_TOOLS, Agent
from learn_compact.archive import Archive
from learn_compact.layers.auto import auto_compact
from learn_compact.layers.micro import KEEP_RECENT, MIN_CHARS, PRESERVE_RESULT_TOOLS, micro_compact
from learn_compact.messages import blocks, problems, tool_results
from learn_compact.offline import MODEL, OfflineAPI, api_of, client_of, connect, model_for, sample_project
from learn_compact.pipeline import THRESHOLD, s06
from learn_compact.summaries import ModelSummarizer, first_chars, last_chars, three_points
from learn_compact.tokens import estimate_tokens

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")

FACTS = Path(__file__).parent.parent.parent / "shared/reference/seed_facts.md"
LONG = "x" * 101
SUMMARY = "1) Half of the files were read."


def summarize(messages, focus=""):
    return SUMMARY


@pytest.fixture
def archive(tmp_path):
    return Archive(tmp_path, clock=lambda: 7.9)


def agent_of(folder, *script, archive=None, **parameters):
    archive = archive or Archive(folder, clock=lambda: 7.9)
    return Agent(Scripted(*script), "a-model", folder, s06(summarize, archive, **parameters), approve=lambda *_: True)


def contents(messages):
    return [block["content"] for _, _, block in tool_results(messages)]


def reads(n):
    return response(call(f"toolu_{n}", "read_file", path="long.txt"), stop_reason="tool_use")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "long.txt").write_text("A line of the file.\n" * 2_000)
    return tmp_path


def test_every_line_of_the_table_has_a_test_here():
    if not FACTS.exists():
        pytest.skip("../shared/reference/seed_facts.md is not on this machine")
    table = FACTS.read_text(encoding="utf-8").split("## s06")[1].split("\n## ")[0]
    lines = [row.split("|")[1].strip() for row in table.splitlines() if row.startswith("| ")][2:]
    names = {"test_" + re.sub(r"\W+", "_", line) for line in lines}
    assert len(names) == 12
    assert {name for name in names if not any(test.startswith(name) for test in globals())} == set()


def test_token_estimate():
    messages = [user("Count the functions."), *calls_and_results()]
    assert estimate_tokens(messages) == len(str(messages)) // 4


def calls_and_results(content=LONG, name="bash", id_="a"):
    return [calls(id_, name=name), results((id_, content))]


# | threshold |


def test_threshold_is_50_000_estimated_tokens(archive):
    assert THRESHOLD == 50_000
    empty = len(str([user(""), assistant("Yes.")]))
    for tokens, compacted in ((50_000, False), (50_001, True)):
        messages = [user("x" * (4 * tokens - empty)), assistant("Yes.")]
        assert estimate_tokens(messages) == tokens
        summary = {"carry_request": False}  # or the long request would come along
        policy = s06(summarize, archive)
        policy.steps[1].parameters.update(summary)
        assert (policy.prepare(messages) is not messages) == compacted


# | micro_compact |


def test_micro_compact_runs_before_every_model_call(folder):
    agent = agent_of(folder, *(response(call(f"toolu_{n}", "bash", command="head long.txt"), stop_reason="tool_use")
                               for n in range(5)), response(text("Done.")))
    seen = []
    create = agent.client.create
    agent.client.create = lambda **request: seen.append(contents(request["messages"])) or create(**request)
    agent.ask("Look five times.")
    cleared = [[content.startswith("[Previous") for content in one] for one in seen]
    assert cleared == [[], [False], [False] * 2, [False] * 3, [True, *[False] * 3], [True, True, *[False] * 3]]


def test_micro_compact_results_older_than_the_last_3_of_more_than_100_characters():
    assert (KEEP_RECENT, MIN_CHARS) == (3, 100)
    messages = [user("Look."), *calls_and_results("x" * 101, id_="0"), *calls_and_results("x" * 100, id_="1"),
                *long_talk(3, content=LONG)[1:], assistant("I looked.")]
    assert contents(micro_compact(messages)) == ["[Previous: used bash]", "x" * 100, LONG, LONG, LONG]


def test_micro_compact_the_tool_name_is_found_through_its_id():
    messages = [user("Look."), calls("a", name="glob"), results(("a", LONG)), *long_talk(3)[1:], assistant("Done.")]
    assert contents(micro_compact(messages))[0] == "[Previous: used glob]"


def test_micro_compact_preserves_read_file_and_makes_no_call():
    assert PRESERVE_RESULT_TOOLS == {"read_file"}
    messages = [user("Look."), *calls_and_results(name="read_file"), *long_talk(3)[1:], assistant("Done.")]
    assert micro_compact(messages) is messages
    run = s06(lambda *_: pytest.fail("called"), None).run(messages)
    assert run.reports[0].calls == 0


# | auto_compact |


def test_auto_compact_saves_every_message_one_json_a_line_under_the_time(archive):
    messages = [*long_talk(3, content=LONG), assistant("Done.")]
    auto_compact(messages, summarize=summarize, archive=archive)
    [file] = (archive.root / ".transcripts").iterdir()
    assert file.name == "transcript_7.jsonl"
    assert [json.loads(line) for line in file.read_text().splitlines()] == messages


def test_auto_compact_prints_where_the_transcript_is(folder, capsys):
    agent = agent_of(folder, reads(0), reads(1), response(text("Done.")), threshold=15_000)
    agent.ask("Read long.txt twice.")
    assert "[transcript saved: .transcripts/transcript_7.jsonl]\n" in capsys.readouterr().out


def test_auto_compact_sends_80_000_characters_and_asks_for_three_points_in_2_000_tokens():
    client = Scripted(response(text(SUMMARY)))
    history = [user("Begin."), *(assistant("x" * 1_000) for _ in range(200))]
    ModelSummarizer(client, "a-model", as_text=last_chars)(history, focus="the parser")
    [request] = client.requests
    prompt = request["messages"][0]["content"]
    assert request["max_tokens"] == 2_000
    assert prompt.endswith(json.dumps(history)[-80_000:]) and len(prompt) < 81_000
    asked = re.sub(r"\s+", " ", three_points())
    assert re.search(r"1\) .*accomplished 2\) .*current state 3\) .*key decisions", asked)
    assert "concise" in asked and "critical detail" in asked
    assert "Preserve every detail about: the parser" in prompt


# | result |


def test_result_is_one_user_message_with_the_path_a_blank_line_and_the_summary(archive):
    messages = [*long_talk(3, content=LONG), assistant("Done.")]
    header = "[Conversation compressed. Transcript: .transcripts/transcript_7.jsonl]"
    assert auto_compact(messages, summarize=summarize, archive=archive, carry_request=False) == [
        {"role": "user", "content": f"{header}\n\n{SUMMARY}"}]
    archive = Archive(archive.root / "other", clock=lambda: 7)
    [message] = auto_compact(messages, summarize=summarize, archive=archive)
    assert message["role"] == "user" and blocks(message)[0]["text"] == f"{header}\n\n{SUMMARY}"


# | compact tool |


def test_compact_tool_is_the_fifth_beside_four():
    assert [tool.name for tool in S06_TOOLS] == ["bash", "read_file", "write_file", "edit_file", "compact"]
    assert S06_TOOLS[-1].definition == {
        "name": "compact", "description": "Trigger manual conversation compression.",
        "input_schema": {"type": "object", "properties": {
            "focus": {"type": "string", "description": "What to preserve in the summary"}}}}


def test_compact_tool_runs_after_the_whole_batch_and_ends_the_turn(folder, archive):
    batch = response(call("1", "compact", focus="the parser"), call("2", "write_file", path="b.txt", content="beta"),
                     stop_reason="tool_use")
    agent = agent_of(folder, reads(0), batch, archive=archive)
    agent.ask("Read, compact, write.")
    assert len(agent.client.requests) == 2 and (folder / "b.txt").read_text() == "beta"
    saved = archive.load(".transcripts/transcript_7.jsonl")
    assert contents(saved)[1:] == ["Manual compression requested.", "Wrote 4 bytes to b.txt"]
    assert agent.messages[0]["content"][0]["text"].startswith("[Conversation compressed. Transcript: ")


# | loop |


def test_loop_micro_then_threshold_then_call_then_tools_in_order_then_one_message_in_place(folder):
    assert MAX_TOKENS == 8_000
    assert [step.name for step in s06(summarize, None).steps] == ["micro_compact", "auto_compact"]
    batch = response(*(call(name, "bash", command=f"echo {name}") for name in "ab"), stop_reason="tool_use")
    agent = agent_of(folder, batch, response(text("Done.")))
    history = agent.messages
    agent.ask("Run.")
    assert history is agent.messages and contents(history) == ["a", "b"]
    assert [message["role"] for message in history] == ["user", "assistant", "user", "assistant"]
    assert [request["max_tokens"] for request in agent.client.requests] == [8_000, 8_000]


# | printed marks |


def test_printed_marks(folder, capsys):
    agent = agent_of(folder, reads(0), reads(1), response(call("1", "compact"), stop_reason="tool_use"),
                     threshold=15_000)
    agent.ask("Read long.txt twice, then compact.")
    assert [line for line in capsys.readouterr().out.splitlines() if line.startswith("[")] == [
        "[auto_compact triggered]", "[transcript saved: .transcripts/transcript_7.jsonl]",
        "[manual compact]", "[transcript saved: .transcripts/transcript_7_2.jsonl]"]


# | start |


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """A folder and an environment in which nobody has set anything."""
    for name in list(os.environ):
        if name.startswith(("ANTHROPIC_", "LEARN_COMPACT_")) or name == "MODEL_ID":
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return monkeypatch


def test_start_model_id_names_the_live_model_and_has_a_default(fresh, capsys):
    fresh.setenv("ANTHROPIC_API_KEY", "none")
    default = model_for(connect())
    assert default.startswith("claude-") and f"model {default}" in capsys.readouterr().out
    fresh.setenv("MODEL_ID", "claude-another")
    assert model_for(connect()) == "claude-another"


def test_start_a_dotenv_file_is_read_and_a_base_url_drops_the_auth_token(fresh, tmp_path):
    (tmp_path / ".env").write_text("ANTHROPIC_BASE_URL=http://127.0.0.1:9\nANTHROPIC_AUTH_TOKEN=b\n"
                                   "ANTHROPIC_API_KEY=none\n")
    for name in ("ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY"):
        fresh.setitem(os.environ, name, "")  # so that what the file sets is taken back afterwards
        fresh.delitem(os.environ, name)
    client = connect()
    assert str(client.base_url).startswith("http://127.0.0.1:9") and "ANTHROPIC_AUTH_TOKEN" not in os.environ


def test_start_the_prompt_is_s06():
    done = subprocess.run([sys.executable, "-m", "learn_compact", "chat", "--offline"], input="/quit\n", text=True,
                          capture_output=True, timeout=120)
    assert done.returncode == 0 and "\ns06 >> /quit" in done.stdout


# | three experiments |


EXPERIMENTS = ("Read every Python file in the agents/ directory one by one",
               "Keep reading files until compression triggers automatically",
               "Use the compact tool to manually compress the conversation")


def test_three_experiments(tmp_path, capsys):
    folder = sample_project(tmp_path / "project")
    archive, client = Archive(folder, clock=lambda: 7), client_of(OfflineAPI())
    agent = Agent(client, MODEL, folder, s06(ModelSummarizer(client, MODEL), archive))

    def printed(experiment):
        agent.ask(experiment)
        return [line for line in capsys.readouterr().out.splitlines() if line.startswith(("[", "> "))]

    first, second, third = map(printed, EXPERIMENTS)
    files = sorted(path.relative_to(folder).as_posix() for path in folder.glob("agents/*.py"))
    assert first.count("> read_file:") == len(files) > 10 and not any(line.startswith("[") for line in first)
    assert second[-2:] == ["[auto_compact triggered]", "[transcript saved: .transcripts/transcript_7.jsonl]"]
    assert third == ["> compact:", "[manual compact]", "[transcript saved: .transcripts/transcript_7_2.jsonl]"]
    saved = archive.load(".transcripts/transcript_7.jsonl")
    assert all((folder / name).read_text() in contents(saved) for name in files), "nothing is lost"
    assert problems(agent.messages) == [] and all(one.status == 200 for one in api_of(client).calls)


# | where text and source differ |


def test_where_text_and_source_differ_both_cuts_can_be_had():
    history = [user("Begin."), *(assistant("x" * 1_000) for _ in range(200)), user("End.")]
    assert "End." in last_chars(history) and "Begin." not in last_chars(history)
    assert "Begin." in first_chars(history) and "End." not in first_chars(history)


def test_where_text_and_source_differ_results_are_kept_not_turns_and_read_file_is_protected():
    messages = [user("Look."), calls("a", "b"), results(("a", LONG), ("b", LONG)), *long_talk(2, content=LONG)[1:],
                assistant("Done.")]
    assert [content == LONG for content in contents(micro_compact(messages))] == [False, True, True, True]
    as_in_the_text = micro_compact([user("Look."), *calls_and_results(name="read_file"), assistant("Done.")],
                                   keep_recent=0, preserve=())
    assert contents(as_in_the_text) == ["[Previous: used read_file]"]


# | what changed from s05 |


def test_what_changed_from_s05(folder, archive):
    base = S06_TOOLS[:4]
    assert [len(base) + 1, len(S06_TOOLS)] == [5, 5], "tools: 5 -> 5 (base + compact)"
    assert [step.name for step in s06(summarize, archive).steps] == ["micro_compact", "auto_compact"]
    assert hasattr(s06(summarize, archive), "compact"), "the third layer: the model asks for it"
    auto_compact([*long_talk(3, content=LONG), assistant("Done.")], summarize=summarize, archive=archive)
    assert (archive.root / ".transcripts").is_dir(), "transcripts: none -> .transcripts/"
