"""Filler: of exact size, the same everywhere, and as dense as the usage figures of the real conversations say."""

import json
from collections import defaultdict
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from learn_compact.data import load_outline, load_usage, outline_names
from learn_compact.data.filler import _GRAMMAR, CHARS_PER_TOKEN, fill, fill_json, fill_numbered
from learn_compact.data.inputs import _FIELDS, tool_input
from learn_compact.messages import blocks
from learn_compact.tokens import VOCABULARY, count_text
from learn_compact.tokens.estimate import BLOCK_TOKENS

STYLES = sorted(_GRAMMAR)
PLACES = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(st.sampled_from(STYLES), st.integers(0, 3_000), PLACES)
def test_text_has_exactly_its_size(style, chars, seed):
    assert len(fill(style, chars, seed)) == len(fill_numbered(style, chars, seed)) == chars
    assert len(json.dumps(fill_json(style, chars, seed), ensure_ascii=False)) == chars + 2


@given(st.sampled_from(STYLES), st.integers(1, 30), PLACES)
def test_text_is_never_blank_and_plain_ascii(style, chars, seed):
    for found in fill(style, chars, seed), fill_numbered(style, chars, seed):
        assert not found[0].isspace()
        assert found.isascii()


@given(st.sampled_from([*_FIELDS, "mcp__server__tool"]), st.integers(6, 3_000), PLACES,
       st.sampled_from([None, "/repo/a_1.py", "/repo/src/core/parsing/tokens/parser_12.py"]))
def test_an_input_has_exactly_its_size(tool, chars, seed, path):
    made = tool_input(tool, chars, seed, path)
    assert len(json.dumps(made, ensure_ascii=False, separators=(",", ":"))) == chars


@pytest.mark.parametrize("tool", _FIELDS)
def test_an_input_of_usual_size_has_the_keys_of_its_tool(tool):
    assert list(tool_input(tool, 600, "any")) == list(_FIELDS[tool])


def test_a_style_has_no_symbol_that_the_grammar_lacks():
    for style in STYLES:
        assert fill(style, 20_000, "all of it")


# Density


def steps():
    """(characters by kind, tokens) of every step between two requests in which the context grew."""
    for name in outline_names():
        sizes = [(segment.number, len([b for message in segment.messages[:end] for b in message.blocks]))
                 for segment in load_outline(name).segments
                 for end, message in enumerate(segment.messages) if message.usage]
        rows = load_usage(name)
        for (before, (_, blocks_before)), (after, (_, blocks_after)) in pairwise(zip(rows, sizes, strict=True)):
            grown = after.real_input_tokens - before.real_input_tokens
            if (before.segment, before.model) == (after.segment, after.model) and grown > 0:
                prose = after.text + after.think - before.text - before.think
                yield (prose, after.tool_use - before.tool_use, after.tool_result - before.tool_result,
                       grown - BLOCK_TOKENS * (blocks_after - blocks_before))


def test_the_density_is_derived_from_the_usage_figures():
    """Least absolute deviations, by least squares weighted anew: a few steps hold tokens that no message shows."""
    *chars, tokens = np.array(list(steps()), float).T
    chars = np.stack(chars, axis=1)
    weights = np.ones_like(tokens)
    for _ in range(200):
        per_char, *_ = np.linalg.lstsq(chars * weights[:, None], tokens * weights, rcond=None)
        weights = 1 / np.sqrt(np.maximum(abs(tokens - chars @ per_char), 1))
    derived = dict(zip(CHARS_PER_TOKEN, 1 / per_char, strict=True))
    assert derived == pytest.approx(CHARS_PER_TOKEN, abs=0.005)


def test_filler_is_as_dense_as_derived():
    """Every tenth block of all outlines, at most 3,000 characters of each."""
    sizes, tokens = defaultdict(int), defaultdict(int)
    found = [block for name in outline_names() for segment in load_outline(name).segments
             for message in segment.conversation() for block in blocks(message)]
    for block in found[::10]:
        kind, held = texts(block)
        sizes[kind] += len(held[:3_000])
        tokens[kind] += count_text(held[:3_000])
    assert VOCABULARY == "3.0"
    assert {kind: sizes[kind] / tokens[kind] for kind in CHARS_PER_TOKEN} == pytest.approx(CHARS_PER_TOKEN, rel=0.05)


def texts(block):
    match block["type"]:
        case "tool_use":
            return "tool_use", json.dumps(block["input"], ensure_ascii=False)
        case "tool_result":
            return "tool_result", block["content"]
        case kind:
            return "prose", block[kind]
