"""The way in for models: a .tw file or stdin."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import click

from treewright.errors import ModelFileError


def load_model(source: str) -> Any:
    """Load a fitted model, every byte of its file checked."""
    from treewright.estimators import load

    if source != "-":
        return load(source)
    with tempfile.TemporaryDirectory() as folder:
        spool = Path(folder) / "stdin.tw"
        spool.write_bytes(sys.stdin.buffer.read())
        try:
            return load(spool)
        except ModelFileError as error:
            raise ModelFileError(str(error).replace(str(spool), "stdin")) from error


def refuse_two_stdins(model: str, data: str) -> None:
    """Stdin can be read once: by the model or by the table."""
    if model == "-" and data == "-":
        raise click.UsageError("MODEL and DATA cannot both be stdin. Put one of them into a file.")
