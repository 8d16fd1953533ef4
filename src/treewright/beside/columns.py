"""A table as the learners beside the trees read it: one matrix of numbers, and one of level codes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.beside.one_thread import one_blas_thread
from treewright.encode.schema import Schema
from treewright.encode.table import EncodedRows
from treewright.errors import DataError

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Columns:
    """The values of a table. Numbers: NaN is missing. Codes: level 1, 2, … of a nominal or ordinal column, 0 missing.

    `numeric` and `levelled` tell which column of the schema each column of `numbers` and of `codes` is.

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright.encode.input_frame import open_frame
    >>> from treewright.encode.table import lay_out
    >>> table = lay_out(open_frame(pd.DataFrame({"age": [20, 30], "job": ["cook", None]})))
    >>> columns = columns_of(table.rows, table.schema)
    >>> columns.numbers.tolist(), columns.codes.tolist(), columns.numeric, columns.levelled
    ([[20.0], [30.0]], [[1], [0]], (0,), (1,))
    """

    schema: Schema
    numbers: Floats
    codes: NDArray[np.int32]
    numeric: tuple[int, ...]
    levelled: tuple[int, ...]

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.numbers)

    @cached_property
    def sums(self) -> Floats:
        """The sum of each column of numbers: no number where there is a hole. One product with ones is the fastest."""
        with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(np.ones(self.n_rows) @ self.numbers)

    @cached_property
    def has_holes(self) -> NDArray[np.bool_]:
        """Whether each column of numbers has a hole."""
        if np.isfinite(self.sums).all():
            return np.zeros(self.numbers.shape[1], dtype=bool)
        return np.asarray(np.isnan(self.numbers).any(axis=0))

    def take(self, rows: NDArray[Any] | slice) -> Columns:
        """Some of the rows, in the given order."""
        return Columns(self.schema, self.numbers[rows], self.codes[rows], self.numeric, self.levelled)


def columns_of(rows: EncodedRows, schema: Schema) -> Columns:
    """Give the rows of a table that is laid out; infinite numbers are refused: no distance or sum can take them."""
    numeric = tuple(j for j, column in enumerate(schema.columns) if column.kind == "numeric")
    levelled = tuple(j for j, column in enumerate(schema.columns) if column.kind != "numeric")
    if rows.matrix is not None:
        numbers = np.ascontiguousarray(rows.matrix, dtype=np.float64)
    else:
        numbers = np.empty((rows.n_rows, len(numeric)))
        for place, j in enumerate(numeric):
            _, values, mask = rows.parts[j]
            numbers[:, place] = values
            if mask is not None:
                numbers[mask != 0, place] = np.nan
    codes = np.empty((rows.n_rows, len(levelled)), dtype=np.int32)
    for place, j in enumerate(levelled):
        codes[:, place] = rows.parts[j][1]
    columns = Columns(schema, numbers, codes, numeric, levelled)
    _refuse_infinite(columns)
    return columns


def _refuse_infinite(columns: Columns) -> None:
    if np.isfinite(columns.sums).all():
        return  # the common case in one pass
    infinite = np.isinf(columns.numbers)
    if infinite.any():
        row, place = np.argwhere(infinite)[0]
        name = columns.schema.columns[columns.numeric[place]].name
        raise DataError(
            f"Column '{name}' holds infinity in row {row + 1}. This learner takes finite numbers. "
            "Give the row a finite value, or leave it empty."
        )
