"""The chat: its commands, what can go wrong, and who is master of the terminal."""

import ast
import errno
import io
import os
import re
import select
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from learn_compact import chat
from learn_compact.__main__ import main
from learn_compact.agent import Agent, ask_at_terminal
from learn_compact.archive import Archive
from learn_compact.chat import terminal
from learn_compact.offline import MODEL, Fault, OfflineAPI, api_of, client_of, sample_project, standin
from learn_compact.offline.project import sample_files, write_files
from learn_compact.offline.serve import Server
from learn_compact.pipeline import s06
from learn_compact.rules import problems
from learn_compact.summaries import ModelSummarizer
from learn_compact.tokens.reference import count_tools

COMMAND = [sys.executable, "-m", "learn_compact", "chat"]
AUDIT = "How many functions do the Python files in agents/ have? Skip files named test_*. Report the total."
READ_ALL = "Read every Python file in the agents/ directory one by one"
UNTIL_FULL = "Keep reading files until compression triggers automatically"
BY_HAND = "Use the compact tool to manually compress the conversation"
LIVE = {"LEARN_COMPACT_OFFLINE": "", "ANTHROPIC_API_KEY": "k"}
OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
# A window's title, an empty screen, a colour, a line written over, text turned around.
NASTY = "\x1b]0;mine\x07 \x1b[2J \x9b31m \r over \u202e"


@pytest.fixture
def piped(monkeypatch, capsys, tmp_path):
    """`piped(lines, arguments)`: what the chat prints where these lines come through a pipe, and its exit code."""
    monkeypatch.chdir(tmp_path)  # no .env of whoever runs the tests
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def run(*lines, arguments=()):
        monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines)))
        code = main(["chat", *map(str, arguments)])
        return capsys.readouterr(), code
    return run


@pytest.fixture
def talk(tmp_path, capsys):
    """`talk(api, lines)`: a chat with an API of the test's own, in the sample project; the agent, and the output."""
    def run(api, lines, **options):
        client, folder = client_of(api).with_options(max_retries=0), sample_project(tmp_path / "project")
        pipeline = s06(ModelSummarizer(client, MODEL), Archive(folder))
        agent = Agent(client, MODEL, folder, pipeline, **options)
        chat.Chat(agent, chat.POLICIES["s06"], api.window).run(lines)
        return agent, capsys.readouterr().out
    return run


def rows_of(output):
    """The rows of the last /context, as {name: (tokens or other units, of how many)}."""
    found = re.findall(r"^(\w+) +\[[#.]{40}\] +\d+ %  ([\d,]+)(?: of ([\d,]+))?", output, re.MULTILINE)
    return {name: tuple(int(each.replace(",", "") or 0) for each in sizes) for name, *sizes in found}


def test_a_conversation_through_a_pipe_reads_as_one(tmp_path):
    script = f"/context\n\n{AUDIT}\n/context\n/compact the total\n/context\n/caf\xe9\nq\nhello\n"
    done = subprocess.run(COMMAND, input=script.encode("latin-1"), capture_output=True,
                          env={**os.environ, "TMPDIR": str(tmp_path), "PYTHONIOENCODING": "utf-8"})
    out = done.stdout.decode()
    assert (done.returncode, done.stderr) == (0, b"")
    assert re.findall("^s06 >> (.*)$", out, re.MULTILINE) == [
        "/context", "", AUDIT, "/context", "/compact the total", "/context", "/caf�", "q"]
    functions = sum(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) for path, text in sample_files().items()
                    if re.fullmatch(r"agents/(?!test_).*\.py", path) for node in ast.walk(ast.parse(text)))
    assert f"Total: {functions} functions" in out
    folder = Path(re.search(r"^Workspace: (.*) \(a copy", out, re.MULTILINE)[1])
    transcript = re.search(r"^\[manual compact\]\n\[transcript saved: (.*)\]$", out, re.MULTILINE)[1]
    assert folder.is_relative_to(tmp_path) and (folder / transcript).is_file()
    before, after = re.search("had ([0-9,]+) tokens, and has ([0-9,]+)", out).groups()
    sizes = re.findall("([0-9,]+) of 200,000 tokens", out)
    assert sizes[1:] == [before, after] and int(after.replace(",", "")) < int(before.replace(",", "")) / 10


