"""The same random examples on every run; TREEWRIGHT_SEARCH=20 tries 20 times as many new ones, for a longer hunt."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from thorough import SEARCH, examples

settings.register_profile(
    "treewright",
    derandomize=not SEARCH,
    deadline=None,
    database=None,
    max_examples=examples(250),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("treewright")


def pytest_collection_finish() -> None:
    """Keep thousands of tests, which stay until the end, from being looked through for garbage again and again."""
    gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tables of tests are odd on purpose: that `fit` warns of their columns is asked by the tests of these warnings.

    In docstrings, where tables should be as users have them, such a warning stays an error.
    """
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.filterwarnings("ignore::treewright.errors.ColumnWarning"))
