"""The densities of numeric columns by class: one bell, or a bell over every value, and how wide they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.learners.base.design_matrix import Columns, Floats
from treewright.learners.base.matrix_model import Target
from treewright.learners.base.row_products import row_products
from treewright.learners.naive_bayes.class_sums import ClassSums

# The standard deviation of each numeric column in each class: which divisor, and what it is at least.


_LEAST_SHARE, _LEAST = 1e-9, 1e-12
_LONE_PRECISION = 0.01  # of a column with one value, as in Weka


def precisions(sums: ClassSums) -> Floats:
    """The mean gap between different values of each column.

    Examples
    --------
    >>> import numpy as np
    >>> two = np.array([[2.0]])
    >>> precisions(ClassSums(two[0], two, two, two, np.zeros(1), np.ones(1), np.array([11.0]), two))
    array([0.1])
    """
    gaps = sums.distinct - 1
    spread = np.where(gaps > 0, sums.high - sums.low, 0.0)
    return np.asarray(np.where(gaps > 0, spread / np.where(gaps > 0, gaps, 1.0), _LONE_PRECISION))


def means(sums: ClassSums) -> Floats:
    """The mean of each numeric column in each class; that of all classes where a class has no value.

    Examples
    --------
    >>> import numpy as np
    >>> known, mean = np.array([[2.0], [0.0]]), np.array([[7.0], [0.0]])
    >>> means(ClassSums(known[:, 0], known, mean, mean, *np.ones((3, 1)), mean))
    array([[7.],
           [7.]])
    """
    total = sums.known.sum(axis=0)
    overall = (sums.known * sums.mean).sum(axis=0) / np.where(total > 0, total, 1.0)
    return np.asarray(np.where(sums.known > 0, sums.mean, overall))


def variances(sums: ClassSums, variance: str, var_smoothing: float, min_sd: str) -> Floats:
    """The variance of each numeric column in each class.

    "unbiased" divides by n − 1; a class with fewer than two values takes the variance within all classes, one without
    any the variance of all rows, and no deviation is below the floor. "population" divides by n and adds a share of
    the largest variance of a column.

    Examples
    --------
    >>> import numpy as np
    >>> squares = np.array([[8.0]])
    >>> low, high, distinct = np.array([[0.0], [9.0], [4.0]])
    >>> sums = ClassSums(np.array([4.0]), squares / 2, squares, squares, low, high, distinct, squares)
    >>> variances(sums, "population", 0.0, "range")
    array([[2.]])
    """
    total = sums.known.sum(axis=0)
    some = np.where(total > 0, total, 1.0)
    inside, whole = sums.squares.sum(axis=0), sums.all_squares
    span = np.nan_to_num(sums.high - sums.low)
    floor = np.maximum(_LEAST_SHARE * span, _LEAST)
    if variance == "population":
        raw = np.divide(sums.squares, sums.known, out=np.tile(whole / some, (len(sums.known), 1)), where=sums.known > 0)
        return np.asarray(np.maximum(raw + var_smoothing * (whole / some).max(initial=0.0), _LEAST**2))
    freedom = np.maximum(sums.known - 1, 0.0).sum(axis=0)
    pooled = inside / np.where(freedom > 0, freedom, some)
    enough = sums.known >= 2
    own = sums.squares / np.where(enough, sums.known - 1, 1.0)
    found = np.where(enough, own, np.where(sums.known > 0, pooled, whole / np.maximum(some - 1, 1.0)))
    if min_sd == "precision":
        floor = np.maximum(floor, precisions(sums) / 6)
    return np.asarray(np.maximum(found, floor**2))


# The logarithm of normal densities of many rows, columns and classes by two products of matrices.


_BLOCK = 2048  # rows that stay in the cache
FAR = 1e100  # numbers count as no more deviations away: squares would overflow, and the nearest class stays
_FAR_OUT = -1e190  # a row with such a number is less probable than this in every class
_NARROW = 1e-6  # a class so narrow beside the whole column is taken apart: sums would lose its digits


class GaussianDensities:
    """Normal densities: means and variances are classes × columns.

    Examples
    --------
    >>> densities = GaussianDensities(np.array([[0.0], [3.0]]), np.ones((2, 1)))
    >>> densities.logarithms(np.array([[0.0]])).round(4)
    array([[-0.9189, -5.4189]])
    """

    def __init__(self, means: Floats, variances: Floats) -> None:
        self.centre = means.mean(axis=0)
        spread = np.sqrt(variances.mean(axis=0) + ((means - self.centre) ** 2).mean(axis=0))
        self.scale = 1 / np.where(spread > 0, spread, 1.0)
        self.means = (means - self.centre) * self.scale
        self.variances = variances * self.scale**2
        self.apart = np.flatnonzero((self.variances < _NARROW).any(axis=0))
        self.heights = -0.5 * np.log(2 * np.pi * variances)
        square, linear = -0.5 / self.variances, self.means / self.variances
        constant = self.heights - 0.5 * self.means**2 / self.variances
        for part in (square, linear):
            part[:, self.apart] = 0
        constant[:, self.apart] = self.heights[:, self.apart]
        self.constant = constant.T.copy()
        self.linear = (linear * self.scale).T.copy()  # of plain differences to the centre
        self.square = (square * self.scale**2).T.copy()

    def logarithms(self, numbers: Floats) -> Floats:
        """The log density of each row (rows × classes), missing values left out."""
        found = np.empty((self.constant.shape[1], len(numbers)))  # by classes: what follows runs along the rows
        room = np.empty((2, min(_BLOCK, len(numbers)), numbers.shape[1]))
        for start in range(0, len(numbers), _BLOCK):
            block = numbers[start : start + _BLOCK]
            part = found[:, start : start + _BLOCK]
            with np.errstate(over="ignore", invalid="ignore"):
                part[:] = self._plain(block, room[:, : len(block)])
            careful = np.ones(len(block), dtype=bool) if len(self.apart) else ~(part > _FAR_OUT).all(axis=0)
            if careful.any():  # the other rows are answered as they would be without these
                part[:, careful] = self._with_care(block[careful])
        return found.T

    def _plain(self, numbers: Floats, room: Floats) -> Floats:
        """Rows without a hole, none of them far out; what is made of other rows is no number."""
        gaps, squares = room
        np.subtract(numbers, self.centre, out=gaps)
        np.multiply(gaps, gaps, out=squares)
        linear, square = row_products(gaps, self.linear), row_products(squares, self.square)
        return np.asarray((linear + square + self.constant.sum(axis=0)).T)

    def _with_care(self, numbers: Floats) -> Floats:
        gaps = numbers - self.centre
        reach = FAR / self.scale
        with np.errstate(invalid="ignore"):
            np.clip(gaps, -reach, reach, out=gaps)
        known = ~np.isnan(gaps)
        gaps[~known] = 0
        found = row_products(known.astype(np.float64), self.constant)
        found += row_products(gaps, self.linear) + row_products(gaps**2, self.square)
        for j in self.apart:
            z = gaps[:, j, None] * self.scale[j]
            part = -0.5 * (z - self.means[:, j]) ** 2 / self.variances[:, j]
            found += np.where(known[:, j, None], part, 0.0)
        return np.asarray(found.T)


# Kernel densities of numeric columns by class: a bell over every value, not one bell over all.


_MOST_VALUES = 1_000  # more values than these are first rounded to an eighth of the width
_STEPS = 8
_MOST_CELLS = 2**21
_FARTHEST = 1e150  # deviations whose square is a number; only a damaged file has values so far apart


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


def kernel_values(columns: Columns, truth: Target, n_classes: int) -> KernelValues:
    """Collect the values of every class and numeric column.

    Examples
    --------
    >>> from treewright.table.schema import Column, Schema
    >>> schema = Schema((Column("age", "numeric"),))
    >>> columns = Columns(schema, np.array([[3.0], [1.0], [3.0]]), np.empty((3, 0), dtype=np.int32), (0,), ())
    >>> kernel_values(columns, Target(np.zeros(3, dtype=np.int32), None), 1).of(0)
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
    asked = np.clip(asked, -FAR * width, FAR * width)  # squares would overflow
    for start in range(0, len(asked), at_once):
        part = slice(start, start + at_once)
        with np.errstate(over="ignore"):
            gaps = np.clip((asked[part, None] - values) / width, -_FARTHEST, _FARTHEST)
        terms = shares - 0.5 * gaps**2
        highest = terms.max(axis=1)
        found[part] = highest + np.log(np.exp(terms - highest[:, None]).sum(axis=1))
    return np.asarray(found - 0.5 * np.log(2 * np.pi) - np.log(width))