def test_a_reader_who_has_had_enough_gets_no_traceback():
    chatting = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    chatting.stdout.close()
    _, said = chatting.communicate(b"/help\n/help\n")
    assert (chatting.returncode, said) == (1, b"")


@pytest.mark.parametrize(("line", "answer"), [
    ("/help", r"/compact +\[focus\]: .*\n/context +\w.*\n/help +\w.*\n/quit +\w.*\n"),
    ("/contxt", "There is no command /contxt. There are: /compact, /context, /help, /quit."),
    ("/", "There is no command /."),
    ("/etc/hosts is what?", "I am the stand-in model"),
    ("what does /context do?", "I am the stand-in model"),
    ("/compact", "not compacted: a summary would not be smaller"),
    ("bytes \udcff that are no text", "I am the stand-in model"),
])
def test_a_line_is_a_command_or_a_request(piped, line, answer):
    (out, err), code = piped(line)
    assert re.search(answer, out.partition(line.replace("\udcff", "?"))[2] or out) and (code, err) == (0, "")


@pytest.mark.parametrize("line", ["/quit", "q", "exit", " exit "])
def test_what_ends_the_chat(piped, line):
    assert "second" not in piped(line, "/second")[0].out
    assert "There is no command /second." in piped("", "/second")[0].out


@pytest.mark.parametrize(("question", "mark"), [
    (READ_ALL, "I have read 14 files under agents."), (UNTIL_FULL, "[auto_compact triggered]\n[transcript saved: "),
    (BY_HAND, "> compact:\nManual compression requested.\n[manual compact]\n")])
def test_the_three_experiments_of_s06(piped, question, mark):
    first = [READ_ALL] if question == BY_HAND else []
    assert mark in piped(*first, question)[0].out


@pytest.mark.parametrize("name", chat.POLICIES)
def test_every_policy_has_its_prompt_its_threshold_and_its_unit(piped, name):
    policy = chat.POLICIES[name]
    (roomy, _), _ = piped(READ_ALL, "/context", arguments=["--policy", name, "--threshold", 10**7])
    (tight, _), _ = piped(READ_ALL, arguments=["--policy", name, "--threshold", 20_000])
    (usual, _), _ = piped("/context", arguments=["--policy", name])
    assert f"\n{name} >> {READ_ALL}\n" in roomy
    assert "auto_compact" not in roomy and "[auto_compact triggered]" in tight
    assert rows_of(usual)["tools"] == (count_tools([tool.definition for tool in policy.tools]), 0)
    assert f" of 10,000,000 {policy.unit}" in roomy and f" of {policy.threshold or 179_000:,} {policy.unit}" in usual


def test_claude_codes_threshold_follows_the_window(piped):
    (shown, _), _ = piped("/context", arguments=["--policy", "claude", "--window", "40000"])
    assert " of 19,000 tokens, estimated by kind" in shown
    (_, said), code = piped("/context", arguments=["--policy", "claude", "--window", "21000"])
    assert code and "leaves nothing above the buffer of 13,000" in said


def test_claude_code_asks_for_its_summary_behind_the_cached_conversation(piped, monkeypatch):
    made = []
    monkeypatch.setattr(chat, "connect", lambda window, live: made.append(client_of(OfflineAPI(window))) or made[0])
    piped(READ_ALL, "/compact", arguments=["--policy", "claude"])
    usage = api_of(made[0]).calls[-1].usage
    assert usage["cache_read_input_tokens"] > 0.9 * usage["cache_creation_input_tokens"] > 0


