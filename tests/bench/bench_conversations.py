"""What a long log costs: time and memory of `load`, each in an interpreter of its own, the time of `find`, and how the
time of a profile grows with a stretch that no compaction cuts.
"""

import json
import subprocess
import sys
import time
from itertools import chain, count, cycle
from pathlib import Path
from tempfile import TemporaryDirectory

from figures import Figure, seconds

from learn_compact.conversations import find, load
from learn_compact.data import load_outline, outline_names
from learn_compact.profile import profile

LOG_BYTES = 100_000_000
FILES, FILE_BYTES = 1_000, 100_000
TIMES = 10  # how much longer one log to profile is than the other

# Seconds of the processor that a load takes (others may be busy on this machine), and the most memory that the
# process ever held, in MB.
PROGRAM = """
import resource, sys, time
from learn_compact.conversations import load
start = time.process_time()
load(sys.argv[1])
took = time.process_time() - start
print(took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e3 if sys.platform == "linux" else 1e6))
"""


def figures():
    with TemporaryDirectory() as folder:
        log = Path(folder, "log.jsonl")
        for what, compacts in (("compacted again and again", True), ("in one context", False)):
            write(log, log_lines(compacts), LOG_BYTES)
            took, memory = measured(log)
            yield Figure(f"load of 100 MB, {what}", took, 10, "s")
            yield Figure(f"load of 100 MB, {what}: the most memory", memory, 300, "MB")
        yield Figure("load of 100 MB / parsing its lines", took / seconds(lambda: parse(log), 1), 6)
        short, long = (profiling(log, size) for size in (LOG_BYTES // TIMES, LOG_BYTES))
        yield Figure(f"profile of {TIMES} times as much in one stretch / of once", long / short, 13)
        log.unlink()
        for number in range(FILES):
            write(Path(folder, f"{number}.jsonl"), chain(FIRST, SOME), FILE_BYTES)
        yield Figure("find over 1,000 files", seconds(lambda: find(folder), 3), 1, "s")


def measured(path):
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(path)], capture_output=True, text=True, check=True)
    return map(float, done.stdout.split())


def profiling(path, size):
    """Seconds of the processor for the profile of a log of this size, under the policies that keep a context short."""
    write(path, log_lines(False), size)
    conversation = load(path)
    start = time.process_time()
    profile(conversation, ("s06", "s08"))
    return time.process_time() - start


def parse(path):
    with open(path, "rb") as file:
        for line in file:
            json.loads(line)


def write(path, lines, size):
    with open(path, "w", encoding="ascii") as file:
        for line in lines:
            size -= file.write(line + "\n")
            if size <= 0:
                return


def log_lines(compacts):
    """The lines of a log without end, as Claude Code writes them: the outlines filled in, one behind the other."""
    numbers, parent = count(), None

    def line(**fields):
        nonlocal parent
        found = {"parentUuid": parent, "isSidechain": False, "cwd": "/repo", "sessionId": "s",
                 "uuid": f"{next(numbers):032x}", "timestamp": "2026-01-07T20:23:23.678Z", **fields}
        parent = found["uuid"]
        return json.dumps(found)

    for name in cycle(outline_names()):
        for segment in load_outline(name).segments:
            if compacts:
                before, parent = parent, None
                yield line(type="system", subtype="compact_boundary", logicalParentUuid=before,
                           compactMetadata={"trigger": "auto", "preTokens": 155_000})
            requests, copy = {request.index: request for request in segment.requests}, next(numbers)
            for i, message in enumerate(segment.conversation()):
                content = message["content"]
                for block in content if isinstance(content, list) else [{"type": "text", "text": content}]:
                    yield line(type=message["role"], **logged(message["role"], block, requests.get(i), copy, i))


def logged(role, block, request, copy, number):
    """The fields of a line that logs one block; what a tool gave stands in it twice, as in life."""
    block = {key: f"{copy}_{value}" if key in ("id", "tool_use_id") else value for key, value in block.items()}
    if role == "user":
        return {"message": {"role": role, "content": [block]}, "toolUseResult": {"stdout": block.get("content")}}
    return {"message": {"id": f"{copy}_{number}", "role": role, "content": [block], "model": "m",
                        "usage": request.usage if request else None}}


FIRST = [json.dumps({"type": "file-history-snapshot", "messageId": "m", "snapshot": {}})] * 3
SOME = [line for line, _ in zip(log_lines(False), range(200), strict=False)]
