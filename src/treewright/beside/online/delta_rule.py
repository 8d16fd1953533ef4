"""The delta rule: a linear or sigmoid neuron goes down the slope of its squared error, example by example."""

from __future__ import annotations

import numpy as np

from treewright.beside.columns import Floats
from treewright.beside.divergence import refuse_divergence
from treewright.beside.online.perceptron_rule import Learnt, PassRules
from treewright.beside.online.row_visits import Visits
from treewright.beside.online.stochastic_descent import StochasticRules, one_pass, safe_rate
from treewright.beside.solution import Watch

_STEEPEST_SIGMOID = 4.0  # the sigmoid's slope is a quarter at most, so that steps may be as much longer


def usual_rate(visits: Visits, neuron: str) -> float:
    """Give a rate with which one example does not overshoot.

    Examples
    --------
    >>> usual_rate(Visits(np.full((1, 8), 0.5), np.zeros(1, dtype=np.int32), np.ones(1), 0, True), "linear")
    0.5
    """
    return safe_rate(visits) * (_STEEPEST_SIGMOID if neuron == "sigmoid" else 1.0)


def learn_by_delta(visits: Visits, start: Floats, neuron: str, rules: PassRules, watch: Watch) -> Learnt:
    """Go over the rows until the mean loss has not fallen by more than `tol` for some passes.

    The linear neuron learns -1 and 1, the sigmoid one 0 and 1.

    Examples
    --------
    >>> from treewright.beside.online.row_visits import RowForm, visits_of
    >>> visits = visits_of(np.array([[-1.0], [1.0]]), np.array([0, 1]), None, RowForm(), shuffle=False)
    >>> rules = PassRules(0.1, 1e-6, 200, 5, False, False, False)
    >>> learn_by_delta(visits, np.zeros((1, 8)), "linear", rules, lambda *_: None).weights[0, :2].round(3)
    array([1., 0.])
    """
    unit = "squared_sigmoid" if neuron == "sigmoid" else "squared_linear"
    descent = StochasticRules(unit, rules.rate, 0.0, np.zeros(visits.rows.shape[1]))
    weights, whole = start.copy(), float(visits.weights.sum())
    sums = np.zeros_like(weights) if rules.average else None
    curve: list[float] = []
    trace: list[tuple[int, int, Floats]] = []
    best, better_at, number = np.inf, 0, 0
    for number in range(1, rules.max_iter + 1):
        curve.append(one_pass(visits, weights, sums, descent, number) / whole)
        watch(number, curve[-1])
        refuse_divergence([0.5, curve[-1]], number, "pass", lambda: usual_rate(visits, neuron), "eta0")
        if rules.keep_trace:
            trace.append((number, -1, weights.copy()))
        if curve[-1] < best - (rules.tol or 0.0):
            best, better_at = curve[-1], number
        if rules.tol is not None and number - better_at >= rules.patience:
            break
    answer = weights if sums is None else sums / (number * len(visits.rows))
    return Learnt(answer, number, number * len(visits.rows), curve, False, trace)
