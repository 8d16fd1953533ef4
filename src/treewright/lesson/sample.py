"""The rows of a lesson as plain Python values, with the names that a reader knows them by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.reference.table import Column as Values
from treewright.reference.table import Table, Value
from treewright.table.encode import RowEncoder
from treewright.table.frame import open_frame, to_table
from treewright.table.schema import Column, Schema


@dataclass(frozen=True)
class Sample:
    """Everything a lesson looks at: the table as the reference takes it, and the names of its columns and classes.

    `classes` is None where the target is a number.
    """

    schema: Schema
    table: Table
    classes: tuple[Any, ...] | None
    class_scores: tuple[float, ...] = ()  # of classes that have an order

    def column(self, j: int) -> Column:
        """Give the name, kind and levels of a column."""
        return self.schema.columns[j]

    @property
    def n_columns(self) -> int:
        """How many columns may be asked."""
        return len(self.schema.columns)


def read_sample(
    X: Any,
    schema: Schema,
    target: Sequence[float],
    classes: tuple[Any, ...] | None,
    weights: Sequence[float] | None = None,
    *,
    keeps_values: bool = False,
    class_scores: tuple[float, ...] = (),
) -> Sample:
    """Lay out a table as a schema asks: numbers, or level codes from 1; None where there is no value.

    Examples
    --------
    >>> schema = Schema((Column("x0", "numeric"), Column("x1", "numeric")))
    >>> [column.values for column in read_sample([[1.5, 2], [None, 3]], schema, [0, 1], ("a", "b")).table.columns]
    [(1.5, None), (2.0, 3.0)]
    """
    rows = RowEncoder(schema).encode(open_frame(_as_array(to_table(X))))
    if rows.matrix is not None:
        cells = [_numbers(rows.matrix[:, j], None) for j in range(rows.matrix.shape[1])]
    else:
        cells = [_levels(v) if kind == "levels" else _numbers(v, mask) for kind, v, mask in rows.parts]
    columns = tuple(Values(c.kind, v, len(c.levels)) for c, v in zip(schema.columns, cells, strict=True))
    weighed = (1.0,) * len(target) if weights is None else tuple(weights)
    table = Table(columns, tuple(target), weighed, 0 if classes is None else len(classes), keeps_values)
    return Sample(schema, table, classes, class_scores)


def _as_array(X: Any) -> Any:
    return X if hasattr(X, "columns") or hasattr(X, "column_names") else np.asarray(X)


def _levels(codes: Any) -> tuple[Value, ...]:
    return tuple(code or None for code in codes.tolist())


def _numbers(values: Any, mask: Any) -> tuple[Value, ...]:
    numbers = np.asarray(values, dtype=np.float64)
    holes = np.isnan(numbers) if mask is None else np.isnan(numbers) | (np.asarray(mask) != 0)
    return tuple(None if hole else value for value, hole in zip(numbers.tolist(), holes.tolist(), strict=True))