def test_the_context_is_named_part_by_part_and_adds_up(talk):
    agent, out = talk(OfflineAPI(), [READ_ALL, "/compact", READ_ALL, "/context"])
    rows = rows_of(out)
    (total, window), (size, threshold) = rows.pop("window"), rows.pop("threshold")
    assert (window, threshold) == (200_000, 50_000) and 0 < size < threshold
    assert list(rows) == ["system", "tools", "user", "assistant", "tool_use", "tool_result", "summary"]
    assert sum(tokens for tokens, _ in rows.values()) == total
    assert max(rows, key=rows.get) == "tool_result"
    assert f"Of these, {rows['system'][0] + rows['tools'][0]} tokens are fixed" in out
    assert f"The API itself counted {agent.points[-1].counted:,} tokens in the last request." in out


@pytest.mark.parametrize(("line", "focus"), [("/compact", None), ("/compact  the total of /tmp ", "the total of /tmp")])
def test_a_focus_reaches_the_model_that_summarises(talk, line, focus):
    asked = []
    talk(OfflineAPI(model=lambda request: asked.append(request) or standin.answer(request)), [READ_ALL, line])
    prompt = asked[-1]["messages"][0]["content"].partition("\n\n")[0]
    assert prompt.partition("Preserve every detail about: ")[2] == (focus or "")


@pytest.mark.parametrize(("part", "whole", "filled", "percent"), [
    (0, 100, 0, 0), (1, 10_000, 1, 0), (50, 100, 20, 50), (100, 100, 40, 100), (300, 100, 40, 300)])
def test_a_bar_never_hides_what_is_there_and_never_leaves_its_frame(part, whole, filled, percent):
    assert chat.bar(part, whole) == f"[{'#' * filled}{'.' * (40 - filled)}] {percent:3} %"


@pytest.mark.parametrize(("fault", "sentence"), [
    (Fault(1, status=401), "The API refused (401): invalid x-api-key. Check ANTHROPIC_API_KEY"),
    (Fault(1, status=404, message="model: nobody"), "The API refused (404): model: nobody. Check MODEL_ID"),
    (Fault(1, status=429), "Please try again later. Wait a little"),
    (Fault(1, status=529), "The API refused (529): Overloaded. Wait a little"),
    (Fault(1, kind="disconnect"), "The API gave no answer: "),
    (Fault(1, kind="timeout"), "The API gave no answer: "),
])
def test_a_failing_api_is_told_in_a_sentence_and_the_conversation_goes_on(talk, fault, sentence):
    agent, out = talk(OfflineAPI(faults=[fault]), [READ_ALL, "go on"])
    assert sentence in out.splitlines()[0] and "I have read 14 files under agents." in out
    assert problems(agent.messages) == []


def test_a_window_too_small_is_told_and_shown(talk):
    _, out = talk(OfflineAPI(window=300), ["hello", "/compact", "/context"])
    assert "doesn't fit into the model's context window: prompt is too long: 516 tokens > 300 maximum" in out
    assert "not compacted" in out and "The context had" not in out
    assert re.search(r"^window +\[#{40}\] 172 %  516 of 300 tokens$", out, re.MULTILINE)


def test_a_disk_that_takes_nothing_is_told_and_the_conversation_goes_on(talk, tmp_path):
    in_the_way = tmp_path / "project" / ".transcripts"
    in_the_way.parent.mkdir()
    in_the_way.write_text("no folder")

    def lines():
        yield READ_ALL
        in_the_way.unlink()
        yield "go on"
    agent, out = talk(OfflineAPI(), lines())
    assert ".transcripts" in out.splitlines()[0] and "I have read 14 files under agents." in out
    assert problems(agent.messages) == []


@pytest.mark.parametrize("at", ["the first tool", "the fourth tool", "the API"])
def test_ctrl_c_while_the_agent_works_interrupts_it_and_leaves_a_valid_conversation(talk, at):
    told, asked = [], []

    def on_event(event):
        told.append(event)
        if len(told) == {"the first tool": 1, "the fourth tool": 4}.get(at):
            raise KeyboardInterrupt

    def model(request):
        asked.append(request)
        if (len(asked), at) == (2, "the API"):
            raise KeyboardInterrupt
        return standin.answer(request)

    agent, out = talk(OfflineAPI(model=model), [READ_ALL, "/context", "go on"], on_event=on_event)
    assert out.startswith(f"\n{chat.INTERRUPTED}\nwindow ") and out.endswith("I have read 14 files under agents.\n\n")
    assert problems(agent.messages) == []


