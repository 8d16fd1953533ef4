"""Nearest rows by looking at all of them: bounds in blocks first, exact distances of the few that may count."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from treewright.learners.base.design_matrix import Floats
from treewright.learners.neighbors.metric import Metric, Points

# Cheap bounds from below on many distances at once, by one product of matrices in single precision.


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
    >>> from treewright.learners.neighbors.metric import Layout
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
        matrix = np.column_stack([-2 * parts, np.ones(len(queries.numbers))]).astype(np.float32)
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
        parts, constants = [], np.zeros(len(points.numbers))
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
        whole = np.hstack(parts) if parts else np.empty((len(points.numbers), 0))
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


# The same bounds for metrics that add differences: column by column, in single precision.


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
    >>> from treewright.learners.neighbors.metric import Layout
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
        return CodedQueries(matrix.astype(np.float32), queries.codes, np.zeros(len(queries.numbers)), sizes)

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


# The nearest rows found so far, of each query, in the order (distance, row).


class BestRows:
    """Up to `k` rows for each of `n_queries`; empty places hold an infinite sum and row -1.

    Examples
    --------
    >>> best = BestRows(1, 2)
    >>> best.add(np.array([0, 0, 0]), np.array([7, 3, 5]), np.array([1.0, 1.0, 0.5]))
    >>> best.rows, best.sums
    (array([[5, 3]]), array([[0.5, 1. ]]))
    """

    def __init__(self, n_queries: int, k: int) -> None:
        self.sums = np.full((n_queries, k), np.inf)
        self.rows = np.full((n_queries, k), -1, dtype=np.int64)

    @property
    def last(self) -> Floats:
        """The largest sum that is kept of each query."""
        return np.asarray(self.sums[:, -1])

    def add(self, queries: NDArray[np.int64], rows: NDArray[np.int64], sums: Floats) -> None:
        """Take in pairs that were not offered before; `queries` need no order."""
        near = sums <= self.last[queries]
        queries, rows, sums = queries[near], rows[near], sums[near]
        kept = np.nonzero(self.rows >= 0)
        queries = np.concatenate([kept[0], queries])
        rows = np.concatenate([self.rows[kept], rows])
        sums = np.concatenate([self.sums[kept], sums])
        order = _in_order(queries, sums, rows, len(self.sums))
        queries = queries[order]
        starts = np.searchsorted(queries, np.arange(len(self.sums)))
        rank = np.arange(len(queries)) - starts[queries]
        first = rank < self.sums.shape[1]
        place = (queries[first], rank[first])
        self.sums[place] = sums[order][first]
        self.rows[place] = rows[order][first]


def _in_order(queries: NDArray[np.int64], sums: Floats, rows: NDArray[np.int64], n_queries: int) -> NDArray[np.int64]:
    """The order by (query, sum, row)."""
    if n_queries < 2**16:  # two fast sorts, right unless sums are equal
        order = np.argsort(sums)
        order = order[np.argsort(queries[order].astype(np.uint16), kind="stable")]
        tied = (sums[order[1:]] == sums[order[:-1]]) & (queries[order[1:]] == queries[order[:-1]])
        if not tied.any():
            return np.asarray(order)
    return np.lexsort((rows, sums, queries))


# Looking at all rows.


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
    >>> from treewright.learners.neighbors.metric import Layout
    >>> metric = Metric("euclidean", Layout((0,), (), ()), 2, np.ones(1), None, np.empty(0))
    >>> rows = Points(np.array([[0.0], [3.0], [5.0]]), np.empty((3, 0), dtype=np.int32))
    >>> nearest_of_all(metric, None, rows, rows.take(np.array([1])), 2)
    (array([[0., 4.]]), array([[1, 2]]))
    """
    if ranking is None or len(rows.numbers) <= max(FEW_ROWS, 2 * k):
        return _measure_all(metric, rows, queries, k)
    with np.errstate(over="ignore"):  # what is out of range is told next
        coded = ranking.code(queries)
    odd = ranking.out_of_range(coded)
    if odd.any():
        return _part_odd(metric, ranking, rows, queries, k, odd)
    best = BestRows(len(queries.numbers), k)
    step = _step(metric)
    limits = _first_limits(metric, ranking, rows, queries, coded, k)
    for start, stop in _stages(len(rows.numbers), k):
        for i, j in _survivors(ranking, coded, limits, start, stop):
            best.add(i, j, metric.pair_sums(queries, i, rows, j))
        # Rows come in ascending order: where sums are whole steps, a later row must be nearer by a step to count.
        limits = ranking.thresholds(coded, best.last - step / 2)
    return best.sums, best.rows


def _measure_all(metric: Metric, rows: Points, queries: Points, k: int) -> tuple[Floats, NDArray[np.int64]]:
    best = BestRows(len(queries.numbers), k)
    at_once = max(1, _MOST_PAIRS // max(len(queries.numbers), 1))
    for start in range(0, len(rows.numbers), at_once):
        stop = min(start + at_once, len(rows.numbers))
        i = np.repeat(np.arange(len(queries.numbers)), stop - start)
        j = np.tile(np.arange(start, stop), len(queries.numbers))
        best.add(i, j, metric.pair_sums(queries, i, rows, j))
    return best.sums, best.rows


def _part_odd(
    metric: Metric, ranking: Ranking, rows: Points, queries: Points, k: int, odd: NDArray[np.bool_]
) -> tuple[Floats, NDArray[np.int64]]:
    best = BestRows(len(queries.numbers), k)
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
    shape = (len(queries.numbers), min(max(_FIRST, 4 * k), len(rows.numbers)))
    bounds = ranking.bounds(coded, 0, np.empty(shape, dtype=np.float32))
    j = np.argpartition(bounds, k - 1, axis=1)[:, :k].astype(np.int64)
    i = np.repeat(np.arange(len(queries.numbers)), k)
    sums = metric.pair_sums(queries, i, rows, j.ravel()).reshape(len(queries.numbers), k)
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
