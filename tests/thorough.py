"""How hard the tests look: `make test` takes a part of the examples and the tables, `make thorough` the rest too.

A test or a parameter that is marked `thorough` is left out of `make test`. A test with random examples runs in both,
with a part of them in `make test`; hypothesis marks its own, others are marked `random_examples`. What is marked
`exhaustive` takes a quiet machine and long: `make exhaustive`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import pytest

THOROUGH = bool(os.environ.get("TREEWRIGHT_THOROUGH"))
SEARCH = int(os.environ.get("TREEWRIGHT_SEARCH", "0"))
_PART = 10
_FEWEST = 5  # the first example is the simplest there is, and tells little


def examples(n: int) -> int:
    """How many random examples are tried, of n in a thorough run.

    >>> examples(3)
    3
    """
    return (n if THOROUGH else min(n, max(_FEWEST, n // _PART))) * max(SEARCH, 1)


def some(parameters: Iterable[Any], n: int) -> list[Any]:
    """Give parameters of a test of which only the first n are tried in `make test`.

    >>> [bool(one.marks) for one in some(["a", "b", "c"], 2)]
    [False, False, True]
    """
    return [
        pytest.param(one, marks=[pytest.mark.thorough] if place >= n else []) for place, one in enumerate(parameters)
    ]
