"""Centred sums of squares and products of columns and target; those of parts of the rows can be put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.beside.columns import Floats
from treewright.beside.linear.centred_rows import CentredRows, refuse_overflow

_NEAR = 10.0  # a mean is near 0 if its square is not above so many variances
_SOME_ROWS = 1000


@dataclass(frozen=True)
class Moments:
    """What least squares has to know of a set of rows. The last place of `means` and `products` is the target's.

    Examples
    --------
    >>> rows = CentredRows(np.array([[1.0], [3.0]]), np.array([5.0, 9.0]), None, True)
    >>> moments_of(rows)
    Moments(weight=2.0, means=array([2., 7.]), products=array([[2., 4.],
           [4., 8.]]))
    """

    weight: float
    means: Floats
    products: Floats

    def squared_errors(self, intercepts: Floats, coefficients: Floats) -> Floats:
        """The weighted sum of squared errors of each row of coefficients on these rows."""
        both = np.column_stack([-coefficients, np.ones(len(coefficients))])  # target minus what is predicted
        bias = both @ self.means - intercepts
        spread = np.einsum("ij,ij->i", both @ self.products, both)
        return np.asarray(np.maximum(spread, 0.0) + self.weight * bias**2)


def moments_of(rows: CentredRows) -> Moments:
    """Add up the products of the centred rows; the sums of what rounding left off centre are taken off."""
    return _moments_near_zero(rows) or _moments_by_blocks(rows)


def _moments_near_zero(rows: CentredRows) -> Moments | None:
    """The same without centring, where no mean is far from 0: that costs no digit worth a copy of the rows."""
    if rows.weights is not None or not rows.has_intercept:
        return None
    size = rows.n_columns
    products = np.empty((size + 1, size + 1))
    with np.errstate(over="ignore", invalid="ignore"):
        if (rows.means**2 > _NEAR * np.var(rows.matrix[:_SOME_ROWS], axis=0)).any():
            return None
        squares = rows.matrix.T @ rows.matrix
        products[:size, :size] = squares - rows.weight * np.outer(rows.means, rows.means)
        products[size, :size] = products[:size, size] = rows.against(rows.centred_target)
        products[size, size] = rows.centred_target @ rows.centred_target
        if (squares.diagonal() > 2 * (1 + _NEAR) * products.diagonal()[:size]).any():
            return None
    refuse_overflow(products)
    return Moments(rows.weight, np.append(rows.means, rows.target_mean), products)


def _moments_by_blocks(rows: CentredRows) -> Moments:
    size = rows.n_columns
    products, sums = np.zeros((size + 1, size + 1)), np.zeros(size + 1)
    roots, target = rows.roots, rows.centred_target
    ones = np.ones(rows.n_rows) if roots is None else roots
    with np.errstate(over="ignore", invalid="ignore"):
        for part, block in rows.blocks():
            if roots is not None:
                block *= roots[part, None]
            products[:size, :size] += block.T @ block
            products[:size, size] += target[part] @ block
            sums[:size] += ones[part] @ block
        products[size, size] = target @ target
        sums[size] = ones @ target
    products[size, :size] = products[:size, size]
    refuse_overflow(products)
    means = np.append(rows.means, rows.target_mean)
    if rows.has_intercept:
        means += sums / rows.weight
        products -= np.outer(sums / rows.weight, sums)
    return Moments(rows.weight, means, products)


def put_together(parts: Sequence[Moments], has_intercept: bool) -> Moments:
    """The moments of all rows of some parts.

    Examples
    --------
    >>> one = Moments(1.0, np.array([1.0, 5.0]), np.zeros((2, 2)))
    >>> two = Moments(1.0, np.array([3.0, 9.0]), np.zeros((2, 2)))
    >>> put_together([one, two], True).products.tolist()
    [[2.0, 4.0], [4.0, 8.0]]
    """
    weights = np.array([part.weight for part in parts])
    products = np.sum([part.products for part in parts], axis=0)
    centres = np.array([part.means for part in parts])
    if not has_intercept:
        return Moments(float(weights.sum()), centres[0], products)  # nothing was taken off
    means = weights @ centres / weights.sum()
    off = centres - means
    return Moments(float(weights.sum()), means, products + (off * weights[:, None]).T @ off)


def scales_of(squares: Floats, means: Floats, weight: float) -> tuple[Floats, NDArray[np.bool_]]:
    """The spread of each column, with 1 for columns that are constant but for rounding, and which those are.

    Examples
    --------
    >>> scales_of(np.array([8.0, 1e-40]), np.array([3.0, 0.1]), 2.0)
    (array([2., 1.]), array([False,  True]))
    """
    spreads = np.sqrt(np.maximum(squares, 0.0) / weight)
    constant = spreads <= 64 * np.finfo(np.float64).eps * np.abs(means)
    return np.where(constant, 1.0, spreads), constant
