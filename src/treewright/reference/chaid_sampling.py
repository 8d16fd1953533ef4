"""CHAID's tests where weights say how many others a row stands for, as in a survey, and not how often it occurred.

Rows are counted, and compared with the counts to be expected if groups and classes were independent among all those
that the rows stand for: m_ij = a_i b_j / w_ij, where w_ij is the mean weight of the rows of a cell. A cell without rows
has the mean weight of its class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.reference.arithmetic import Number
from treewright.reference.group_tests import ALIKE, GroupTest, GroupTests, Numbers, by_chi_square
from treewright.reference.row_effects import Matrix, shares_of_model
from treewright.reference.table import Cases, Table
from treewright.reference.tally import ClassTally


@dataclass(frozen=True)
class SampledTally(ClassTally):
    """The weight of each class, and how many rows it has."""

    rows_of: tuple[int, ...] = ()

    def __add__(self, other: ClassTally) -> SampledTally:
        assert isinstance(other, SampledTally)
        both = super().__add__(other)
        rows_of = tuple(a + b for a, b in zip(self.rows_of, other.rows_of, strict=True))
        return SampledTally(both.rows, both.counts, rows_of)


def fitted_counts(counts: Matrix, rates: Matrix) -> Matrix:
    """The table a_i b_j rate_ij that has the margins of the counts, by iterative proportional fitting.

    >>> counts = np.array([[30.0, 10.0], [20.0, 40.0]])
    >>> fitted_counts(counts, np.ones((2, 2))).tolist()
    [[20.0, 20.0], [30.0, 30.0]]
    >>> fitted = fitted_counts(counts, np.array([[1.0, 2.0], [1.0, 1.0]]))
    >>> fitted.sum(0).round(9).tolist(), fitted.sum(1).round(9).tolist()
    ([50.0, 50.0], [40.0, 60.0])
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
class SampledClasses(GroupTests):
    """Classes, or with scores classes in an order.

    >>> plain = [SampledTally(50, (40, 10), (40, 10)), SampledTally(50, (20, 30), (20, 30))]
    >>> round(SampledClasses().test(plain).statistic, 4)
    16.6667
    >>> by_class = [SampledTally(50, (40, 30), (40, 10)), SampledTally(50, (20, 90), (20, 30))]
    >>> round(SampledClasses().test(by_class).statistic, 4)  # weights that hang on the class alone are no news
    16.6667
    """

    counts_rows = True
    statistic: str = "pearson"
    scores: tuple[float, ...] = ()

    def tally(self, table: Table, cases: Cases) -> SampledTally:
        weights: Any = table.tally(cases)
        rows = [sum(table.target[row] == k for row, _ in cases) for k in range(table.n_classes)]
        return SampledTally(len(cases), weights.counts, tuple(rows))

    def rate(self, tally: ClassTally) -> Number:
        scores = self.scores or (1.0, *(0.0,) * (len(tally.counts) - 1))
        return sum(s * float(w) for s, w in zip(scores, tally.counts, strict=True)) / float(tally.weight)

    def test(self, groups: Sequence[SampledTally]) -> GroupTest:
        counts = np.array([group.rows_of for group in groups], dtype=float)
        weights = np.array([[float(weight) for weight in group.counts] for group in groups])
        kept = counts.any(0)
        if len(groups) < 2 or kept.sum() < 2:
            return ALIKE
        counts, weights = counts[:, kept], weights[:, kept]
        of_class = np.broadcast_to(counts.sum(0) / weights.sum(0), counts.shape)
        rates = np.where(counts > 0, counts / np.where(weights > 0, weights, 1), of_class)
        expected, seen, whole = fitted_counts(counts, rates), counts > 0, float(counts.sum())
        if self.scores:
            fitted = shares_of_model(counts, np.array(self.scores)[kept], rates) * counts.sum(1, keepdims=True)
            statistic = 2 * float((counts[seen] * np.log(fitted[seen] / expected[seen])).sum())
            return by_chi_square(statistic, len(groups) - 1, whole)
        degrees = (len(groups) - 1) * (int(kept.sum()) - 1)
        if self.statistic == "pearson":
            return by_chi_square(float(((counts - expected) ** 2 / expected).sum()), degrees, whole)
        return by_chi_square(2 * float((counts[seen] * np.log(counts[seen] / expected[seen])).sum()), degrees, whole)


@dataclass(frozen=True)
class SampledNumbers(Numbers):
    """Numbers: means and squares are weighted, degrees of freedom count rows.

    >>> from treewright.reference.tally import NumberTally
    >>> samples = (5, 6, 7, 6), (9, 8, 10, 9), (5, 7, 6, 6)
    >>> found = SampledNumbers().test([NumberTally.of([(y, 3.0) for y in ys]) for ys in samples])
    >>> round(found.statistic, 4), found.degrees, found.within  # as if all weights were 1
    (18.0, 2, 9.0)
    """

    counts_rows = True
