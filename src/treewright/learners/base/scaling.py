"""Columns of a matrix on one scale, and how far the values of each column lie apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.learners.base.design_matrix import Design, Floats

# Columns of a matrix on one scale: mean 0 and spread 1.


def learn_scaling(
    design: Design, matrix: Floats, weights: Floats | None, scaling: str = "standard"
) -> tuple[Floats, Floats]:
    """Give the centre and the scale of each column.

    "standard" is mean and spread, "robust" median and distance of the quartiles, "unit" least value and range.

    Columns of levels and flags stay 0 and 1.

    A rare level divided by its small spread would be a huge number in the few rows that have it.

    Examples
    --------
    >>> from treewright.table.schema import Column, Schema
    >>> schema = Schema((Column("age", "numeric"), Column("job", "nominal", "text", ("cook", "smith"))))
    >>> design = Design(schema, "treatment", np.zeros(2, dtype=bool), np.zeros(2))
    >>> learn_scaling(design, np.array([[10.0, 0.0], [30.0, 1.0]]), None)
    (array([20.,  0.]), array([10.,  1.]))
    """
    by_name = {"standard": moments, "robust": quartiles}
    center, spread = by_name[scaling](matrix, weights) if scaling in by_name else _range(matrix)
    kept = ~measured(design)
    center[kept], spread[kept] = 0.0, 1.0
    return center, spread


def moments(matrix: Floats, weights: Floats | None) -> tuple[Floats, Floats]:
    """Give the mean and the spread of each column; the spread of a column of one value counts as 1.

    Examples
    --------
    >>> moments(np.array([[1.0, 7.0], [3.0, 7.0]]), None)
    (array([2., 7.]), array([1., 1.]))
    """
    shares = np.full(len(matrix), 1.0 / len(matrix)) if weights is None else weights / weights.sum()
    size = np.abs(matrix).max(axis=0, initial=0.0)
    size = np.where((size > 1e100) | ((size > 0) & (size < 1e-100)), size, 1.0)  # whose squares are no numbers
    scaled = matrix / size if (size != 1).any() else matrix
    center = shares @ scaled
    centered = scaled - center
    spread = np.sqrt(np.einsum("i,ij,ij->j", shares, centered, centered))
    constant = spread <= 1e-13 * np.abs(center)  # nothing but rounding
    return center * size, np.where(constant, 1.0, spread * size)


def quartiles(matrix: Floats, weights: Floats | None) -> tuple[Floats, Floats]:
    """Give the median and the distance of the quartiles of each column, and half its range where that is 0.

    A quartile is the least value with at least so large a share of the weight at or below it: a row of weight 2 is a
    row twice. A column of one value has the scale 1.

    Examples
    --------
    >>> quartiles(np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [90.0, 8.0]]), None)
    (array([2., 0.]), array([2., 4.]))
    """
    order = np.argsort(matrix, axis=0, kind="stable")
    values = np.take_along_axis(matrix, order, axis=0)
    below = np.arange(1.0, len(matrix) + 1)[:, None] if weights is None else np.cumsum(weights[order], axis=0)
    low, middle, high = (
        np.take_along_axis(values, _first_reaching(below, share), axis=0)[0] for share in (0.25, 0.5, 0.75)
    )
    with np.errstate(over="ignore"):
        width, half_range = high - low, 0.5 * values[-1] - 0.5 * values[0]
    scale = np.where(width > 0, width, half_range)
    return middle, np.where((scale > 0) & np.isfinite(scale), scale, 1.0)


def _first_reaching(below: Floats, share: float) -> NDArray[np.intp]:
    """The first row of each column with so large a share at or below it; weights are added up with rounding."""
    wanted = share * below[-1] * (1 - 1e-12)
    return np.asarray((below >= wanted).argmax(axis=0))[None, :]


def _range(matrix: Floats) -> tuple[Floats, Floats]:
    low, high = matrix.min(axis=0), matrix.max(axis=0)
    with np.errstate(over="ignore"):
        width = high - low
    return low, np.where((width > 0) & np.isfinite(width), width, 1.0)


def measured(design: Design) -> NDArray[np.bool_]:
    """Tell which columns of the matrix are numbers, or levels in an order, rather than 0 and 1."""
    columns = design.schema.columns
    measured = np.array([columns[j].kind != "nominal" for j in design.sources], dtype=bool)
    n_flags = int(design.flagged.sum())
    if n_flags:
        measured[-n_flags:] = False
    return measured


# How far the values of each column lie apart.


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
