"""The policies in one picture: a line for each that differs, its name beside it, and the numbers as a table."""

import pytest
from pictures import elements, outside, overlapping

from learn_compact.agent import Point
from learn_compact.show.lives import COLUMNS, lives
from learn_compact.show.scene import Line


def points(*sizes):
    return [Point(number, 1, {"user": size}) for number, size in enumerate(sizes, 1)]


def lines(picture):
    return [mark for mark in picture.figure.marks if isinstance(mark, Line) and mark.width in (1.6, 4)]


def words(picture):
    return {mark.text for mark in picture.figure.marks if hasattr(mark, "text")}


def test_every_policy_has_a_line_a_name_and_a_column():
    picture = lives({"no policy": points(10, 20, 30), "s06": points(10, 20, 5), "s08": points(10, 8, 6)})
    assert len({mark.colour for mark in lines(picture)}) == 3
    assert {"no policy 30", "s06 5", "s08 6"} <= words(picture)
    assert picture.table.columns == ("request", "no policy", "s06", "s08") and picture.table.rows[-1] == ("3", 30, 5, 6)
    assert "no policy 30, s06 20, s08 10" in picture.alt


def test_a_policy_that_changed_nothing_shares_the_line_and_the_name():
    picture = lives({"no policy": points(10, 20), "s06": points(10, 20), "s08": points(10, 8)})
    assert len(lines(picture)) == 2 and "no policy, s06 20" in words(picture)


@pytest.mark.parametrize("count", [1, 2, 399, 400, 401, 12_345])
def test_a_long_life_has_few_corners_and_keeps_its_peaks(count):
    sizes = [100] * count
    sizes[count // 3] = 9_000
    picture = lives({"no policy": points(*sizes), "s08": points(*[50] * count)})
    high, low = lines(picture)
    assert len(high.points) <= 2 * COLUMNS and min(y for _, y in high.points) < min(y for _, y in low.points)
    assert list(high.points) == sorted(high.points, key=lambda point: point[0])


def test_the_words_stand_on_the_sheet_and_not_on_each_other():
    lived = {f"a policy <{n}>": points(10, 5_000 + n) for n in range(5)}
    picture = lives(lived)
    assert not outside(picture.figure) and not overlapping(picture.figure)
    assert "svg" in elements(picture.picture_html())


def test_without_a_request_there_is_a_sentence():
    picture = lives({"no policy": [], "s06": []})
    assert "nothing to replay" in picture.alt and str(picture.table) == picture.alt and picture.png()
