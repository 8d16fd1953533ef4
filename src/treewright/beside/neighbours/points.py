"""Rows as distances read them: ordered columns as numbers, nominal ones as level codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.beside.columns import Columns, Floats


@dataclass(frozen=True)
class Points:
    """Rows to measure distances between: `numbers` (NaN is missing) and `codes` (0 is missing, or never seen).

    Examples
    --------
    >>> Points(np.array([[1.0], [2.0]]), np.array([[1], [0]], dtype=np.int32)).take(np.array([1])).numbers
    array([[2.]])
    """

    numbers: Floats
    codes: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, rows: NDArray[Any] | slice) -> Points:
        """Some of the rows: a slice, a mask, or numbers in any order."""
        return Points(self.numbers[rows], self.codes[rows])

    def gather(self, rows: NDArray[np.int64]) -> Points:
        """The rows of these numbers, which are known to be right: faster than `take`."""
        codes = np.take(self.codes, rows, axis=0, mode="clip") if self.codes.shape[1] else self.codes[: len(rows)]
        return Points(np.take(self.numbers, rows, axis=0, mode="clip"), codes)


@dataclass(frozen=True)
class Layout:
    """Which columns of a table a metric orders and which it only tells apart, by their places in `Columns`.

    `numeric` are places in `Columns.numbers`, `scored` and `nominal` are places in `Columns.codes`; the scores of an
    ordinal column are the numbers of its levels, 1, 2, …

    Examples
    --------
    >>> from treewright.encode.schema import Column, Schema
    >>> schema = Schema((Column("age", "numeric"), Column("job", "nominal", "text", ("cook", "smith"))))
    >>> columns = Columns(schema, np.array([[20.0]]), np.array([[2]], dtype=np.int32), (0,), (1,))
    >>> layout_of(columns, every_level=False).names(columns)
    ('age', 'job')
    """

    numeric: tuple[int, ...]
    scored: tuple[int, ...]
    nominal: tuple[int, ...]

    def points(self, columns: Columns) -> Points:
        """The rows of a table as points."""
        scores = columns.codes[:, list(self.scored)].astype(np.float64)
        scores[scores == 0] = np.nan
        whole = not self.scored and len(self.numeric) == columns.numbers.shape[1]
        numbers = columns.numbers if whole else np.hstack([columns.numbers[:, list(self.numeric)], scores])
        return Points(np.ascontiguousarray(numbers), np.ascontiguousarray(columns.codes[:, list(self.nominal)]))

    def sources(self, columns: Columns) -> tuple[int, ...]:
        """The column of the table that each ordered and each nominal coordinate comes from."""
        levelled = columns.levelled
        ordered = [columns.numeric[k] for k in self.numeric] + [levelled[k] for k in self.scored]
        return (*ordered, *(levelled[k] for k in self.nominal))

    def names(self, columns: Columns) -> tuple[str, ...]:
        """The name of each coordinate."""
        return tuple(columns.schema.columns[j].name for j in self.sources(columns))

    def without(self, ignored: NDArray[np.bool_]) -> Layout:
        """The layout without those of its coordinates that count for nothing."""
        parts, start = [], 0
        for part in (self.numeric, self.scored, self.nominal):
            parts.append(tuple(k for k, out in zip(part, ignored[start : start + len(part)], strict=True) if not out))
            start += len(part)
        return Layout(*parts)


def layout_of(columns: Columns, every_level: bool) -> Layout:
    """Lay the columns out; with `every_level` ordinal columns are only told apart, as nominal ones are."""
    kinds = [columns.schema.columns[j].kind for j in columns.levelled]
    scored = tuple(k for k, kind in enumerate(kinds) if kind == "ordinal" and not every_level)
    nominal = tuple(k for k in range(len(kinds)) if k not in scored)
    return Layout(tuple(range(len(columns.numeric))), scored, nominal)
