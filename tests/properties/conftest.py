"""The same random tables on every run; TREEWRIGHT_SEARCH=20 tries 20 times as many new ones, for a longer hunt."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

from thorough import examples

pytest.register_assert_rewrite("properties.engine")

search = int(os.environ.get("TREEWRIGHT_SEARCH", "0"))
settings.register_profile(
    "properties",
    derandomize=not search,
    deadline=None,
    database=None,
    max_examples=examples(250) * max(search, 1),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("properties")
