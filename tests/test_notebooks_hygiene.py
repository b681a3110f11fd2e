"""Every stored chapter keeps the course's style, and every rule that says so has been seen to fail."""

import re
from pathlib import Path

import pytest
from notebook_rules import RULES, Chapter

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"
CHAPTERS = sorted(NOTEBOOKS.glob("*.ipynb"))
LINK = re.compile(r"\b\d\d_\w+\.ipynb\b")


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_keeps_the_rule_that_it(path, name):
    check, _ = RULES[name]
    assert not list(check(Chapter.read(path)))


BREACHES = [(name, cells) for name, (_, broken) in RULES.items() for cells in broken]


@pytest.mark.parametrize(("name", "cells"), BREACHES, ids=[name for name, _ in BREACHES])
def test_a_breach_is_found_of_the_rule_that_a_chapter(name, cells):
    check, _ = RULES[name]
    assert list(check(Chapter("99_broken.ipynb", {"cells": cells})))


def test_the_course_opens_with_chapter_0():
    assert [path.name for path in CHAPTERS[:1]] == ["00_start_here.ipynb"]


def test_every_chapter_has_a_number_of_its_own_and_a_noun():
    """Numbers may be missing: they are kept for chapters that are still to come."""
    numbers = [path.name[:2] for path in CHAPTERS]
    assert len(set(numbers)) == len(numbers) and set(numbers) <= {f"{number:02}" for number in range(13)}
    assert all(LINK.fullmatch(path.name) for path in CHAPTERS)


def links(path):
    """The chapters that a chapter names, in its text or in what it shows."""
    chapter = Chapter.read(path)
    return set(LINK.findall("\n".join([*(cell["source"] for cell in chapter.prose), *chapter.printed])))


def test_the_map_in_chapter_0_shows_the_chapters_that_exist():
    assert links(NOTEBOOKS / "00_start_here.ipynb") | {"00_start_here.ipynb"} == {path.name for path in CHAPTERS}


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_points_only_to_chapters_that_exist(path):
    assert links(path) <= {chapter.name for chapter in CHAPTERS}
