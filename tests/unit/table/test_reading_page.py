"""The page about reading shows what really happens."""

import doctest
from pathlib import Path

import pytest


def test_every_example_of_the_page_gives_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The page changes its folder; leave the tests in theirs.
    monkeypatch.chdir(tmp_path)
    page = Path(__file__).parents[3] / "docs" / "reading.md"
    options = doctest.ELLIPSIS
    result = doctest.testfile(str(page), module_relative=False, optionflags=options, encoding="utf-8")
    assert result.attempted > 20
    assert result.failed == 0
