"""The page about lessons shows what really happens."""

from __future__ import annotations

import doctest
from pathlib import Path

from treewright.lesson.algorithms import with_a_lesson


def test_every_example_of_the_page_gives_what_it_says() -> None:
    page = Path(__file__).parents[2] / "docs" / "lessons.md"
    result = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert result.attempted > 20
    assert result.failed == 0


def test_the_page_names_every_algorithm_that_has_a_lesson() -> None:
    page = (Path(__file__).parents[2] / "docs" / "lessons.md").read_text(encoding="utf-8")
    assert all(f'`"{name}"`' in page for name in with_a_lesson())
