"""The distance between two rows: what each column adds, and what a missing value adds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.beside.columns import Columns, Floats
from treewright.beside.neighbours.points import Layout, Points
from treewright.errors import DataError

_PAIRS_AT_ONCE = 8192  # a block of differences stays in the cache


@dataclass(frozen=True)
class Metric:
    """How far two rows are apart: a sum over the columns, of which `distances` takes the root.

    An ordered column adds ``|scale · (a − b)| ** power``, a nominal one `apart` where the levels differ, or, where
    `rates` are given, the squared distance of the shares of the classes at the two levels. Where one of the two
    values is missing, an ordered column adds `hole` and a nominal one `apart`. An `averaged` metric leaves such
    columns out instead and divides by the weight of the others.

    Differences are taken before they are scaled, so that equal differences stay equal to the last digit: ties are ties.

    Examples
    --------
    >>> layout = Layout((0,), (), (0,))
    >>> heom = Metric("heom", layout, 2, np.array([1 / 8]), np.array([1.0]), np.array([1.0]))
    >>> rows = Points(np.array([[1.0], [2.0]]), np.array([[1], [2]], dtype=np.int32))
    >>> sums = heom.pair_sums(rows, np.array([0]), rows, np.array([1]))
    >>> heom.distances(sums).round(4)
    array([1.0078])
    """

    name: str
    layout: Layout
    power: int
    scale: Floats
    hole: Floats | None  # None: the metric takes no missing numbers
    apart: Floats
    averaged: bool = False
    mixing: Floats | None = None  # upper triangle; ordered differences are multiplied by it
    rates: tuple[Floats, ...] | None = None  # of each nominal column: levels (row 0: unknown, NaN) × classes

    def points(self, columns: Columns) -> Points:
        """Rows of a table as points of this metric; a missing number is refused where the metric has no use for it."""
        points = self.layout.points(columns)
        if self.hole is None and np.isnan(points.numbers.sum()):
            refuse_holes(points.numbers, self.layout.names(columns), self.name)
        return points

    def distances(self, sums: Floats) -> Floats:
        """The distances that the sums stand for."""
        return np.sqrt(sums) if self.power == 2 else sums

    def sums_to(self, queries: Points, columns: Floats, near: NDArray[np.int64]) -> Floats | None:
        """The same sums for numbers only: each query to the rows of its line, which are given by columns.

        The same operations in the same order, so the same digits as `pair_sums`; None where it would take more.
        """
        if self.mixing is not None or self.averaged or len(self.apart):
            return None
        sums = np.zeros(near.shape)
        for place, scale in enumerate(self.scale):
            gap = queries.numbers[:, place, None] - np.take(columns[place], near, mode="clip")
            gap *= scale
            sums += np.multiply(gap, gap, out=gap) if self.power == 2 else np.abs(gap, out=gap)
        return sums

    def pair_sums(self, left: Points, i: NDArray[np.int64], right: Points, j: NDArray[np.int64]) -> Floats:
        """The sum of each pair (row i of `left`, row j of `right`), columns added one by one in their order."""
        sums = np.empty(len(i))
        for start in range(0, len(i), _PAIRS_AT_ONCE):
            part = slice(start, start + _PAIRS_AT_ONCE)
            sums[part] = self._block_sums(left.gather(i[part]), right.gather(j[part]))
        return sums

    def _block_sums(self, left: Points, right: Points) -> Floats:
        sums, known = np.zeros(len(left)), np.zeros(len(left))
        for place, added in enumerate(self._ordered_parts(left.numbers, right.numbers)):
            holes = None if self.hole is None else np.isnan(added)
            if holes is not None and self.hole is not None and holes.any():
                added[holes] = 0.0 if self.averaged else self.hole[place]
            sums += added
            if self.averaged and self.hole is not None:
                known += self.hole[place] if holes is None else np.where(holes, 0.0, self.hole[place])
        for place, apart in enumerate(self.apart):
            a, b = left.codes[:, place], right.codes[:, place]
            both = (a > 0) & (b > 0)
            if self.averaged:
                sums += np.where(both & (a != b), apart, 0.0)
                known += np.where(both, apart, 0.0)
            elif self.rates is None:
                sums += np.where(both & (a == b), 0.0, apart)
            else:
                sums += self._rate_part(place, a, b)
        if self.averaged:
            return np.where(known > 0, sums / np.where(known > 0, known, 1.0), 1.0)
        return sums

    def _ordered_parts(self, left: Floats, right: Floats) -> list[Floats]:
        """What each ordered coordinate adds; NaN where a value is missing."""
        gaps = ((left - right) * self.scale).T
        if self.mixing is not None:
            gaps = _mix(gaps, self.mixing)
        with np.errstate(over="ignore"):
            return [gap * gap if self.power == 2 else np.abs(gap) for gap in gaps]

    def _rate_part(self, place: int, a: NDArray[np.int32], b: NDArray[np.int32]) -> Floats:
        rates = self.rates[place] if self.rates is not None else np.empty((0, 0))
        added = np.zeros(len(a))
        for of_class in rates.T:
            gap = of_class[a] - of_class[b]
            added += gap * gap
        return np.asarray(np.where(np.isnan(added), 1.0, added) * self.apart[place])


def _mix(gaps: Floats, mixing: Floats) -> Floats:
    """Multiply by the triangle one number at a time: a product by BLAS depends on how many rows there are."""
    mixed = np.zeros_like(gaps)
    for to in range(len(mixing)):
        for place in range(to + 1):
            mixed[to] += gaps[place] * mixing[place, to]
    return mixed


def refuse_holes(numbers: Floats, names: tuple[str, ...], metric: str) -> None:
    """Say where the first missing number is, and which metrics take it.

    Examples
    --------
    >>> refuse_holes(np.array([[1.0], [np.nan]]), ("age",), "euclidean")
    Traceback (most recent call last):
    treewright.errors.DataError: Row 2 has no value (NaN) in column 'age', and metric='euclidean' takes none. Fill ...
    """
    holes = np.argwhere(np.isnan(numbers))
    if len(holes):
        row, place = holes[0]
        raise DataError(
            f"Row {row + 1} has no value (NaN) in column '{names[place]}', and metric='{metric}' takes none. "
            "Fill it, or choose metric='heom', 'gower' or 'hvdm'."
        )
