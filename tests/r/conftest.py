"""Tests that start R; without R and its package rpart they are left out, and `make test` says so."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path


@cache
def has_rpart() -> bool:
    """Whether Rscript is here, with rpart."""
    found = shutil.which("Rscript")
    command = [str(found), "--vanilla", "-e", "library(rpart)"]
    return found is not None and subprocess.run(command, capture_output=True, check=False).returncode == 0


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Without R there is nothing to run."""
    return True if collection_path.name.startswith("test_") and not has_rpart() else None
