"""The same bounds for metrics that add differences: column by column, in single precision."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.beside.columns import Floats
from treewright.beside.neighbours.metric import Metric
from treewright.beside.neighbours.points import Points
from treewright.beside.neighbours.ranking import ROUNDING, CodedQueries, Singles, centre_of


class AbsoluteRanking:
    """Bounds for metrics that add differences.

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
    >>> metric = Metric("manhattan", Layout((0,), (), ()), 1, np.ones(1), None, np.empty(0))
    >>> rows = Points(np.array([[0.0], [3.0]]), np.empty((2, 0), dtype=np.int32))
    >>> ranking = AbsoluteRanking(metric, rows, np.zeros(1, dtype=bool))
    >>> queries = ranking.code(rows)
    >>> bounds = ranking.bounds(queries, 0, np.empty((2, 2), dtype=np.float32))
    >>> bounds <= ranking.thresholds(queries, np.array([2.0, 2.0]))[:, None]
    array([[ True, False],
           [False,  True]])
    """

    def __init__(self, metric: Metric, rows: Points, holed: NDArray[np.bool_]) -> None:
        self.metric = metric
        self.holed = holed
        self.centre = centre_of(rows.numbers)
        self.unit = 1.0
        self.unit = float(np.nanmax(np.abs(self._coordinates(rows.numbers)), initial=0.0)) or 1.0
        self.weights = np.concatenate([np.ones(0) if metric.hole is None else metric.hole, metric.apart])
        z = self._coordinates(rows.numbers)
        self.columns = np.ascontiguousarray(z.T, dtype=np.float32)
        self.codes = np.ascontiguousarray(rows.codes.T)
        self.known = self._known(rows)
        self.slack = 2 * (z.shape[1] + len(self.codes) + 12) * ROUNDING
        self.start = (-self.slack * self._sizes(z)).astype(np.float32)

    def _coordinates(self, numbers: Floats) -> Floats:
        return np.asarray((numbers - self.centre) * self.metric.scale / self.unit)

    def _sizes(self, z: Floats) -> Floats:
        return np.asarray(np.nansum(np.abs(z), axis=1) + self.weights.sum() / self.unit)

    def _known(self, points: Points) -> Singles:
        """Which coordinates are known: an average is over those that both rows know."""
        return np.hstack([~np.isnan(points.numbers), points.codes > 0]).astype(np.float32)

    def code(self, queries: Points) -> CodedQueries:
        """The side of the queries."""
        z = self._coordinates(queries.numbers)
        sizes = self._sizes(z)
        if self.metric.averaged and len(self.weights):
            sizes /= max(self.weights.min(), ROUNDING)
        matrix = np.hstack([z, self._known(queries) * self.weights] if self.metric.averaged else [z])
        return CodedQueries(matrix.astype(np.float32), queries.codes, np.zeros(len(queries)), sizes)

    def out_of_range(self, queries: CodedQueries) -> NDArray[np.bool_]:
        """The queries that single precision cannot hold: they lie too far from all rows."""
        return np.asarray(~(queries.size < 1e30))

    def thresholds(self, queries: CodedQueries, sums: Floats) -> Singles:
        """What the bound of a pair is at most where its exact sum is at most the given one."""
        scaled = sums / self.unit
        raised = scaled + self.slack * (queries.size + scaled)
        return np.asarray(np.nextafter(raised.astype(np.float32), np.float32(np.inf)))

    def bounds(self, queries: CodedQueries, start: int, found: Singles) -> Singles:
        """The bounds of all pairs of queries and rows from `start` on, written to `found` (queries × rows)."""
        stop = start + found.shape[1]
        found[:] = self.start[None, start:stop]
        gap = np.empty_like(found)
        for place, column in enumerate(self.columns):
            np.subtract(queries.matrix[:, place, None], column[None, start:stop], out=gap)
            np.abs(gap, out=gap)
            if self.holed[place]:
                filler = (
                    0.0 if self.metric.averaged or self.metric.hole is None else self.metric.hole[place] / self.unit
                )
                np.copyto(gap, np.float32(filler), where=np.isnan(gap))
            found += gap
        for place, apart in enumerate(self.metric.apart):
            found += self._differ(queries, place, start, stop) * np.float32(apart / self.unit)
        if not self.metric.averaged:
            return found
        known = queries.matrix[:, len(self.columns) :] @ self.known[start:stop].T
        nothing = known <= 0
        known[nothing] = 1
        found /= known
        found[nothing] = 1 / self.unit
        return found

    def _differ(self, queries: CodedQueries, place: int, start: int, stop: int) -> NDArray[np.bool_]:
        a, b = queries.wide[:, place, None], self.codes[place, None, start:stop]
        if self.metric.averaged:
            return np.asarray((a != b) & (a > 0) & (b > 0))
        return np.asarray((a != b) | (a == 0))
