"""The agent's process dies at each of its writes: what lies on disk then is whole, and every message is in the log.

One helper process forks a child for each write; the child runs the same work and ends there, without a word.
"""

import json
import os
import subprocess
import sys

import pytest

from learn_compact.archive import RESULTS, TRANSCRIPTS, Archive

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system can't fork")

# Arguments: a folder to work in. Leaves there one folder for each place to die, and the messages as `done.json`.
PROGRAM = r"""
import json, os, sys, traceback
from contextlib import suppress
from itertools import count
from pathlib import Path
from learn_compact.agent import Agent
from learn_compact.archive import Archive
from learn_compact.offline import MODEL, OfflineAPI, client_of
from learn_compact.pipeline import s06
from learn_compact.tokens import count_text
import anthropic

steps = count()
CALLS = ("write", "fsync", "link", "ftruncate", "mkdir", "unlink")

def model(request):
    step = next(steps)
    if step == 2:
        return [{"type": "text", "text": "Done."}]
    return [{"type": "tool_use", "id": f"toolu_{step}_{n}", "name": "read_file", "input": {"path": "long.txt"}}
            for n in (1, 2)]

def work(folder, reached):
    folder.mkdir()
    (folder / "long.txt").write_text("A line of the file.\n" * 100)
    archive = Archive(folder, clock=lambda: 7)
    policy = s06(lambda messages, focus: "1) Half of it.", archive, threshold=1_000)
    agent = Agent(client, MODEL, folder, policy, on_event=lambda event: None)
    log = archive.log
    def logged(message):
        log(message)
        reached.append(message)
    archive.log = logged
    agent.ask("Read long.txt twice, and again.")
    archive.save_result("../../x", [{"type": "text", "text": "a result"}])

def die_at(number, half):
    made = 0
    def dying(name, call):
        def instead(*arguments, **named):
            nonlocal made
            made += 1
            if made == number:
                if half:
                    with suppress(OSError):
                        if name == "write":
                            arguments = arguments[0], arguments[1][:len(arguments[1]) // 2]
                        call(*arguments, **named)
                end()
            return call(*arguments, **named)
        return instead
    for name in CALLS:
        setattr(os, name, dying(name, getattr(os, name)))

client = client_of(OfflineAPI(model=model))
count_text("The vocabulary is read once, before anybody dies.")
os.fsync = lambda descriptor: None  # a process that dies leaves to the system what it wrote; waiting proves nothing
base = Path(sys.argv[1])
for half in (False, True):
    for number in range(1, 1_000):
        folder, reached = base / f"{number}-{half}", []
        child = os.fork()
        if child == 0:
            def end(code=0):
                Path(f"{folder}.json").write_text(json.dumps(reached))
                os._exit(code)
            try:
                die_at(number, half)
                work(folder, reached)
            except BaseException:
                traceback.print_exc()
            end(9)
        if os.waitpid(child, 0)[1]:
            break  # it came to its end
"""


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """(folder, messages that were logged when the process died), for every place to die and for the work done."""
    base = tmp_path_factory.mktemp("crash")
    done = subprocess.run([sys.executable, "-c", PROGRAM, base], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return [(file.with_suffix(""), json.loads(file.read_text())) for file in sorted(base.glob("*.json"))]


def work_done(places):
    return max(places, key=lambda place: (len(place[1]), len(whole_files(place[0]))))


def test_the_work_writes_often_enough_to_prove_something(places):
    folder, reached = work_done(places)
    assert len(places) > 80
    assert len(reached) == 6
    assert len(list((folder / TRANSCRIPTS).glob("transcript_*"))) >= 2


def test_every_message_that_was_logged_is_in_the_log_and_nothing_else_but_the_next(places):
    _, all_of_them = work_done(places)
    for folder, reached in places:
        logs = [f"{TRANSCRIPTS}/{path.name}" for path in folder.glob(f"{TRANSCRIPTS}/log_*")]
        logged = [message for log in logs for message in Archive(folder).load(log)]
        assert logged in (reached, all_of_them[:len(reached) + 1]), folder.name


def test_every_transcript_and_result_is_whole_or_not_there(places):
    folder, _ = work_done(places)
    whole = {path.name: path.read_bytes() for path in whole_files(folder)}
    for folder, _ in places:
        for path in whole_files(folder):
            assert path.read_bytes() == whole[path.name], path


def whole_files(folder):
    return [*folder.glob(f"{TRANSCRIPTS}/transcript_*"), *folder.glob(f"{RESULTS}/[0-9]*")]


def test_what_a_dead_process_left_unfinished_is_not_believed_and_stands_in_nobodys_way(places):
    leftovers = 0
    for folder, reached in places:
        archive = Archive(folder, clock=lambda: 7)
        partial = [path.relative_to(folder).as_posix() for path in folder.rglob(".partial-*")]
        leftovers += len(partial)
        assert not any(map(archive.knows, partial))
        archive.log({"role": "user", "content": "Go on."})
        assert archive.load(archive.log_path) == [{"role": "user", "content": "Go on."}]
        assert archive.load(archive.save_transcript(reached)) == reached
    assert leftovers


def test_the_results_of_a_dead_process_are_found_by_the_next(places):
    for folder, reached in places:
        archive = Archive(folder)
        for message in reached:
            for block in message["content"] if isinstance(message["content"], list) else ():
                if block["type"] == "tool_result":
                    assert archive.result(block["tool_use_id"]) == block["content"]
