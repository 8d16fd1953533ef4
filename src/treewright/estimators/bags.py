"""Bags: which rows each tree of a bagged model sees, and how often."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import replace as set_size
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import DataError
from treewright.estimators.training_data import TrainingData

_PURPOSE = 1  # of the random words: the rows of a tree
_MOST_UNITS = 2**24  # whole weights beyond this sum are no counts of rows that anyone could have written out


@dataclass(frozen=True)
class Bags:
    """The rows to draw from, as units in the order of their content.

    Whole weights are counts: a row of weight 3 is three units, as if it stood in the table three times. With any other
    weights every row is one unit, and keeps its weight in the bag. Neither the order of the rows nor the choice between
    a weight and a repeated row changes what is drawn.
    """

    rows: NDArray[np.uint32]  # those that count, by content
    ends: NDArray[np.int64] | None  # where the units of each row end; None: one unit a row
    weights: NDArray[np.float64] | None  # what a unit of each row of the table weighs; None: 1
    n_rows: int
    n_drawn: int
    replace: bool
    seed: int
    groups: NDArray[np.uint32] | None = None  # of each row of the table: then a unit is a group

    def weights_of(self, tree: int) -> NDArray[np.float64]:
        """How much each row of the table counts for this tree; 0 for the rows that it does not see."""
        drawn = self._drawn(tree)
        if self.groups is not None:
            return self._weights_by_group(drawn, self.groups)
        places = drawn if self.ends is None else np.searchsorted(self.ends, drawn, side="right")
        counts = np.zeros(self.n_rows)
        counts[self.rows] = np.bincount(places, minlength=len(self.rows))
        return counts if self.weights is None else counts * self.weights

    def _weights_by_group(self, drawn: NDArray[np.int64], groups: NDArray[np.uint32]) -> NDArray[np.float64]:
        _, units = np.unique(groups[self.rows], return_inverse=True)
        counts = np.zeros(self.n_rows)
        counts[self.rows] = np.bincount(drawn, minlength=units.max() + 1)[units]
        return counts if self.weights is None else counts * self.weights

    def _n_units(self) -> int:
        if self.groups is not None:
            return len(np.unique(self.groups[self.rows]))
        return len(self.rows) if self.ends is None else int(self.ends[-1])

    def _drawn(self, tree: int) -> NDArray[np.int64]:
        n_units = self._n_units()
        if self.replace:
            words = _core.drawn_words(self.seed, _PURPOSE, tree, self.n_drawn)
            return ((words >> np.uint64(32)) * np.uint64(n_units) >> np.uint64(32)).astype(np.int64)
        if self.n_drawn == n_units:
            return np.arange(n_units)
        words = _core.drawn_words(self.seed, _PURPOSE, tree, n_units)
        return np.argpartition(words, self.n_drawn - 1)[: self.n_drawn]


def make_bags(
    training: TrainingData, sample_weight: NDArray[np.float64] | None, max_samples: Any, replace: bool, seed: int
) -> Bags:
    """Lay the units out; `training` is the encoded table, without the weights that `sample_weight` gives."""
    rows = _core.rows_by_content(training.table.core, training.target, training.threads)
    n_rows, ends, kept = len(training.truth), None, None
    if sample_weight is not None:
        rows = rows[sample_weight[rows] > 0]
        given = sample_weight[rows]
        if training.groups is None and (given == np.floor(given)).all() and given.sum() <= max(len(rows), _MOST_UNITS):
            ends = np.cumsum(given).astype(np.int64)
        else:
            kept = sample_weight
    if len(rows) == 0:
        raise DataError("No row has a weight above 0, so there is nothing to draw from. Give some rows a weight.")
    bags = Bags(rows, ends, kept, n_rows, 0, replace, seed, training.groups)
    return set_size(bags, n_drawn=_size_of(max_samples, bags._n_units()))


def _size_of(max_samples: Any, n_units: int) -> int:
    """Read `max_samples`: a whole number of rows, or a share of them.

    >>> _size_of(0.632, 1000), _size_of(10, 1000)
    (632, 10)
    """
    if not isinstance(max_samples, Integral):
        return max(1, round(float(max_samples) * n_units))
    if int(max_samples) > n_units:
        raise DataError(
            f"max_samples is {max_samples}, but there are only {n_units} rows to draw from. Give a smaller number, or "
            "a share such as 1.0."
        )
    return int(max_samples)
