"""The nearest rows of a table: which way of searching pays, equal rows once, blocks shared among threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.learners.base.design_matrix import Floats
from treewright.learners.neighbors.brute_force import (
    FEW_ROWS,
    QUERIES_AT_ONCE,
    AbsoluteRanking,
    BestRows,
    Ranking,
    SquareRanking,
    nearest_of_all,
)
from treewright.learners.neighbors.kd_tree import KDTree
from treewright.learners.neighbors.metric import Metric, Points

# Rows that are equal are searched once: the distinct ones, and which rows each of them stands for.


_WORTH_IT = 0.9  # above this share of distinct rows nothing is gained
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


@dataclass(frozen=True)
class DistinctRows:
    """The first row of each set of equal rows, in ascending order, and the rows of each set.

    `rows[start[s] : start[s + 1]]` are the rows of set s, ascending.
    """

    first: NDArray[np.int64]
    start: NDArray[np.int64]
    rows: NDArray[np.int64]

    def expand(self, sets: NDArray[np.int64], most: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows of each set, at most so many of each; and the place of the set that each row belongs to."""
        counts = np.minimum(self.start[sets + 1] - self.start[sets], most)
        place = np.repeat(np.arange(len(sets)), counts)
        within = np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts, counts)
        return self.rows[self.start[sets][place] + within], place


def distinct_rows(points: Points) -> DistinctRows | None:
    """Find equal rows; None where there are too few of them to matter.

    Examples
    --------
    >>> points = Points(np.array([[1.0], [2.0], [1.0], [1.0]]), np.empty((4, 0), dtype=np.int32))
    >>> found = distinct_rows(points)
    >>> found.first.tolist(), found.expand(np.array([0, 1]), most=2)[0].tolist()
    ([0, 1], [0, 2, 1])
    """
    words = _words(points)
    order = np.argsort(words, kind="stable")
    new = np.ones(len(words), dtype=bool)
    new[1:] = words[order][1:] != words[order][:-1]
    n_sets = int(new.sum())
    if n_sets > _WORTH_IT * len(words):
        return None
    heads = order[new]
    head_of_row = heads[np.cumsum(new) - 1]
    if not _equal(points, order, head_of_row):
        return None  # two different rows have the same word: all are searched
    by_first = np.argsort(heads, kind="stable")
    counts = np.diff(np.append(np.flatnonzero(new), len(words)))
    sets = np.empty(n_sets, dtype=np.int64)
    sets[by_first] = np.arange(n_sets)
    rows = order[np.argsort(np.repeat(sets, counts), kind="stable")]
    start = np.concatenate([[0], np.cumsum(counts[by_first])])
    return DistinctRows(heads[by_first], start, rows)


def _words(points: Points) -> NDArray[np.uint64]:
    """One number for each row, the same for equal rows."""
    words = np.zeros(len(points.numbers), dtype=np.uint64)
    for column in (points.numbers + 0.0).T:  # -0 becomes 0
        bits = np.where(np.isnan(column), np.nan, column).view(np.uint64)
        words = _stir(words ^ bits)
    for codes in points.codes.T:
        words = _stir(words ^ codes.astype(np.uint64))
    return words


