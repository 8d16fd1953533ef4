"""The rows of a lesson as plain Python values, and the share of each row that reaches a node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.lesson.arithmetic.tally import ClassTally, NumberTally, Tally
from treewright.table.encode import RowEncoder
from treewright.table.frame import open_frame, to_table
from treewright.table.schema import Column, Schema

Value = float | None
Portion = Sequence[
    tuple[int, float]
]  # rows with their weights; a row may reach several nodes with a part of its weight


@dataclass(frozen=True)
class Sample:
    """Everything a lesson looks at: columns of numbers or level codes (None is missing), the target, the weights.

    `target` holds class numbers, or numbers when `classes` is None.

    Examples
    --------
    >>> sample = Sample(Schema((Column("x", "numeric"),)), ((1.0, 2.0),), (0, 1), ("no", "yes"), (1.0, 1.0))
    >>> sample.tally(sample.portion()).counts
    (1.0, 1.0)
    """

    schema: Schema
    columns: tuple[tuple[Value, ...], ...]
    target: tuple[float, ...]
    classes: tuple[Any, ...] | None
    weights: tuple[float, ...]
    keeps_values: bool = False  # medians need the numbers themselves, not only their sums
    class_scores: tuple[float, ...] = ()  # of classes that have an order

    def portion(self) -> Portion:
        """Give all rows that count, whole."""
        return tuple((row, weight) for row, weight in enumerate(self.weights) if weight > 0)

    def column(self, j: int) -> Column:
        """Give the name, kind and levels of a column."""
        return self.schema.columns[j]

    @property
    def n_columns(self) -> int:
        """How many columns may be asked."""
        return len(self.schema.columns)

    def tally(self, portion: Portion) -> Tally:
        """Count the classes, or add up the numbers, of some rows."""
        if self.classes is None:
            pairs = ((self.target[row], weight) for row, weight in portion)
            return NumberTally.of(pairs, self.keeps_values)
        counts = [0.0] * len(self.classes)
        for row, weight in portion:
            counts[int(self.target[row])] += weight
        return ClassTally(len(portion), tuple(counts))


def read_columns(X: Any, schema: Schema) -> tuple[tuple[Value, ...], ...]:
    """Lay out a table as a schema asks: numbers, or level codes from 1; None where there is no value.

    Examples
    --------
    >>> read_columns([[1.5, 2], [None, 3]], Schema((Column("x0", "numeric"), Column("x1", "numeric"))))
    ((1.5, None), (2.0, 3.0))
    """
    rows = RowEncoder(schema).encode(open_frame(_as_array(to_table(X))))
    if rows.matrix is not None:
        return tuple(_numbers(rows.matrix[:, j], None) for j in range(rows.matrix.shape[1]))
    return tuple(_levels(v) if kind == "levels" else _numbers(v, mask) for kind, v, mask in rows.parts)


def _as_array(X: Any) -> Any:
    return X if hasattr(X, "columns") or hasattr(X, "column_names") else np.asarray(X)


def _levels(codes: Any) -> tuple[Value, ...]:
    return tuple(code or None for code in codes.tolist())


def _numbers(values: Any, mask: Any) -> tuple[Value, ...]:
    numbers = np.asarray(values, dtype=np.float64)
    holes = np.isnan(numbers) if mask is None else np.isnan(numbers) | (np.asarray(mask) != 0)
    return tuple(None if hole else value for value, hole in zip(numbers.tolist(), holes.tolist(), strict=True))