@pytest.mark.parametrize(("environment", "arguments", "sentence"), [
    ({}, ["--workspace", "nowhere"], "There is no folder .*nowhere to copy."),
    ({}, ["--live"], "There is no key to go live with: set ANTHROPIC_API_KEY"),
    (LIVE, ["--workspace", "nowhere"], "There is no folder nowhere to work in."),
    ({**LIVE, "ANTHROPIC_BASE_URL": "http://host:port"}, [],
     "ANTHROPIC_BASE_URL is no address: Invalid port: 'port'."),
])
def test_what_is_missing_at_the_start_is_said_in_a_sentence(piped, monkeypatch, environment, arguments, sentence):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    (_, err), code = piped(arguments=arguments)
    assert re.match(sentence, err) and len(err.splitlines()) == 1 and code == 1


def test_a_full_disk_at_the_start_is_said_in_a_sentence(piped, monkeypatch):
    def full(folder):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    monkeypatch.setattr(chat, "sample_project", full)
    (_, err), code = piped("/help")
    assert err.startswith("The sample project can't be written: [Errno 28] No space left") and code == 1


@pytest.mark.parametrize("arguments", [["--window", "0"], ["--threshold", "many"], ["--policy", "s07"],
                                       ["--live", "--offline"]])
def test_an_option_that_makes_no_sense_is_refused(piped, arguments):
    with pytest.raises(SystemExit, match="2"):
        piped(arguments=arguments)


def test_offline_the_agent_works_in_a_copy(piped, tmp_path):
    write_files({"mine/a.py": "def a(): pass\n"}, tmp_path)
    wish = 'Add the line "# Hello" to the top of every Python file, once'
    (out, _), _ = piped(wish, arguments=["--workspace", "mine"])
    copy = Path(re.search(r"^Workspace: (.*) \(a copy", out, re.MULTILINE)[1])
    assert (copy / "a.py").read_text() == "# Hello\ndef a(): pass\n"
    assert (tmp_path / "mine" / "a.py").read_text() == "def a(): pass\n"


def test_what_tools_print_never_steers_the_terminal(piped, tmp_path):
    write_files({"mine/a.py": f"# {NASTY}\r\n", f"mine/{NASTY}.py": "pass\n"}, tmp_path)
    (out, _), _ = piped(READ_ALL.replace("the agents/ directory", "this folder"), arguments=["--workspace", "mine"])
    assert "� over �" in out and not OBEYED.search(out)


@pytest.mark.parametrize("model", [
    lambda request: [{"type": "text", "text": NASTY}],
    lambda request: [{"type": "tool_use", "name": NASTY, "input": {}}, {"type": "text", "text": "x"}],
], ids=["text", "tool name"])
def test_what_a_model_says_never_steers_the_terminal(talk, model):
    _, out = talk(OfflineAPI(model=model), ["hello"], max_turns=1)
    assert "� over �" in out and not OBEYED.search(out)


def test_half_a_character_is_printed_as_none(capsys):
    terminal.say("a \ud83d\r\nb\tc")
    assert capsys.readouterr().out == "a �\nb\tc\n"


class Terminal(io.StringIO):
    """Somebody who types these lines; "^C" is Ctrl-C."""

    def isatty(self):
        return True

    def readline(self, *size):
        line = super().readline(*size)
        if line == "^C\n":
            raise KeyboardInterrupt
        return line


@pytest.mark.parametrize(("typed", "allowed", "asked"), [
    (["y", "YES", "n", ""], [True, True, False, False], 4),
    (["a", "n"], [True, True, True, True], 1),
    (["n", "always"], [False, True, True, True], 2),
    ([], [False] * 4, 4),
])
def test_who_is_asked_can_say_yes_no_or_always(monkeypatch, capsys, typed, allowed, asked):
    monkeypatch.setattr("sys.stdin", Terminal("".join(f"{line}\n" for line in typed)))
    always = set()
    assert [ask_at_terminal("bash", {"command": f"ls {NASTY}"}, always) for _ in range(4)] == allowed
    out = capsys.readouterr().out
    assert out.count("  command: ls ") == asked and not OBEYED.search(out)
    assert always <= {"bash"} and not ask_at_terminal("write_file", {}, always)


