"""The standard deviation of each numeric column in each class: which divisor, and what it is at least."""

from __future__ import annotations

import numpy as np

from treewright.beside.bayes.class_sums import ClassSums
from treewright.beside.columns import Floats

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
