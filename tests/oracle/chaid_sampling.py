"""CHAID's tests where weights say how many others a row stands for, as in a survey, and not how often it occurred.

Rows are counted, and compared with the counts to be expected if groups and classes were independent among all those
that the rows stand for: m_ij = a_i b_j / w_ij, where w_ij is the mean weight of the rows of a cell. A cell without rows
has the mean weight of its class. A cell holds the rows of each class, then their weights.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.special import fdtrc

from oracle.chaid_outcomes import ALIKE, Answer, Cell, Outcome, chi_square, shares_of_model


def expected_counts(counts: np.ndarray[Any, Any], rates: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The table a_i b_j rate_ij that has the margins of the counts, by iterative proportional fitting.

    >>> counts = np.array([[30.0, 10.0], [20.0, 40.0]])
    >>> expected_counts(counts, np.ones((2, 2))).tolist()
    [[20.0, 20.0], [30.0, 30.0]]
    >>> fitted = expected_counts(counts, np.array([[1.0, 2.0], [1.0, 1.0]]))
    >>> fitted.sum(0).round(9).tolist(), fitted.sum(1).round(9).tolist()
    ([50.0, 50.0], [40.0, 60.0])
    >>> float((fitted[0, 1] * fitted[1, 0] / fitted[0, 0] / fitted[1, 1]).round(9))
    2.0
    """
    fitted = rates.astype(float)
    for _ in range(100_000):
        before = fitted
        fitted = fitted * (counts.sum(1) / fitted.sum(1))[:, None]
        fitted = fitted * (counts.sum(0) / fitted.sum(0))[None, :]
        if np.abs(fitted - before).max() <= 1e-15 * counts.sum():
            break
    return fitted


@dataclass(frozen=True)
class SampledClasses(Outcome):
    """A nominal target, or with scores an ordinal one.

    >>> plain = SampledClasses(2).test([(40, 10, 40, 10), (20, 30, 20, 30)])
    >>> round(plain.statistic, 4), plain.df
    (16.6667, 1)
    >>> round(SampledClasses(2).test([(40, 10, 40, 30), (20, 30, 20, 90)]).statistic, 4)  # weights by class: no news
    16.6667
    """

    counts_rows = True
    n_classes: int
    statistic: str = "pearson"
    scores: tuple[float, ...] = ()

    def cell(self, sample: Sequence[tuple[int, int]]) -> Cell:
        classes = range(self.n_classes)
        rows = tuple(Fraction(sum(1 for y, _ in sample if y == k)) for k in classes)
        return rows + tuple(Fraction(sum(w for y, w in sample if y == k)) for k in classes)

    def weight(self, cell: Cell) -> Fraction:
        return Fraction(sum(cell[: self.n_classes]))

    def rate(self, cell: Cell) -> Fraction:
        weights = cell[self.n_classes :]
        scores = self.scores or (1, *(0,) * (self.n_classes - 1))
        return sum((Fraction(s) * w for s, w in zip(scores, weights, strict=True)), Fraction(0)) / sum(weights)

    def is_pure(self, cell: Cell) -> bool:
        return sum(n > 0 for n in cell[: self.n_classes]) <= 1

    def test(self, cells: Sequence[Cell]) -> Answer:
        whole = np.array([[float(x) for x in cell] for cell in cells])
        counts, weights = whole[:, : self.n_classes], whole[:, self.n_classes :]
        kept = counts.any(0)
        if len(cells) < 2 or kept.sum() < 2:
            return ALIKE
        counts, weights = counts[:, kept], weights[:, kept]
        of_class = np.broadcast_to(counts.sum(0) / weights.sum(0), counts.shape)
        rates = np.where(counts > 0, counts / np.where(weights > 0, weights, 1), of_class)
        expected = expected_counts(counts, rates)
        seen = counts > 0
        if self.scores:
            fitted = shares_of_model(counts, np.array(self.scores)[kept], rates) * counts.sum(1, keepdims=True)
            statistic = 2 * float((counts[seen] * np.log(fitted[seen] / expected[seen])).sum())
            return chi_square(statistic, len(cells) - 1, float(counts.sum()))
        df = (len(cells) - 1) * (int(kept.sum()) - 1)
        if self.statistic == "pearson":
            return chi_square(float(((counts - expected) ** 2 / expected).sum()), df, float(counts.sum()))
        return chi_square(2 * float((counts[seen] * np.log(counts[seen] / expected[seen])).sum()), df, counts.sum())


@dataclass(frozen=True)
class SampledNumbers(Outcome):
    """A numeric target: means and squares are weighted, degrees of freedom count rows.

    A cell is rows, weight, sum and sum of squares.

    >>> outcome = SampledNumbers()
    >>> groups = [outcome.cell([(y, 3) for y in ys]) for ys in ((5, 6, 7, 6), (9, 8, 10, 9), (5, 7, 6, 6))]
    >>> answer = outcome.test(groups)
    >>> answer.statistic, answer.df, round(math.exp(answer.log_p) * 1e4, 2)  # as if all weights were 1
    (18.0, 2, 7.16)
    """

    counts_rows = True

    def cell(self, sample: Sequence[tuple[int, int]]) -> Cell:
        sums = (sum((Fraction(w) * Fraction(y) ** power for y, w in sample), Fraction(0)) for power in (0, 1, 2))
        return (Fraction(len(sample)), *sums)

    def weight(self, cell: Cell) -> Fraction:
        return cell[0]

    def rate(self, cell: Cell) -> Fraction:
        return cell[2] / cell[1]

    def is_pure(self, cell: Cell) -> bool:
        return cell[1] * cell[3] == cell[2] ** 2

    def test(self, cells: Sequence[Cell]) -> Answer:
        total = tuple(map(sum, zip(*cells, strict=True)))
        df, df_within = len(cells) - 1, total[0] - len(cells)
        if df < 1 or df_within <= 0:
            return ALIKE
        within = sum((c[3] - c[2] ** 2 / c[1] for c in cells), Fraction(0))
        between = sum((c[2] ** 2 / c[1] for c in cells), Fraction(0)) - Fraction(total[2]) ** 2 / total[1]
        if within == 0:
            return Answer(math.inf, df, -math.inf) if between else Answer(0.0, df, 0.0)
        statistic = float(between / df / (within / df_within))
        return Answer(statistic, df, math.log(fdtrc(df, float(df_within), statistic)))
