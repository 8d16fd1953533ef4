"""One fit of a perceptron from start to end, and the model in a few lines."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.learners.base.coefficient_text import counted, weight_lines
from treewright.learners.base.design_matrix import Floats
from treewright.learners.base.matrix_model import Target
from treewright.learners.base.scaling import column_means, column_spread, refuse_vast
from treewright.learners.base.solution import Watch
from treewright.learners.base.stochastic_descent import RowForm, Visits, visits_of
from treewright.learners.perceptron.rules import (
    PassRules,
    TrainedUnits,
    convergence_bound,
    learn_by_delta,
    learn_by_mistakes,
    usual_rate,
)
from treewright.tree.format import estimate_text

# One fit of a perceptron from start to end: rows, neurons, bounds, and weights for the columns as they are.


@dataclass(frozen=True)
class _Scale:
    """How columns were brought to mean 0 and spread 1, and back."""

    centre: Floats
    spread: Floats
    intercept: bool

    def plain(self, weights: Floats) -> tuple[Floats, Floats]:
        """The slopes and the constant for the columns as they are."""
        p = len(self.centre)
        slopes = weights[..., :p] / self.spread
        constant = weights[..., p] if self.intercept else np.zeros(weights.shape[:-1])
        return slopes, constant - slopes @ self.centre


def fit_perceptron(model: Any, matrix: Floats, truth: Target, names: tuple[str, ...], watch: Watch) -> dict[str, Any]:
    """Fit neurons with the parameters of `model` to a matrix; give what was learnt, by attribute."""
    n_classes = len(np.asarray(truth.classes))
    units = 1 if n_classes <= 2 else n_classes
    if model.multi_class == "joint" and model.neuron != "threshold":
        raise DataError(f"multi_class='joint' is for neuron='threshold'; a {model.neuron} neuron learns one class.")
    form = RowForm(bool(model.fit_intercept))
    visits = visits_of(matrix, truth.values, truth.weights, form, model._seed(), bool(model.shuffle))
    weights = None if (visits.weights == 1.0).all() else visits.weights
    columns = visits.rows[:, : matrix.shape[1]]
    spread = column_spread(columns, weights)
    refuse_vast(spread, names)
    scale = _scaled(model, visits, column_means(columns, weights), spread)
    joint = units > 1 and model.neuron == "threshold" and model.multi_class != "one_vs_rest"
    fitted = [_one(model, visits, units, watch)] if joint else [
        _one(model, _against_rest(visits, k, n_classes), 1, watch) for k in range(units)
    ]  # fmt: skip
    slopes, constants = scale.plain(np.vstack([one.weights for one in fitted]))
    made = {
        "coef_": np.ascontiguousarray(slopes),
        "intercept_": constants,
        "spread_": spread,
        "n_iter_": max(one.n_iter for one in fitted),
        "mistakes_": sum(one.mistakes for one in fitted),
        "loss_curve_": _summed([one.curve for one in fitted]),
        **_bounds(model, visits, fitted, n_classes, joint),
    }
    if model.keep_trace:
        given_rows = np.arange(len(truth.values)) if truth.rows is None else truth.rows
        made["trace_"] = _traces(fitted, visits, scale, given_rows)
    return made


def _scaled(model: Any, visits: Visits, mean: Floats, spread: Floats) -> _Scale:
    """Bring the rows to mean 0 and spread 1 where that is wanted.

    Means were taken in the order of the rows' content: the order of the table does not reach their last digit.
    """
    p = len(spread)
    if not model.standardize:
        return _Scale(np.zeros(p), np.ones(p), model.fit_intercept)
    centre, factor = np.zeros(visits.rows.shape[1]), np.ones(visits.rows.shape[1])
    factor[:p] = 1 / spread
    if model.fit_intercept:
        centre[:p] = mean
        np.subtract(visits.rows, centre, out=visits.rows)
    np.multiply(visits.rows, factor, out=visits.rows)
    return _Scale(centre[:p], spread, model.fit_intercept)


def _against_rest(visits: Visits, unit: int, n_classes: int) -> Visits:
    """Class 1 is the unit's own; of two classes the second has the unit."""
    own = 1 if n_classes == 2 else unit
    return replace(visits, targets=(visits.targets == own).astype(np.int32))


