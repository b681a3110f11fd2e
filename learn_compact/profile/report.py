"""The profile of a conversation: figures only, and here and there the beginning of a block."""

from collections import Counter
from dataclasses import dataclass, field, replace

from learn_compact.conversations import Compaction, fixed_parts
from learn_compact.errors import ConversationError, PolicyError
from learn_compact.profile.estimates import estimates, held_on
from learn_compact.profile.findings import Findings, Unused
from learn_compact.profile.prices import cost, price_of
from learn_compact.profile.replayed import NO_POLICY, POLICIES, Replaying, window_of
from learn_compact.profile.stretch import Stretch
from learn_compact.profile.unfinished import Unfinished
from learn_compact.tokens import estimate_block

USAGE = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")


@dataclass(frozen=True)
class Profile:
    """What `profile` found in a conversation.

    `points` is the context before every request (tokens by part, estimated by kind; `counted` by the API), `usage` the
    sum of what the API reported, None where the file has no usage; `unfinished` are the answers whose output it has
    wrong, `beside` the tokens that the API reported for answers of other branches and of sub-agents. `prices` is what
    each kind of token cost, in units of one input token's price, with our estimate for unfinished answers, and `cost`
    their sum. `large`, `rereads`, `unused` are as in `findings`, `estimates` as there, on the
    segment `held_on`. `replays` are what other policies would have sent, "none" first, in a window of `window` tokens.
    """

    name: str
    source: str
    model: str
    messages: int
    points: list = field(repr=False)
    usage: dict | None
    unfinished: Unfinished
    beside: int
    prices: dict | None
    cost: float | None
    compactions: list
    large: list = field(repr=False)
    rereads: list = field(repr=False)
    unused: Unused
    estimates: list = field(repr=False)
    held_on: int | None
    window: int
    replays: list = field(repr=False)
    problems: list = field(repr=False)
    warnings: list = field(repr=False)


def profile(conversation, policies=tuple(POLICIES), progress=None, *, window=None):
    """The `Profile` of a loaded conversation or of an outline.

    `policies` are names in POLICIES (or one), each replayed once, in a window of `window` tokens: unless one is given,
    200,000, or a million where the log has more. `progress(done, of)` is told how many requests have been lived again,
    over all replays. Nothing is sent or written anywhere. Raises ConversationError for what is no conversation, and
    PolicyError for a policy that isn't there.

    >>> from learn_compact import load_outline
    >>> found = profile(load_outline("codemie-624a4a58"))
    >>> len(found.points), found.compactions[0].before, found.compactions[0].after
    (55, 155979, 36541)
    """
    if not hasattr(conversation, "segments"):
        raise ConversationError("profile(…) takes what `load(path)` or `load_outline(name)` gives back, not "
                                f"{type(conversation).__name__}.")
    policies = (policies,) if isinstance(policies, str) else policies
    if unknown := set(policies) - POLICIES.keys():
        raise PolicyError(f"There is no policy {min(unknown)!r} to replay: take one of {', '.join(POLICIES)}.")
    segments, findings = conversation.segments, Findings()
    window, fixed = window or window_of(segments), fixed_parts(conversation, estimate_block)
    replaying = [Replaying(name, window) for name in dict.fromkeys((NO_POLICY, *policies))]
    reported = [request for segment in segments for request in segment.requests]
    held, errors, messages, requests, unfinished = held_on(segments), [], 0, [], Unfinished()
    done, whole = 0, len(reported) * len(replaying)
    for segment in segments:
        stretch = Stretch(segment, fixed)
        messages, unfinished = messages + len(stretch.life), unfinished + stretch.unfinished
        requests += stretch.requests
        whole += (len(stretch.requests) - len(segment.requests)) * len(replaying)
        findings.add(segment, stretch.life)
        if segment is held:
            errors = estimates(segment, stretch.life)
        for each in replaying:
            for _ in each.live(stretch):
                done += 1
                if progress:
                    progress(done, whole)
    prices = _prices([request for request in requests if request.context_tokens])
    return Profile(
        name=conversation.name, source=getattr(conversation, "source", "outline"),
        model=reported[-1].model if reported else "", messages=messages,
        points=[replace(point, counted=request.context_tokens or None)
                for point, request in zip(replaying[0].replay.points, requests, strict=True)],
        usage=_usage(reported), unfinished=unfinished,
        beside=getattr(conversation, "beside", 0), prices=prices, cost=prices and sum(prices.values()),
        compactions=_compactions(segments), large=findings.large, rereads=findings.rereads, unused=findings.unused,
        estimates=errors, held_on=held and held.number, window=window, replays=[each.replay for each in replaying],
        problems=[str(problem) for segment in segments for problem in getattr(segment, "problems", ())],
        warnings=list(getattr(conversation, "warnings", ())))


def _usage(requests):
    total = Counter()
    for request in requests:
        total.update({name: request.usage.get(name) or 0 for name in USAGE})
    return {name: total[name] for name in USAGE} if requests else None


def _prices(requests):
    """What each kind of token cost over all requests, None where there are none."""
    return {name: sum(cost({name: one.usage.get(name), "cache_creation": one.usage.get("cache_creation")},
                           price_of(one.model)) for one in requests) for name in USAGE} if requests else None


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
