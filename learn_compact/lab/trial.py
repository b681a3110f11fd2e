"""One task, one policy, one fresh folder: what an agent made of it, in figures.

The model is the stand-in, so a trial says what a policy loses and costs, not how well a real model would cope.
"""

from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from learn_compact.agent import Agent
from learn_compact.archive import Archive
from learn_compact.errors import LearnCompactError
from learn_compact.lab.given import must_be
from learn_compact.ledger import Ledger
from learn_compact.messages import blocks
from learn_compact.offline import MODEL, OfflineAPI, client_of, sample_project
from learn_compact.pipeline import Pipeline
from learn_compact.summaries import ModelSummarizer

CLOCK = 1_700_000_000  # seconds; a trial has no clock of its own, so that its file names are always the same
LOOKS = ("read_file", "bash", "glob")  # tools that only look: what they gave once, they give again


@dataclass(frozen=True)
class Trial:
    """What came of it: the agent's last words (`answer`), and what it broke off with (`error`; None where it was done).

    `points` are the contexts before each request, `log` every message in order, whatever became of it in the context
    (`messages`), `ledger` the fate of every block, `api` the offline API with all its calls.
    """

    answer: str
    error: str | None
    messages: list
    points: list
    log: list
    ledger: Ledger
    api: OfflineAPI

    @property
    def requests(self):
        """How many requests the agent made, summaries aside."""
        return len(self.points)

    @property
    def summaries(self):
        """How many calls of the model went into summaries."""
        return len(self.api.calls) - len(self.points)

    @property
    def calls(self):
        """Every call of a tool, in order, as `(tool, input)`."""
        return [(block["name"], block["input"])
                for message in self.log for block in blocks(message) if block["type"] == "tool_use"]

    @property
    def repeated(self):
        """How many calls only looked at what an earlier call had already shown."""
        looks = Counter(str(call) for call in self.calls if call[0] in LOOKS)
        return sum(count - 1 for count in looks.values())

    @property
    def largest(self):
        """The largest context that the API counted, in tokens."""
        return max(point.counted or 0 for point in self.points)


def trial(question, policy=None, *, window=200_000, build=sample_project, folder=None, on_event=None, **options):
    """Let an agent with a policy work on a question in a fresh folder, and give what came of it as a `Trial`.

    `policy(summarize, archive)` makes the policy, as `s06` does; without one nothing makes room. `build(folder)` fills
    `folder`, an empty one that stays; without one the trial uses its own and takes it away, originals and all.
    `window` is in tokens; `options` are those of `Agent`. An error of ours ends the trial and is kept, as
    is why the model stopped where it was not done: its answer was cut off where the window ended, say.
    """
    must_be(isinstance(question, str), "trial(question)", "a text", question)
    must_be(policy is None or callable(policy), "trial(…, policy)", "a function such as s06", policy)
    must_be(callable(build), "trial(build=…)", "a function that fills a folder", build)
    with nullcontext(folder) if folder else TemporaryDirectory() as folder:
        build(folder)
        api = OfflineAPI(window)
        client, archive = client_of(api), Archive(Path(folder), clock=lambda: CLOCK)
        made = policy(ModelSummarizer(client, MODEL), archive) if policy else Pipeline([])
        log, answer, errors = [], "", []

        def heard(event):
            if event.kind == "stopped":
                errors.append(event.text)
            if on_event:
                on_event(event)

        agent = Agent(client, MODEL, folder, made, archive=_Witness(archive, log), on_event=heard, **options)
        try:
            answer = agent.ask(question)
        except LearnCompactError as failure:
            errors.append(str(failure))
    return Trial(answer, next(iter(errors), None), agent.messages, agent.points, log, agent.ledger, api)


class _Witness:
    """An archive that also keeps what was logged in memory, because the folder is gone afterwards."""

    def __init__(self, archive, log):
        self._archive, self._log = archive, log

    def log(self, message):
        self._log.append(message)
        self._archive.log(message)

    def __getattr__(self, name):
        return getattr(self._archive, name)
