"""The solvers of logistic regression: Newton, proximal Newton, L-BFGS, gradient descent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from scipy.linalg import cho_solve
from scipy.optimize import minimize

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base.design_matrix import Floats
from treewright.learners.base.interruptible_algebra import cholesky, heard_within
from treewright.learners.base.solution import Solution, Watch, diverged, refuse_divergence
from treewright.learners.base.stochastic_descent import (
    RowForm,
    StochasticRules,
    safe_rate,
    stochastic_descent,
    visits_of,
)
from treewright.learners.logistic.loss import BinaryLogLoss, LogisticRows, Slopes, SoftmaxLogLoss, SquaredLoss
from treewright.learners.logistic.plan import LogisticPlan

# Newton's method with step halving (iteratively reweighted least squares); second derivatives are kept a while.


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
    >>> from treewright.learners.logistic.loss import BinaryLogLoss
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
        root, failed = cholesky(scaled + jitter * np.eye(len(scaled)) if jitter else scaled)
        if not failed:
            return root, False
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


# Where Newton's method starts on a long table: at the answer of a sixteenth of its rows.


_EVERY, _ROWS_A_COEFFICIENT = 16, 30
_LOOSE, _FEW_STEPS = 0.1, 8


def log_loss_of(rows: LogisticRows) -> BinaryLogLoss | SoftmaxLogLoss:
    """Give the log loss that fits the number of classes.

    Examples
    --------
    >>> type(log_loss_of(LogisticRows(np.zeros((1, 1)), np.zeros(1), None, 5))).__name__
    'SoftmaxLogLoss'
    """
    return BinaryLogLoss(rows) if rows.n_units == 1 else SoftmaxLogLoss(rows)


def first_guess(rows: LogisticRows, ridge: Floats) -> Start:
    """Give where to start from: zeros for a short table, else what some of its rows say.

    Examples
    --------
    >>> first_guess(LogisticRows(np.zeros((3, 1)), np.array([0, 1, 1]), None, 2), np.zeros(2)).coefficients
    array([[0., 0.]])
    """
    zeros = Start(np.zeros((rows.n_units, rows.width)))
    if len(rows.codes) < _EVERY * _ROWS_A_COEFFICIENT * rows.n_units * rows.width:
        return zeros
    thin = rows.thinned(_EVERY)
    if not np.bincount(thin.codes, minlength=rows.n_classes).all():
        return zeros
    found = newton(Ridge(log_loss_of(thin), ridge), zeros, _LOOSE, _FEW_STEPS, lambda step, loss: None)
    return Start(found.coefficients, found.hessian) if found.converged and not found.runs_away else zeros


# L1 and elastic net: every step solves the quadratic of Newton's method with the corners left in.


_MOST_WORK = 2e9  # additions that one step may take
_SHORT = 1e-3  # of the step to come: how exactly it is solved for


def proximal_newton(loss: Ridge, corners: Floats, start: Floats, tol: float, max_iter: int, watch: Watch) -> Solution:
    """Find the least of a loss plus Σ corners · |coefficient|; `corners` has one number a column of the coefficients.

    The quadratic is solved coordinate by coordinate, so that coefficients become exactly zero; the step is halved until
    the loss falls. It ends when a step is shorter than `tol` standard errors.

    Examples
    --------
    >>> from treewright.learners.logistic.loss import BinaryLogLoss
    >>> from treewright.learners.logistic.loss import LogisticRows
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


# L-BFGS for what has too many coefficients for second derivatives, or a loss that is not convex.


_KEPT_PAIRS = 10


