"""The statistic of conditional inference trees (Hothorn, Hornik and Zeileis 2006): how far the sum of g(x) h(y) lies
from its mean over all permutations of the target, in units of its spread."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.reference.tally import ClassTally

Matrix = NDArray[np.float64]
_RANK_TOLERANCE = math.sqrt(np.finfo(float).eps)
_STEPS = 2.0**40


@dataclass(frozen=True)
class Influence:
    """h(y): an indicator for each class, the score of a class, or the number itself."""

    scores: tuple[float, ...] = ()

    def of_class(self, n_classes: int) -> Matrix:
        """h of each class."""
        return np.array(self.scores, dtype=float).reshape(-1, 1) if self.scores else np.eye(n_classes)

    def sums(self, tallies: Sequence[Any]) -> Matrix:
        """The sums of h(y), a row a tally."""
        if not isinstance(tallies[0], ClassTally):
            return np.array([[tally.total] for tally in tallies], dtype=float)
        return np.array([tally.counts for tally in tallies], dtype=float) @ self.of_class(len(tallies[0].counts))

    def spread(self, whole: Any) -> tuple[Matrix, Matrix]:
        """The mean of h(y) and its covariance (divided by n, not n - 1) over some rows."""
        if not isinstance(whole, ClassTally):
            return np.array([whole.mean], dtype=float), np.array([[whole.squared_errors / whole.weight]], dtype=float)
        shares, h = np.array(whole.counts, dtype=float) / whole.weight, self.of_class(len(whole.counts))
        mean = shares @ h
        return mean, (h - mean).T @ ((h - mean) * shares[:, None])


@dataclass(frozen=True)
class Moments:
    """The linear statistic less its mean, a row a column of g and a column a column of h, and the two factors of its
    covariance, whose Kronecker product it is."""

    deviation: Matrix
    spread_g: Matrix
    spread_h: Matrix

    def quadratic(self) -> tuple[float, int]:
        """The quadratic form of the deviation in the pseudo-inverse of its covariance, and the rank.

        For two columns of levels it is (n - 1) / n times Pearson's chi-square.

        >>> table = [ClassTally(11, (3.0, 8.0)), ClassTally(5, (3.0, 2.0))]
        >>> statistic, degrees = moments(np.eye(2), table, Influence()).quadratic()
        >>> round(statistic, 6), degrees
        (1.472727, 1)
        """
        values, vectors = np.linalg.eigh(np.kron(self.spread_h, self.spread_g))
        kept = values > _RANK_TOLERANCE * values[-1]
        along = vectors[:, kept].T @ self.deviation.ravel(order="F")
        return float((along**2 / values[kept]).sum()), int(kept.sum())

    def maximum(self) -> tuple[float, int]:
        """The largest standardised entry of the deviation, and how many entries can vary.

        >>> table = [ClassTally(11, (3.0, 8.0)), ClassTally(5, (3.0, 2.0))]
        >>> round(moments(np.eye(2), table, Influence()).maximum()[0] ** 2, 6)
        1.472727
        """
        spread = np.sqrt(np.outer(np.diag(self.spread_g), np.diag(self.spread_h)))
        varies = spread > _RANK_TOLERANCE * spread.max()
        return float((np.abs(self.deviation[varies]) / spread[varies]).max()), int(varies.sum())

    def statistic(self, kind: str) -> tuple[float, int]:
        """The statistic of a kind, "quadratic" or "maximum", and its degrees of freedom."""
        return self.quadratic() if kind == "quadratic" else self.maximum()


def moments(g: Matrix, tallies: Sequence[Any], influence: Influence) -> Moments:
    """The moments over all permutations. `g` has a row for each tally: what g(x) is for its rows.

    >>> moments(np.eye(2), [ClassTally(2, (2.0, 0.0)), ClassTally(2, (0.0, 2.0))], Influence()).deviation.tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    weights, whole = np.array([tally.weight for tally in tallies], dtype=float), tallies[0]
    for tally in tallies[1:]:
        whole = whole + tally
    return moments_of_sums(g, weights, influence.sums(tallies), *influence.spread(whole))


def moments_of_sums(g: Matrix, weights: Matrix, sums: Matrix, mean_h: Matrix, spread_h: Matrix) -> Moments:
    """The same from the weight of each value, the sums of h there, and the mean and covariance of h over all.

    >>> ones = np.ones(2)
    >>> moments_of_sums(np.eye(2), ones, np.eye(2), ones / 2, np.eye(2) / 4).deviation.tolist()
    [[0.5, -0.5], [-0.5, 0.5]]
    """
    n, sum_g = float(weights.sum()), weights @ g
    spread_g = (n * (g.T @ (g * weights[:, None])) - np.outer(sum_g, sum_g)) / (n - 1)
    return Moments(g.T @ sums - np.outer(sum_g, mean_h), spread_g, spread_h)


def in_steps(statistic: float, n: float, kind: str) -> int:
    """A statistic in whole steps of (n - 1) / 2^40, so that what is equal on paper is equal here. The square of a
    maximum of standardised numbers is on the scale of the quadratic form.

    >>> in_steps(4.0, 17.0, "quadratic") == in_steps(2.0, 17.0, "maximum") == 2**38
    True
    """
    return round((statistic if kind == "quadratic" else statistic**2) / (n - 1) * _STEPS)


def log_sidak(log_p: float, tests: int) -> float:
    """The logarithm of 1 - (1 - p)^tests: the chance of such a p among so many tests ("Bonferroni" in ctree).

    >>> round(math.exp(log_sidak(math.log(0.01), 3)), 6), round(log_sidak(-1000.0, 2), 6)
    (0.029701, -999.306853)
    """
    if tests == 1 or log_p == -math.inf:
        return log_p
    if log_p > -1e-300:
        return 0.0
    if log_p < -40:
        return log_p + math.log(tests)
    return math.log(-math.expm1(tests * math.log1p(-math.exp(log_p))))
