"""The column of row numbers or row names that R and pandas write without a name: known, and left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

PANDAS_NAME = "Unnamed: 0"  # what pandas calls it when such a file is read and written once more


def without_index(frame: pd.DataFrame, notes: list[str]) -> pd.DataFrame:
    """Leave out a first column without a name if it numbers or names the rows; else give it a name. Both are told.

    >>> import pandas as pd
    >>> notes = []
    >>> without_index(pd.DataFrame({"": [1, 2], "age": [41, 23]}), notes).columns.tolist()
    ['age']
    >>> notes
    ['The first column has no name and holds a row index (1, 2 …): it is left out. Give it a name to keep it.']
    """
    first = str(frame.columns[0]) if len(frame.columns) else "x"
    if first not in ("", PANDAS_NAME) or len(frame.columns) == 1:
        return frame
    column = frame.iloc[:, 0]
    numbered = column.dtype == "int64" and bool(np.all(np.diff(column.to_numpy()) == 1))
    if len(frame) == 0 or numbered or (first == "" and column.is_unique):
        notes.append(index_note(first, [str(value) for value in column.iloc[:2]]))
        return frame.iloc[:, 1:]
    if first == "":
        notes.append("The first column has no name: it is called 'column_1'.")
        return frame.rename(columns={"": "column_1"})
    return frame


def index_note(name: str, first_cells: Sequence[str]) -> str:
    """Tell that the column is left out."""
    called = "has no name" if name == "" else f"is called '{name}'"
    shown = f" ({', '.join(first_cells)} …)" if first_cells else ""
    return f"The first column {called} and holds a row index{shown}: it is left out. Give it a name to keep it."
