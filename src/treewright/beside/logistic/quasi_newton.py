"""L-BFGS for what has too many coefficients for second derivatives, or a loss that is not convex."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from treewright.beside.columns import Floats
from treewright.beside.logistic.newton import Ridge
from treewright.beside.solution import Solution, Watch

_KEPT_PAIRS = 10


def quasi_newton(loss: Ridge, start: Floats, tol: float, max_iter: int, watch: Watch) -> Solution:
    """Find a least of a loss by L-BFGS on columns scaled to the same spread.

    It ends when no slope of the mean loss is above `tol`.

    Examples
    --------
    >>> from treewright.beside.logistic.log_loss import BinaryLogLoss
    >>> from treewright.beside.logistic.rows import LogisticRows
    >>> rows = LogisticRows(np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1]), None, 2)
    >>> found = quasi_newton(Ridge(BinaryLogLoss(rows), np.zeros(2)), np.zeros((1, 2)), 1e-6, 100, lambda *_: None)
    >>> found.coefficients.round(4), found.converged
    (array([[-1.3623,  0.9082]]), True)
    """
    whole, scale = max(loss.rows.whole_weight, 1e-300), _column_scale(loss)
    losses: list[float] = []

    def mean_loss(scaled: Floats) -> tuple[float, Floats]:
        slopes = loss.slopes(scaled.reshape(start.shape) / scale)
        losses.append(slopes.value / whole)
        return losses[-1], (slopes.gradient / scale).ravel() / whole

    steps = [0]

    def told(_: Floats) -> None:
        steps[0] += 1
        watch(steps[0], losses[-1])

    limits = {"maxiter": max_iter, "maxfun": 20 * max_iter, "maxcor": _KEPT_PAIRS, "ftol": 1e-15, "gtol": tol}
    found = minimize(mean_loss, (start * scale).ravel(), jac=True, method="L-BFGS-B", callback=told, options=limits)
    at = found.x.reshape(start.shape) / scale
    value = float(found.fun) * whole - loss.penalty(at)
    converged = found.nit < max_iter
    return Solution(at, value, max(int(found.nit), 1), converged, runs_away=not converged)


def _column_scale(loss: Ridge) -> Floats:
    """The root of each column's mean square, penalty included; 1 for a column of zeros."""
    squares = loss.ridge.copy()
    for part, block in loss.rows.blocks():
        weight = loss.rows.weights
        squares += (block**2).sum(axis=0) if weight is None else weight[part] @ block**2
    squares /= max(loss.rows.whole_weight, 1e-300)
    return np.where(squares > 0, np.sqrt(np.where(squares > 0, squares, 1.0)), 1.0)
