"""How hard the tests look: `make test` takes a part of the examples, `make thorough` all of them."""

from __future__ import annotations

import os

THOROUGH = bool(os.environ.get("TREEWRIGHT_THOROUGH"))
_PART = 3


def examples(n: int) -> int:
    """How many random examples are tried, of n in a thorough run.

    >>> examples(0)
    0
    """
    return n if THOROUGH else -(-n // _PART)
