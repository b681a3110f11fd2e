"""micro_down_to: as many of the oldest results as are needed, and not one more."""

import pytest
from talk import assistant, long_talk

from learn_compact.layers.micro import micro_compact, micro_down_to
from learn_compact.tokens import estimate_chars

MESSAGES = [*long_talk(12, content="y" * 900), assistant("Done.")]
STEPS = [micro_compact(MESSAGES, keep_recent=12 - cleared) for cleared in range(10)]  # 0 to 9 results cleared
SIZES = [estimate_chars(step) for step in STEPS]


@pytest.mark.parametrize("cleared", range(10))
def test_exactly_as_many_results_go_as_the_limit_asks_for(cleared):
    assert micro_down_to(MESSAGES, max_chars=SIZES[cleared]) == STEPS[cleared]
    if cleared:
        assert micro_down_to(MESSAGES, max_chars=SIZES[cleared - 1] - 1) == STEPS[cleared]


def test_below_what_can_be_won_the_newest_three_stay_all_the_same():
    assert micro_down_to(MESSAGES, max_chars=0) == STEPS[9]


def test_what_fits_is_given_back():
    assert micro_down_to(MESSAGES, max_chars=SIZES[0]) is MESSAGES


def test_whoever_counts_as_the_conversation_grows_is_asked_in_place_of_a_new_count():
    assert micro_down_to(MESSAGES, max_chars=SIZES[0], size=lambda messages: SIZES[0] + 1) == STEPS[1]
