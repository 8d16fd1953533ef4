"""Spark is an extra; without it, or without a Java, its tests are left out, and `make test` says so.

One model is exported to many formats here, whose proofs ask the same rows: these are searched for once.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from treewright.export import proof

_REQUIRED = "TREEWRIGHT_ENGINES" in os.environ  # as in .ci/run: to have none is then a failure
HAS_SPARK = importlib.util.find_spec("pyspark") is not None and shutil.which("java") is not None


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Without Spark there is nothing to run."""
    return True if collection_path.stem == "test_spark" and not HAS_SPARK and not _REQUIRED else None


@pytest.fixture(scope="session", autouse=True)
def rows_that_tell_are_kept() -> Iterator[None]:
    """What is found for a formula is the same every time."""
    search, found = proof.telling_rows, {}

    def kept(formula: Any, codes: Any) -> list[list[Any]]:
        key = (repr(formula), codes.tobytes())  # equal ones are pickled in more than one way
        if key not in found:
            found[key] = search(formula, codes)
        return [list(row) for row in found[key]]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(proof, "telling_rows", kept)
        yield
