"""Log loss of a logistic model: its value, its gradient and its second derivatives, for two classes and for more."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright import _core
from treewright.beside.columns import Floats
from treewright.beside.logistic.rows import LogisticRows


@dataclass(frozen=True)
class Slopes:
    """A loss at one place: value, gradient (units × width), and second derivatives (square, units × width a side)."""

    value: float
    gradient: Floats
    hessian: Floats | None = None


class BinaryLogLoss:
    """The sum over rows of weight · (log(1 + e^z) - y z), z the sum of the row, y 0 or 1.

    Examples
    --------
    >>> rows = LogisticRows(np.array([[1.0], [3.0]]), np.array([0, 1]), None, 2)
    >>> at_zero = BinaryLogLoss(rows).slopes(np.zeros((1, 2)), hessian=True)
    >>> round(at_zero.value, 4), at_zero.gradient.tolist(), at_zero.hessian.tolist()
    (1.3863, [[0.0, -1.0]], [[0.5, 1.0], [1.0, 2.5]])
    """

    def __init__(self, rows: LogisticRows) -> None:
        self.rows = rows
        self._codes = rows.codes.astype(np.int32)

    def slopes(self, coefficients: Floats, hessian: bool = False) -> Slopes:
        """Give the loss and its derivatives."""
        rows, at = self.rows, np.ascontiguousarray(coefficients[0])
        value, gradient, curves = _core.logistic_slopes(
            rows.matrix, self._codes, rows.weights, rows.centre, rows.scale, rows.intercept, at, hessian
        )
        return Slopes(value, gradient[None], curves.reshape(rows.width, rows.width) if hessian else None)


class SoftmaxLogLoss:
    """The sum over rows of -weight · log(e^z_y / Σ e^z_k): one row of coefficients a class.

    Examples
    --------
    >>> rows = LogisticRows(np.array([[1.0], [3.0], [5.0]]), np.array([0, 1, 2]), None, 3)
    >>> at_zero = SoftmaxLogLoss(rows).slopes(np.zeros((3, 2)))
    >>> round(at_zero.value, 4), at_zero.gradient[:, 1].round(4) + 0.0
    (3.2958, array([ 2.,  0., -2.]))
    """

    def __init__(self, rows: LogisticRows) -> None:
        self.rows = rows

    def slopes(self, coefficients: Floats, hessian: bool = False) -> Slopes:
        """Give the loss and its derivatives."""
        n_units, width = coefficients.shape
        value, gradient = 0.0, np.zeros((n_units, width))
        curves = np.zeros((n_units * width, n_units * width)) if hessian else None
        for part, block in self.rows.blocks():
            codes = self.rows.codes[part]
            losses, shares = softmax_of(coefficients @ block.T, codes)
            weight = None if self.rows.weights is None else self.rows.weights[part]
            value += float(losses.sum() if weight is None else weight @ losses)
            if curves is not None:
                _add_curves(curves, block, shares, weight)
            shares[codes, np.arange(len(codes))] -= 1.0
            gradient += (shares if weight is None else shares * weight) @ block
        return Slopes(value, gradient, curves)


def softmax_of(sums: Floats, codes: np.ndarray) -> tuple[Floats, Floats]:
    """Give each row's loss and the shares of the classes; a column of `sums` is a row of the table.

    Examples
    --------
    >>> losses, shares = softmax_of(np.zeros((4, 1)), np.array([2]))
    >>> losses.round(4).tolist(), shares.ravel().tolist()
    ([1.3863], [0.25, 0.25, 0.25, 0.25])
    """
    shifted = sums - sums.max(axis=0)
    of_target = shifted[codes, np.arange(len(codes))]
    shares = np.exp(shifted, out=shifted)
    whole = shares.sum(axis=0)
    shares /= whole
    return np.log(whole) - of_target, shares


def _add_curves(curves: Floats, block: Floats, shares: Floats, weight: Floats | None) -> None:
    """Add Σ weight · (diag(s) - s sᵀ) ⊗ x xᵀ: first the blocks on the diagonal, then all products at once."""
    n_units, width = len(shares), block.shape[1]
    root = np.sqrt(shares if weight is None else shares * weight)
    for k in range(n_units):
        own = block * root[k][:, None]
        at = slice(k * width, (k + 1) * width)
        curves[at, at] += own.T @ own
    root *= np.sqrt(shares)  # √weight · share
    products = (root.T[:, :, None] * block[:, None, :]).reshape(len(block), n_units * width)
    curves -= products.T @ products
