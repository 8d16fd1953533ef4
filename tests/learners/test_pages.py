"""The pages about the estimators show what really happens."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

# The others have tests of their own, or no examples.
ELSEWHERE = {
    "benchmarks.md",
    "command_line.md",
    "design.md",
    "model_file.md",
    "r.md",  # where R is: tests/r
    "reading.md",
    "scikit_learn_tests.md",
    "tree.md",
}
DOCS = Path(__file__).parents[2] / "docs"
TUTORIALS = [DOCS / "index.md", *(DOCS / "tutorials").glob("*.md")]


def _check(page: Path, least: int) -> None:
    result = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert result.attempted >= least
    assert result.failed == 0


@pytest.mark.parametrize("name", sorted({page.name for page in DOCS.glob("*.md")} - ELSEWHERE - {"index.md"}))
def test_every_example_of_the_page_gives_what_it_says(name: str) -> None:
    _check(DOCS / name, least=9)


@pytest.mark.parametrize("page", sorted(TUTORIALS), ids=lambda page: page.stem)
def test_every_example_of_the_tutorial_gives_what_it_says(page: Path) -> None:
    _check(page, least=5)
