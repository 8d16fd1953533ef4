"""Batch gradient descent, as in the lectures: a step against the gradient of the mean loss, again and again."""

from __future__ import annotations

import numpy as np
from treewright.beside.fit_trace import Solution, Watch
from treewright.beside.newton import Ridge

from treewright.beside.columns import Floats
from treewright.errors import DataError

_AWAY = 1e3  # times the first loss: that is no way down any more


def batch_descent(loss: Ridge, start: Floats, rate: float | None, tol: float, max_iter: int, watch: Watch) -> Solution:
    """Go down the gradient of the mean loss until a step lowers it by no more than `tol`.

    Without a `rate` the step is 1 / L, L the largest second derivative that the loss can have: then it never rises.

    Examples
    --------
    >>> from treewright.beside.log_loss import BinaryLogLoss
    >>> from treewright.beside.logistic_rows import LogisticRows
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
    >>> from treewright.beside.log_loss import BinaryLogLoss
    >>> from treewright.beside.logistic_rows import LogisticRows
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


def refuse_divergence(losses: list[float], step: int, unit: str, safe_rate) -> None:  # type: ignore[no-untyped-def]
    """Stop with a sentence as soon as the loss has left all bounds.

    Examples
    --------
    >>> refuse_divergence([0.69, 1e9], 1, "step", lambda: 0.25)
    Traceback (most recent call last):
    treewright.errors.DataError: Gradient descent diverged: ... Choose learning_rate=0.25 or less, ...
    """
    if not np.isfinite(losses[-1]) or losses[-1] > _AWAY * max(losses[0], 1e-12):
        raise DataError(diverged(losses, step, unit, safe_rate()))


def diverged(losses: list[float], step: int, unit: str, safe: float) -> str:
    """Say that the loss grew, from where to where, and what to do.

    Examples
    --------
    >>> diverged([0.69, 900.0], 1, "step", 0.25)[:71]
    'Gradient descent diverged: the mean loss was 0.69 at the start and is 9'
    """
    now = f"is {losses[-1]:.4g}" if np.isfinite(losses[-1]) else "is no number any more"
    return (
        f"Gradient descent diverged: the mean loss was {losses[0]:.4g} at the start and {now} after {unit} {step}. "
        f"Choose learning_rate={safe:.3g} or less, leave it out, or say standardize=True."
    )
