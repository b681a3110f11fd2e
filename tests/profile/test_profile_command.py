"""`python -m learn_compact profile`: what it prints and writes, in a process of its own."""

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest

from learn_compact.__main__ import main
from learn_compact.conversations import save

NASTY = "<script>alert(1)</script> & \x1b[2J \ud800 \u202e"


def run(*arguments, home):
    """(exit code, stdout, stderr) of the command in a fresh process that has this home."""
    done = subprocess.run([sys.executable, "-m", "learn_compact", "profile", *map(str, arguments)], capture_output=True,
                          env={**os.environ, "HOME": str(home), "CLAUDE_CONFIG_DIR": str(home / ".claude")},
                          text=True, encoding="utf-8", cwd=home)
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


@pytest.mark.parametrize(("arguments", "said"), [
    (["missing.jsonl"], "missing.jsonl"),
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
    assert {"svg", "table", "main"} <= page.tags and not page.tags & {"script", "iframe", "link", "img", "object"}
    assert not page.addresses and "default-src 'none'" in text
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
                                     ["--price", "3"]])
def test_an_option_without_a_conversation_shows_no_list_in_the_clear(options, tmp_path):
    code, out, err = run(*options, home=tmp_path)
    assert (code, out) == (2, "") and "name a PATH or --latest" in err


def test_two_conversations_at_once_are_refused(tmp_path):
    code, out, err = run("sniffly-d3ad4cdc", "--latest", home=tmp_path)
    assert (code, out) == (2, "") and "give one of them" in err
