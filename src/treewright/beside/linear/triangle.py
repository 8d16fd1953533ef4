"""The triangle R of a regression, with RᵀR the products of its columns and target: by Cholesky, else by Householder.

Products of columns square the condition of a problem. They are used only where the columns, brought to one scale, have
a condition below 10⁴; rows then correct what was lost. Everywhere else the triangle is made of the rows themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack, qr

from treewright.beside.columns import Floats
from treewright.beside.linear.centred_rows import CentredRows, refuse_overflow
from treewright.beside.linear.moments import Moments, moments_of, scales_of

_WELL_CONDITIONED = 1e-8  # the inverse condition of the products: the square of that of the columns


@dataclass(frozen=True)
class Triangle:
    """Columns and target of a regression as an upper triangle, columns brought to one spread.

    `factor` has a column for each column of the matrix and one for the target. Columns that are `constant` are zero
    in it. `from_rows` tells that it was made of the rows, not of products.

    Examples
    --------
    >>> rows = CentredRows(np.array([[1.0], [3.0], [5.0]]), np.array([5.0, 9.0, 13.0]), None, True)
    >>> triangle = triangle_of(rows)
    >>> np.round(np.abs(triangle.factor), 6).tolist(), triangle.scales.round(6).tolist()
    ([[1.732051, 5.656854], [0.0, 0.0]], [1.632993])
    """

    means: Floats
    target_mean: float
    weight: float
    scales: Floats
    constant: NDArray[np.bool_]
    factor: Floats
    from_rows: bool

    @property
    def columns(self) -> Floats:
        """The part of the columns."""
        return self.factor[:, :-1]

    @property
    def target(self) -> Floats:
        """The part of the target."""
        return self.factor[:, -1]


def triangle_of(rows: CentredRows) -> Triangle:
    """Make the triangle: by products if they keep enough digits and rows are many, otherwise of the rows."""
    if rows.n_rows > 2 * rows.n_columns:
        made = triangle_of_moments(moments_of(rows))
        if made is not None:
            return made
    return triangle_of_rows(rows)


def triangle_of_moments(moments: Moments) -> Triangle | None:
    """Make the triangle of products; None where that would cost too many digits."""
    squares = moments.products.diagonal()[:-1]
    means = moments.means[:-1]
    scales, constant = scales_of(squares, means, moments.weight)
    if constant.any() or not len(means):
        return None  # rare, and the rows tell such columns best
    size = np.append(scales * np.sqrt(moments.weight), 1.0)
    correlations = moments.products / np.outer(size, size)
    columns = correlations[:-1, :-1]
    root, failed = lapack.dpotrf(columns, lower=0)
    if failed or lapack.dpocon(root, np.abs(columns).sum(axis=0).max())[0] < _WELL_CONDITIONED:
        return None
    target, _ = lapack.dtrtrs(root, correlations[:-1, -1], trans=1)
    left = correlations[-1, -1] - target @ target
    factor = np.zeros_like(correlations)
    factor[:-1, :-1], factor[:-1, -1], factor[-1, -1] = root, target, np.sqrt(max(left, 0.0))
    factor[:, :-1] *= np.sqrt(moments.weight)
    return Triangle(means, float(moments.means[-1]), moments.weight, scales, constant, factor, False)


def triangle_of_rows(rows: CentredRows) -> Triangle:
    """Householder's triangle of one block after the other, each below the triangle of those before."""
    factor = np.zeros((0, rows.n_columns + 1))
    for part, block in rows.blocks():
        if rows.roots is not None:
            block *= rows.roots[part, None]
        below = np.column_stack([block, rows.centred_target[part]])
        factor = qr(np.vstack([factor, below]), mode="r", check_finite=False, overwrite_a=True)[0]
        factor = factor[: rows.n_columns + 1]
    with np.errstate(over="ignore", invalid="ignore"):
        squares = np.einsum("ij,ij->j", factor, factor)
    refuse_overflow(squares)
    scales, constant = scales_of(squares[:-1], rows.means, rows.weight)
    factor = np.array(factor)
    factor[:, :-1] /= scales
    factor[:, :-1][:, constant] = 0.0
    return Triangle(rows.means, rows.target_mean, rows.weight, scales, constant, factor, True)
