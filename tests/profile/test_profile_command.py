"""`python -m learn_compact profile`: what it prints and writes, in a process of its own."""

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest

from learn_compact import estimate_by_kind, load_outline
from learn_compact.__main__ import main
from learn_compact.conversations import load, save
from learn_compact.messages import marker_path, result_text
from learn_compact.profile import command

NASTY = "<script>alert(1)</script> & \x1b[2J \ud800 \u202e"


def run(*arguments, home):
    """(exit code, stdout, stderr) of the command in a fresh process that has this home."""
    done = subprocess.run([sys.executable, "-m", "learn_compact", "profile", *map(str, arguments)], capture_output=True,
                          env={**os.environ, "HOME": str(home), "CLAUDE_CONFIG_DIR": str(home / ".claude")},
                          text=True, encoding="utf-8", errors="replace", cwd=home)
    return done.returncode, done.stdout, done.stderr


def nasty(folder):
    """A conversation that would like to run a script and to steer a terminal."""
    call = {"type": "tool_use", "id": "a", "name": NASTY, "input": {"file_path": NASTY}}
    result = {"type": "tool_result", "tool_use_id": "a", "content": NASTY * 9}
    path = folder / "nasty.json"
    save([{"role": "user", "content": NASTY}, {"role": "assistant", "content": [call]},
          {"role": "user", "content": [result]}, {"role": "assistant", "content": NASTY}], path)
    return path


def test_an_outline_has_a_profile_by_its_name(tmp_path):
    code, out, err = run("sniffly-d3ad4cdc", home=tmp_path)
    assert (code, err) == (0, "")
    assert out.startswith("sniffly-d3ad4cdc (outline, claude-sonnet-4-20250514): 125 messages, 62 requests\n")
    assert out.rstrip().endswith("Read on this machine; nothing left it.")
    assert re.search(r"^s08 ", out, re.MULTILINE) and re.search(r"^meter ", out, re.MULTILINE)


def test_the_figures_as_json_and_only_the_policy_that_was_asked_for(tmp_path):
    code, out, _ = run("sniffly-d3ad4cdc", "--json", "--policy", "s06", home=tmp_path)
    found = json.loads(out)
    assert code == 0 and [one["policy"] for one in found["replays"]] == ["none", "s06"]
    assert len(found["points"]) == 62 and found["points"][0]["counted"] == 14_187
    assert found["large"][0].keys() >= {"tool", "tokens", "message"} and found["unused"].keys() >= {"results", "judged"}
    assert found["unfinished"]["answers"] == 26 and found["estimates"][0]["name"] == "visible / 4"


def test_without_a_path_the_conversations_are_listed_and_the_newest_is_taken_by_name(tmp_path):
    project = tmp_path / ".claude" / "projects" / "p"
    project.mkdir(parents=True)
    assert "There is no conversation" in run(home=tmp_path)[1]
    assert run("--latest", home=tmp_path)[:2] == (1, "")
    for day, words in ((1, "Older"), (2, "Newer")):
        line = {"uuid": "u", "parentUuid": None, "sessionId": "s", "type": "user", "cwd": "/repo",
                "timestamp": f"2026-01-0{day}T09:00:00.000Z", "message": {"role": "user", "content": f"{words}."}}
        (project / f"{words}.jsonl").write_text(json.dumps(line) + "\n")
    listed = run(home=tmp_path)[1]
    assert listed.index("Newer.jsonl") < listed.index("Older.jsonl") and "\n    Newer.\n" in listed
    assert run("--latest", home=tmp_path)[1].startswith("Newer (claude-code): 1 message,")


def test_the_newest_log_in_which_somebody_says_something_is_taken(tmp_path):
    project = tmp_path / ".claude" / "projects" / "p"
    project.mkdir(parents=True)
    said = {"uuid": "u", "parentUuid": None, "type": "user", "message": {"role": "user", "content": "Count."}}
    for name, line, day in (("said", said, 1), ("begun", {"type": "mode", "mode": "normal"}, 2)):
        line |= {"sessionId": "s", "timestamp": f"2026-01-0{day}T09:00:00.000Z"}
        (project / f"{name}.jsonl").write_text(json.dumps(line) + "\n")
    assert run("--latest", home=tmp_path)[1].startswith("said (claude-code): 1 message,")


