"""Nearest rows by looking at all of them: bounds in blocks first, exact distances of the few that may count."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from treewright.beside.columns import Floats
from treewright.beside.neighbours.best_rows import BestRows
from treewright.beside.neighbours.metric import Metric
from treewright.beside.neighbours.points import Points
from treewright.beside.neighbours.ranking import CodedQueries, Singles

QUERIES_AT_ONCE = 256  # with a tile of rows their bounds stay in the second-level cache
_TILE = 1024
_FIRST = 512  # rows that give the first thresholds
FEW_ROWS = 256  # so few rows are measured exactly, all of them
_MOST_PAIRS = 2**21
_EIGHT = np.arange(8)

Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]


class Ranking(Protocol):
    """What gives bounds from below on the sums of many pairs."""

    def code(self, queries: Points) -> CodedQueries: ...
    def out_of_range(self, queries: CodedQueries) -> NDArray[np.bool_]: ...
    def thresholds(self, queries: CodedQueries, sums: Floats) -> Singles: ...
    def bounds(self, queries: CodedQueries, start: int, found: Singles) -> Singles: ...


def nearest_of_all(
    metric: Metric, ranking: Ranking | None, rows: Points, queries: Points, k: int
) -> tuple[Floats, NDArray[np.int64]]:
    """Give the sums and the numbers of the k nearest rows of each query, in the order (sum, row).

    Examples
    --------
    >>> from treewright.beside.neighbours.points import Layout
    >>> metric = Metric("euclidean", Layout((0,), (), ()), 2, np.ones(1), None, np.empty(0))
    >>> rows = Points(np.array([[0.0], [3.0], [5.0]]), np.empty((3, 0), dtype=np.int32))
    >>> nearest_of_all(metric, None, rows, rows.take(np.array([1])), 2)
    (array([[0., 4.]]), array([[1, 2]]))
    """
    if ranking is None or len(rows) <= max(FEW_ROWS, 2 * k):
        return _measure_all(metric, rows, queries, k)
    with np.errstate(over="ignore"):  # what is out of range is told next
        coded = ranking.code(queries)
    odd = ranking.out_of_range(coded)
    if odd.any():
        return _part_odd(metric, ranking, rows, queries, k, odd)
    best = BestRows(len(queries), k)
    step = _step(metric)
    limits = _first_limits(metric, ranking, rows, queries, coded, k)
    for start, stop in _stages(len(rows), k):
        for i, j in _survivors(ranking, coded, limits, start, stop):
            best.add(i, j, metric.pair_sums(queries, i, rows, j))
        # Rows come in ascending order: where sums are whole steps, a later row must be nearer by a step to count.
        limits = ranking.thresholds(coded, best.last - step / 2)
    return best.sums, best.rows


def _measure_all(metric: Metric, rows: Points, queries: Points, k: int) -> tuple[Floats, NDArray[np.int64]]:
    best = BestRows(len(queries), k)
    at_once = max(1, _MOST_PAIRS // max(len(queries), 1))
    for start in range(0, len(rows), at_once):
        stop = min(start + at_once, len(rows))
        i = np.repeat(np.arange(len(queries)), stop - start)
        j = np.tile(np.arange(start, stop), len(queries))
        best.add(i, j, metric.pair_sums(queries, i, rows, j))
    return best.sums, best.rows


def _part_odd(
    metric: Metric, ranking: Ranking, rows: Points, queries: Points, k: int, odd: NDArray[np.bool_]
) -> tuple[Floats, NDArray[np.int64]]:
    best = BestRows(len(queries), k)
    for mask, by in ((odd, None), (~odd, ranking)):
        if mask.any():
            best.sums[mask], best.rows[mask] = nearest_of_all(metric, by, rows, queries.take(mask), k)
    return best.sums, best.rows


def _step(metric: Metric) -> float:
    """What sums are whole multiples of; 0 where they can be anything."""
    only_levels = not len(metric.scale) and metric.rates is None and not metric.averaged and len(metric.apart)
    return float(metric.apart[0]) if only_levels and (metric.apart == metric.apart[0]).all() else 0.0


def _stages(n_rows: int, k: int) -> Iterator[tuple[int, int]]:
    """Parts of the rows, each four times as long as all before: about as many candidates survive in each."""
    start, stop = 0, max(4 * _FIRST, 4 * k)
    while start < n_rows:
        yield start, min(stop, n_rows)
        start, stop = stop, 4 * stop


def _first_limits(
    metric: Metric, ranking: Ranking, rows: Points, queries: Points, coded: CodedQueries, k: int
) -> Singles:
    """Thresholds from the first rows: the exact sums of any k rows bound the k-th smallest from above."""
    shape = (len(queries), min(max(_FIRST, 4 * k), len(rows)))
    bounds = ranking.bounds(coded, 0, np.empty(shape, dtype=np.float32))
    j = np.argpartition(bounds, k - 1, axis=1)[:, :k].astype(np.int64)
    i = np.repeat(np.arange(len(queries)), k)
    sums = metric.pair_sums(queries, i, rows, j.ravel()).reshape(len(queries), k)
    return ranking.thresholds(coded, sums.max(axis=1))


def _survivors(ranking: Ranking, coded: CodedQueries, limits: Singles, start: int, stop: int) -> Iterator[Pairs]:
    """The pairs of a part of the rows that may count, handed out when they are many and at the end."""
    found: list[Pairs] = []
    waiting = 0
    room = np.empty(len(limits) * _TILE, dtype=np.float32)  # asked for once: new memory costs as much as the product
    marks = np.empty(len(room), dtype=bool)
    for tile in range(start, stop, _TILE):
        width = min(_TILE, stop - tile)
        bounds = ranking.bounds(coded, tile, room[: len(limits) * width].reshape(len(limits), width))
        below = np.less_equal(bounds, limits[:, None], out=marks[: bounds.size].reshape(bounds.shape))
        cells = _true_cells(below.reshape(-1))
        if len(cells):
            i, j = np.divmod(cells, width)
            found.append((i, j + tile))
            waiting += len(cells)
        if waiting > _MOST_PAIRS:
            yield _joined(found)
            found, waiting = [], 0
    if waiting:
        yield _joined(found)


def _true_cells(below: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Where a long array is true; eight cells are looked at at once, since nearly all are false."""
    if len(below) % 8:
        return np.flatnonzero(below)
    eights = np.flatnonzero(below.view(np.uint64) != 0)
    cells = (eights[:, None] * 8 + _EIGHT).ravel()
    return np.asarray(cells[below[cells]])


def _joined(found: list[Pairs]) -> Pairs:
    return np.concatenate([i for i, _ in found]), np.concatenate([j for _, j in found])
