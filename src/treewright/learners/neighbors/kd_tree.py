"""Nearest rows by a k-d tree, with the same answers as looking at all rows: ties at the last place are looked up."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from treewright.learners.base.design_matrix import Floats
from treewright.learners.neighbors.brute_force import BestRows, centre_of
from treewright.learners.neighbors.metric import Metric, Points

_ROUNDING = 1e-13  # more than what the tree's distances can be off by, as a share of the largest coordinate
_MOST_PAIRS = 2**21
_LEAF = 16


class KDTree:
    """A k-d tree of complete rows of numbers.

    Parameters
    ----------
    metric : Metric
        One without nominal columns.
    rows : Points
        Rows without a hole.

    Examples
    --------
    >>> from treewright.learners.neighbors.metric import Layout
    >>> metric = Metric("euclidean", Layout((0,), (), ()), 2, np.ones(1), None, np.empty(0))
    >>> rows = Points(np.array([[0.0], [3.0], [5.0], [1.0]]), np.empty((4, 0), dtype=np.int32))
    >>> KDTree(metric, rows).nearest(rows.take(np.array([1])), 2)
    (array([[0., 4.]]), array([[1, 2]]))
    """

    def __init__(self, metric: Metric, rows: Points) -> None:
        self.metric = metric
        self.rows = rows
        self.centre = centre_of(rows.numbers)
        coordinates = self._coordinates(rows)
        self.largest = float(np.abs(coordinates).max(initial=0.0))
        self.tree = cKDTree(coordinates, leafsize=_LEAF)
        self.columns = np.ascontiguousarray(rows.numbers.T)

    def _coordinates(self, points: Points) -> Floats:
        z = (points.numbers - self.centre) * self.metric.scale
        return np.asarray(z if self.metric.mixing is None else z @ self.metric.mixing)

    def nearest(self, queries: Points, k: int) -> tuple[Floats, NDArray[np.int64]]:
        """Give the sums and the numbers of the k nearest rows of each query, in the order (sum, row).

        Queries are asked in the order of their first column: those that follow each other then meet the same nodes, and
        find them in the cache.
        """
        order = np.argsort(queries.numbers[:, 0])
        sums, rows = self._nearest(queries.gather(order), k)
        found = np.empty_like(sums), np.empty_like(rows)
        found[0][order], found[1][order] = sums, rows
        return found

    def _nearest(self, queries: Points, k: int) -> tuple[Floats, NDArray[np.int64]]:
        places = self._coordinates(queries)
        asked = min(k + 1, len(self.rows))
        near, rows = self.tree.query(places, np.arange(1, asked + 1), p=self.metric.power)
        rows = rows.astype(np.int64, copy=False)
        sums = self.metric.sums_to(queries, self.columns, rows)
        if sums is None:
            i = np.repeat(np.arange(len(queries)), asked)
            sums = self.metric.pair_sums(queries, i, self.rows, rows.ravel()).reshape(rows.shape)
        sums, rows = _in_order(sums, rows)
        answer = sums[:, :k].copy(), rows[:, :k].copy()
        if asked > k:
            self._settle_ties(queries, places, near[:, k], answer)
        return answer

    def _settle_ties(
        self, queries: Points, places: Floats, beyond: Floats, answer: tuple[Floats, NDArray[np.int64]]
    ) -> None:
        """Where a row that was not given may be as near as the last one, look at all rows within that distance."""
        reach = self._distance(answer[0][:, -1])
        largest = np.maximum.reduce([np.abs(place) for place in places.T])
        slack = _ROUNDING * (self.largest + largest + reach)
        unsure = np.flatnonzero(reach >= beyond - slack)
        if not len(unsure):
            return
        radius = (reach + slack)[unsure]
        counts = self.tree.query_ball_point(places[unsure], radius, p=self.metric.power, return_length=True)
        for part in _parts(counts):
            self._look_within(queries, places, unsure[part], radius[part], answer)

    def _look_within(
        self,
        queries: Points,
        places: Floats,
        which: NDArray[np.int64],
        radius: Floats,
        answer: tuple[Floats, NDArray[np.int64]],
    ) -> None:
        found = self.tree.query_ball_point(places[which], radius, p=self.metric.power)
        i = np.repeat(np.arange(len(which)), [len(rows) for rows in found])
        j = np.concatenate([np.asarray(rows, dtype=np.int64) for rows in found])
        best = BestRows(len(which), answer[0].shape[1])
        best.add(i, j, self.metric.pair_sums(queries, which[i], self.rows, j))
        answer[0][which], answer[1][which] = best.sums, best.rows

    # ---------------------------------------------------------------- all rows within a distance
    def count_within(self, queries: Points, distances: Floats) -> NDArray[np.int64]:
        """How many rows are within a distance of each query, give or take those at that very distance."""
        places, radius = self._coordinates(queries), self._radius(distances)
        return np.asarray(self.tree.query_ball_point(places, radius, p=self.metric.power, return_length=True))

    def rows_within(self, queries: Points, distances: Floats) -> list[NDArray[np.int64]]:
        """Those rows, of each query."""
        found = self.tree.query_ball_point(self._coordinates(queries), self._radius(distances), p=self.metric.power)
        return [np.asarray(rows, dtype=np.int64) for rows in found]

    def _radius(self, distances: Floats) -> Floats:
        factor = self.metric.hole.sum() if self.metric.averaged and self.metric.hole is not None else 1.0
        return np.asarray(distances * factor + _ROUNDING * (self.largest + distances))

    def _distance(self, sums: Floats) -> Floats:
        """In the units of the tree, also where the metric is an average."""
        if self.metric.averaged and self.metric.hole is not None:
            return np.asarray(sums * self.metric.hole.sum())
        return self.metric.distances(sums)


def _in_order(sums: Floats, rows: NDArray[np.int64]) -> tuple[Floats, NDArray[np.int64]]:
    """Every line in the order (sum, row); most lines are in order already."""
    wrong = (sums[:, 1:] < sums[:, :-1]) | ((sums[:, 1:] == sums[:, :-1]) & (rows[:, 1:] < rows[:, :-1]))
    lines = np.flatnonzero(wrong.any(axis=1))
    if len(lines):
        order = np.lexsort((rows[lines], sums[lines]), axis=1)
        sums[lines] = np.take_along_axis(sums[lines], order, axis=1)
        rows[lines] = np.take_along_axis(rows[lines], order, axis=1)
    return sums, rows


def _parts(counts: NDArray[np.int64]) -> list[slice]:
    """Runs of queries that have not too many rows within reach together."""
    ends = np.cumsum(counts)
    cuts = np.flatnonzero(np.diff(ends // _MOST_PAIRS)) + 1
    edges = [0, *cuts.tolist(), len(counts)]
    return [slice(a, b) for a, b in pairwise(edges)]
