"""The page about model files shows what really happens."""

from __future__ import annotations

import doctest
from pathlib import Path


def test_every_example_of_the_page_gives_what_it_says() -> None:
    page = Path(__file__).parents[3] / "docs" / "model_file.md"
    result = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert result.attempted > 10
    assert result.failed == 0
