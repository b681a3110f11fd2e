"""What another policy would have done with the same requests: nothing is sent, no model is asked.

Every stretch between two real compactions is lived again, request by request: the policy prepares what it had left and
what has come since. Its summaries are a fixed text. Left out: that an agent with less in sight would have done other
things, and the real compactions themselves, which stay where they were.
"""

from collections import Counter
from dataclasses import dataclass, field
from itertools import takewhile

from learn_compact.agent import Point
from learn_compact.agent.points import RunningParts
from learn_compact.archive import RESULTS, TRANSCRIPTS
from learn_compact.errors import LearnCompactError
from learn_compact.messages import blocks
from learn_compact.pipeline import Pipeline, claude_code, s06, s08
from learn_compact.pipeline.policies import EFFECTIVE_WINDOW
from learn_compact.profile.prices import cost, price_of
from learn_compact.summaries import SUMMARY_MAX_CHARS
from learn_compact.tokens import RunningCount, estimate_block, estimate_by_kind, message_parts
from learn_compact.tokens.estimate import CHARS_PER_TOKEN

POLICIES = {"s06": s06, "s08": s08, "claude_code": claude_code}
NO_POLICY = "none"
SUMMARY = "What was done so far, and what is still to do. " * 85  # about 1,000 tokens, as a short summary has
SUMMARY_TOKENS = len(SUMMARY) // CHARS_PER_TOKEN
LEAST_ROOM = 20_000  # tokens of the window for the conversation, however much is fixed
CACHE_SECONDS = 300  # how long an entry of the prompt cache lives


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


class Replaying:
    """A policy at work on one conversation, segment by segment."""

    def __init__(self, name):
        self.replay = Replay(name)
        self._now = self._before = None  # seconds: this request, and the one before

    def add(self, segment, life, requests):
        """Live a segment again: `life` are its messages, `requests` what the API answered."""
        measure = Measure(segment, life, requests)
        policy = self._policy(measure.unlogged)
        context, before, done = [], [], 0
        for request in requests:
            self._before, self._now = self._now, request.at
            try:
                context = policy.prepare(context + life[done:request.index])
            except LearnCompactError as error:  # the agent would go on with what was reached
                context = error.reached
            sent, done = policy.view(context), request.index
            same = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1] or pair[0] == pair[1],
                                            zip(before, sent, strict=False)))
            self.replay.changed += same < len(before)
            self._send(measure, request, sent, same)
            before = sent

    def _policy(self, unlogged):
        build, options = POLICIES.get(self.replay.policy), {}
        if build is None:
            return Pipeline([])
        if build is claude_code:  # it asks for the time, and its threshold is for what the window has left
            options = {"clock": lambda: self._now, "effective_window": max(LEAST_ROOM, EFFECTIVE_WINDOW - unlogged)}
        return build(self._summarize, Shelf(), **options)

    def _summarize(self, messages, focus=""):
        read = min(estimate_by_kind(messages), SUMMARY_MAX_CHARS // CHARS_PER_TOKEN)
        self.replay.summaries += 1
        self.replay.cost += cost({"input_tokens": read, "output_tokens": SUMMARY_TOKENS})
        return SUMMARY

    def _send(self, measure, request, context, same):
        replay, point = self.replay, measure.point(context, request, len(self.replay.points) + 1)
        replay.points.append(point)
        replay.sent, replay.largest = replay.sent + point.total, max(replay.largest, point.total)
        in_time = self._before is not None and self._now - self._before <= CACHE_SECONDS
        read = measure.unlogged + measure.first(same) if in_time else 0
        usage = {"cache_read_input_tokens": read, "cache_creation_input_tokens": point.total - read,
                 "output_tokens": request.usage.get("output_tokens", 0)}
        replay.cost += cost(usage, price_of(request.model))


class Measure:
    """The sizes of contexts in one segment, estimated by kind, with what its log doesn't show on top.

    That part, `unlogged`, is what the API counted for the first request, less the estimate of what the log shows.
    """

    def __init__(self, segment, life, requests):
        self._compaction, self._opening = segment.compaction, requests[0] if requests else None
        self._summary = life[0] if segment.compaction and life else None
        self._inside = message_parts(self._summary, {}, estimate_block)[0] if self._summary else Counter()
        self._running, self._count = RunningParts(None, None, estimate_block), RunningCount(_size)
        self.unlogged = 0
        if requests:
            shown = estimate_by_kind(life[:self._opening.index])
            self.unlogged = max(0, self._opening.context_tokens - shown)

    def point(self, messages, request, number, counted=None):
        """The `Point` of one request that sends these messages."""
        self._count.of(messages)
        parts = {"unlogged": self.unlogged} | self._running.of(messages)
        if messages and messages[0] is self._summary:  # what the real program left of the stretch before
            for part, tokens in self._inside.items():
                parts[part] -= tokens
            parts["summary"] += self._inside.total()
        return Point(number, len(messages), parts, self._compaction if request is self._opening else None, counted)

    def first(self, length):
        """Tokens of the first messages of the context measured last."""
        return self._count.of_first(length)


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


def _size(message):
    return sum(map(estimate_block, blocks(message)))
