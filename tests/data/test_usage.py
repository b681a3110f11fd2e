"""The usage figures: what they hold, that they agree with the outlines, and what a damaged file is told."""

from collections import Counter

import pytest

from learn_compact.data import UsageRow, load_outline, load_usage, outline_names
from learn_compact.errors import OutlineError

# Two results of one conversation were a little longer when the figures were taken than the outline says.
LONGER_RESULTS = {"codemie-3fe1b6bc": 38}
KINDS = {"text": "text", "thinking": "think", "tool_use": "tool_use", "tool_result": "tool_result"}


@pytest.mark.parametrize("name", outline_names())
def test_figures_are_what_the_outline_adds_up_to(name):
    expected, most = [], 0
    for segment in load_outline(name).segments:
        seen, number = Counter(), 0
        for message in segment.messages:
            if message.usage:
                tokens = sum(message.usage.values()) - message.usage["output_tokens"]
                expected.append(UsageRow(segment.number, number, message.model, tokens, message.usage["output_tokens"],
                                         seen.total(), *(seen[kind] for kind in KINDS.values())))
                number += 1
            for block in message.blocks:
                seen[KINDS[block.kind]] += block.chars + len(block.tool)
    rows = load_usage(name)
    assert len(rows) == len(expected)
    for row, figures in zip(rows, expected, strict=True):
        longer = row.tool_result - figures.tool_result
        most = max(most, longer)
        assert row.visible_chars_before - figures.visible_chars_before == longer >= 0
        assert {k: v for k, v in as_dict(row).items() if k not in ("tool_result", "visible_chars_before")} \
            == {k: v for k, v in as_dict(figures).items() if k not in ("tool_result", "visible_chars_before")}
    assert most == LONGER_RESULTS.get(name, 0)


def test_a_row_has_the_figures_of_its_line():
    assert load_usage("codemie-624a4a58")[1] == UsageRow(
        segment=0, request=1, model="claude-sonnet-4-5-20250929", real_input_tokens=69_652, output_tokens_logged=219,
        visible_chars_before=59_889, text=832, think=4_402, tool_use=446, tool_result=54_209)


HEADER = ",".join(UsageRow.__dataclass_fields__)
ROW = "0,0,claude-opus-4-6,14187,5,70,70,0,0,0"
DAMAGE = {
    "empty": ("", "line 1: the header is ''"),
    "a missing column": (HEADER.replace("think,", "") + "\n" + ROW, "line 1: the header is 'segment"),
    "no request": (HEADER + "\n", "holds no request"),
    "a ragged row": (f"{HEADER}\n{ROW}\n0,1,m,3\n", "line 3: 4 values where the header has 10"),
    "a word for a number": (f"{HEADER}\n{ROW.replace('14187', 'many')}\n", "line 2: `real_input_tokens` is 'many'"),
    "a negative number": (f"{HEADER}\n{ROW.replace('14187', '-1')}\n", "line 2: `real_input_tokens` is '-1'"),
    "a fraction": (f"{HEADER}\n{ROW.replace('14187', '1.5')}\n", "line 2: `real_input_tokens` is '1.5'"),
    "no number": (f"{HEADER}\n{ROW.replace('14187', '')}\n", "line 2: `real_input_tokens` is ''"),
    "a number without end": (f"{HEADER}\n{ROW.replace('14187', '9' * 5000)}\n", "line 2: `real_input_tokens` is '999"),
    "no model": (f"{HEADER}\n{ROW.replace('claude-opus-4-6', '')}\n", "line 2: `model` is empty"),
    "an open quote": (f'{HEADER}\n{ROW}\n0,"1,m', "line 3: this is no csv"),
}


@pytest.mark.parametrize(("held", "said"), DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_file_is_named_with_its_line(tmp_path, held, said):
    (tmp_path / "made.csv").write_text(held, encoding="utf-8")
    with pytest.raises(OutlineError) as caught:
        load_usage(tmp_path / "made.csv")
    assert "made.csv" in str(caught.value)
    assert said in str(caught.value)
    assert str(caught.value).endswith("Copy the file again.")


def test_an_unknown_name_is_told_the_known_ones():
    with pytest.raises(OutlineError, match="no 'snifly' here.*sniffly-d3ad4cdc"):
        load_usage("snifly")


def test_a_folder_can_not_be_read(tmp_path):
    with pytest.raises(OutlineError, match="can't be read"):
        load_usage(tmp_path)


def as_dict(row):
    return {name: getattr(row, name) for name in UsageRow.__dataclass_fields__}
