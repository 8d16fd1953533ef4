"""How far the values of each column lie apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from treewright.beside.columns import Floats
from treewright.errors import DataError


def column_means(matrix: Floats, weights: Floats | None) -> Floats:
    """Give the mean of each column.

    Examples
    --------
    >>> column_means(np.array([[1.0, 5.0], [3.0, 5.0]]), np.array([1.0, 3.0]))
    array([2.5, 5. ])
    """
    if weights is None:
        return np.asarray(np.ones(len(matrix)) @ matrix / len(matrix))
    return np.asarray(weights @ matrix / weights.sum())


def column_spread(matrix: Floats, weights: Floats | None) -> Floats:
    """Give the standard deviation of each column; 1 for a column that is constant.

    Examples
    --------
    >>> column_spread(np.array([[1.0, 5.0], [3.0, 5.0]]), None)
    array([1., 1.])
    """
    with np.errstate(over="ignore", invalid="ignore"):  # whoever asks refuses what is too large for squares
        return _spread(matrix, weights)


def refuse_vast(spread: Floats, names: Sequence[str]) -> None:
    """Refuse columns of numbers whose squares are no numbers any more.

    Examples
    --------
    >>> refuse_vast(np.array([1.0, np.inf]), ("age", "mass"))
    Traceback (most recent call last):
    treewright.errors.DataError: Column 'mass' holds numbers that are too large to be squared. Divide it, ...
    """
    vast = np.flatnonzero(~np.isfinite(spread))
    if len(vast):
        raise DataError(
            f"Column '{names[vast[0]]}' holds numbers that are too large to be squared. Divide it, or leave it out."
        )


def _spread(matrix: Floats, weights: Floats | None) -> Floats:
    mean = column_means(matrix, weights)
    if weights is None:
        square = np.einsum("ij,ij->j", matrix, matrix) / len(matrix)
    else:
        square = weights @ matrix**2 / weights.sum()
    variance = square - mean**2
    unsure = variance <= 1e-6 * square  # digits were lost: once more, from the mean
    if unsure.any():
        far = (matrix[:, unsure] - mean[unsure]) ** 2
        variance[unsure] = far.mean(axis=0) if weights is None else weights @ far / weights.sum()
        variance[unsure & (variance <= 1e-28 * square)] = 0.0
    spread = np.sqrt(np.maximum(variance, 0.0))
    return np.where(spread == 0, 1.0, spread)


def column_shares(coefficients: Floats, spread: Floats, sources: NDArray[np.int64], n_columns: int) -> Floats:
    """Give how far each column of the table moves the sums: spread times coefficient, as shares that sum to 1.

    Examples
    --------
    >>> column_shares(np.array([[1.0, -2.0, 1.0]]), np.ones(3), np.array([0, 1, 1]), 2)
    array([0.25, 0.75])
    """
    moved = np.abs(coefficients).mean(axis=0) * spread
    shares = np.bincount(sources, moved, minlength=n_columns)
    return np.asarray(shares / shares.sum() if shares.sum() > 0 else shares)
