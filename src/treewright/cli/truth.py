"""The rows of a table whose truth is known, with the columns that a model needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from treewright.cli.fitted_model import schema_of
from treewright.cli.screen import count, note
from treewright.cli.table_input import TableRequest, describe, read_table_for_model
from treewright.errors import DataError

if TYPE_CHECKING:
    import pandas as pd


def columns_and_truth(request: TableRequest, fitted: Any, target: str | None) -> tuple[pd.DataFrame, pd.Series]:
    """Read DATA; give the columns of the model and the target, without the rows whose truth is missing."""
    target = target or schema_of(fitted).target
    if target is None:
        raise click.UsageError("The model does not know the name of its target. Pass it: --target COLUMN.")
    frame = read_table_for_model(request, fitted, target)
    known = frame[target].notna()
    if not known.all():
        note(f"{count(int((~known).sum()), 'row')} without a value of '{target}' left out.")
    if not known.any():
        raise DataError(f"{describe(request.data)}: no row has a value of '{target}', so nothing can be compared.")
    return frame.loc[known, list(fitted.feature_names_in_)], frame.loc[known, target]
