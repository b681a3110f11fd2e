"""A profile as text for the terminal, and the sentences that the page shares with it."""

from learn_compact.profile.tables import tables

NOTHING_LEFT = "Read on this machine; nothing left it."
MOST_SENTENCES = 8


def text(profile, price=None):
    """The profile as text; `price` is what a million input tokens cost in dollars, where it is to be told."""
    made = [title(profile), *facts(profile), *map(str, tables(profile, price)), NOTHING_LEFT]
    return "\n\n".join(made)


def title(profile):
    """Which conversation this is, in a line."""
    model = f", {profile.model}" if profile.model else ""
    return (f"{profile.name} ({profile.source}{model}): {_number(profile.messages, 'message')}, "
            f"{_number(len(profile.points), 'request')}")


def facts(profile):
    """What no table says: results never used, problems, warnings."""
    found = [_unused(profile)] if profile.unused.judged else []
    if not profile.usage and profile.points:
        found.append("The file has no usage, so a request is taken before every answer, and all sizes are estimates.")
    for name, sentences in (("The API would refuse", profile.problems), ("Reading the file", profile.warnings)):
        shown = sentences[:MOST_SENTENCES] + [f"and {len(sentences) - MOST_SENTENCES} more"] * (
            len(sentences) > MOST_SENTENCES)
        found += [f"{name}: " + " ".join(shown)] if sentences else []
    return found


def _number(count, noun):
    return f"{count} {noun}{'s' * (count != 1)}"


def _unused(profile):
    results, tokens, judged, judged_tokens = profile.unused
    filled_in = " (the words of an outline are filled in, so this says nothing here)" * (profile.source == "outline")
    return (f"Of {results} of {judged} results nothing was seen again, {tokens:,} of {judged_tokens:,} tokens: no word "
            f"of six characters or more that they brought in was written by the model later{filled_in}.")
