"""The ledger as a picture: fates by row, and for each block the way back."""

import pytest

from learn_compact import Archive, Ledger, Pipeline, Step, micro_compact
from learn_compact.errors import PolicyError
from learn_compact.show import LedgerView

CALL = {"type": "tool_use", "id": "a", "name": "bash", "input": {"command": "ls"}}
SAID = [{"role": "user", "content": "Look <here>."}, {"role": "assistant", "content": [CALL]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "a.py <b>" * 50}]},
        {"role": "assistant", "content": "I looked."}]


def view(archive=None, block=3):
    run = Pipeline([Step("micro_compact", micro_compact, keep_recent=0)]).run(SAID)
    ledger = Ledger(archive)
    ledger.extend(run)
    return LedgerView(ledger, block)


def test_a_shortened_block_is_told_with_its_step_and_where_its_original_is(tmp_path):
    archive = Archive(tmp_path)
    for message in SAID:
        archive.log(message)
    picture = view(archive)
    assert [row[:2] for row in picture.table.rows] == [("kept", 3), ("shortened", 1)]
    assert "Every original can be fetched back." in picture.alt
    assert "Block 3 of 4, in message 2: tool result of bash" in picture.alt
    assert "shortened by micro_compact" in picture.alt
    assert "ledger.restore((2, 0)) gives it back: “a.py <b>" in picture.alt


def test_an_original_that_is_nowhere_is_said_to_be_lost():
    assert "Originals that are nowhere any more: 1." in view().alt
    assert "is lost: micro_compact took it away" in view().alt


def test_the_slider_goes_from_block_to_block_and_text_is_escaped(tmp_path):
    picture = view(Archive(tmp_path))
    _, row, image, words, *_ = picture.widget.children
    slider = row.children[-1]
    slider.value = 1
    assert "Block 1 of 4, in message 0: text of the user" in words.value and "kept" in words.value
    assert "<here>" not in words.value and "<svg" in image.value


@pytest.mark.parametrize("given", [Ledger(), 3, None])
def test_what_is_no_ledger_or_an_empty_one_gets_a_sentence(given):
    with pytest.raises(PolicyError, match="something has arrived"):
        LedgerView(given)
