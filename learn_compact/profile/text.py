"""A profile as text for the terminal."""

from learn_compact.profile.sections import findings, policies, title, trust

NOTHING_LEFT = "Read on this machine; nothing left it."


def text(profile, price=None):
    """The profile as text; `price` is what a million input tokens cost in dollars, where it is to be told."""
    sections = [*findings(profile, price), policies(profile, price), *trust(profile)]
    told = [f"{section.sentence}\n\n{section.table}" if section.table else section.sentence for section in sections]
    return "\n\n".join([title(profile), *told, NOTHING_LEFT])
