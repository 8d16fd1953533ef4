"""Cheap bounds from below on many distances at once, by one product of matrices in single precision.

The squared distance of two rows is a sum over columns, and what a column adds can be written as
``f(a) + g(b) − 2 u(a) · v(b)``, also where values are missing or levels are compared. So one product of matrices ranks
all pairs. It is taken in single precision, and what that can be off by is taken away from it: no near row is missed.
Only the few pairs below the threshold are then measured exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.beside.columns import Floats
from treewright.beside.neighbours.metric import Metric
from treewright.beside.neighbours.points import Points

Singles = NDArray[np.float32]
ROUNDING = 2.0**-24  # relative rounding in single precision
_NARROW = 12  # a nominal column with at most so many levels becomes columns of 0 and 1


@dataclass(frozen=True)
class CodedQueries:
    """Rows to find neighbours of: their side of the product, wide levels, what to add, and how large it all is."""

    matrix: Singles
    wide: NDArray[np.int32]
    offset: Floats
    size: Floats


class SquareRanking:
    """Bounds for metrics that add squares.

    Parameters
    ----------
    metric : Metric
    rows : Points
        The rows that neighbours are looked for among.
    holed : array of truth values, one a coordinate
        The coordinates that are missing in some row, or in some row asked for.

    Examples
    --------
    >>> from treewright.beside.neighbours.points import Layout
    >>> metric = Metric("euclidean", Layout((0,), (), ()), 2, np.ones(1), None, np.empty(0))
    >>> rows = Points(np.array([[0.0], [3.0]]), np.empty((2, 0), dtype=np.int32))
    >>> ranking = SquareRanking(metric, rows, np.zeros(1, dtype=bool))
    >>> queries = ranking.code(rows)
    >>> bounds = ranking.bounds(queries, 0, np.empty((2, 2), dtype=np.float32))
    >>> bounds <= ranking.thresholds(queries, np.array([4.0, 4.0]))[:, None]
    array([[ True, False],
           [False,  True]])
    """

    def __init__(self, metric: Metric, rows: Points, holed: NDArray[np.bool_]) -> None:
        self.metric = metric
        self.holed = holed
        self.centre = centre_of(rows.numbers)
        self.levels = levels = [int(codes.max(initial=0)) for codes in rows.codes.T]
        self.narrow = [c for c, n in enumerate(levels) if metric.rates is None and n <= _NARROW]
        self.wide = [c for c, n in enumerate(levels) if metric.rates is None and n > _NARROW]
        self.unit = 1.0
        self.unit = self._largest(rows)
        parts, constants, sizes = self._embed(rows, of_queries=False)
        self.slack = 2 * (parts.shape[1] + len(self.wide) + 12) * ROUNDING
        last = constants - self.slack * sizes
        self.matrix = np.column_stack([parts, last]).astype(np.float32)
        self.wide_codes = np.ascontiguousarray(rows.codes[:, self.wide].T)
        self.wide_apart = (metric.apart[self.wide] / self.unit**2).astype(np.float32)

    def _largest(self, rows: Points) -> float:
        """What numbers are divided by, so that no square leaves the range of single precision."""
        z = self._coordinates(rows.numbers)
        holes = np.zeros(0) if self.metric.hole is None else self.metric.hole
        others = float(np.sqrt(np.concatenate([self.metric.apart, holes]).max(initial=0.0)))
        return max(float(np.nanmax(np.abs(z), initial=0.0)), others) or 1.0

    def _coordinates(self, numbers: Floats) -> Floats:
        z = (numbers - self.centre) * self.metric.scale
        if self.metric.mixing is not None:
            z = z @ self.metric.mixing
        return np.asarray(z / self.unit)

    def code(self, queries: Points) -> CodedQueries:
        """The side of the queries."""
        parts, constants, sizes = self._embed(queries, of_queries=True)
        matrix = np.column_stack([-2 * parts, np.ones(len(queries))]).astype(np.float32)
        wide = queries.codes[:, self.wide].copy()
        wide[wide == 0] = -1  # equal to nothing
        return CodedQueries(matrix, wide, constants, sizes)

    def out_of_range(self, queries: CodedQueries) -> NDArray[np.bool_]:
        """The queries that single precision cannot hold: they lie too far from all rows."""
        return np.asarray(~(queries.size < 1e30))

    def thresholds(self, queries: CodedQueries, sums: Floats) -> Singles:
        """What the bound of a pair is at most where its exact sum is at most the given one."""
        scaled = sums / self.unit**2
        raised = scaled - queries.offset + self.slack * (queries.size + scaled)
        with np.errstate(over="ignore"):
            return np.asarray(np.nextafter(raised.astype(np.float32), np.float32(np.inf)))

    def bounds(self, queries: CodedQueries, start: int, found: Singles) -> Singles:
        """The bounds of all pairs of queries and rows from `start` on, written to `found` (queries × rows)."""
        stop = start + found.shape[1]
        np.matmul(queries.matrix, self.matrix[start:stop].T, out=found)
        for place, apart in enumerate(self.wide_apart):
            same = queries.wide[:, place, None] == self.wide_codes[place, None, start:stop]
            found -= same * apart
        return found

    # ---------------------------------------------------------------- the two sides of the product
    def _embed(self, points: Points, of_queries: bool) -> tuple[Floats, Floats, Floats]:
        """Columns of the product, what is added to it, and a bound on the size of both."""
        parts, constants = [], np.zeros(len(points))
        for z, holed, hole in self._blocks(points):
            if holed:
                block, constant = _holed_block(z, hole / self.unit**2, of_queries)
            else:
                block, constant = z, (z**2).sum(axis=1)
            parts.append(block)
            constants += constant
        for column in self.narrow:
            parts.append(self._shown_levels(points.codes[:, column], column, of_queries))
        if of_queries and self.metric.rates is None:
            constants += self.metric.apart.sum() / self.unit**2
        whole = np.hstack(parts) if parts else np.empty((len(points), 0))
        return whole, constants, (whole**2).sum(axis=1) + np.abs(constants) + len(self.wide)

    def _blocks(self, points: Points) -> list[tuple[Floats, bool, float]]:
        """Coordinates that are missing together, whether they can be, and what a missing one adds."""
        z = self._coordinates(points.numbers)
        hole = np.zeros(z.shape[1]) if self.metric.hole is None else self.metric.hole
        n_ordered = z.shape[1]
        plain = ~self.holed[:n_ordered]
        blocks = [(z[:, plain], False, 0.0)] if plain.any() else []
        blocks += [(z[:, [c]], True, float(hole[c])) for c in np.flatnonzero(~plain)]
        for place, rates in enumerate(self.metric.rates or ()):
            apart = float(self.metric.apart[place])
            at_level = rates[points.codes[:, place]] * np.sqrt(apart) / self.unit
            blocks.append((at_level, bool(self.holed[n_ordered + place]), apart))
        return blocks

    def _shown_levels(self, codes: NDArray[np.int32], column: int, of_queries: bool) -> Floats:
        shown = (codes[:, None] == np.arange(1, self.levels[column] + 1)).astype(np.float64)
        return shown if of_queries else np.asarray(shown * self.metric.apart[column] / self.unit**2 / 2)


def _holed_block(z: Floats, hole: float, of_queries: bool) -> tuple[Floats, Floats]:
    """Both known: the squared distance. One of them missing: `hole`."""
    known = ~np.isnan(z[:, 0])
    filled = np.where(known[:, None], z, 0.0)
    square = (filled**2).sum(axis=1)
    if of_queries:
        return np.column_stack([filled, square, known]), np.full(len(z), hole)
    return np.column_stack([filled, known / -2.0, (square - hole * known) / -2.0]), np.zeros(len(z))


def centre_of(numbers: Floats) -> Floats:
    """The mean of each column, without its holes.

    Examples
    --------
    >>> centre_of(np.array([[1.0], [np.nan], [3.0]]))
    array([2.])
    """
    known = ~np.isnan(numbers)
    counts = np.maximum(known.sum(axis=0), 1)
    return np.asarray((np.where(known, numbers, 0.0) / counts).sum(axis=0))