def test_of_a_folder_the_conversations_are_listed(tmp_path):
    logs = tmp_path / "logs"
    logs.mkdir()
    assert "no conversation of Claude Code in" in run(logs, home=tmp_path)[1]
    (logs / "a.jsonl").write_text('{"role": "user", "content": "Count."}\n')
    code, out, err = run(logs, home=tmp_path)
    assert (code, err) == (0, "") and re.search(r"0\.1 kB  \S*a\.jsonl\n    Count\.\n", out)
    code, out, err = run(logs, "--json", home=tmp_path)
    assert (code, out) == (2, "") and "is a folder" in err


# A request to go on with


@pytest.mark.parametrize("policy", ["s06", "s08", "claude_code"])
def test_an_exported_conversation_is_a_request_that_can_be_sent(tmp_path, policy):
    messages = load_outline("codemie-624a4a58").segments[0].conversation()
    save(messages, tmp_path / "long.json")
    before = (tmp_path / "long.json").read_bytes()
    code, out, err = run("long.json", "--policy", policy, "--export", "next.json", home=tmp_path)
    assert (code, out) == (0, "") and f"as {policy} left it" in err and "holds no system prompt" in err
    found = load(tmp_path / "next.json")
    assert ("by the stand-in model" in err) == (policy == "s08")
    smaller = estimate_by_kind(found.messages) < estimate_by_kind(messages)
    assert found.problems == [] and smaller == (policy != "claude_code")  # which leaves alone what fits
    for message in found.messages:  # what a message names lies where it says
        path = marker_path(result_text({"content": message["content"]}))
        assert path is None or (tmp_path / path).is_file()
    assert (tmp_path / "long.json").read_bytes() == before


def test_an_export_keeps_system_and_tools_and_a_page_may_be_written_too(tmp_path):
    request = {"model": "m", "system": "Be brief.", "tools": [{"name": "bash", "input_schema": {"type": "object"}}],
               "messages": [{"role": "user", "content": "Count."}, {"role": "assistant", "content": "Four."}]}
    (tmp_path / "talk.json").write_text(json.dumps(request))
    code, _, err = run("talk.json", "--policy=s06", "--policy=s06", "--export=next.json", "--html=page.html",
                       home=tmp_path)
    assert code == 0 and "page.html is written" in err and json.loads((tmp_path / "next.json").read_text()) == request


@pytest.mark.parametrize(("options", "said"), [
    (["--export", "next.json"], "needs one --policy"),
    (["--export", "next.json", "--policy", "s06", "--policy", "s08"], "needs one --policy"),
    (["--export", "next.json", "--policy", "s06", "--mask"], "give one of them"),
])
def test_an_export_that_is_not_clear_is_refused(options, said, tmp_path):
    code, out, err = run("sniffly-d3ad4cdc", *options, home=tmp_path)
    assert (code, out) == (2, "") and said in err and not (tmp_path / "next.json").exists()


@pytest.mark.parametrize("options", [["--policy", "s06", "--export"], ["--html"]])
def test_nothing_is_written_over_the_conversation(options, tmp_path):
    path = nasty(tmp_path)
    before = path.read_bytes()
    (tmp_path / "link.json").symlink_to(path)
    for name in (path, "link.json", "./nasty.json"):
        code, out, err = run(path, *options, name, home=tmp_path)
        assert (code, out) == (1, "") and "is the conversation itself" in err
    assert path.read_bytes() == before


# What goes wrong


@pytest.mark.parametrize(("arguments", "said"), [
    (["missing.jsonl"], "missing.jsonl"),
    (["snifly"], "The outlines are cctrace-phase0, "),
    (["sniffly-d3ad4cdc", "--html", "no/such/folder.html"], "can't be written"),
])
def test_what_can_not_be_read_or_written_is_a_sentence(tmp_path, arguments, said):
    code, out, err = run(*arguments, home=tmp_path)
    assert code == 1 and said in err and "Traceback" not in err and err.count("\n") == 1


@pytest.mark.parametrize("price", ["free", "0", "-1", "nan", "inf"])
def test_a_price_is_a_number_above_zero(price, capsys):
    with pytest.raises(SystemExit):
        main(["profile", "sniffly-d3ad4cdc", f"--price={price}"])
    assert "is no price" in capsys.readouterr().err


