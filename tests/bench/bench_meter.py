"""The meter reads what is new: one more message costs a small part of counting the whole conversation."""

from figures import Figure, seconds

from learn_compact.data import load_outline
from learn_compact.tokens import Meter, count_text, count_tokens

LARGEST = "spotter-ae4a77f8"


def figures():
    segment = load_outline(LARGEST).segments[0]
    last = segment.requests[-1]
    sent = segment.conversation()[:last.index]

    def full_count():
        count_text.cache_clear()
        count_tokens(sent)

    def one_more():
        meter.anchor(sent, last.usage)
        meter.tokens([*sent, {"role": "assistant", "content": "One more message."}])

    meter = Meter()
    whole = seconds(full_count, repeat=2)
    yield Figure("meter after one more message / the reference counter's full count", seconds(one_more) / whole, 1 / 50)

    def estimated_anew():
        Meter().tokens(sent)

    ratio = seconds(one_more) / seconds(estimated_anew)
    yield Figure("meter after one more message / estimating all anew", ratio, 1 / 50)
