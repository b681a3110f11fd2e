"""A profile as tables: what the terminal prints, the page shows and a chapter looks at."""

from learn_compact.profile.prices import ASSUMED
from learn_compact.profile.replayed import CACHE_SECONDS, NO_POLICY, SUMMARY_TOKENS
from learn_compact.show.palette import ORDER, PALETTE
from learn_compact.show.table import Table

MOST_ROWS = 12
KINDS = {"input_tokens": "input", "cache_creation_input_tokens": "written to the cache",
         "cache_read_input_tokens": "read from the cache", "output_tokens": "output"}


def tables(profile, price=None):
    """Every table of the profile that has something to say, in order; `price` as in `bill`."""
    made = (window(profile), large(profile), rereads(profile), compactions(profile), bill(profile, price),
            policies(profile, price), estimates(profile))
    return [table for table in made if table.rows]


def window(profile):
    """What filled the window: the context before a few requests, part by part; the largest is among them."""
    points = profile.points
    largest = max(range(len(points)), key=lambda i: _size(points[i]), default=0)
    shown = sorted({0, len(points) // 4, len(points) // 2, 3 * len(points) // 4, len(points) - 1, largest})
    shown = [points[i] for i in shown if points]
    parts = [part for part in ORDER if any(point.parts.get(part) for point in shown)]
    rows = [(str(point.request), *(point.parts.get(part, 0) for part in parts), point.total, point.counted)
            for point in shown]
    return Table(("request", *(PALETTE[part].label for part in parts), "total", "the API's count"), rows,
                 f"What filled the window, {len(points)} requests: tokens before a request",
                 "Estimated by kind; not in the log: system prompt, tools and what else the API counted at first.")


def large(profile):
    """The ten largest blocks."""
    rows = [(PALETTE[one.part].label, one.tool, one.tokens, _place(one), one.begins) for one in profile.large]
    return Table(("block", "tool", "tokens", "where", "begins"), rows, "The largest blocks")


def rereads(profile):
    """Files that were read more than once."""
    rows = [tuple(one) for one in profile.rereads[:MOST_ROWS]]
    hidden = len(profile.rereads) - len(rows)
    return Table(("file", "reads", "the same read again", "again behind a compaction", "tokens beyond the first"), rows,
                 "Files read more than once", f"And {hidden} more." if hidden else "")


def compactions(profile):
    """What each real compaction did."""
    rows = [(one.trigger, one.before, one.after, f"{1 - one.after / one.before:.0%}" if one.before and one.after else
             None) for one in profile.compactions]
    return Table(("compaction", "tokens before", "tokens after", "less"), rows, "Compactions that really happened")


def bill(profile, price=None):
    """What the API reported, and its price in input tokens; in dollars too where `price` is what a million cost."""
    if profile.usage is None:
        return Table(("tokens", "number"), [])
    rows = [(name, profile.usage[field]) for field, name in KINDS.items()]
    rows.append(("the price of all, in input tokens", round(profile.cost)))
    dollars = f" At ${price:g} a million input tokens: ${_dollars(profile.cost, price)}." if price else ""
    return Table(("tokens", "number"), rows, "What the API reported, all requests", f"Prices: {ASSUMED}.{dollars}")


def policies(profile, price=None):
    """What each policy would have done with the same requests."""
    rows = [("as it was, by the API", *_reported(profile))] if profile.usage else []
    rows += [("no policy" if one.policy == NO_POLICY else one.policy, one.sent, one.largest, one.changed, one.summaries,
              round(one.cost)) for one in profile.replays]
    columns = ("policy", "tokens sent", "largest request", "prefix changed", "summaries", "price in input tokens")
    if price:
        rows = [(*row, _dollars(row[-1], price)) for row in rows]
        columns = (*columns, "dollars")
    return Table(columns, rows if profile.points else [], "What each policy would have done with these requests",
                 f"Estimated, the cache simulated ({CACHE_SECONDS // 60} minutes), real compactions kept, summaries of "
                 f"{SUMMARY_TOKENS:,} tokens: compare with “no policy”, not with the API's figures.")


def estimates(profile):
    """How wrong each estimator was."""
    rows = [(one.name, f"{one.at_the_end:+.1%}", f"{one.growth:+.1%}") for one in profile.estimates]
    stretch = f", stretch {profile.held_on + 1}" if profile.estimates else ""
    return Table(("estimate", "at the last request", "in the growth"), rows, f"Estimates against the API{stretch}",
                 "Minus is too low, the dangerous side. The meter stands on the API's count of the request before.")


def _reported(profile):
    """The API's own figures, in the columns of a replay."""
    counted = [point.counted or 0 for point in profile.points]
    return sum(counted), max(counted), None, None, round(profile.cost)


def _size(point):
    return point.counted or point.total


def _place(one):
    """Where a block stands: by its line in the file where it has one."""
    return f"line {one.line}" if one.line else f"stretch {one.segment + 1}, message {one.message}"


def _dollars(tokens, price):
    return f"{tokens * price / 1_000_000:,.2f}"
