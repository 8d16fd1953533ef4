"""The door for X: any table that users have, opened as named columns without copying it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError


@dataclass(frozen=True)
class InputFrame:
    """A table as it came: one matrix of numbers, or a list of columns."""

    n_rows: int
    names: tuple[str, ...]
    has_names: bool  # the user's own names; otherwise x0, x1, … stand in
    matrix: NDArray[Any] | None = None
    columns: tuple[nw.Series[Any], ...] = ()

    @property
    def n_columns(self) -> int:
        """How many columns there are."""
        return len(self.names)


def is_frame(X: object) -> bool:
    """Tell whether X brings its own named columns (pandas, polars, pyarrow, a duckdb relation).

    Examples
    --------
    >>> import pandas as pd
    >>> is_frame(pd.DataFrame({"a": [1]})), is_frame([[1]])
    (True, False)
    """
    return nw.dependencies.is_into_dataframe(X) or _is_duckdb(X)


def open_frame(X: Any) -> InputFrame:
    """Open a data frame or a two-dimensional array; arrays must have been checked to be two-dimensional.

    Examples
    --------
    >>> import pandas as pd
    >>> open_frame(pd.DataFrame({"age": [20, 30], "job": ["cook", None]})).names
    ('age', 'job')
    """
    if isinstance(X, np.ndarray):
        return _open_array(X)
    if _is_duckdb(X):
        X = X.df()
    frame = nw.from_native(X, eager_only=True)
    names = tuple(str(name) for name in frame.columns)
    _refuse_repeated(names)
    columns = tuple(frame[name] for name in frame.columns)
    return InputFrame(len(frame), names, True, columns=columns)


def _open_array(X: NDArray[Any]) -> InputFrame:
    names = tuple(f"x{j}" for j in range(X.shape[1]))
    if X.dtype.kind in "fiub" and X.dtype.itemsize <= 8:
        if X.dtype == np.float16:
            X = X.astype(np.float32)
        if not X.dtype.isnative:
            X = X.astype(X.dtype.newbyteorder("="))
        return InputFrame(X.shape[0], names, False, matrix=X)
    if X.dtype.kind in "fiub":
        return InputFrame(X.shape[0], names, False, matrix=X.astype(np.float64))
    import pandas as pd

    frame = nw.from_native(pd.DataFrame(X, columns=list(names)).infer_objects(), eager_only=True)
    return InputFrame(X.shape[0], names, False, columns=tuple(frame[name] for name in names))


def _refuse_repeated(names: tuple[str, ...]) -> None:
    if len(set(names)) == len(names):
        return
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise DataError(f"Two columns have the name '{name}'. Rename one of them, so that a tree can tell them apart.")
        seen.add(name)


def _is_duckdb(X: object) -> bool:
    return type(X).__module__.partition(".")[0] in ("duckdb", "_duckdb") and hasattr(X, "df")
