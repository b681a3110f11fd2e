"""The profile of a conversation: figures only, and here and there the beginning of a block."""

from collections import Counter
from dataclasses import dataclass, field

from learn_compact.conversations import Compaction
from learn_compact.data import Request
from learn_compact.errors import PolicyError
from learn_compact.profile.estimates import estimates
from learn_compact.profile.findings import Findings, Unused
from learn_compact.profile.prices import cost, price_of
from learn_compact.profile.replayed import NO_POLICY, POLICIES, Measure, Replaying

USAGE = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")


@dataclass(frozen=True)
class Profile:
    """What `profile` found in a conversation.

    `points` is the context before every request (tokens by part, estimated by kind; `counted` by the API), `usage` the
    sum of what the API reported and `cost` its price in input tokens, None where the file has no usage. `large`,
    `rereads`, `unused` are as in `findings`, `estimates` as there, on the segment `held_on`. `replays` are what other
    policies would have sent, "none" first.
    """

    name: str
    source: str
    model: str
    messages: int
    points: list = field(repr=False)
    usage: dict | None
    cost: float | None
    compactions: list
    large: list = field(repr=False)
    rereads: list = field(repr=False)
    unused: Unused
    estimates: list = field(repr=False)
    held_on: int | None
    replays: list = field(repr=False)
    problems: list = field(repr=False)
    warnings: list = field(repr=False)


def profile(conversation, policies=tuple(POLICIES), progress=None):
    """The `Profile` of a loaded conversation or of an outline.

    `policies` are names in POLICIES; `progress(done, of)` is told how many segments have been read. Nothing is sent or
    written anywhere. Raises PolicyError for a policy that isn't there.

    >>> from learn_compact import load_outline
    >>> found = profile(load_outline("codemie-624a4a58"))
    >>> len(found.points), found.compactions[0].before, found.compactions[0].after
    (55, 155979, 36541)
    """
    if unknown := set(policies) - POLICIES.keys():
        raise PolicyError(f"There is no policy {min(unknown)!r} to replay: take one of {', '.join(POLICIES)}.")
    findings, replaying = Findings(), [Replaying(name) for name in (NO_POLICY, *policies)]
    points, messages, segments = [], 0, conversation.segments
    for done, segment in enumerate(segments, 1):
        life = segment.conversation()
        requests = segment.requests or _unreported(life)
        messages += len(life)
        findings.add(segment, life)
        points += _points(segment, life, requests, len(points))
        for each in replaying:
            each.add(segment, life, requests)
        if progress:
            progress(done, len(segments))
    answered = [request for segment in segments for request in segment.requests]
    errors, held_on = estimates(segments)
    return Profile(
        conversation.name, getattr(conversation, "source", "outline"), answered[-1].model if answered else "", messages,
        points, _usage(answered), sum(cost(one.usage, price_of(one.model)) for one in answered) if answered else None,
        _compactions(segments), findings.large, findings.rereads, findings.unused, errors, held_on,
        [each.replay for each in replaying],
        [str(problem) for segment in segments for problem in getattr(segment, "problems", ())],
        list(getattr(conversation, "warnings", ())))


def _unreported(life):
    """A request for every answer of the model, where the file has no usage."""
    return [Request(i, 0.0, "", {}) for i, message in enumerate(life) if i and message.get("role") == "assistant"]


def _points(segment, life, requests, before):
    measure = Measure(segment, life, requests)
    return [measure.point(life[:request.index], request, number, request.context_tokens or None)
            for number, request in enumerate(requests, before + 1)]


def _usage(requests):
    total = Counter()
    for request in requests:
        total.update({name: request.usage.get(name) or 0 for name in USAGE})
    return {name: total[name] for name in USAGE} if requests else None


def _compactions(segments):
    """The real compactions, at the time of the first request behind each; an outline tells none, so its segments do."""
    found, before = [], None
    for segment in segments:
        first, last = (segment.requests[0], segment.requests[-1]) if segment.requests else (None, None)
        if segment.compaction:
            found.append(Compaction(segment.compaction, first and first.at, segment.pre_tokens or before,
                                    first and first.context_tokens))
        before = last and last.context_tokens
    return found
