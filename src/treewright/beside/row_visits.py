"""Rows for learners that take them one by one: equal rows joined, in an order that is a function of content and seed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.beside.columns import Floats

_LANES = 8  # the core reads rows in steps of eight numbers


@dataclass(frozen=True)
class Visits:
    """Rows as the core takes them one by one.

    Parameters
    ----------
    rows : array of shape (n, width)
        The columns, the constant 1 where there is one, and zeros up to a multiple of eight numbers.
    targets : array of length n
        The class of each row.
    weights : array of length n
        How much each row counts; 1 in the mean.
    seed : int
    shuffle : bool
        Whether every pass has an order of its own; else the rows are visited as they stand.
    places : array of length n
        Where each row stands in the table.
    """

    rows: Floats
    targets: NDArray[np.int32]
    weights: Floats
    seed: int
    shuffle: bool
    places: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def order(self, number: int) -> NDArray[np.uint32]:
        """The order of a pass."""
        if self.shuffle:
            return _core.shuffled(len(self.rows), self.seed, number)
        return np.arange(len(self.rows), dtype=np.uint32)


def padded(matrix: Floats, intercept: bool, centre: Floats | None = None, scale: Floats | None = None) -> Floats:
    """Give the rows as the core takes them: (columns - centre) / scale, then 1, then zeros to a multiple of eight.

    Examples
    --------
    >>> padded(np.array([[4.0, 5.0]]), True, np.array([3.0, 3.0]), np.array([2.0, 1.0]))
    array([[0.5, 2. , 1. , 0. , 0. , 0. , 0. , 0. ]])
    """
    n, p = matrix.shape
    width = max(-(-(p + intercept) // _LANES) * _LANES, _LANES)
    rows = np.zeros((n, width))
    if centre is None:
        rows[:, :p] = matrix
    else:
        np.subtract(matrix, centre, out=rows[:, :p])
    if scale is not None:
        rows[:, :p] *= 1 / scale
    if intercept:
        rows[:, p] = 1.0
    return rows


def visits_of(
    rows: Floats, targets: NDArray[Any], weights: Floats | None, seed: int, shuffle: bool, plain: Floats | None = None
) -> Visits:
    """Put rows in order. With `shuffle` equal rows become one of their joint weight, so that a row of weight 2 is a row
    twice, and the order does not depend on how the table was sorted. Without it the table is taken as it stands.
    Which rows are equal is told by `plain`, the columns before they were scaled.

    Examples
    --------
    >>> twice = visits_of(np.ones((2, 8)), np.zeros(2, dtype=np.int32), None, 0, True)
    >>> twice.rows.shape, twice.weights
    ((1, 8), array([1.]))
    """
    targets = targets.astype(np.int32)
    given = np.ones(len(rows)) if weights is None else np.asarray(weights, dtype=np.float64)
    if not shuffle:
        return Visits(rows, targets, given / given.mean(), seed, False, np.arange(len(rows)))
    words = _core.row_words(rows if plain is None else plain, targets, seed)
    order = np.argsort(words, kind="stable")
    words = words[order]
    first = np.concatenate([[True], words[1:] != words[:-1]])
    if not first.all():
        given = np.add.reduceat(_sorted_within(given[order], words), np.flatnonzero(first))
        order = order[first]
    elif weights is not None:
        given = given[order]
    return Visits(rows[order], targets[order], given / given.mean(), seed, True, order)


def _sorted_within(weights: Floats, words: NDArray[np.uint64]) -> Floats:
    """Equal rows by their weight, so that their sum does not depend on the order of the table."""
    return weights[np.lexsort((weights, words))]
