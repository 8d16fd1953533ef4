"""One fit of a logistic model from start to end: rows, plan, solution, standard errors, warnings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.learners.base.design_matrix import Floats
from treewright.learners.base.matrix_model import Target
from treewright.learners.base.scaling import column_means, column_spread, refuse_vast
from treewright.learners.base.solution import Solution, Watch
from treewright.learners.logistic.loss import LogisticRows, usual_centre
from treewright.learners.logistic.plan import LogisticPlan, chosen_solver, penalty_parts, usual_steps
from treewright.learners.logistic.separation import can_look_for_separation, find_separation, separation_text
from treewright.learners.logistic.solvers import solve
from treewright.learners.logistic.summary import null_deviance, standard_errors

# Which columns of a matrix are not sums of those before them: without a penalty only these have a coefficient.


_ALIKE = 1e-10  # share of a column's squares that must be left when the columns before it are taken away


def independent_columns(rows: LogisticRows) -> NDArray[np.bool_]:
    """Tell for each column whether it says something that the constant and the columns before it do not say, as in R.

    Examples
    --------
    >>> table = np.array([[1.0, 2.0, 5.0], [2.0, 4.0, 5.0], [4.0, 8.0, 5.0], [0.0, 0.0, 5.0]])
    >>> independent_columns(LogisticRows(table, np.zeros(4), None, 2))
    array([ True, False, False])
    """
    products, first = np.zeros((rows.width, rows.width)), int(rows.intercept)
    for part, block in rows.blocks():
        products += block.T @ (block if rows.weights is None else block * rows.weights[part][:, None])
    return _pivots(products)[first:]


def _pivots(products: Floats) -> NDArray[np.bool_]:
    """Eliminate column after column; one that has nothing left is passed over."""
    left, kept = products.copy(), np.zeros(len(products), dtype=bool)
    whole = np.diagonal(products).copy()
    for j in range(len(left)):
        if left[j, j] > _ALIKE * whole[j] and whole[j] > 0:
            kept[j] = True
            row = left[j] / left[j, j]
            left -= np.outer(left[:, j], row)
    return kept


_DESCENTS = ("gradient_descent", "sgd")


@dataclass(frozen=True)
class LogisticFit:
    """What was learnt, by attribute, and what the user must be told."""

    fitted: dict[str, Any]
    warning: str | None


def fit_logistic(
    model: Any,
    matrix: Floats,
    truth: Target,
    names: tuple[str, ...],
    start: tuple[Floats, Floats] | None,
    watch: Watch,
) -> LogisticFit:
    """Fit a model with the parameters of `model` to a matrix."""
    n_classes = len(np.asarray(truth.classes))
    present = np.flatnonzero(np.bincount(truth.values, minlength=n_classes))
    if len(present) < 2:
        return LogisticFit(_constant(matrix.shape, truth, n_classes, int(present[0])), None)
    spread = column_spread(matrix, truth.weights)
    refuse_vast(spread, names)
    rows = _rows(model, matrix, truth, present, spread)
    kept = np.ones(matrix.shape[1], dtype=bool)
    if model.penalty is None or np.isinf(float(model.C)):
        kept = independent_columns(rows)
    if not kept.all():
        rows = rows.with_columns(kept)
    plan = _plan(model, rows, spread[kept])
    solution = solve(rows, plan, _of_present(start, rows, present, kept, n_classes), model._seed(), watch)
    fitted = _fitted(solution, rows, plan, kept, present, n_classes)
    return LogisticFit({**fitted, "spread_": spread}, _warning(solution, rows, plan, [names[j] for j in _places(kept)]))


def _places(kept: NDArray[np.bool_]) -> list[int]:
    return [int(j) for j in np.flatnonzero(kept)]


def _rows(model: Any, matrix: Floats, truth: Target, present: NDArray[Any], spread: Floats) -> LogisticRows:
    codes = truth.values
    if len(present) < len(np.asarray(truth.classes)):
        codes = np.searchsorted(present, codes)
    plain = LogisticRows(matrix, codes, truth.weights, len(present), bool(model.fit_intercept))
    if model.solver not in _DESCENTS:
        return replace(plain, centre=usual_centre(matrix) if model.fit_intercept else None)
    if not model.standardize:
        return plain
    return replace(plain, centre=column_means(matrix, truth.weights) if model.fit_intercept else None, scale=spread)


def _plan(model: Any, rows: LogisticRows, spread: Floats) -> LogisticPlan:
    solver = chosen_solver(model.solver, model.loss, model.penalty, rows.n_units * rows.width)
    scale = spread if model.standardize and rows.scale is None else None  # else the columns themselves are divided
    ridge, corners = penalty_parts(model.penalty, float(model.C), model.l1_ratio, rows, scale)
    steps = usual_steps(solver) if model.max_iter is None else model.max_iter
    return LogisticPlan(solver, model.loss != "log", ridge, corners, model.learning_rate, model.tol, steps)


def _fitted(
    solution: Solution, rows: LogisticRows, plan: LogisticPlan, kept: Any, present: Any, n_classes: int
) -> dict[str, Any]:
    slopes, intercepts = rows.to_plain(solution.coefficients)
    if plan.corners.any():
        slopes[np.abs(slopes) == 0] = 0.0
    fitted: dict[str, Any] = {
        "coef_": _spread_out(slopes, kept, present, n_classes, 0.0),
        "intercept_": _intercepts(intercepts, present, n_classes),
        "null_deviance_": null_deviance(rows),
        "deviance_": 2 * solution.value,
        "n_iter_": max(solution.n_iter, 1),
        "n_rows_": len(rows.codes),
        "rank_": max(rows.n_classes - 1, 1) * rows.width,
    }
    if plan.squared:  # what it minimised is no likelihood
        fitted["deviance_"] = deviance_of(rows, solution.coefficients)
    if solution.losses:
        fitted["loss_curve_"] = np.array(solution.losses)
    if not plan.is_penalised and not plan.squared and plan.solver not in _DESCENTS and len(present) == n_classes:
        errors = standard_errors(rows, solution.coefficients)
        whole = np.full((len(errors), 1 + len(kept)), np.nan)
        whole[:, np.concatenate([[True], kept])] = errors
        fitted["standard_errors_"] = whole
    return fitted


def deviance_of(rows: LogisticRows, coefficients: Floats) -> float:
    """Twice the log loss of units that were each fitted against the rest, or of one unit."""
    value = 0.0
    for part, block in rows.blocks():
        each = 1 / (1 + np.exp(-np.clip(block @ coefficients.T, -700, 700)))
        shares = np.column_stack([1 - each, each]) if rows.n_classes == 2 else each / each.sum(axis=1, keepdims=True)
        codes = rows.codes[part]
        own = np.maximum(shares[np.arange(len(codes)), codes], np.finfo(np.float64).tiny)
        value -= float((np.log(own) * (1.0 if rows.weights is None else rows.weights[part])).sum())
    return 2 * value


def _spread_out(slopes: Floats, kept: Any, present: Any, n_classes: int, fill: float) -> Floats:
    """Coefficients of all columns and classes: 0 for columns that were left out and classes without rows."""
    wide = np.full((len(slopes), len(kept)), fill)
    wide[:, kept] = slopes
    if len(present) == n_classes:
        return wide
    every = np.zeros((n_classes, len(kept)))
    every[present] = wide if len(wide) > 1 else np.vstack([-wide / 2, wide / 2])
    return every


def _intercepts(intercepts: Floats, present: Any, n_classes: int) -> Floats:
    """A class without rows has a constant of minus infinity: its probability is 0."""
    if len(present) == n_classes:
        return intercepts
    every = np.full(n_classes, -np.inf)
    every[present] = intercepts if len(intercepts) > 1 else np.array([-intercepts[0] / 2, intercepts[0] / 2])
    return every


def _of_present(start: Any, rows: LogisticRows, present: Any, kept: Any, n_classes: int) -> Floats | None:
    """The coefficients to start from, of the columns that are fitted."""
    if start is None or len(present) != n_classes:
        return None
    return rows.from_plain(start[0][:, kept], start[1])


def _constant(shape: tuple[int, ...], truth: Target, n_classes: int, only: int) -> dict[str, Any]:
    """The model of rows of one class: it answers that class, whatever is asked."""
    units = 1 if n_classes <= 2 else n_classes
    intercept = np.zeros(1) if n_classes == 1 else np.full(units, -np.inf)
    if n_classes == 2:
        intercept[0] = np.inf if only == 1 else -np.inf
    elif n_classes > 2:
        intercept[only] = 0.0
    return {
        "coef_": np.zeros((units, shape[1])),
        "intercept_": intercept,
        "spread_": np.ones(shape[1]),
        "deviance_": 0.0,
        "null_deviance_": 0.0,
        "n_iter_": 1,
        "n_rows_": len(truth.values),
        "rank_": 1,
    }


def _warning(solution: Solution, rows: LogisticRows, plan: LogisticPlan, names: list[str]) -> str | None:
    if solution.runs_away and not plan.is_penalised and not plan.squared and plan.solver not in _DESCENTS:
        can_look = can_look_for_separation(rows)
        found = find_separation(rows) if can_look else None
        if found is not None or not can_look:
            return separation_text(found, tuple(names))
    if solution.converged:
        return None
    unit = "passes" if plan.solver == "sgd" else "steps"
    cure = "" if plan.solver not in _DESCENTS else ", say standardize=True"
    return (
        f"LogisticRegression has not converged after {plan.max_iter:,} {unit} (solver='{plan.solver}'). "
        f"Raise max_iter{cure}, or raise tol."
    )
