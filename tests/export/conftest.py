"""Spark is an extra; without it, or without a Java, its tests are left out, and `make test` says so."""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path

_REQUIRED = "TREEWRIGHT_ENGINES" in os.environ  # as in .ci/run: to have none is then a failure
HAS_SPARK = importlib.util.find_spec("pyspark") is not None and shutil.which("java") is not None


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Without Spark there is nothing to run."""
    return True if collection_path.stem == "test_spark" and not HAS_SPARK and not _REQUIRED else None
