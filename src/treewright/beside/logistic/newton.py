"""Newton's method with step halving (iteratively reweighted least squares); second derivatives are kept a while."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from treewright.beside.columns import Floats
from treewright.beside.logistic.log_loss import Slopes
from treewright.beside.logistic.rows import LogisticRows
from treewright.beside.solution import Solution, Watch
from treewright.errors import DataError

_NEAR = 0.1  # standard errors: the last step is not looked at again, so that it must be short
_FAST = 0.1  # steps that shrink to less show that the second derivatives are still good
_FLAT = 1e-11  # relative fall of the loss below which nothing is gained any more
_FAST_ENOUGH = 0.25  # the same for several classes, where second derivatives cost as much as sixteen gradients
_SLOW = 0.3  # steps that shrink by less are not those of a search that nears a minimum
_MOST_HALVINGS = 40


class Loss(Protocol):
    """A loss of rows that can be differentiated twice."""

    rows: LogisticRows

    def slopes(self, coefficients: Floats, hessian: bool = False) -> Slopes:
        """Give the value, the gradient and if asked the second derivatives."""


@dataclass(frozen=True)
class Start:
    """Where a search starts: coefficients, and second derivatives near them if they are known."""

    coefficients: Floats
    hessian: Floats | None = None


@dataclass(frozen=True)
class Ridge:
    """A loss with half of Σ ridge · coefficient² added; `ridge` has one number a column of the coefficients."""

    loss: Loss
    ridge: Floats
    pinned: int | None = None  # softmax: how many coefficients, from the first, keep their sum over classes; None: all

    @property
    def rows(self) -> LogisticRows:
        """The rows of the loss."""
        return self.loss.rows

    def slopes(self, coefficients: Floats, hessian: bool = False) -> Slopes:
        """Give the penalised loss and its derivatives."""
        plain = self.loss.slopes(coefficients, hessian)
        value = plain.value + self.penalty(coefficients)
        curves = plain.hessian
        if curves is not None:
            curves = curves.copy()
            curves.flat[:: len(curves) + 1] += np.tile(self.ridge, len(coefficients))
            if len(coefficients) > 1:
                _pin_common_shift(curves, len(coefficients), self.pinned)
        return Slopes(value, plain.gradient + self.ridge * coefficients, curves)

    def penalty(self, coefficients: Floats) -> float:
        """What is added to the loss."""
        return float((self.ridge * coefficients**2).sum()) / 2


def newton(loss: Ridge, start: Start, tol: float, max_iter: int, watch: Watch) -> Solution:
    """Find the least of a loss.

    A step is measured in standard errors: √(gᵀ H⁻¹ g). The search ends when the step after the next would be shorter
    than `tol`, which it knows from the last two; or when the loss falls no more. Second derivatives cost most of the
    time, so that they are taken anew only where steps do not shrink to a tenth.

    Examples
    --------
    >>> from treewright.beside.logistic.log_loss import BinaryLogLoss
    >>> rows = LogisticRows(np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1]), None, 2)
    >>> start = Start(np.zeros((1, 2)))
    >>> found = newton(Ridge(BinaryLogLoss(rows), np.zeros(2)), start, 1e-6, 25, lambda step, loss: None)
    >>> found.coefficients.round(4), found.n_iter, found.converged
    (array([[-1.3623,  0.9082]]), 4, True)
    """
    at, here = start.coefficients, loss.slopes(start.coefficients, hessian=start.hessian is None)
    curves = start.hessian if here.hessian is None else here.hessian
    solve, last, whole = solver_of(curves), np.inf, max(loss.rows.whole_weight, 1e-300)
    fast = _FAST if loss.rows.n_units == 1 else _FAST_ENOUGH
    trusts_start = here.hessian is None and loss.rows.n_units > 1
    for step in range(1, max_iter + 1):
        move = solve(here.gradient)
        size = float(np.sqrt(max((here.gradient * move).sum(), 0.0)))
        shrinks = min(size / max(last, 1e-300), 1.0) if step > 1 else float(not trusts_start)
        if (step > 1 or size <= tol) and size * shrinks <= tol and (size <= _NEAR or shrinks <= fast):
            value = here.value - size**2 / 2 - loss.penalty(at - move)
            return Solution(at - move, value, step, True, runs_away=shrinks > _SLOW, hessian=curves)
        to, there = _downhill(loss, at, move, here, hessian=shrinks > fast)
        fall = here.value - there.value
        watch(step, there.value / whole)
        if there.hessian is not None:
            curves, solve = there.hessian, solver_of(there.hessian)
        if fall <= _FLAT * (abs(there.value) + 0.1) and shrinks > fast:
            value = there.value - loss.penalty(to)
            return Solution(to, value, step, True, runs_away=shrinks > _SLOW, hessian=curves)
        at, here, last = to, there, size
    return Solution(at, here.value - loss.penalty(at), max_iter, False, runs_away=True, hessian=curves)


def _downhill(loss: Ridge, at: Floats, move: Floats, here: Slopes, hessian: bool) -> tuple[Floats, Slopes]:
    """The first of the whole step, half of it, a quarter … that does not raise the loss beyond rounding."""
    limit = here.value + 1e-12 * abs(here.value)
    for _ in range(_MOST_HALVINGS):
        there = loss.slopes(at - move, hessian)
        if there.value <= limit:
            return at - move, there
        move, hessian = move / 2, True
    return at, here


def solver_of(hessian: Floats | None) -> Callable[[Floats], Floats]:
    """Give the function that solves H · step = gradient, with rows and columns of H scaled to a diagonal of ones.

    Examples
    --------
    >>> solver_of(np.diag([2.0, 4.0]))(np.array([[2.0, 2.0]]))
    array([[1. , 0.5]])
    """
    assert hessian is not None
    diagonal = np.diagonal(hessian)
    scale = np.where(diagonal > 0, 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0)), 0.0)
    scaled = hessian * scale[:, None] * scale
    scaled.flat[:: len(scaled) + 1] = 1.0
    factor = _factor(scaled)

    def solve(gradient: Floats) -> Floats:
        return np.asarray((scale * cho_solve(factor, scale * gradient.ravel())).reshape(gradient.shape))

    return solve


def _factor(scaled: Floats) -> tuple[Floats, bool]:
    """Cholesky's factor; where rounding has made a pivot negative, of the nearest matrix that has one."""
    for jitter in (0.0, 1e-13, 1e-11, 1e-9, 1e-7, 1e-5, 1e-3, 0.1):
        try:
            lifted = scaled + jitter * np.eye(len(scaled)) if jitter else scaled
            factor: tuple[Floats, bool] = cho_factor(lifted, lower=True, check_finite=False)
            return factor
        except LinAlgError:
            continue
    raise DataError(
        "The sums of squares of the columns are no numbers any more: values of very different size meet. "
        "Divide the columns by their spread first."
    )


def _pin_common_shift(curves: Floats, n_units: int, first: int | None) -> None:
    """Adding the same to every class changes nothing: give that direction a curve, so that no step goes along it."""
    width = len(curves) // n_units
    own = np.diagonal(curves).reshape(n_units, width).mean(axis=0)
    shift = np.diag(np.where(own > 0, own, 1.0)) / n_units
    if first is not None:
        shift[first:] = 0.0
    for a in range(n_units):
        for b in range(n_units):
            curves[a * width : (a + 1) * width, b * width : (b + 1) * width] += shift
