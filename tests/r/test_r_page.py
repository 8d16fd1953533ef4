"""The page of R shows what really happens."""

from __future__ import annotations

import doctest
import os
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "r.md"


def test_every_example_of_the_page_gives_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)  # R asks a python of that name
    result = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert result.attempted >= 10
    assert result.failed == 0
