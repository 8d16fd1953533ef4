"""Kernel densities of numeric columns by class: a bell over every value, not one bell over all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.beside.columns import Columns, Floats
from treewright.beside.learner_model import Truth

_MOST_VALUES = 1_000  # more values than these are first rounded to an eighth of the width
_STEPS = 8
_MOST_CELLS = 2**21


@dataclass(frozen=True)
class KernelValues:
    """The different values of each class and column with their weights, one list after the other.

    The list of class k and column j starts at ``start[k * n_columns + j]``; its values ascend.
    """

    values: Floats
    weights: Floats
    start: NDArray[np.int64]

    def of(self, place: int) -> tuple[Floats, Floats]:
        """The values and weights of a list."""
        part = slice(int(self.start[place]), int(self.start[place + 1]))
        return self.values[part], self.weights[part]

    def plus(self, other: KernelValues) -> KernelValues:
        """The values of both."""
        pairs = [(self.of(place), other.of(place)) for place in range(len(self.start) - 1)]
        return _joined([_merged(np.concatenate([a[0], b[0]]), np.concatenate([a[1], b[1]])) for a, b in pairs])


def kernel_values(columns: Columns, truth: Truth, n_classes: int) -> KernelValues:
    """Collect the values of every class and numeric column.

    Examples
    --------
    >>> from treewright.encode.schema import Column, Schema
    >>> schema = Schema((Column("age", "numeric"),))
    >>> columns = Columns(schema, np.array([[3.0], [1.0], [3.0]]), np.empty((3, 0), dtype=np.int32), (0,), ())
    >>> kernel_values(columns, Truth(np.zeros(3, dtype=np.int32), None), 1).of(0)
    (array([1., 3.]), array([1., 2.]))
    """
    lists = []
    for k in range(n_classes):
        rows = np.flatnonzero(truth.values == k)
        weights = truth.row_weights[rows]
        for column in columns.numbers[rows].T:
            known = ~np.isnan(column)
            lists.append(_merged(column[known], weights[known]))
    return _joined(lists)


def _merged(values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    different, place = np.unique(values, return_inverse=True)
    return different, np.bincount(place, weights, minlength=len(different)).astype(np.float64)


def _joined(lists: list[tuple[Floats, Floats]]) -> KernelValues:
    start = np.concatenate([[0], np.cumsum([len(values) for values, _ in lists])]).astype(np.int64)
    empty = np.empty(0)
    return KernelValues(
        np.concatenate([empty, *(values for values, _ in lists)]),
        np.concatenate([empty, *(weights for _, weights in lists)]),
        start,
    )


class KernelDensities:
    """Kernel densities; the width of a bell is the range of the class over the root of its weight, as in Weka.

    Parameters
    ----------
    kept : KernelValues
    precisions : array, one a column
        The mean gap between values; no width is below a sixth of it.
    n_classes : int

    Examples
    --------
    >>> kept = KernelValues(np.array([0.0, 4.0]), np.array([2.0, 2.0]), np.array([0, 2]))
    >>> KernelDensities(kept, np.array([1.0]), 1).logarithms(np.array([[2.0]])).round(4)
    array([[-2.1121]])
    """

    def __init__(self, kept: KernelValues, precisions: Floats, n_classes: int) -> None:
        self.n_classes, self.n_columns = n_classes, len(precisions)
        self.lists = []
        for place in range(n_classes * self.n_columns):
            j = place % self.n_columns
            values, weights = kept.of(place)
            if not len(values):  # a class without a value answers as all classes together
                same = [kept.of(k * self.n_columns + j) for k in range(n_classes)]
                values, weights = _merged(np.concatenate([v for v, _ in same]), np.concatenate([w for _, w in same]))
            self.lists.append(self._bells(values, weights, float(precisions[j])))

    def _bells(self, values: Floats, weights: Floats, precision: float) -> tuple[Floats, Floats, float]:
        """Where the bells stand, the logarithms of their shares, and their width."""
        if not len(values):
            return values, weights, 0.0
        total = weights.sum()
        width = max(float(values[-1] - values[0]) / float(np.sqrt(max(total, 1.0))), precision / 6)
        if len(values) > _MOST_VALUES:
            values, weights = _merged(np.round(values / width * _STEPS) * width / _STEPS, weights)
        return values, np.log(weights) - np.log(total), width

    def logarithms(self, numbers: Floats) -> Floats:
        """The log density of each row (rows × classes), missing values left out."""
        found = np.zeros((len(numbers), self.n_classes))
        for j in range(self.n_columns):
            asked, place = np.unique(numbers[:, j], return_inverse=True)
            known = ~np.isnan(asked)
            for k in range(self.n_classes):
                added = np.zeros(len(asked))
                values, shares, width = self.lists[k * self.n_columns + j]
                if len(values):
                    added[known] = _log_density(asked[known], values, shares, width)
                found[:, k] += added[place]
        return found


def _log_density(asked: Floats, values: Floats, shares: Floats, width: float) -> Floats:
    found = np.empty(len(asked))
    at_once = max(1, _MOST_CELLS // len(values))
    for start in range(0, len(asked), at_once):
        part = slice(start, start + at_once)
        with np.errstate(over="ignore"):
            gaps = np.clip((asked[part, None] - values) / width, -1e100, 1e100)
        terms = shares - 0.5 * gaps**2
        highest = terms.max(axis=1)
        found[part] = highest + np.log(np.exp(terms - highest[:, None]).sum(axis=1))
    return np.asarray(found - 0.5 * np.log(2 * np.pi) - np.log(width))
