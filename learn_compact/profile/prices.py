"""What tokens cost, relative to each other: one unit is the price of one input token that no cache has seen.

Dollars change and differ by contract; the ratios are alike for nearly all models of a family, and every comparison here
rests on them alone. Whoever knows the price of a million input tokens multiplies. The ratios are those of Anthropic's
own page (platform.claude.com/docs/en/about-claude/pricing, as it stood in autumn 2026).
"""

from typing import NamedTuple


class Price(NamedTuple):
    """The price of one token of each kind, in units of one input token's: plain input, written to a cache for five
    minutes or for an hour, read from it, and output.
    """

    input: float = 1.0
    cache_write: float = 1.25
    cache_write_1h: float = 2.0
    cache_read: float = 0.1
    output: float = 5.0


# By the beginning of a model's name; a model without a row is taken for a "claude".
PRICES = {
    "claude-3-haiku": Price(cache_write=1.2, cache_read=0.12),
    "claude-opus-5-5": Price(cache_read=0.05),
    "claude-sonnet-5-5": Price(cache_read=0.05),
    "claude-fable-5-1": Price(cache_read=0.025),
    "claude-mythos-5-1": Price(cache_read=0.025),
    "claude": Price(),
}
UNIT = "in units of one input token's price"


def price_of(model):
    """The row of PRICES for a model, the longest beginning first.

    >>> price_of("claude-sonnet-4-5").cache_read, price_of("claude-3-haiku-20240307").cache_read
    (0.1, 0.12)
    """
    fitting = [name for name in PRICES if str(model).startswith(name)]
    return PRICES[max(fitting, key=len, default="claude")]


def assumed(price=PRICES["claude"]):
    """The prices that are assumed, in a sentence."""
    return (f"Assumed, {UNIT}: input {price.input:g}, a write to the cache {price.cache_write:g} (for an hour "
            f"{price.cache_write_1h:g}), a read from it {price.cache_read:g}, output {price.output:g}.")


def cost(usage, price=PRICES["claude"]):
    """What one request cost, in units of one input token's price, from the usage that the API reported for it.

    >>> cost({"input_tokens": 10, "cache_creation_input_tokens": 400, "cache_read_input_tokens": 20_000,
    ...       "output_tokens": 100})
    3010.0
    """
    written = usage.get("cache_creation_input_tokens") or 0
    for_an_hour = min(written, (usage.get("cache_creation") or {}).get("ephemeral_1h_input_tokens") or 0)
    return ((usage.get("input_tokens") or 0) * price.input + (written - for_an_hour) * price.cache_write
            + for_an_hour * price.cache_write_1h + (usage.get("cache_read_input_tokens") or 0) * price.cache_read
            + (usage.get("output_tokens") or 0) * price.output)
