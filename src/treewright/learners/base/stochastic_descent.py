"""Stochastic gradient descent: a step after every row, with a rate that falls, and the mean of the second half."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base.deduplicate_rows import one_of_each
from treewright.learners.base.design_matrix import Floats
from treewright.learners.base.solution import Solution, Watch, diverged, refuse_divergence

# Rows for learners that take them one by one: equal rows joined, in an order out of their content and the seed.


@dataclass(frozen=True)
class Visits:
    """Rows as the core takes them one by one.

    Parameters
    ----------
    rows : array of shape (n, width)
        The columns, the constant 1 where there is one, and zeros up to a multiple of eight numbers.
    targets : array of length n
        The class of each row.
    weights : array of length n
        How much each row counts; 1 in the mean.
    seed : int
    shuffle : bool
        Whether every pass has an order of its own; else the rows are visited as they stand.
    places : array of length n
        Where each row stands in the table.
    """

    rows: Floats
    targets: NDArray[np.int32]
    weights: Floats
    seed: int
    shuffle: bool
    places: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def order(self, number: int) -> NDArray[np.uint32]:
        """The order of a pass."""
        if self.shuffle:
            return _core.shuffled(len(self.rows), self.seed, number)
        return np.arange(len(self.rows), dtype=np.uint32)


@dataclass(frozen=True)
class RowForm:
    """What is made of a row: (columns - centre) / scale, then a constant 1."""

    intercept: bool = True
    centre: Floats | None = None
    scale: Floats | None = None


def visits_of(
    matrix: Floats, targets: NDArray[Any], weights: Floats | None, form: RowForm, seed: int = 0, shuffle: bool = True
) -> Visits:
    """Put rows in order. With `shuffle` equal rows become one of their joint weight, so that a row of weight 2 is a row
    twice, and the order does not depend on how the table was sorted. Without it the table is taken as it stands.

    Examples
    --------
    >>> twice = visits_of(np.array([[4.0, 5.0], [4.0, 5.0]]), np.zeros(2), None, RowForm(True, np.array([3.0, 3.0])))
    >>> twice.rows, twice.weights
    (array([[1., 2., 1., 0., 0., 0., 0., 0.]]), array([1.]))
    """
    targets = targets.astype(np.int32)
    given = np.ones(len(matrix)) if weights is None else np.asarray(weights, dtype=np.float64)
    places = np.arange(len(matrix))
    if shuffle:
        words = _core.row_words(matrix, targets, seed)
        places, given = one_of_each(words, [matrix, targets], None if weights is None else given)
    rows = _core.gathered_rows(
        matrix, places, form.centre, None if form.scale is None else 1 / form.scale, form.intercept
    )
    return Visits(rows, targets[places], given / given.mean(), seed, shuffle, places)


@dataclass(frozen=True)
class StochasticRules:
    """How the rows are learnt from.

    Parameters
    ----------
    unit : {"log_loss", "squared_sigmoid", "squared_linear", "softmax"}
        What is made of a row's sum, and the loss.
    rate : float
        η₀: row t moves the weights by η₀ / (1 + η₀ λ t) times the slope.
    penalty : float
        λ: half of it times the squared length of the weights is added to the mean loss.
    shrunk : array
        1 for the weights that are penalised, 0 for others, one a number of a row.
    """

    unit: str
    rate: float
    penalty: float
    shrunk: Floats


def stochastic_descent(
    visits: Visits, start: Floats, rules: StochasticRules, tol: float, max_iter: int, watch: Watch
) -> Solution:
    """Learn pass by pass; give the mean of the weights in the second half of the passes that were made.

    It ends when two passes in a row lower the mean loss by less than `tol`.

    Examples
    --------
    >>> from treewright.learners.base.stochastic_descent import RowForm, visits_of
    >>> visits = visits_of(np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1]), None, RowForm())
    >>> rules = StochasticRules("log_loss", 0.1, 0.0, np.zeros(8))
    >>> found = stochastic_descent(visits, np.zeros((1, 8)), rules, 1e-6, 2000, lambda *_: None)
    >>> found.coefficients[0, :2].round(1)
    array([ 0.9, -1.4])
    """
    weights, whole = start.copy(), float(visits.weights.sum())
    sums, counted = np.zeros_like(weights), 0
    losses: list[float] = []
    first = {"squared_sigmoid": 0.125, "squared_linear": 0.5}.get(rules.unit, float(np.log(max(len(start), 2))))
    calm, number, converged = 0, 0, False
    restart = 1
    for number in range(1, max_iter + 1):
        if number >= 2 * restart:  # the mean begins anew after 1, 2, 4, 8 … passes: the half that is kept is the last
            sums[:], counted, restart = 0.0, 0, number
        losses.append(one_pass(visits, weights, sums, rules, number) / whole)
        counted += len(visits.rows)
        watch(number, losses[-1])
        refuse_divergence([first, losses[-1]], number, "pass", lambda: safe_rate(visits))
        calm = calm + 1 if number > 1 and abs(losses[-2] - losses[-1]) <= tol else 0
        if calm == 2:
            converged = True
            break
    if losses[-1] > 2 * first:
        raise DataError(diverged([first, losses[-1]], number, "pass", safe_rate(visits)))
    mean = sums / max(counted, 1)
    return Solution(mean, losses[-1] * whole, number, converged, losses=losses)


def one_pass(visits: Visits, weights: Floats, sums: Floats | None, rules: StochasticRules, number: int) -> float:
    """Make one pass; `weights` and `sums` are changed in place. Give the weighted sum of the losses."""
    seen = (number - 1) * len(visits.rows)
    told = {"unit": rules.unit, "rate": rules.rate, "penalty": rules.penalty, "seen": seen}
    rows, order = visits.rows, visits.order(number)
    if rules.unit == "softmax":
        return _core.descend_softmax(rows, visits.targets, visits.weights, order, weights, sums, rules.shrunk, told)
    targets = visits.targets.astype(np.float64)
    if rules.unit == "squared_linear":
        targets = 2 * targets - 1
    return _core.descend(rows, targets, visits.weights, order, weights, sums, rules.shrunk, told)


def safe_rate(visits: Visits) -> float:
    """Give a rate with which no row can overshoot: 1 over the largest weight times squared length.

    Examples
    --------
    >>> safe_rate(Visits(np.full((1, 8), 0.5), np.zeros(1, dtype=np.int32), np.ones(1), 0, True))
    0.5
    """
    lengths = np.einsum("ij,ij,i->i", visits.rows, visits.rows, visits.weights)
    return float(1 / max(lengths.max(initial=0.0), 1e-300))
