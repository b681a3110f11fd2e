"""Commands: bounded in time and output, nothing left running, no keys handed on, the worst refused."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from learn_compact.agent.command import run_command
from learn_compact.errors import WorkspaceError


def test_output_and_errors_come_as_they_were_written_with_the_exit_code(tmp_path):
    assert run_command(tmp_path, "echo out; echo err >&2; echo more; exit 3") == ("out\nerr\nmore", 3)
    assert run_command(tmp_path, "true") == ("", 0)
    assert run_command(tmp_path, "printf '\\n  two\\n\\n'") == ("\n  two\n", 0)


def test_a_command_runs_in_the_workspace_and_has_nothing_to_read(tmp_path):
    (tmp_path / "here.txt").write_text("x")
    assert run_command(tmp_path, "ls; cat; echo $HOME")[0] == f"here.txt\n{tmp_path}"


def test_no_key_is_handed_on(tmp_path, monkeypatch):
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "a-secret")
    monkeypatch.setenv("PATH", os.environ["PATH"])
    output, _ = run_command(tmp_path, "env")
    assert "a-secret" not in output and "PATH=" in output


def still_running(folder):
    """The processes that wrote their number to the file `pids` and are alive; one that has died has no command line."""
    files = [Path(f"/proc/{pid}/cmdline") for pid in (folder / "pids").read_text().split()]
    return [file for file in files if file.exists() and file.read_bytes()]


def test_what_takes_too_long_is_stopped_with_all_its_children(tmp_path):
    began = time.monotonic()
    with pytest.raises(WorkspaceError, match=r"more than 0\.5 seconds and was stopped\.\nbegun") as raised:
        run_command(tmp_path, "echo begun; echo $$ > pids; sleep 60 & echo $! >> pids; sleep 60; echo never", 0.5)
    assert time.monotonic() - began < 10 and "never" not in str(raised.value)
    assert len((tmp_path / "pids").read_text().split()) == 2 and not still_running(tmp_path)


def test_what_runs_on_in_the_background_ends_with_the_command(tmp_path):
    began = time.monotonic()
    assert run_command(tmp_path, "sleep 60 & echo $! > pids; echo started") == ("started", 0)
    assert time.monotonic() - began < 10 and not still_running(tmp_path)


def test_what_left_the_group_does_not_hold_up_the_agent(tmp_path):
    began = time.monotonic()
    assert run_command(tmp_path, "setsid sleep 15 & sleep 0.2; echo started")[0] == "started"
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("command", ["yes", "cat /dev/zero"])
def test_endless_output_is_kept_in_bounds(tmp_path, command):
    with pytest.raises(WorkspaceError, match="left out here") as raised:
        run_command(tmp_path, command, timeout=0.5)
    assert len(str(raised.value)) < 51_000


def test_long_output_is_cut_at_fifty_thousand_characters_and_says_so(tmp_path):
    output, code = run_command(tmp_path, "head -c 60000 /dev/zero | tr '\\0' x")
    assert (output, code) == ("x" * 50_000 + "\n[10000 characters left out here]", 0)
    output, _ = run_command(tmp_path, "head -c 50000 /dev/zero | tr '\\0' x")
    assert output == "x" * 50_000
    output, _ = run_command(tmp_path, "head -c 5000000 /dev/zero | tr '\\0' x")
    assert output == "x" * 50_000 + "\n[the rest of 5000000 bytes left out here]", "the rest is never kept in memory"


def test_bytes_that_are_no_text_are_shown_as_such(tmp_path):
    assert run_command(tmp_path, r"printf 'caf\351'")[0] == "caf\ufffd"


DANGEROUS = ["rm -rf /", "rm -fr / --no-preserve-root", "cd x && rm -r -f ~", "rm -rf $HOME", 'rm -rf "/"', "rm -rf /*",
             "sudo ls", "echo a; sudo -n true", "shutdown now", "reboot", "mkfs.ext4 /dev/sda1", "dd if=a of=/dev/sda",
             "echo x > /dev/sda", "echo x >/dev/nvme0n1", ":(){ :|:& };:"]
HARMLESS = ["rm -rf ./build", "rm -rf build/", "rm file", "ls 2>/dev/null", "ls > /dev/null 2>&1", "echo pseudo",
            "echo rebooted", "grep -r sudoku .", "cat /dev/null", "echo 'a / b'", "rm -rf /tmp/learn-compact-none"]


@pytest.mark.parametrize("command", DANGEROUS)
def test_what_is_never_meant_well_is_refused(tmp_path, monkeypatch, command):
    monkeypatch.setattr(subprocess, "Popen", None)  # nothing of this may start, come what may
    with pytest.raises(WorkspaceError, match="dangerous and was not run"):
        run_command(tmp_path, command)


@pytest.mark.parametrize("command", HARMLESS)
def test_what_only_looks_like_it_is_not(tmp_path, command):
    run_command(tmp_path, command)


@pytest.mark.parametrize("command", ["a\0b", "\ud800"])
def test_what_cannot_be_started_is_a_sentence(tmp_path, command):
    with pytest.raises(WorkspaceError, match="can't be started"):
        run_command(tmp_path, command)


def test_an_interrupt_stops_the_command_too(tmp_path, monkeypatch):
    def interrupted(self, timeout=None):
        if timeout is not None:
            while not (tmp_path / "pids").exists():
                time.sleep(0.01)
            raise KeyboardInterrupt
        return real(self)
    real = subprocess.Popen.wait
    monkeypatch.setattr(subprocess.Popen, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_command(tmp_path, "echo $$ > starting; mv starting pids; sleep 60")
    assert not still_running(tmp_path)
