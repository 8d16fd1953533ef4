"""The table that a verb learns from: its columns, its target, and notes on what was left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import click

from treewright.cli.options import split_kinds
from treewright.cli.table_input import TableRequest

if TYPE_CHECKING:
    import pandas as pd


class TrainingRequest(TableRequest, Protocol):
    """What a verb that learns was told about its table."""

    @property
    def target(self) -> str: ...
    @property
    def kinds(self) -> Sequence[str]: ...
    @property
    def ignore(self) -> Sequence[str]: ...


def check_target(request: TrainingRequest) -> None:
    """Refuse a target that is ignored or given a kind, before anything is read."""
    if request.target in request.ignore:
        raise click.UsageError(f"--ignore {request.target}: the target cannot be ignored.")
    if request.target in split_kinds(request.kinds):
        raise click.UsageError(
            f"--kind {request.target}: the target has no kind. Use --task classification or --task regression."
        )


def read_training_table(request: TrainingRequest) -> tuple[pd.DataFrame, pd.Series, list[str]]:
    """Give the columns to learn from, the target, and notes on what was left out."""
    from treewright.cli.screen import count
    from treewright.cli.table_input import describe, need_column, read_table
    from treewright.errors import DataError

    frame = read_table(request, split_kinds(request.kinds))
    need_column(frame, request.target, "--target", request.data)
    for name in request.ignore:
        need_column(frame, name, "--ignore", request.data)
    known = frame[request.target].notna()
    notes = []
    if not known.all():
        notes.append(f"{count(int((~known).sum()), 'row')} without a value of '{request.target}' left out.")
        frame = frame[known]
    if len(frame) == 0:
        raise DataError(
            f"{describe(request.data)}: no row has a value of '{request.target}'. There is nothing to learn."
        )
    return frame.drop(columns=[request.target, *request.ignore]), frame[request.target], notes
