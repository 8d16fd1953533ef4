"""The statistic of conditional inference trees (Hothorn, Hornik and Zeileis 2006): how far the sum of g(x) h(y) lies
from its mean over all permutations of the target, in units of its spread."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.reference.tally import ClassTally, NumberTally, Tally

Matrix = NDArray[np.float64]
_RANK_TOLERANCE = math.sqrt(np.finfo(float).eps)


@dataclass(frozen=True)
class Influence:
    """h(y): an indicator for each class, the score of an ordered class, or the number itself."""

    scores: tuple[float, ...] = ()

    def sums(self, tallies: Sequence[Tally]) -> Matrix:
        """The sums of h(y), a row a tally."""
        found = np.array([t.counts if isinstance(t, ClassTally) else (_number(t).total,) for t in tallies], dtype=float)
        return found @ np.array(self.scores).reshape(-1, 1) if self.scores else found

    def spread(self, whole: Tally) -> tuple[Matrix, Matrix]:
        """The mean of h(y) and its covariance (divided by n, not n - 1) over some rows."""
        if not isinstance(whole, ClassTally):
            number = _number(whole)
            return np.array([number.mean]), np.array([[number.squared_errors / number.weight]])
        shares = np.array(whole.counts) / whole.weight
        if not self.scores:
            return shares, np.diag(shares) - np.outer(shares, shares)
        scores = np.array(self.scores)
        mean = shares @ scores
        return np.array([mean]), np.array([[shares @ (scores - mean) ** 2]])


PLAIN = Influence()


def quadratic_statistic(
    g: Matrix, tallies: Sequence[Tally], whole: Tally, influence: Influence = PLAIN
) -> tuple[float, int]:
    """The quadratic form and its degrees of freedom. `g` has a row for each tally: what g(x) is for its rows.

    For two columns of levels it is (n - 1) / n times Pearson's chi-square.

    Examples
    --------
    >>> table = [ClassTally(11, (3.0, 8.0)), ClassTally(5, (3.0, 2.0))]
    >>> statistic, degrees = quadratic_statistic(np.eye(2), table, table[0] + table[1])
    >>> round(statistic, 6), degrees
    (1.472727, 1)
    """
    deviation, spread_g, spread_h = _moments(g, tallies, whole, influence)
    values, vectors = np.linalg.eigh(np.kron(spread_h, spread_g))
    kept = values > _RANK_TOLERANCE * values[-1]
    along = vectors[:, kept].T @ deviation.ravel(order="F")
    return float((along**2 / values[kept]).sum()), int(kept.sum())


def maximum_statistic(
    g: Matrix, tallies: Sequence[Tally], whole: Tally, influence: Influence = PLAIN
) -> tuple[float, int]:
    """The largest standardised entry of the deviation, and how many entries can vary.

    Examples
    --------
    >>> table = [ClassTally(11, (3.0, 8.0)), ClassTally(5, (3.0, 2.0))]
    >>> round(maximum_statistic(np.eye(2), table, table[0] + table[1])[0] ** 2, 6)
    1.472727
    """
    deviation, spread_g, spread_h = _moments(g, tallies, whole, influence)
    spread = np.sqrt(np.outer(np.diag(spread_g), np.diag(spread_h)))
    varies = spread > _RANK_TOLERANCE * spread.max()
    return float((np.abs(deviation[varies]) / spread[varies]).max()), int(varies.sum())


def _moments(g: Matrix, tallies: Sequence[Tally], whole: Tally, influence: Influence) -> tuple[Matrix, Matrix, Matrix]:
    """The linear statistic less its mean, and the two factors of its covariance, over all permutations."""
    weights = np.array([tally.weight for tally in tallies])
    n = float(weights.sum())
    mean_h, spread_h = influence.spread(whole)
    sum_g = weights @ g
    spread_g = (n * (g.T @ (g * weights[:, None])) - np.outer(sum_g, sum_g)) / (n - 1)
    return g.T @ influence.sums(tallies) - np.outer(sum_g, mean_h), spread_g, spread_h


def log_sidak(log_p: float, tests: int) -> float:
    """The logarithm of 1 - (1 - p)^tests: the chance of such a p among so many tests ("Bonferroni" in ctree).

    >>> round(math.exp(log_sidak(math.log(0.01), 3)), 6)
    0.029701
    """
    if tests == 1 or log_p == -math.inf:
        return log_p
    if log_p > -1e-300:
        return 0.0
    if log_p < -40:
        return log_p + math.log(tests)
    return math.log(-math.expm1(tests * math.log1p(-math.exp(log_p))))


def _number(tally: Tally) -> NumberTally:
    assert isinstance(tally, NumberTally)
    return tally