def _one(model: Any, visits: Visits, units: int, watch: Watch) -> TrainedUnits:
    start = np.zeros((units, visits.rows.shape[1]))
    rate = model.eta0
    if rate is None:
        rate = 1.0 if model.neuron == "threshold" else usual_rate(visits, model.neuron)
    rules = PassRules(
        rate,
        model.tol,
        model.max_iter,
        model.n_iter_no_change,
        bool(model.average),
        bool(model.pocket),
        bool(model.keep_trace),
    )
    if model.neuron == "threshold":
        return learn_by_mistakes(visits, start, rules, watch)
    return learn_by_delta(visits, start, model.neuron, rules, watch)


def _bounds(model: Any, visits: Visits, fitted: list[TrainedUnits], n_classes: int, joint: bool) -> dict[str, Any]:
    separated = np.array([one.separated for one in fitted])
    found = []
    for unit, one in enumerate(fitted):
        own = visits if joint else _against_rest(visits, unit, n_classes)
        found.append(None if model.average else convergence_bound(own, one))
    known = [bound for bound in found if bound is not None]
    made: dict[str, Any] = {
        "separated_": separated,
        "bounds_": np.array([np.nan if bound is None else bound.mistakes for bound in found]),
        "margins_": np.array([np.nan if bound is None else bound.margin for bound in found]),
    }
    if known:
        made["radius_"] = max(bound.radius for bound in known)
    return made


def _summed(curves: list[list[float]]) -> Floats:
    """The sum of curves; one that ended early goes on as it ended."""
    longest = max(len(curve) for curve in curves)
    return np.asarray(np.sum([np.pad(curve, (0, longest - len(curve)), mode="edge") for curve in curves], axis=0))


def _traces(fitted: list[TrainedUnits], visits: Visits, scale: _Scale, given_rows: NDArray[np.int64]) -> Floats:
    """Lines of neuron, pass, row of the table, constant and slopes; of joint neurons one line each an update."""
    lines = [np.zeros((0, 4 + len(scale.centre)))]
    for place, one in enumerate(fitted):
        for number, row, weights in one.trace:
            slopes, constants = scale.plain(weights)
            in_table = -1 if row < 0 else int(given_rows[visits.places[row]])
            for unit in range(len(weights)):
                head = [place if len(fitted) > 1 else unit, number, in_table, constants[unit]]
                lines.append(np.concatenate([head, slopes[unit]])[None])
    return np.vstack(lines)


# A fitted perceptron in a few lines for `print(model)`.


def perceptron_text(model: Any) -> str:
    """Write a fitted perceptron: what it is, how it learnt, and its strongest weights.

    Examples
    --------
    >>> import treewright as tw
    >>> print(perceptron_text(tw.Perceptron(standardize=False, shuffle=False).fit([[1], [2], [4], [5]], list("aabb"))))
    Perceptron: 2 classes, 1 weight, threshold neuron
      passes    4
      mistakes  7 (at most 260.0: (R/γ)² by the widest margin)
      classes   separated
      weights for b, strongest first
      x0           1
    """
    target = f" for '{model.schema_.target}'" if model.schema_.target else ""
    size = f"{counted(len(model.classes_), 'class', 'classes')}, {counted(model.coef_.shape[1], 'weight')}"
    lines = [f"Perceptron{target}: {size}, {model.neuron} neuron"]
    lines.append(f"  passes    {model.n_iter_:,}")
    if model.neuron == "threshold":
        bound = f" (at most {model.bound_:,.1f}: (R/γ)² by the widest margin)" if np.isfinite(model.bound_) else ""
        lines.append(f"  mistakes  {model.mistakes_:,}{bound}")
        lines.append(f"  classes   {'separated' if model.separable_ else 'not separated'}")
    else:
        lines.append(f"  loss      {estimate_text(model.loss_curve_[-1])} in the mean of the last pass")
    return "\n".join([*lines, *weight_lines(model, f"weights for {model.classes_.tolist()[-1]}", "model.coef_")])
