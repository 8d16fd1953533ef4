"""How a perceptron learns from a row: the perceptron rule, the delta rule, and the margin that bounds its mistakes."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from treewright import _core
from treewright.learners.base.design_matrix import Floats
from treewright.learners.base.solution import Watch, refuse_divergence
from treewright.learners.base.stochastic_descent import StochasticRules, Visits, one_pass, safe_rate

# The widest margin of separable rows: what the convergence bound of the perceptron is measured with.


_FIRST_ROWS, _NEW_ROWS, _MOST_ROUNDS = 40, 40, 200
_EXACT = 1e-9


def widest_margin(signed: Floats, separator: Floats) -> float | None:
    """Give the largest γ for which some u of length 1 has u · row ≥ γ for all rows, or None where there is none.

    Rows are signed: those of the negative class are turned round. `separator` is any vector that is above 0 on them
    all; it tells which rows are near the border. The least u with u · row ≥ 1 is a least distance problem, solved by
    non-negative least squares (Lawson and Hanson 1974) on few rows, to which those that it gets wrong are added until
    there are none.

    Examples
    --------
    >>> rows = np.array([[1.0, 1.0], [1.0, 3.0], [1.0, 9.0]])
    >>> round(widest_margin(rows, np.array([0.0, 1.0])), 4)
    1.4142
    """
    nearest = np.argsort(signed @ separator, kind="stable")
    chosen = list(nearest[:_FIRST_ROWS])
    for _ in range(_MOST_ROUNDS):
        u = _least_vector(signed[chosen])
        if u is None:
            return None
        margins = signed @ u
        wrong = np.flatnonzero(margins < 1 - _EXACT)
        if not len(wrong):
            return float(1 / np.linalg.norm(u))
        chosen += wrong[np.argsort(margins[wrong], kind="stable")[:_NEW_ROWS]].tolist()
    return None


def _least_vector(rows: Floats) -> Floats | None:
    """The shortest u with u · row ≥ 1 for these rows."""
    scale = float(np.abs(rows).max(initial=0.0)) or 1.0
    system = np.vstack([(rows / scale).T, np.ones(len(rows))])
    wanted = np.zeros(len(system))
    wanted[-1] = 1.0
    shares, _ = nnls(system, wanted, maxiter=100 * system.shape[1])
    left = system @ shares - wanted
    if np.linalg.norm(left) < 1e-12 or left[-1] >= 0:
        return None
    return np.asarray(-left[:-1] / left[-1] / scale)


# The perceptron rule pass by pass: mistakes counted, the best weights kept in a pocket, the convergence bound.


_FEW_VISITS = 200_000  # small tables get more passes: the theorem promises an end, not a near one
_MOST_NUMBERS = 20_000_000  # larger tables are not searched for their widest margin


@dataclass(frozen=True)
class PassRules:
    """When and how it learns: the step, when it stops, and what it keeps."""

    rate: float
    tol: float | None
    max_iter: int
    patience: int
    average: bool
    pocket: bool
    keep_trace: bool


@dataclass(frozen=True)
class TrainedUnits:
    """What passes over the rows came to.

    Parameters
    ----------
    weights : array of shape (units, width)
    n_iter : int
        Passes made.
    mistakes : int
        Updates made.
    curve : list of float
        Mistakes of each pass, or its mean loss.
    separated : bool
        Whether the last pass made no mistake.
    trace : list of (pass, row, weights)
        The weights after every update, where they were asked for.
    """

    weights: Floats
    n_iter: int
    mistakes: int
    curve: list[float]
    separated: bool
    trace: list[tuple[int, int, Floats]] = field(default_factory=list)


def learn_by_mistakes(visits: Visits, start: Floats, rules: PassRules, watch: Watch) -> TrainedUnits:
    """Go over the rows until a pass makes no mistake, or nothing gets better, or `max_iter` passes are made.

    Examples
    --------
    >>> from treewright.learners.base.stochastic_descent import RowForm, visits_of
    >>> rows, targets = np.array([[1.0], [2.0], [4.0], [5.0]]), np.array([0, 0, 1, 1])
    >>> visits = visits_of(rows, targets, None, RowForm(), shuffle=False)
    >>> rules = PassRules(1.0, None, 100, 5, False, True, False)
    >>> found = learn_by_mistakes(visits, np.zeros((1, 8)), rules, lambda *_: None)
    >>> found.separated, found.mistakes, found.n_iter, found.weights[0, :2]
    (True, 7, 4, array([ 1., -3.]))
    """
    core = _core.PerceptronWeights(start, rules.average, rules.pocket and not rules.average)
    curve: list[float] = []
    trace: list[tuple[int, int, Floats]] = []
    best, better_at, mistakes, number = np.inf, 0, 0, 0
    for number in range(1, rules.max_iter + 1):
        before = core.weights if rules.keep_trace else start
        order = visits.order(number)
        made, rows = core.learn(visits.rows, visits.targets, visits.weights, order, rules.rate, rules.keep_trace)
        mistakes += made
        curve.append(float(made))
        if rules.keep_trace:
            trace += _replay(before, visits, rows, rules.rate, number)
        watch(number, made / len(visits.rows))
        if made == 0:
            break
        now = core.pocket_errors if rules.pocket and not rules.average else float(made)
        if now < best - (rules.tol or 0.0) * len(visits.rows):
            best, better_at = now, number
        enough = number * len(visits.rows) >= _FEW_VISITS
        if rules.tol is not None and enough and number - better_at >= rules.patience:
            break
    separated = bool(curve) and curve[-1] == 0
    return TrainedUnits(_answer(core, separated, rules), number, mistakes, curve, separated, trace)


def _answer(core: _core.PerceptronWeights, separated: bool, rules: PassRules) -> Floats:
    if rules.average:
        return np.asarray(core.weights - core.sums / max(core.seen, 1))
    return core.pocket if rules.pocket and not separated else core.weights


def _replay(
    before: Floats, visits: Visits, rows: NDArray[np.uint32], rate: float, number: int
) -> list[tuple[int, int, Floats]]:
    """The weights after each update of a pass, made again from the rows that were mistaken."""
    weights, made = before.copy(), []
    for row in rows.tolist():
        step, x, target = rate * visits.weights[row], visits.rows[row], int(visits.targets[row])
        if len(weights) == 1:
            weights[0] += (step if target == 1 else -step) * x
        else:
            sums = weights @ x
            sums[target] = -np.inf
            rival = int(sums.argmax())
            weights[target] += step * x
            weights[rival] -= step * x
        made.append((number, row, weights.copy()))
    return made


@dataclass(frozen=True)
class Bound:
    """Novikoff's bound: from zero weights the rule makes at most (radius / margin)² mistakes.

    Rows of unequal weight make unequal steps: then it is that times the largest weight over the smallest.
    """

    radius: float
    margin: float
    mistakes: float


def convergence_bound(visits: Visits, fitted: TrainedUnits) -> Bound | None:
    """Give the bound of separable rows, by the widest margin there is; None where no separator was found.

    Examples
    --------
    >>> from treewright.learners.base.stochastic_descent import RowForm, visits_of
    >>> visits = visits_of(np.array([[1.0], [-1.0]]), np.array([1, 0]), None, RowForm())
    >>> round(convergence_bound(visits, TrainedUnits(np.array([[1.0] + 7 * [0.0]]), 1, 1, [0.0], True)).mistakes, 6)
    2.0
    """
    if not fitted.separated:
        return None
    n_units = len(fitted.weights)
    if visits.rows.size * max(n_units - 1, 1) * n_units > _MOST_NUMBERS:
        return None
    signed = _signed(visits, n_units)
    margin = widest_margin(signed, fitted.weights.ravel())
    if margin is None:
        return None
    radius = float(np.sqrt((signed**2).sum(axis=1).max()))
    spread = float(visits.weights.max() / visits.weights.min())
    return Bound(radius, margin, spread * (radius / margin) ** 2)


def _signed(visits: Visits, n_units: int) -> Floats:
    """Rows that a separator is above 0 on: turned round by class; with several units, own class less another one."""
    if n_units == 1:
        return visits.rows * np.where(visits.targets == 1, 1.0, -1.0)[:, None]
    parts = []
    every = np.arange(len(visits.rows))
    for k in range(n_units):
        others = every[visits.targets != k]
        wide = np.zeros((len(others), n_units, visits.rows.shape[1]))
        wide[np.arange(len(others)), visits.targets[others]] = visits.rows[others]
        wide[:, k] = -visits.rows[others]
        parts.append(wide.reshape(len(others), n_units * visits.rows.shape[1]))
    return np.vstack(parts)


# The delta rule: a linear or sigmoid neuron goes down the slope of its squared error, example by example.


_STEEPEST_SIGMOID = 4.0  # the sigmoid's slope is a quarter at most, so that steps may be as much longer


def usual_rate(visits: Visits, neuron: str) -> float:
    """Give a rate with which one example does not overshoot.

    Examples
    --------
    >>> usual_rate(Visits(np.full((1, 8), 0.5), np.zeros(1, dtype=np.int32), np.ones(1), 0, True), "linear")
    0.5
    """
    return safe_rate(visits) * (_STEEPEST_SIGMOID if neuron == "sigmoid" else 1.0)


def learn_by_delta(visits: Visits, start: Floats, neuron: str, rules: PassRules, watch: Watch) -> TrainedUnits:
    """Go over the rows until the mean loss has not fallen by more than `tol` for some passes.

    The linear neuron learns -1 and 1, the sigmoid one 0 and 1.

    Examples
    --------
    >>> from treewright.learners.base.stochastic_descent import RowForm, visits_of
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
    return TrainedUnits(answer, number, number * len(visits.rows), curve, False, trace)
