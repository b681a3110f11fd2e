"""What a profile says, one sentence for each finding, with its table: what the terminal and the page are made of."""

from typing import NamedTuple

from learn_compact.profile import tables
from learn_compact.profile.replayed import NO_POLICY
from learn_compact.profile.tables import number, policy_name
from learn_compact.show.palette import ORDER, PALETTE
from learn_compact.show.table import Table

MOST_SENTENCES = 8


class Section(NamedTuple):
    """One finding: a sentence, and the numbers behind it (None where the sentence has them all)."""

    sentence: str
    table: Table | None = None


def title(profile):
    """Which conversation this is, in a line."""
    return f"{profile.name} ({origin(profile)}): {size(profile)}"


def origin(profile):
    """What wrote the conversation, and the model that answered, where the file tells it."""
    return ", ".join(filter(None, (profile.source, profile.model)))


def size(profile):
    """How long the conversation is, in words."""
    return f"{number(profile.messages, 'message')}, {number(len(profile.points), 'request')}"


def findings(profile, price=None):
    """What stands out in the conversation, as a list of `Section`; `price` is what a million input tokens cost."""
    return [_window(profile), _large(profile), _rereads(profile), _unused(profile), _compactions(profile),
            _bill(profile, price)]


def policies(profile, price=None):
    """What another policy would have done, as a `Section`."""
    others = [one for one in profile.replays if one.policy != NO_POLICY]
    if not profile.points or not others:
        return Section("No policy was replayed." if profile.points else "Without a request there is nothing to replay.")
    [nothing] = [one for one in profile.replays if one.policy == NO_POLICY]
    told = [f"{policy_name(one)} sends {one.sent / nothing.sent:.0%} of the tokens at {one.cost / nothing.cost:.0%} of "
            "the price" for one in others if one.sent != nothing.sent]
    idle = [policy_name(one) for one in others if one.sent == nothing.sent]
    told += [f"nothing is changed by {', '.join(idle)}"] if idle else []
    return Section(f"Compared with no policy: {'; '.join(told)}.", tables.policies(profile, price))


def trust(profile):
    """What the figures stand on, and what in the file they lack, as a list of `Section`."""
    found = [_estimates(profile)]
    if not profile.usage and profile.points:
        found.append(Section("The file has no usage, so a request is taken before every answer, and all sizes are "
                             "estimates."))
    for name, sentences in (("The API would refuse", profile.problems), ("Reading the file", profile.warnings)):
        more = [f"and {len(sentences) - MOST_SENTENCES} more"] if len(sentences) > MOST_SENTENCES else []
        if sentences:
            found.append(Section(f"{name}: {' '.join([*sentences[:MOST_SENTENCES], *more])}"))
    return found


def _window(profile):
    if not profile.points:
        return Section("Nothing was answered, so no request filled the window.")
    fullest = max(profile.points, key=lambda point: point.counted or point.total)
    part = max(ORDER, key=lambda name: fullest.parts.get(name, 0))
    return Section(f"The window was fullest before request {fullest.request}, with "
                   f"{fullest.counted or fullest.total:,} tokens; the largest part of it: {PALETTE[part].label}, "
                   f"{fullest.parts[part] / (fullest.total or 1):.0%}.", tables.window(profile))


def _large(profile):
    if not profile.large:
        return Section("It has no block.")
    first, tokens = profile.large[0], sum(one.tokens for one in profile.large)
    of = f" of {first.tool}" if first.tool else ""
    return Section(f"Large blocks: the first {len(profile.large)} have {tokens:,} tokens, the largest {first.tokens:,} "
                   f"({PALETTE[first.part].label}{of}).", tables.large(profile))


def _rereads(profile):
    if not profile.rereads:
        return Section("Files read more than once: none.")
    return Section(f"Files read more than once: {len(profile.rereads)}; all reads but the first brought "
                   f"{sum(one.tokens for one in profile.rereads):,} tokens.", tables.rereads(profile))


def _unused(profile):
    results, tokens, judged, judged_tokens = profile.unused
    if not judged:
        return Section("Results never used again: none that could be judged.")
    filled_in = " (the words of an outline are filled in, so this says nothing here)" * (profile.source == "outline")
    return Section(f"Results never used again: at most {results} of {judged}, {tokens:,} of {judged_tokens:,} tokens. "
                   "No new word of theirs, of six characters or more, is in what the model wrote later"
                   f"{filled_in}.")


def _compactions(profile):
    if not profile.compactions:
        return Section("Compactions that really happened: none.")
    return Section(f"Compactions that really happened: {len(profile.compactions)}.", tables.compactions(profile))


def _bill(profile, price):
    if not profile.usage:
        return Section("What it cost: the file doesn't say.")
    dearest = max(profile.prices, key=profile.prices.get)
    answers, logged, estimated = profile.unfinished
    unfinished = (f" {number(answers, 'answer')} {'has' if answers == 1 else 'have'} an output in the log that was "
                  f"counted before {'it' if answers == 1 else 'they'} ended: {logged:,} tokens, by our estimate "
                  f"{estimated:,}, with which the price is computed.") * bool(answers)
    share = f", {profile.prices[dearest] / profile.cost:.0%} of it {tables.KINDS[dearest]}" if profile.cost else ""
    dollars = f"${profile.cost * price / 1_000_000:,.2f}, " if price else ""
    return Section(f"What it cost: {dollars}as much as {profile.cost:,.0f} uncached input tokens{share}."
                   f"{unfinished}", tables.bill(profile, price))


def _estimates(profile):
    if not profile.estimates:
        return Section("How wrong estimates are can't be said: it takes two requests that the API counted.")
    errors = ", ".join(f"{one.name} {one.growth:+.0%}" for one in profile.estimates)
    return Section(f"Estimates of the growth, against the API's count: {errors}.", tables.estimates(profile))