@pytest.mark.parametrize(("keys", "lines"), [
    ("half\x03whole\r", ["whole"]),
    ("a\x03b\x03c\r", ["c"]),
    ("a\x03\x03never\r", []),
    ("\x03\x03never\r", []),
    ("\x03one\r\x03two\r", ["one", "two"]),
    ("one\r\x04never\r", ["one"]),
    ("\r  \r one \r", ["one"]),
])
def test_the_keys_of_the_prompt(monkeypatch, keys, lines):
    monkeypatch.setattr("sys.stdin", Terminal())
    monkeypatch.setattr("sys.stdout", Terminal())
    with create_pipe_input() as keyboard, create_app_session(input=keyboard, output=DummyOutput()):
        keyboard.send_text(f"{keys}\x04")
        assert list(terminal.lines("s06 >> ")) == lines


def test_without_prompt_toolkit_lines_are_read_plainly(monkeypatch):
    monkeypatch.setitem(sys.modules, "prompt_toolkit", None)
    monkeypatch.setattr("sys.stdin", Terminal("^C\none\n^C\ntwo\n^C\n^C\nnever\n"))
    monkeypatch.setattr("sys.stdout", shown := Terminal())
    assert list(terminal.lines("s06 >> ")) == ["one", "two"]
    assert shown.getvalue().startswith(terminal.NO_HISTORY) and shown.getvalue().count(terminal.HOW_TO_LEAVE) == 3


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_live_chat_at_a_real_terminal(tmp_path):
    """It asks before a command, Ctrl-C gets it out of a request that hangs, Up fetches a line back, Ctrl-D ends it."""
    import fcntl
    import pty
    import termios

    hangs, end = threading.Event(), threading.Event()

    def model(request):
        if len(request["messages"]) == 1:
            return [{"type": "tool_use", "name": "bash", "input": {"command": "touch made"}}]
        hangs.set()
        end.wait(60)
        return [{"type": "text", "text": "Made."}]

    with Server(OfflineAPI(model=model), port=0) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        master, slave = pty.openpty()
        live = {**LIVE, "ANTHROPIC_BASE_URL": server.url, "MODEL_ID": MODEL, "PROMPT_TOOLKIT_NO_CPR": "1",
                "TERM": "xterm"}
        chatting = subprocess.Popen([*COMMAND, "--workspace", tmp_path], stdin=slave, stdout=slave, stderr=slave,
                                    env=os.environ | live, cwd=tmp_path, start_new_session=True,
                                    preexec_fn=lambda: fcntl.ioctl(slave, termios.TIOCSCTTY, 0))  # keys are signals
        os.close(slave)
        screen = Screen(master)
        screen.until("s06 >>")
        screen.types(b"Make a file\r")
        screen.until("Allow this? [y]es, [n]o, [a]lways for bash: ")
        assert not (tmp_path / "made").exists()
        screen.types(b"a\r")
        assert hangs.wait(60) and (tmp_path / "made").exists()
        screen.types(b"\x03")
        screen.until(chat.INTERRUPTED)
        screen.until("s06 >>")
        screen.types(b"\x1b[A")
        screen.until("Make a file")
        screen.types(b"\x03")
        screen.until(terminal.HOW_TO_LEAVE)
        screen.until("s06 >>")
        screen.types(b"\x04")
        assert chatting.wait(60) == 0
        end.set()
        server.shutdown()
    os.close(master)


class Screen:
    """What comes to a terminal, read as far as it is asked for."""

    def __init__(self, terminal):
        self.terminal, self.ahead = terminal, ""

    def until(self, text):
        while text not in self.ahead:
            assert select.select([self.terminal], [], [], 60)[0], f"{text!r} never came, but {self.ahead!r}"
            self.ahead += os.read(self.terminal, 65_536).decode("utf-8", "replace")
        self.ahead = self.ahead.partition(text)[2]

    def types(self, keys):
        os.write(self.terminal, keys)
