"""The pages about the estimators show what really happens."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

# The others have tests of their own.
ELSEWHERE = {"benchmarks.md", "command_line.md", "design.md", "model_file.md", "reading.md", "tree.md"}
DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("name", sorted({page.name for page in DOCS.glob("*.md")} - ELSEWHERE))
def test_every_example_of_the_page_gives_what_it_says(name: str) -> None:
    page = DOCS / name
    result = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert result.attempted > 8
    assert result.failed == 0
