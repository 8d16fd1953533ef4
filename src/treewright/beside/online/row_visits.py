"""Rows for learners that take them one by one: equal rows joined, in an order out of their content and the seed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.beside.alike_rows import one_of_each
from treewright.beside.columns import Floats


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


@dataclass(frozen=True)
class RowForm:
    """What is made of a row: (columns - centre) / scale, then a constant 1."""

    intercept: bool = True
    centre: Floats | None = None
    scale: Floats | None = None


def visits_of(
    matrix: Floats, targets: NDArray[Any], weights: Floats | None, form: RowForm, seed: int = 0, shuffle: bool = True
) -> Visits:
    """Put rows in order. With `shuffle` equal rows become one of their joint weight, so that a row of weight 2 is a row
    twice, and the order does not depend on how the table was sorted. Without it the table is taken as it stands.

    Examples
    --------
    >>> twice = visits_of(np.array([[4.0, 5.0], [4.0, 5.0]]), np.zeros(2), None, RowForm(True, np.array([3.0, 3.0])))
    >>> twice.rows, twice.weights
    (array([[1., 2., 1., 0., 0., 0., 0., 0.]]), array([1.]))
    """
    targets = targets.astype(np.int32)
    given = np.ones(len(matrix)) if weights is None else np.asarray(weights, dtype=np.float64)
    places = np.arange(len(matrix))
    if shuffle:
        words = _core.row_words(matrix, targets, seed)
        places, given = one_of_each(words, [matrix, targets], None if weights is None else given)
    rows = _core.gathered_rows(
        matrix, places, form.centre, None if form.scale is None else 1 / form.scale, form.intercept
    )
    return Visits(rows, targets[places], given / given.mean(), seed, shuffle, places)
