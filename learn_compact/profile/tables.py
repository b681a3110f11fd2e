"""A profile as tables: what the terminal prints, the page shows and a chapter looks at."""

from learn_compact.profile.prices import UNIT, assumed, price_of
from learn_compact.profile.replayed import NO_POLICY, SUMMARY_TOKENS
from learn_compact.show.palette import ORDER, PALETTE
from learn_compact.show.table import Table

MOST_ROWS, MOST_CHARS = 12, 44  # of a table; of a path in it, whose end says most
STRETCH = "A stretch is what lies between two compactions."
RULES = {
    "visible / 4": "characters that are said, without keys and ids, by four",
    "len // 4": "characters of the messages as Python prints them, by four",
    "by kind": "characters to a token by kind of block and by script",
    "meter": "the API's count of the request before, and by kind what came since",
}
KINDS = {"input_tokens": "input", "cache_creation_input_tokens": "written to the cache",
         "cache_read_input_tokens": "read from the cache", "output_tokens": "output"}


def window(profile):
    """What filled the window: the context before a few requests, part by part; the largest is among them."""
    points = profile.points
    largest = max(range(len(points)), key=lambda i: _size(points[i]), default=0)
    shown = sorted({0, len(points) // 4, len(points) // 2, 3 * len(points) // 4, len(points) - 1, largest})
    shown = [points[i] for i in shown if points]
    parts = [part for part in ORDER if any(point.parts.get(part) for point in shown)]
    rows = [(str(point.request), *(point.parts.get(part, 0) for part in parts), point.total) for point in shown]
    if not rows:
        return _none("Tokens before a request")
    columns, note = ("request", *(PALETTE[part].label for part in parts), "total"), "Estimated by kind of block."
    if any(point.counted for point in points):
        rows = [(*row, point.counted) for row, point in zip(rows, shown, strict=True)]
        columns = (*columns, "the API's count")
        note += " Not in the log: system prompt, tools and what else the API counted at first."
    return Table(columns, rows, f"Tokens before a request, {number(len(points), 'request')}", note)


def large(profile):
    """The ten largest blocks, by their lines in the file or their places in a stretch."""
    rows = [(PALETTE[one.part].label, one.tool, one.tokens, _place(one), one.begins) for one in profile.large]
    return Table(("block", "tool", "tokens", "where", "begins"), rows, "The largest blocks",
                 "" if all(one.line for one in profile.large) else STRETCH)


def rereads(profile):
    """Files that were read more than once."""
    rows = [(_end(one.path), *one[1:]) for one in profile.rereads[:MOST_ROWS]]
    hidden = len(profile.rereads) - len(rows)
    if not rows:
        return _none("Files read more than once")
    return Table(("file", "reads", "the same again", "behind a compaction", "tokens beyond the first"), rows,
                 "Files read more than once", f"And {hidden} more." if hidden else "")


def compactions(profile):
    """What each real compaction did."""
    rows = [(one.trigger, one.before, one.after, f"{1 - one.after / one.before:.0%}" if one.before and one.after else
             None) for one in profile.compactions]
    if not rows:
        return _none("Compactions that really happened")
    return Table(("compaction", "tokens before", "tokens after", "less"), rows, "Compactions that really happened")


def bill(profile, price=None):
    """What the API reported, and its price in input tokens; in dollars too where `price` is what a million cost."""
    if profile.usage is None:
        return _none("What the API reported", "nothing in this file")
    missing = profile.unfinished.estimated - profile.unfinished.logged
    rows = [(name, profile.usage[field], round(profile.prices[field])) for field, name in KINDS.items()]
    if missing:
        name, logged, spent = rows.pop()
        left_out = round(missing * price_of(profile.model).output)
        rows += [(name, logged, spent - left_out), ("output that the log leaves out, estimated", missing, left_out)]
    rows.append(("all", sum(tokens for _, tokens, _ in rows), round(profile.cost)))
    dollars = f" At ${price:g} a million input tokens: ${_dollars(profile.cost, price)}." if price else ""
    beside = (f"Left out: {profile.beside:,} tokens of branches that were left and of sub-agents in this file.\n"
              * bool(profile.beside))
    return Table(("tokens", "number", "price"), rows, "What the API reported, over the requests of this thread",
                 f"{beside}What sub-agents with a log of their own used is not in this file.\n"
                 f"{assumed(price_of(profile.model))}{dollars}")


def policies(profile, price=None):
    """What each policy would have done with the same requests."""
    rows = [("as it was, by the API", *_reported(profile))] if profile.usage else []
    rows += [(policy_name(one), one.sent, one.largest, one.changed, one.summaries, round(one.cost))
             for one in profile.replays]
    if not profile.points:
        return _none("The same requests under each policy", "without a request there is nothing to replay")
    columns = ("policy", "tokens sent", "largest request", "prefix changed", "summaries", "price")
    if price:
        rows = [(*row, _dollars(row[-1], price)) for row in rows]
        columns = (*columns, "dollars")
    return Table(columns, rows, "The same requests under each policy",
                 "Prefix changed: how often a policy changed what had been sent before; what follows the change has to "
                 f"be written to the cache again.\nPrices {UNIT}, the cache simulated, summaries of {SUMMARY_TOKENS:,} "
                 "tokens. Sizes are estimated: compare with “no policy”, not with the API's figures.\n"
                 f"The window is taken to be {profile.window:,} tokens; only claude_code acts by it.")


def estimates(profile):
    """How wrong each estimator was."""
    rows = [(one.name, f"{one.at_the_end:+.1%}", f"{one.growth:+.1%}", RULES[one.name]) for one in profile.estimates]
    if not rows:
        return _none("Estimates against the API's count", "it takes two requests that the API counted")
    stretch = f", stretch {profile.held_on + 1}" if profile.held_on else ""
    return Table(("estimate", "at the last request", "in the growth", "how it counts"), rows,
                 f"Estimates against the API's count{stretch}", "Minus is too low, the dangerous side."
                 + f" {STRETCH}" * bool(stretch))


def policy_name(replay):
    """What a reader calls the policy of a replay."""
    return "no policy" if replay.policy == NO_POLICY else replay.policy


def number(count, noun):
    """How many of something, as words.

    >>> number(1, "request"), number(2_000, "request")
    ('1 request', '2,000 requests')
    """
    return f"{count:,} {noun}{'s' * (count != 1)}"


def _none(what, said="none"):
    """A table of nothing: a sentence."""
    return Table((), [], f"{what}: {said}.")


def _end(path):
    return path if len(path) <= MOST_CHARS else f"…{path[1 - MOST_CHARS:]}"


def _reported(profile):
    """The API's own figures, in the columns of a replay."""
    counted = [point.counted or 0 for point in profile.points]
    return sum(counted), max(counted), None, None, round(profile.cost)


def _size(point):
    return point.counted or point.total


def _place(one):
    """Where a block stands: by its line in the file where it has one; all of them are counted from 1."""
    return f"line {one.line}" if one.line else f"stretch {one.segment + 1}, message {one.message + 1}"


def _dollars(tokens, price):
    return f"{tokens * price / 1_000_000:,.2f}"
