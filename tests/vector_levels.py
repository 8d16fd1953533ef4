"""The levels of vectors that this processor has, and a way to run at one of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from treewright import _core

LEVELS: list[str] = _core.build_info()["vectors_of_processor"]


@contextmanager
def vectors(level: str) -> Iterator[None]:
    """Run at this level, then go back to the one that TREEWRIGHT_VECTORS asks for."""
    _core.use_vectors(level)
    try:
        yield
    finally:
        _core.use_vectors(os.environ.get("TREEWRIGHT_VECTORS", ""))
