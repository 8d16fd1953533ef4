"""The way in for tables: a file, stdin or a database becomes a data frame, and columns are looked up in it by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import click

from treewright.cli.fitted_model import schema_of
from treewright.errors import DataError, nearest

if TYPE_CHECKING:
    import pandas as pd


class TableRequest(Protocol):
    """What a verb was told about where the rows are."""

    @property
    def data(self) -> str: ...
    @property
    def db(self) -> str | None: ...
    @property
    def missing_values(self) -> Sequence[str]: ...


def read_table(request: TableRequest, kinds: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Read DATA as the command line names it; a kind fixes how a column of a text file is read."""
    from treewright.read import read

    return read(
        request.data,
        db=request.db,
        missing_values=list(request.missing_values) or None,
        column_kinds=dict(kinds) if kinds else None,
    )


def read_table_for_model(request: TableRequest, fitted: Any, target: str | None = None) -> pd.DataFrame:
    """Read DATA the way the training table was read, and see that it has every column the model needs.

    A text file has no types. A column that held '1', '2' and 'x' in training holds text, although a new file may have
    only '1' and '2' in it: so the model says how each column is to be read.
    """
    try:
        frame = read_table(request, _kinds_in_training(fitted, target))
    except DataError:
        # Perhaps a column is missing, which is told better by us; stdin cannot be read again.
        if request.data != "-":
            _need_columns(read_table(request), fitted, target, request.data)
        raise
    _need_columns(frame, fitted, target, request.data)
    return frame


def _kinds_in_training(fitted: Any, target: str | None) -> dict[str, str]:
    """Say of each column of the model whether it is to be read as text or as numbers."""
    kinds = {}
    for column in schema_of(fitted).columns:
        if column.face == "text":
            kinds[column.name] = "nominal"
        elif column.kind == "numeric" and column.face == "number":
            kinds[column.name] = "numeric"
    if target is not None and isinstance(getattr(fitted, "classes_", [None])[0], str):
        kinds[target] = "nominal"
    return kinds


def need_column(frame: pd.DataFrame, column: str, option: str, data: str) -> None:
    """Refuse a column that the table does not have, naming the nearest."""
    if column not in frame.columns:
        raise click.UsageError(
            f"{option} {column}: {describe(data)} has no such column. {nearest(column, map(str, frame.columns))}"
        )


def _need_columns(frame: pd.DataFrame, fitted: Any, target: str | None, data: str) -> None:
    """Refuse a table that lacks a column which the model was trained on, or the truth to compare with."""
    present = [str(name) for name in frame.columns]
    needed = list(fitted.feature_names_in_)
    lacking = [name for name in needed if name not in present]
    if lacking:
        shown = ", ".join(f"'{name}'" for name in lacking[:10]) + (" …" if len(lacking) > 10 else "")
        raise DataError(
            f"{describe(data)} lacks {len(lacking)} of the {len(needed)} columns that the model needs: {shown}. "
            f"{nearest(lacking[0], present)} Add or rename the columns; empty cells are allowed."
        )
    if target is not None and target not in present:
        raise DataError(
            f"{describe(data)} has no column '{target}', which holds the truth to compare with. "
            f"{nearest(target, present)} Pass another name with --target."
        )


def describe(data: str) -> str:
    """Name a source of rows in a message.

    Examples
    --------
    >>> describe("-"), describe("credit.csv")
    ('stdin', 'credit.csv')
    """
    return "stdin" if data == "-" else data
