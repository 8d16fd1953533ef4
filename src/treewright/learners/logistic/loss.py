"""The rows of a logistic model in blocks, and the losses that are summed over them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.learners.base.design_matrix import CELLS_UNHEARD, Floats

# The rows of a logistic model in blocks that stay in the cache: the constant 1, and the columns less their centre.


_BLOCK_NUMBERS = 2**15  # 256 KiB of doubles
_SAMPLE = 4096
_FAR = 8.0  # deviations that a column's mean may lie from zero before sums lose digits that matter


@dataclass(frozen=True)
class LogisticRows:
    """What a logistic model learns from.

    Parameters
    ----------
    matrix : array of shape (n, p)
        The columns, as numbers.
    codes : array of length n
        The class of each row, 0 to `n_classes` - 1.
    weights : array of length n, or None
        How much each row counts.
    n_classes : int
    intercept : bool
        Whether a constant 1 stands before the columns.
    centre : array of length p, or None
        What is taken from each column. It changes the intercept and the digits that are lost, nothing else.
    scale : array of length p, or None
        What each column is then divided by.

    Examples
    --------
    >>> rows = LogisticRows(np.array([[1.0], [3.0]]), np.array([0, 1]), None, 2, True, np.array([2.0]))
    >>> [block.tolist() for _, block in rows.blocks()]
    [[[1.0, -1.0], [1.0, 1.0]]]
    """

    matrix: Floats
    codes: NDArray[Any]
    weights: Floats | None
    n_classes: int
    intercept: bool = True
    centre: Floats | None = None
    scale: Floats | None = None

    @property
    def width(self) -> int:
        """How many coefficients a class has."""
        return int(self.matrix.shape[1]) + self.intercept

    @property
    def n_units(self) -> int:
        """How many rows of coefficients there are: one for two classes, else one a class."""
        return 1 if self.n_classes <= 2 else self.n_classes

    @property
    def whole_weight(self) -> float:
        """The weight of all rows."""
        return float(len(self.codes) if self.weights is None else self.weights.sum())

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        """Give the rows block by block. A block is overwritten by the next one, and may be by whoever reads it."""
        n, first = len(self.codes), int(self.intercept)
        step = max(_BLOCK_NUMBERS // max(self.width, 1), 16)
        room = np.empty((min(step, n), self.width))
        for start in range(0, n, step):
            part = slice(start, min(start + step, n))
            block = room[: part.stop - start]
            block[:, :first] = 1.0
            if self.centre is None:
                block[:, first:] = self.matrix[part]
            else:
                np.subtract(self.matrix[part], self.centre, out=block[:, first:])
            if self.scale is not None:
                block[:, first:] /= self.scale
            yield part, block

    def thinned(self, every: int) -> LogisticRows:
        """Every so many rows only, each with the weight of those left out."""
        weights = np.ones(len(self.codes)) if self.weights is None else self.weights
        return replace(
            self,
            matrix=np.ascontiguousarray(self.matrix[::every]),
            codes=self.codes[::every],
            weights=weights[::every] * float(every),
        )

    def with_columns(self, kept: NDArray[np.bool_]) -> LogisticRows:
        """Some of the columns only."""
        centre = None if self.centre is None else self.centre[kept]
        scale = None if self.scale is None else self.scale[kept]
        return replace(self, matrix=np.ascontiguousarray(self.matrix[:, kept]), centre=centre, scale=scale)

    def to_plain(self, coefficients: Floats) -> tuple[Floats, Floats]:
        """Give the slopes (units × p) and the intercepts for the columns as they are."""
        slopes = coefficients[:, int(self.intercept) :] / (1.0 if self.scale is None else self.scale)
        if not self.intercept:
            return slopes, np.zeros(len(slopes))
        shift = 0.0 if self.centre is None else slopes @ self.centre
        return slopes, coefficients[:, 0] - shift

    def from_plain(self, slopes: Floats, intercepts: Floats) -> Floats:
        """Give the coefficients that these slopes and intercepts are here."""
        scaled = slopes * (1.0 if self.scale is None else self.scale)
        if not self.intercept:
            return scaled
        shift = 0.0 if self.centre is None else slopes @ self.centre
        return np.column_stack([intercepts + shift, scaled])


def usual_centre(matrix: Floats) -> Floats | None:
    """Give what to take from the columns: means of a sample, or None where no mean is far from zero.

    Examples
    --------
    >>> usual_centre(np.array([[2000.0, 1.0], [2001.0, -1.0]]))
    array([2000.5,    0. ])
    >>> usual_centre(np.array([[1.0], [-1.0]]))
    """
    sample = matrix[:: max(len(matrix) // _SAMPLE, 1)]
    if not sample.size:
        return None
    blocks = np.array_split(sample, sample.size // CELLS_UNHEARD + 1, axis=1)  # Ctrl-C is heard between two
    centre = np.concatenate([block.mean(axis=0) for block in blocks])
    spread = np.concatenate([block.std(axis=0) for block in blocks])
    if not np.isfinite(centre).all() or (np.abs(centre) <= _FAR * spread).all():
        return None
    return np.asarray(centre)


# Log loss of a logistic model: its value, its gradient and its second derivatives, for two classes and for more.


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


# Squared loss through the sigmoid, as lectures derive it: not convex, and slow on rows that are confidently wrong.


class SquaredLoss:
    """The sum over rows of weight · (y - p)² / 2, p the sigmoid of the row's sum, y 0 or 1. Two classes.

    The derivative by the sum is (p - y) p (1 - p). At z = -4 with y = 1 it is -.0173, where log loss has -.9820.

    Examples
    --------
    >>> rows = LogisticRows(np.zeros((1, 0)), np.array([1]), None, 2)
    >>> SquaredLoss(rows).slopes(np.array([[-4.0]])).gradient.round(4)
    array([[-0.0173]])
    """

    def __init__(self, rows: LogisticRows) -> None:
        self.rows = rows
        self._truth = rows.codes.astype(np.float64)

    def slopes(self, coefficients: Floats, hessian: bool = False) -> Slopes:
        """Give the loss and its derivatives; the second ones may be negative."""
        value, width = 0.0, self.rows.width
        gradient, curves = np.zeros(width), np.zeros((width, width)) if hessian else None
        for part, block in self.rows.blocks():
            z, y = block @ coefficients[0], self._truth[part]
            small = np.exp(-np.abs(z))
            p = np.where(z >= 0, 1.0, small) / (1.0 + small)
            weight = np.ones(len(y)) if self.rows.weights is None else self.rows.weights[part]
            slope = p * (1.0 - p)
            value += float(weight @ (p - y) ** 2) / 2
            gradient += (weight * (p - y) * slope) @ block
            if curves is not None:
                curve = weight * slope * (slope + (p - y) * (1.0 - 2.0 * p))
                curves += block.T @ (block * curve[:, None])
        return Slopes(value, gradient[None], curves)
