"""How far an estimate is from the API's count."""

import pytest

from learn_compact.data import load_outline, load_usage
from learn_compact.errors import MessageError, PolicyError
from learn_compact.lab import absolute_error, growth_error, request_sizes
from learn_compact.tokens import visible_chars

SEGMENT = load_outline("sniffly-d3ad4cdc").segments[0]


def test_an_estimate_that_knows_the_truth_has_no_error():
    conversation = SEGMENT.conversation()
    truth = {request.index: request.context_tokens for request in SEGMENT.requests}
    assert growth_error(SEGMENT, lambda messages: truth[len(messages)]) == 0
    assert absolute_error(SEGMENT, lambda messages: truth[len(messages)]) == 0
    assert request_sizes(SEGMENT, len)[-1] == (SEGMENT.requests[-1].context_tokens, SEGMENT.requests[-1].index)
    assert len(conversation) > SEGMENT.requests[-1].index


def test_what_is_there_before_the_first_word_counts_in_the_size_and_not_in_the_growth():
    def fixed(messages):
        return 10_000 + visible_chars(messages) // 4

    def bare(messages):
        return visible_chars(messages) // 4

    assert growth_error(SEGMENT, fixed) == growth_error(SEGMENT, bare)
    assert absolute_error(SEGMENT, fixed) > absolute_error(SEGMENT, bare)


def test_the_error_of_visible_characters_is_that_of_the_usage_figures():
    first, *_, last = [row for row in load_usage(SEGMENT.name) if row.segment == 0]
    real = last.real_input_tokens - first.real_input_tokens
    chars = last.visible_chars_before - first.visible_chars_before
    # the figures were counted with compact JSON, so they may differ in the third place
    assert growth_error(SEGMENT, lambda messages: visible_chars(messages) / 4) == pytest.approx(
        chars / 4 / real - 1, abs=0.001)


class Still:
    """A segment without growth, or without requests."""

    name, number = "still", 0

    def __init__(self, requests):
        self.requests = requests

    def conversation(self):
        return [{"role": "user", "content": "Hello"}]


@pytest.mark.parametrize(("requests", "sentence"), [([], "has no request"), (SEGMENT.requests[:1], "doesn't grow")])
def test_a_segment_that_can_judge_nothing_is_refused(requests, sentence):
    with pytest.raises(PolicyError, match=sentence):
        growth_error(Still(requests), len)


@pytest.mark.parametrize("measured", [request_sizes, absolute_error, growth_error])
@pytest.mark.parametrize(("segment", "estimate", "said"), [
    (None, len, "a segment of an outline"), (SEGMENT, 3, "a function from messages to tokens, not 3")])
def test_what_can_not_be_measured_is_refused_with_a_sentence(measured, segment, estimate, said):
    with pytest.raises(MessageError, match=said):
        measured(segment, estimate)
