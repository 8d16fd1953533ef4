"""Rows that are equal are searched once: the distinct ones, and which rows each of them stands for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.beside.neighbours.points import Points

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
    words = np.zeros(len(points), dtype=np.uint64)
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
