"""Rules of thumb: exact where they are defined, and blind only where their docstrings say so."""

import json

import pytest

from learn_compact.tokens import (
    estimate_by_kind,
    estimate_chars,
    estimate_tokens,
    json_size,
    repr_size,
    visible_chars,
)

HISTORY = [
    {"role": "user", "content": "Count the functions, \u8bf7\u6570\u4e00\u6570 \ud83d."},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "bash", "input": {"command": "ls"}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "a.py\nb.py"}]},
]


def test_the_rule_of_s06_is_the_length_of_str_by_four():
    assert estimate_tokens(HISTORY) == len(str(HISTORY)) // 4
    assert estimate_tokens([]) == 0


def test_the_unit_of_s08_is_the_length_of_readable_json():
    assert estimate_chars(HISTORY) == len(json.dumps(HISTORY, ensure_ascii=False))
    assert estimate_chars([{"role": "user", "content": [{"at": object}]}]) > 0


def test_visible_characters_leave_out_keys_and_ids():
    assert visible_chars(HISTORY) == len(HISTORY[0]["content"]) + len('{"command": "ls"}') + len("a.py\nb.py")


@pytest.mark.parametrize("length", [1, 2, 3])
def test_the_sizes_of_messages_add_up_to_the_size_of_the_history(length):
    assert sum(map(repr_size, HISTORY[:length])) == len(str(HISTORY[:length]))
    assert sum(map(json_size, HISTORY[:length])) == estimate_chars(HISTORY[:length])


def one(block):
    return estimate_by_kind([{"role": "user", "content": [block]}])


def test_a_picture_counts_as_a_picture_and_not_by_its_base64():
    def image(data):
        return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}

    assert one(image("A" * 100)) == one(image("A" * 1_000_000)) < 2_000
    inside = {"type": "tool_result", "tool_use_id": "a", "content": [image("A" * 1_000_000)]}
    assert 1_600 <= one(inside) < 2_000


def test_base64_inside_text_is_as_expensive_as_it_is():
    assert one({"type": "text", "text": "QUJD" * 1_000}) > 3_000


@pytest.mark.parametrize(("words", "tokens_per_char"), [
    ("\u4e0a\u4e0b\u6587\u7a97\u53e3\u662f\u56fa\u5b9a\u7684", 1.07),
    ("\ub300\ud654\ub97c\uacc4\uc18d", 1.03),
    ("\u0430\u0433\u0435\u043d\u0442", 0.38),
    ("plain words of English ", 0.25),
])
def test_a_script_has_its_own_price(words, tokens_per_char):
    text = words * 400
    assert one({"type": "text", "text": text}) == pytest.approx(tokens_per_char * len(text), rel=0.03)


def test_json_and_results_are_denser_than_prose():
    words = "x" * 3_400  # one run of base64 letters would be told apart, so break it up
    words = " ".join(words[i:i + 9] for i in range(0, len(words), 10))
    prose = one({"type": "text", "text": words})
    assert prose < one({"type": "tool_use", "input": words}) < one({"type": "tool_result", "content": words})
