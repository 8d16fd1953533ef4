"""Squared loss through the sigmoid, as lectures derive it: not convex, and slow on rows that are confidently wrong."""

from __future__ import annotations

import numpy as np

from treewright.beside.columns import Floats
from treewright.beside.logistic.log_loss import Slopes
from treewright.beside.logistic.rows import LogisticRows


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
