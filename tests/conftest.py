"""The same random examples on every run; TREEWRIGHT_SEARCH=20 tries 20 times as many new ones, for a longer hunt."""

from __future__ import annotations

import gc

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
