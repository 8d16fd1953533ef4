"""Batch gradient descent, as in the lectures: a step against the gradient of the mean loss, again and again."""

from __future__ import annotations

import numpy as np

from treewright.beside.columns import Floats
from treewright.beside.divergence import diverged, refuse_divergence
from treewright.beside.logistic.newton import Ridge
from treewright.beside.solution import Solution, Watch
from treewright.errors import DataError


def batch_descent(loss: Ridge, start: Floats, rate: float | None, tol: float, max_iter: int, watch: Watch) -> Solution:
    """Go down the gradient of the mean loss until a step lowers it by no more than `tol`.

    Without a `rate` the step is 1 / L, L the largest second derivative that the loss can have: then it never rises.

    Examples
    --------
    >>> from treewright.beside.logistic.log_loss import BinaryLogLoss
    >>> from treewright.beside.logistic.rows import LogisticRows
    >>> rows = LogisticRows(np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1]), None, 2)
    >>> found = batch_descent(Ridge(BinaryLogLoss(rows), np.zeros(2)), np.zeros((1, 2)), 0.5, 1e-9, 3, lambda *_: None)
    >>> [round(value, 4) for value in found.losses]
    [0.6931, 0.6687, 0.6592, 0.6533]
    """
    whole = max(loss.rows.whole_weight, 1e-300)
    step_size = 1 / steepest_curve(loss) if rate is None else rate
    at, here = start, loss.slopes(start)
    losses = [here.value / whole]
    converged, step = False, 0
    for step in range(1, max_iter + 1):
        with np.errstate(over="ignore", invalid="ignore"):
            at = at - step_size * (here.gradient / whole)
            here = loss.slopes(at)
        losses.append(here.value / whole)
        watch(step, losses[-1])
        refuse_divergence(losses, step, "step", lambda: 1 / steepest_curve(loss))
        if 0 <= losses[-2] - losses[-1] <= tol:
            converged = True
            break
    if losses[-1] > losses[0]:
        raise DataError(diverged(losses, step, "step", 1 / steepest_curve(loss)))
    return Solution(at, here.value - loss.penalty(at), step, converged, losses=losses)


def steepest_curve(loss: Ridge) -> float:
    """Give the largest second derivative that the mean loss can have: σ_max(X)² / (4 n), and the penalty.

    Examples
    --------
    >>> from treewright.beside.logistic.log_loss import BinaryLogLoss
    >>> from treewright.beside.logistic.rows import LogisticRows
    >>> rows = LogisticRows(np.array([[1.0], [-1.0]]), np.array([0, 1]), None, 2)
    >>> steepest_curve(Ridge(BinaryLogLoss(rows), np.zeros(2)))
    0.25
    """
    squares = np.zeros((loss.rows.width, loss.rows.width))
    for part, block in loss.rows.blocks():
        weight = loss.rows.weights
        squares += block.T @ (block if weight is None else block * weight[part][:, None])
    whole = max(loss.rows.whole_weight, 1e-300)
    steepest = float(np.linalg.eigvalsh(squares)[-1]) if len(squares) else 0.0
    bend = 0.25 if loss.rows.n_units == 1 else 0.5  # the largest eigenvalue of diag(p) - p pᵀ
    return max(bend * steepest / whole + float(loss.ridge.max(initial=0.0)) / whole, 1e-300)
