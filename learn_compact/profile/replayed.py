"""What another policy would have done with the same requests: nothing is sent, no model is asked.

Every stretch between two real compactions is lived again, request by request: the policy prepares what it had left and
what has come since. Its summaries are a fixed text. Left out: that an agent with less in sight would have done other
things, and the real compactions themselves, which stay where they were.
"""

from dataclasses import dataclass, field
from itertools import compress, count, islice
from operator import is_not

from learn_compact.archive import RESULTS, TRANSCRIPTS
from learn_compact.errors import LearnCompactError
from learn_compact.pipeline import claude_code, s06, s08
from learn_compact.profile.prices import cost, price_of
from learn_compact.profile.stretch import Context
from learn_compact.summaries import SUMMARY_MAX_CHARS
from learn_compact.tokens import estimate_by_kind
from learn_compact.tokens.estimate import CHARS_PER_TOKEN

POLICIES = {"s06": s06, "s08": s08, "claude_code": claude_code}
NO_POLICY = "none"
SUMMARY = "What was done so far, and what is still to do. " * 85  # about 1,000 tokens, as a short summary has
SUMMARY_TOKENS = len(SUMMARY) // CHARS_PER_TOKEN
WINDOWS = 200_000, 1_000_000  # tokens: what models have, the usual one first
LEAST_ROOM = 20_000  # tokens of the window for the conversation, however much is fixed
CACHE_SECONDS, HOUR_SECONDS = 300, 3_600  # how long an entry of the prompt cache lives, of either kind


@dataclass
class Replay:
    """A policy's life with a conversation: a `Point` per request, tokens sent in all, the largest request, requests
    whose prefix it changed, summaries, and the price in input tokens (summaries included, the cache simulated).
    """

    policy: str
    points: list = field(default_factory=list, repr=False)
    sent: int = 0
    largest: int = 0
    changed: int = 0
    summaries: int = 0
    cost: float = 0.0


def window_of(segments):
    """The window that a log fits into, one of WINDOWS: by what the API counted, where it did, else by an estimate."""
    sizes = [segment.pre_tokens or 0 for segment in segments]
    sizes += [request.context_tokens for segment in segments for request in segment.requests]
    sizes += [estimate_by_kind(segment.conversation()) for segment in segments if not segment.requests]
    return next((window for window in WINDOWS if max(sizes, default=0) <= window), WINDOWS[-1])


class Replaying:
    """A policy at work on one conversation, stretch by stretch, in a window of so many tokens."""

    def __init__(self, name, window):
        self.replay, self._window = Replay(name), window
        self._now = self._before = None  # seconds: this request, and the one before

    def live(self, stretch):
        """Live a stretch again; after every request comes a yield, so that somebody may tell how far it is."""
        context, lived = Context(stretch), self._as_it_was if self.replay.policy == NO_POLICY else self._prepared
        for request, sent, end, same in lived(stretch):
            context.send(sent, end, same)
            point = context.point(len(self.replay.points) + 1, request is stretch.requests[0])
            self._pay(request, point, context.first(same))
            yield

    def _as_it_was(self, stretch):
        """(request, messages, how many of them were sent, how many of these before) for every request."""
        done = 0
        for request in stretch.requests:
            self._before, self._now = self._now, request.at
            yield request, stretch.life, request.index, request.index if self._before is None else done
            done = request.index

    def _prepared(self, stretch):
        """The same, with what the policy makes of its context in place of what was really sent."""
        policy, life, context, done = self._policy(stretch.ahead.total()), stretch.life, [], 0
        before = life[:stretch.requests[0].index] if self._now is None and stretch.requests else []
        for request in stretch.requests:
            self._before, self._now = self._now, request.at
            try:
                context = policy.prepare(context + life[done:request.index])
            except LearnCompactError as error:  # the agent would go on with what was reached
                context = error.reached
            sent, done = policy.view(context), request.index
            same = _same(before, sent)
            self.replay.changed += same < len(before)
            yield request, sent, len(sent), same
            before = sent

    def _policy(self, ahead):
        build, options = POLICIES[self.replay.policy], {}
        if build is claude_code:  # it asks for the time, and its threshold is for what the window has left
            options = {"clock": lambda: self._now, "effective_window": max(LEAST_ROOM, self._window - ahead)}
        return build(self._summarize, Shelf(), **options)

    def _summarize(self, messages, focus=""):
        read = min(estimate_by_kind(messages), SUMMARY_MAX_CHARS // CHARS_PER_TOKEN)
        self.replay.summaries += 1
        self.replay.cost += cost({"input_tokens": read, "output_tokens": SUMMARY_TOKENS})
        return SUMMARY

    def _pay(self, request, point, prefix):
        """Book a request whose first `prefix` tokens are as they were sent last: from the cache, if it is still warm.

        What a cache held before the first request of a log nobody knows but the API: it is taken from there.
        """
        replay, usage = self.replay, request.usage
        hour = (usage.get("cache_creation") or {}).get("ephemeral_1h_input_tokens")
        if self._before is None:
            read = min(prefix, usage.get("cache_read_input_tokens") or 0)
        else:
            read = prefix if self._now - self._before <= (HOUR_SECONDS if hour else CACHE_SECONDS) else 0
        written = point.total - read
        replay.points.append(point)
        replay.sent, replay.largest = replay.sent + point.total, max(replay.largest, point.total)
        replay.cost += cost({"cache_read_input_tokens": read, "cache_creation_input_tokens": written,
                             "cache_creation": {"ephemeral_1h_input_tokens": written if hour else 0},
                             "output_tokens": usage.get("output_tokens", 0)}, price_of(request.model))


def _same(before, after):
    """How many messages at the beginning of two lists are equal; most are the same objects."""
    shorter, same = min(len(before), len(after)), 0
    while True:
        same = next(compress(count(same), map(is_not, islice(before, same, None), islice(after, same, None))), shorter)
        if same == shorter or before[same] != after[same]:
            return same
        same += 1


class Shelf:
    """An archive that is nowhere: what a policy writes down stays in memory and is gone afterwards."""

    def __init__(self):
        self._kept = {}

    def __contains__(self, tool_use_id):
        return False

    def knows(self, path):
        return path in self._kept

    def load(self, path):
        return self._kept[path]

    load_result = load

    def save_transcript(self, messages):
        return self._save(f"{TRANSCRIPTS}/transcript_{len(self._kept)}.jsonl", list(messages))

    def extend_transcript(self, path, number, messages):
        self._kept[path][number:] = messages
        return True

    def save_result(self, tool_use_id, content):
        return self._save(f"{RESULTS}/{len(self._kept)}.json", content)

    def _save(self, path, content):
        self._kept[path] = content
        return path
