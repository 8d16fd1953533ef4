"""From rows and a plan to coefficients: which solver is called, and with what."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treewright.beside.columns import Floats
from treewright.beside.logistic.batch_descent import batch_descent
from treewright.beside.logistic.first_guess import first_guess, log_loss_of
from treewright.beside.logistic.newton import Ridge, Start, newton
from treewright.beside.logistic.plan import LogisticPlan
from treewright.beside.logistic.proximal_newton import proximal_newton
from treewright.beside.logistic.quasi_newton import quasi_newton
from treewright.beside.logistic.rows import LogisticRows
from treewright.beside.logistic.squared_loss import SquaredLoss
from treewright.beside.online.row_visits import RowForm, visits_of
from treewright.beside.online.stochastic_descent import StochasticRules, safe_rate, stochastic_descent
from treewright.beside.solution import Solution, Watch

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
