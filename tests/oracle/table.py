"""The rows that an oracle tree is grown from: columns of plain values, a target and integer weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Value = float | int | None
Sample = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Column:
    """One column: numbers, or level codes from 1; None is missing.

    >>> Column("ordinal", (1, 3, None)).missing([0, 1, 2])
    [2]
    """

    kind: str
    values: tuple[Value, ...]

    def known(self, rows: Sequence[int]) -> list[int]:
        """Those of the rows that have a value here."""
        return [row for row in rows if self.values[row] is not None]

    def missing(self, rows: Sequence[int]) -> list[int]:
        """Those of the rows that have no value here."""
        return [row for row in rows if self.values[row] is None]

    def present(self, rows: Sequence[int]) -> list[float]:
        """The distinct known values of the rows, ascending."""
        return sorted({value for row in rows if (value := self.values[row]) is not None})


@dataclass(frozen=True)
class Table:
    """Columns, the target (class indices, or integers to predict) and a weight for each row.

    `n_classes` is 0 when the target is a number.

    >>> table = Table((Column("numeric", (1.0, 2.0)),), target=(0, 1), weights=(1, 2), n_classes=2)
    >>> table.sample([0, 1])
    [(0, 1), (1, 2)]
    >>> table.weight([0, 1])
    3
    """

    columns: tuple[Column, ...]
    target: tuple[int, ...]
    weights: tuple[int, ...]
    n_classes: int

    def rows(self) -> list[int]:
        """The rows that count: a row of weight zero is as if it were not there."""
        return [row for row, weight in enumerate(self.weights) if weight > 0]

    def sample(self, rows: Sequence[int]) -> list[tuple[int, int]]:
        """The (target, weight) pairs of some rows, which is all that a criterion may look at."""
        return [(self.target[row], self.weights[row]) for row in rows]

    def weight(self, rows: Sequence[int]) -> int:
        """The weight of some rows."""
        return sum(self.weights[row] for row in rows)
