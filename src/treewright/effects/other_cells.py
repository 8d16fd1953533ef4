"""A table with the cells of one column taken from other rows: the one way in which effects change a table."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from treewright.encode.input_frame import InputFrame, open_frame, to_table
from treewright.errors import DataError, nearest


def with_other_cells(table: Any, column: int, rows: NDArray[np.int64]) -> Any:
    """Give the table with the cells that these rows have in a column; everything else, types included, stays as it is.

    Examples
    --------
    >>> import pandas as pd
    >>> with_other_cells(pd.DataFrame({"a": [1, 2], "b": ["x", None]}), 1, np.array([1, 0]))
       a    b
    0  1  NaN
    1  2    x
    """
    if isinstance(table, np.ndarray):
        changed = table.copy()
        changed[:, column] = table[rows, column]
        return changed
    if nw.dependencies.is_pandas_dataframe(table):
        other = table.copy(deep=False)
        other.isetitem(column, table.iloc[:, column].take(rows).array)
        return other
    frame = nw.from_native(table, eager_only=True)
    name = frame.columns[column]
    return frame.with_columns(frame[name][rows.tolist()].alias(name)).to_native()


def open_table(X: Any) -> tuple[Any, InputFrame]:
    """Give X as a table whose cells can be changed, and its columns."""
    table = to_table(X)
    frame = open_frame(table if nw.dependencies.is_into_dataframe(table) else np.asarray(table))
    if frame.n_rows == 0:
        raise DataError("The table has no rows, so there is nothing to learn about its columns. Pass some.")
    return (table if nw.dependencies.is_into_dataframe(table) else np.asarray(table)), frame


def column_number(names: tuple[str, ...], column: Any) -> int:
    """Find a column by its name, or by its place.

    Examples
    --------
    >>> column_number(("age", "job"), "job"), column_number(("age", "job"), 0)
    (1, 0)
    """
    if isinstance(column, int | np.integer) and not isinstance(column, bool) and -len(names) <= column < len(names):
        return int(column) % len(names)
    if column in names:
        return names.index(column)
    raise DataError(f"The table has no column {column!r}. {nearest(str(column), names)}")
