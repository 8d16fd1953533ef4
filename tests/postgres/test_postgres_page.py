"""The page about PostgreSQL shows what really happens."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs/sources/postgresql.md"


def test_every_example_of_the_page_gives_what_it_says(postgres: str) -> None:
    result = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8", globs={"address": postgres})
    assert result.attempted >= 15
    assert result.failed == 0
