"""The pages about files and DuckDB show what really happens; those of the other engines are tried where these are."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[2] / "docs" / "sources"


@pytest.mark.parametrize("name", ["files.md", "duckdb.md"])
def test_every_example_of_the_page_gives_what_it_says(name: str) -> None:
    result = doctest.testfile(str(PAGES / name), module_relative=False, encoding="utf-8")
    assert result.attempted >= 20
    assert result.failed == 0
