"""L1 and elastic net: every step solves the quadratic of Newton's method with the corners left in."""

from __future__ import annotations

import numpy as np

from treewright import _core
from treewright.beside.columns import Floats
from treewright.beside.logistic.newton import Ridge
from treewright.beside.solution import Solution, Watch

_MOST_WORK = 2e9  # additions that one step may take
_MOST_HALVINGS = 40
_SHORT = 1e-3  # of the step to come: how exactly it is solved for


def proximal_newton(loss: Ridge, corners: Floats, start: Floats, tol: float, max_iter: int, watch: Watch) -> Solution:
    """Find the least of a loss plus Σ corners · |coefficient|; `corners` has one number a column of the coefficients.

    The quadratic is solved coordinate by coordinate, so that coefficients become exactly zero; the step is halved until
    the loss falls. It ends when a step is shorter than `tol` standard errors.

    Examples
    --------
    >>> from treewright.beside.logistic.log_loss import BinaryLogLoss
    >>> from treewright.beside.logistic.rows import LogisticRows
    >>> rows = LogisticRows(np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1]), None, 2)
    >>> ridge, corners = np.zeros(2), np.array([0.0, 0.2])
    >>> found = proximal_newton(Ridge(BinaryLogLoss(rows), ridge), corners, np.zeros((1, 2)), 1e-8, 50, lambda *_: None)
    >>> found.coefficients.round(4)
    array([[-1.0364,  0.691 ]])
    """
    every = np.tile(corners, len(start))
    at, here = start, loss.slopes(start, hessian=True)
    sweeps = max(int(_MOST_WORK / every.size**2), 100)
    whole = max(loss.rows.whole_weight, 1e-300)
    for step in range(1, max_iter + 1):
        assert here.hessian is not None
        wanted = _core.soft_descent(here.hessian, here.gradient.ravel(), at.ravel(), every, tol * _SHORT, sweeps)
        move = wanted - at.ravel()
        size = float(np.sqrt(max(float(move @ here.hessian @ move), 0.0)))
        gain = _corner_sum(every, at.ravel()) - _corner_sum(every, wanted) - float(here.gradient.ravel() @ move)
        before = here.value + _corner_sum(every, at.ravel())
        share = 1.0
        for _ in range(_MOST_HALVINGS):
            to = (wanted if share == 1.0 else at.ravel() + share * move).reshape(at.shape)
            there = loss.slopes(to, hessian=True)
            now = there.value + _corner_sum(every, to.ravel())
            if now <= before - 1e-4 * share * max(gain, 0.0) + 1e-12 * abs(before):
                break
            share /= 2
        at, here = to, there
        watch(step, now / whole)
        if size <= tol:
            return Solution(at, here.value - loss.penalty(at), step, True)
    return Solution(at, here.value - loss.penalty(at), max_iter, False, runs_away=not corners.any())


def _corner_sum(corners: Floats, coefficients: Floats) -> float:
    return float(corners @ np.abs(coefficients))