def quasi_newton(loss: Ridge, start: Floats, tol: float, max_iter: int, watch: Watch) -> Solution:
    """Find a least of a loss by L-BFGS on columns scaled to the same spread.

    It ends when no slope of the mean loss is above `tol`.

    Examples
    --------
    >>> from treewright.learners.logistic.loss import BinaryLogLoss
    >>> from treewright.learners.logistic.loss import LogisticRows
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


# Batch gradient descent, as in the lectures: a step against the gradient of the mean loss, again and again.


def batch_descent(loss: Ridge, start: Floats, rate: float | None, tol: float, max_iter: int, watch: Watch) -> Solution:
    """Go down the gradient of the mean loss until a step lowers it by no more than `tol`.

    Without a `rate` the step is 1 / L, L the largest second derivative that the loss can have: then it never rises.

    Examples
    --------
    >>> from treewright.learners.logistic.loss import BinaryLogLoss
    >>> from treewright.learners.logistic.loss import LogisticRows
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
    >>> from treewright.learners.logistic.loss import BinaryLogLoss
    >>> from treewright.learners.logistic.loss import LogisticRows
    >>> rows = LogisticRows(np.array([[1.0], [-1.0]]), np.array([0, 1]), None, 2)
    >>> steepest_curve(Ridge(BinaryLogLoss(rows), np.zeros(2)))
    0.25
    """
    squares = np.zeros((loss.rows.width, loss.rows.width))
    for part, block in loss.rows.blocks():
        weight = loss.rows.weights
        squares += block.T @ (block if weight is None else block * weight[part][:, None])
    whole = max(loss.rows.whole_weight, 1e-300)
    steepest = float(heard_within(np.linalg.eigvalsh, squares)[-1]) if len(squares) else 0.0
    bend = 0.25 if loss.rows.n_units == 1 else 0.5  # the largest eigenvalue of diag(p) - p pᵀ
    return max(bend * steepest / whole + float(loss.ridge.max(initial=0.0)) / whole, 1e-300)


# From rows and a plan to coefficients: which solver is called, and with what.


_FINER = 100  # what second derivatives can promise cheaply is finer than what a descent can


def solve(rows: LogisticRows, plan: LogisticPlan, start: Floats | None, seed: int, watch: Watch) -> Solution:
    """Fit the coefficients. Squared loss has a unit of its own a class, others are fitted together.

    Examples
    --------
    >>> rows = LogisticRows(np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1]), None, 2)
    >>> plan = LogisticPlan("newton", False, np.array([0.0, 1.0]), np.zeros(2), None, 1e-6, 100)
    >>> solve(rows, plan, None, 0, lambda *_: None).coefficients.round(3)
    array([[-0.679,  0.453]])
    """
    if plan.squared and rows.n_classes > 2:
        return _one_against_rest(rows, plan, start, seed, watch)
    # Absolute values of a class's coefficients do change when all classes move together; only the constants are free.
    pinned = int(rows.intercept) if plan.solver == "coordinate_descent" else None
    loss = Ridge(SquaredLoss(rows) if plan.squared else log_loss_of(rows), plan.ridge, pinned)
    zeros = np.zeros((rows.n_units, rows.width))
    at = zeros if start is None else start
    if plan.solver == "newton":
        guess = first_guess(rows, plan.ridge) if start is None else Start(start)
        return newton(loss, guess, plan.tol / _FINER, plan.max_iter, watch)
    if plan.solver == "coordinate_descent":
        return proximal_newton(loss, plan.corners, at, plan.tol / _FINER, plan.max_iter, watch)
    if plan.solver == "lbfgs":
        return quasi_newton(loss, at, plan.tol / _FINER, plan.max_iter, watch)
    if plan.solver == "gradient_descent":
        return batch_descent(loss, at, plan.learning_rate, plan.tol, plan.max_iter, watch)
    return _stochastic(rows, plan, at, seed, watch, loss)


def _one_against_rest(
    rows: LogisticRows, plan: LogisticPlan, start: Floats | None, seed: int, watch: Watch
) -> Solution:
    parts = []
    for k in range(rows.n_classes):
        alone = replace(rows, codes=(rows.codes == k).astype(np.int32), n_classes=2)
        parts.append(solve(alone, plan, None if start is None else start[k : k + 1], seed, watch))
    longest = max(len(part.losses) for part in parts)
    curves = [part.losses + part.losses[-1:] * (longest - len(part.losses)) for part in parts]
    return Solution(
        np.vstack([part.coefficients for part in parts]),
        sum(part.value for part in parts),
        max(part.n_iter for part in parts),
        all(part.converged for part in parts),
        losses=[float(sum(step)) for step in zip(*curves, strict=True)],
    )


def _stochastic(
    rows: LogisticRows, plan: LogisticPlan, start: Floats, seed: int, watch: Watch, loss: Ridge
) -> Solution:
    """Rows as the core wants them: columns, then the constant; the coefficients have the constant first."""
    p, first = rows.matrix.shape[1], int(rows.intercept)
    visits = visits_of(rows.matrix, rows.codes, rows.weights, RowForm(rows.intercept, rows.centre, rows.scale), seed)
    weights = np.zeros((len(start), visits.rows.shape[1]))
    weights[:, :p] = start[:, first:]
    weights[:, p : p + first] = start[:, :first]
    shrunk = np.zeros(visits.rows.shape[1])
    strongest = float(plan.ridge.max(initial=0.0))
    shrunk[:p] = plan.ridge[first:] / strongest if strongest else 0.0
    unit = "softmax" if len(start) > 1 else "squared_sigmoid" if plan.squared else "log_loss"
    rate = plan.learning_rate if plan.learning_rate is not None else safe_rate(visits)
    rules = StochasticRules(unit, rate, strongest / rows.whole_weight, shrunk)
    found = stochastic_descent(visits, weights, rules, plan.tol, plan.max_iter, watch)
    ours = np.hstack([found.coefficients[:, p : p + first], found.coefficients[:, :p]])
    return replace(found, coefficients=ours, value=loss.slopes(ours).value - loss.penalty(ours))
