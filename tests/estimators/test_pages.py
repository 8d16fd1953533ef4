"""The pages about the estimators show what really happens."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest


@pytest.mark.parametrize("name", ["decision_trees.md", "oblique_trees.md", "pruning.md"])
def test_every_example_of_the_page_gives_what_it_says(name: str) -> None:
    page = Path(__file__).parents[2] / "docs" / name
    result = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert result.attempted > 8
    assert result.failed == 0