def _stir(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    words = words * _MULTIPLIER
    return np.asarray(words ^ (words >> _SHIFT))


def _equal(points: Points, left: NDArray[np.int64], right: NDArray[np.int64]) -> bool:
    numbers = np.array_equal(points.numbers[left], points.numbers[right], equal_nan=True)
    return bool(numbers and np.array_equal(points.codes[left], points.codes[right]))


_TREE_ROWS, _TREE_COLUMNS = 2_000, 8  # where a k-d tree is faster than looking at all rows
_TREE_QUERIES = 8_192
_SANE = (1e-140, 1e140)  # units whose squares are numbers

Found = tuple[Floats, NDArray[np.int64]]


class Search:
    """Looks for the nearest rows by a metric.

    Parameters
    ----------
    metric : Metric
    rows : Points
        The rows that were learnt.
    algorithm : {"auto", "kd_tree", "ball_tree", "brute"}
        How to look; the answer is the same.

    Examples
    --------
    >>> from treewright.learners.neighbors.metric import Layout
    >>> metric = Metric("euclidean", Layout((0,), (), ()), 2, np.ones(1), None, np.empty(0))
    >>> rows = Points(np.array([[0.0], [3.0], [5.0], [3.0]]), np.empty((4, 0), dtype=np.int32))
    >>> Search(metric, rows, "auto").nearest(rows, 2)[1]
    array([[0, 1],
           [1, 3],
           [2, 1],
           [1, 3]])
    """

    def __init__(self, metric: Metric, rows: Points, algorithm: str) -> None:
        self.metric = metric
        self.all_rows = rows
        self.algorithm = "kd_tree" if algorithm == "ball_tree" else algorithm

    @cached_property
    def distinct(self) -> DistinctRows | None:
        """Equal rows, where there are many."""
        return distinct_rows(self.all_rows)

    @cached_property
    def rows(self) -> Points:
        """The rows that are searched."""
        return self.all_rows if self.distinct is None else self.all_rows.take(self.distinct.first)

    @cached_property
    def holed(self) -> NDArray[np.bool_]:
        """The coordinates that are missing in some row."""
        return np.asarray(self._holes(self.rows).any(axis=0))

    @cached_property
    def _may_have_a_tree(self) -> bool:
        whole = not len(self.metric.apart) and self.all_rows.numbers.shape[1] > 0
        return whole and not self._holes(self.all_rows).any()

    def check_tree(self) -> None:
        """Refuse rows that no k-d tree takes, where one was asked for."""
        if self.algorithm == "kd_tree" and not self._may_have_a_tree:
            raise DataError(
                "algorithm='kd_tree' needs columns of numbers without missing values. Choose algorithm='auto'."
            )

    @cached_property
    def tree(self) -> KDTree | None:
        """The k-d tree, where it pays or was asked for."""
        possible = self._may_have_a_tree
        pays = len(self.rows.numbers) >= _TREE_ROWS and self.rows.numbers.shape[1] <= _TREE_COLUMNS
        wanted = self.algorithm == "kd_tree" or (self.algorithm == "auto" and pays)
        return KDTree(self.metric, self.rows) if possible and wanted else None

    @cached_property
    def _own_ranking(self) -> Ranking | None:
        return self._ranking(self.holed)

    def _ranking(self, holed: NDArray[np.bool_]) -> Ranking | None:
        if len(self.rows.numbers) <= FEW_ROWS or self.metric.power not in (1, 2):
            return None
        kind = SquareRanking if self.metric.power == 2 else AbsoluteRanking
        with np.errstate(over="ignore", invalid="ignore"):
            made = kind(self.metric, self.rows, holed)
        return made if _SANE[0] < made.unit < _SANE[1] else None

    def _holes(self, points: Points) -> NDArray[np.bool_]:
        levels = points.codes == 0
        for place, rates in enumerate(self.metric.rates or ()):
            levels[:, place] |= np.isnan(rates[points.codes[:, place], 0])
        return np.hstack([np.isnan(points.numbers), levels])

    # ---------------------------------------------------------------- looking
    def nearest(self, queries: Points, k: int, threads: int = 1) -> Found:
        """Give the sums and the numbers of the k nearest rows of each query, in the order (sum, row)."""
        asked = min(k, len(self.rows.numbers))
        numbers = queries.numbers
        complete = np.isfinite(numbers.sum())  # one pass tells, mostly
        holes = np.zeros(len(numbers), dtype=bool) if complete else np.asarray(np.isnan(numbers).any(axis=1))
        if self.tree is None or holes.all():
            found = self._by_brute_force(queries, asked, threads)
        else:
            tree = self.tree
            at_once = max(256, min(_TREE_QUERIES, -(-len(numbers) // threads)))
            whole = queries.take(~holes) if holes.any() else queries
            found = _in_blocks(lambda part: tree.nearest(part, asked), whole, at_once, threads)
            if holes.any():
                found = _woven(found, self._by_brute_force(queries.take(holes), asked, threads), holes)
        if len(found[0]) and not np.isfinite(found[0]).all():
            raise DataError(
                "Some rows are too far apart for their distance to be a number. Rescale the columns, or lower their "
                "factors."
            )
        return found if self.distinct is None else self._expanded(found, k)

    def _by_brute_force(self, queries: Points, k: int, threads: int) -> Found:
        holed = self.holed | self._holes(queries).any(axis=0)
        ranking = self._own_ranking if (holed == self.holed).all() else self._ranking(holed)
        return _in_blocks(
            lambda part: nearest_of_all(self.metric, ranking, self.rows, part, k), queries, QUERIES_AT_ONCE, threads
        )

    def _expanded(self, found: Found, k: int) -> Found:
        """From sets of equal rows to rows."""
        assert self.distinct is not None
        sums, sets = found
        rows, place = self.distinct.expand(sets.ravel(), k)
        best = BestRows(len(sums), k)
        best.add(place // sets.shape[1], rows, sums.ravel()[place])
        return best.sums, best.rows


def _in_blocks(look: Callable[[Points], Found], queries: Points, at_once: int, threads: int) -> Found:
    parts = [queries.take(slice(start, start + at_once)) for start in range(0, max(len(queries.numbers), 1), at_once)]
    if threads == 1 or len(parts) == 1:
        found = [look(part) for part in parts]
    else:
        pool = ThreadPoolExecutor(threads)
        try:
            found = list(pool.map(look, parts))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
    return np.concatenate([sums for sums, _ in found]), np.concatenate([rows for _, rows in found])


def _woven(first: Found, second: Found, is_second: NDArray[np.bool_]) -> Found:
    sums = np.empty((len(is_second), first[0].shape[1]))
    rows = np.empty(sums.shape, dtype=np.int64)
    for mask, (part_sums, part_rows) in ((~is_second, first), (is_second, second)):
        sums[mask], rows[mask] = part_sums, part_rows
    return sums, rows
