"""The pages of the formats show what really happens."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

PAGES = sorted((Path(__file__).parents[2] / "docs" / "export").glob("*.md"))


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")  # of other people's packages
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_example_of_the_page_gives_what_it_says(page: Path) -> None:
    result = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert result.attempted >= 5
    assert result.failed == 0
