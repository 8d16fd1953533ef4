"""The same random examples on every run; TREEWRIGHT_SEARCH=20 tries 20 times as many new ones, for a longer hunt."""

from __future__ import annotations

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