class Page(HTMLParser):
    """What a page holds: the names of its elements and every address that it names."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.addresses, self.words = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.addresses += [value for name, value in attributes if name in ("src", "href", "xlink:href", "action")]
        assert not any(name.startswith("on") for name, _ in attributes)

    def handle_data(self, data):
        self.words.append(data)


def test_the_page_is_one_file_that_runs_and_loads_nothing(tmp_path):
    code, out, err = run(nasty(tmp_path), "--html", "page.html", home=tmp_path)
    assert (code, out) == (0, "") and "page.html is written" in err
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    page = Page(text)
    assert {"svg", "table", "main", "details"} <= page.tags
    assert not page.tags & {"script", "iframe", "link", "img", "object"}
    assert not page.addresses and "default-src 'none'" in text
    assert text.index("<svg") < text.index("<table")
    assert any("<script>alert(1)</script>" in words for words in page.words)  # shown, as words
    assert "nothing left it" in text


def test_nothing_steers_the_terminal(tmp_path):
    code, out, err = run(nasty(tmp_path), home=tmp_path)
    assert (code, err) == (0, "") and "\x1b" not in out and "\u202e" not in out


def test_a_masked_page_holds_no_word_of_the_conversation(tmp_path):
    code, _, _ = run(nasty(tmp_path), "--html", "page.html", "--mask", home=tmp_path)
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert code == 0 and "alert" not in text and "nasty" not in text and "conversation" in text


@pytest.mark.parametrize("options", [["--mask"], ["--json"], ["--html", "page.html"], ["--policy", "s08"],
                                     ["--price", "3"], ["--policy", "s08", "--export", "next.json"]])
def test_an_option_without_a_conversation_shows_no_list_in_the_clear(options, tmp_path):
    code, out, err = run(*options, home=tmp_path)
    assert (code, out) == (2, "") and "name a PATH or --latest" in err


def test_two_conversations_at_once_are_refused(tmp_path):
    code, out, err = run("sniffly-d3ad4cdc", "--latest", home=tmp_path)
    assert (code, out) == (2, "") and "give one of them" in err


def test_progress_is_told_at_a_terminal_percent_by_percent(capsys, monkeypatch):
    assert command._progress("requests") is None
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    told = command._progress("requests")
    for done in range(1, 10_001):
        told(done, 10_000)
    said = capsys.readouterr().err
    assert said.count("\r") == 101 and said.endswith("10,000 of 10,000 requests\n")


@pytest.mark.skipif(os.name != "posix", reason="pipes as posix has them")
@pytest.mark.parametrize("options", [["--policy", "s06", "--export"], ["--html"]])
def test_what_is_no_file_is_not_replaced_by_one(options, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    code, out, err = run("sniffly-d3ad4cdc", *options, "pipe", home=tmp_path)
    assert (code, out) == (1, "") and "it is no ordinary file" in err and (tmp_path / "pipe").is_fifo()


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_an_output_that_lacks_a_character_has_another_in_its_place(tmp_path, monkeypatch, encoding):
    save([{"role": "user", "content": "1\u2192 x = 1"}, {"role": "assistant", "content": "Four."}], tmp_path / "a.json")
    monkeypatch.setenv("PYTHONIOENCODING", encoding)
    code, out, err = run("a.json", home=tmp_path)
    assert (code, err) == (0, "") and "1? x = 1" in out


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no disk here is always full")
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_full_disk_is_a_sentence(tmp_path, options):
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-m", "learn_compact", "profile", "sniffly-d3ad4cdc", *options],
                              stdout=full, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    assert done.returncode == 1 and "No space left on device" in done.stderr and done.stderr.count("\n") == 1


def test_the_export_says_how_to_go_on_and_the_page_tells_the_dollars(tmp_path):
    _, _, err = run("sniffly-d3ad4cdc", "--policy", "s06", "--export", "next.json", home=tmp_path)
    assert "model_for(client)" in err and "client.messages.create" in err
    assert "What it cost: $" in run("sniffly-d3ad4cdc", "--price", "5", home=tmp_path)[1]


def test_the_newest_in_a_folder_is_taken_and_a_window_can_be_named(tmp_path):
    logs = tmp_path / "logs"
    logs.mkdir()
    for name in ("old", "new"):
        (logs / f"{name}.jsonl").write_text('{"role": "user", "content": "Count."}\n')
    os.utime(logs / "old.jsonl", (1, 1))
    assert run("logs", "--latest", "--window", "50000", home=tmp_path)[1].startswith("new (")
    code, _, err = run("logs", "--latest", "--window", "0", home=tmp_path)
    assert code == 2 and "'0' is no window" in err
