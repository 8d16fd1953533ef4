"""CHAID's tests: is the target distributed alike in several groups of rows?

A subclass of `GroupTests` says what the target is: classes, classes in an order, numbers. Groups are tallies.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.reference.arithmetic import Number
from treewright.reference.row_effects import shares_of_model
from treewright.reference.table import Cases, Table
from treewright.reference.tally import ClassTally, Tally, together
from treewright.reference.upper_tail import log_chi_square_tail, log_f_tail


@dataclass(frozen=True)
class GroupTest:
    """A statistic with its degrees of freedom and the logarithm of its p-value; `within` is for F only."""

    statistic: float
    degrees: int
    log_p: float
    within: float | None = None


ALIKE = GroupTest(0.0, 0, 0.0)  # nothing to compare: p = 1


def by_chi_square(statistic: float, degrees: int, weight: float) -> GroupTest:
    """The test of a statistic that came from so much weight. One that may be rounding alone is none.

    >>> round(math.exp(by_chi_square(3.841459, 1, 100).log_p), 6), by_chi_square(1e-16, 1, 100).log_p
    (0.05, 0.0)
    """
    statistic = 0.0 if statistic < 1e-10 + 1e-15 * weight else statistic
    return GroupTest(statistic, degrees, log_chi_square_tail(statistic, degrees))


def by_f(groups: int, rows: Number, within: Number, between: Number) -> GroupTest:
    """One-way analysis of variance: so many groups and rows, squared errors within the groups and between them.

    >>> round(by_f(groups=3, rows=12, within=6.0, between=24.0).statistic, 6)
    18.0
    """
    degrees, left = groups - 1, float(rows - groups)
    if degrees < 1 or left <= 0:  # no spread to compare the means with
        return ALIKE
    if float(within) <= 1e-14 * float(within + between):
        differ = float(between) > 0
        return GroupTest(math.inf if differ else 0.0, degrees, -math.inf if differ else 0.0, left)
    statistic = float(between) / degrees / (float(within) / left)
    return GroupTest(statistic, degrees, log_f_tail(statistic, degrees, left), left)


def expected_counts(table: Sequence[Sequence[Number]]) -> list[list[Number]]:
    """What each cell would hold if rows and columns were independent: row total · column total / total.

    >>> expected_counts([[2, 2], [4, 8]])
    [[1.5, 2.5], [4.5, 7.5]]
    """
    totals = [sum(column) for column in zip(*table, strict=True)]
    return [[sum(row) * column / sum(totals) for column in totals] for row in table]


class GroupTests:
    """What the target is, and how groups are compared."""

    counts_rows = False  # sizes are weights; where rows stand for others (chaid_sampling), numbers of rows

    def tally(self, table: Table, cases: Cases) -> Tally:
        """What is known about some cases."""
        return table.tally(cases)

    def size(self, tally: Any) -> Number:
        """How much some rows count for rules of size."""
        return tally.rows if self.counts_rows else tally.weight

    def test(self, groups: Sequence[Any]) -> GroupTest:
        """Compare two groups or more."""
        raise NotImplementedError

    def rate(self, tally: Any) -> Number:
        """By what the levels of a wide column are put in order before they are divided in two."""
        raise NotImplementedError


@dataclass(frozen=True)
class Classes(GroupTests):
    """Classes: Pearson's chi-square, or the likelihood ratio. Classes that no group has are left out, and there is no
    correction for continuity.

    >>> patrons = Classes().test([ClassTally(2, (2, 0)), ClassTally(4, (0, 4)), ClassTally(6, (4, 2))])
    >>> round(patrons.statistic, 4), patrons.degrees, round(math.exp(patrons.log_p), 4)
    (6.6667, 2, 0.0357)
    """

    statistic: str = "pearson"

    def rate(self, tally: ClassTally) -> Number:
        return tally.counts[0] / tally.weight

    def test(self, groups: Sequence[ClassTally]) -> GroupTest:
        whole: Any = together(groups)
        kept = [k for k, count in enumerate(whole.counts) if count > 0]
        table = [[group.counts[k] for k in kept] for group in groups if group.weight > 0]
        degrees = (len(table) - 1) * (len(kept) - 1)
        if degrees < 1:
            return ALIKE
        pairs = [
            (float(n), float(m))
            for row, means in zip(table, expected_counts(table), strict=True)
            for n, m in zip(row, means, strict=True)
        ]
        if self.statistic == "pearson":
            found = math.fsum((n - m) ** 2 / m for n, m in pairs)
        else:
            found = 2 * math.fsum(n * math.log(n / m) for n, m in pairs if n > 0)
        return by_chi_square(found, degrees, float(whole.weight))


@dataclass(frozen=True)
class OrderedClasses(GroupTests):
    """Classes in an order: does the target shift along its scale? The row-effects model against independence, by their
    likelihood ratio, with one degree of freedom a group but the first (Goodman 1979).

    >>> groups = [ClassTally(35, (20, 10, 5)), ClassTally(32, (10, 12, 10)), ClassTally(33, (4, 11, 18))]
    >>> found = OrderedClasses((1, 2, 3)).test(groups)
    >>> round(found.statistic, 4), found.degrees, round(math.exp(found.log_p) * 1e5, 1)
    (19.6466, 2, 5.4)
    """

    scores: tuple[float, ...]

    def rate(self, tally: ClassTally) -> Number:
        pairs = zip(self.scores, tally.counts, strict=True)
        return sum(float(score) * float(count) for score, count in pairs) / float(tally.weight)

    def test(self, groups: Sequence[ClassTally]) -> GroupTest:
        counts = np.array([[float(count) for count in group.counts] for group in groups])
        counts = counts[counts.sum(1) > 0]
        kept = counts.any(0)
        if len(counts) < 2 or kept.sum() < 2:
            return ALIKE
        counts = counts[:, kept]
        fitted, seen = shares_of_model(counts, np.array(self.scores, dtype=float)[kept]), counts > 0
        independent = np.broadcast_to(counts.sum(0) / counts.sum(), counts.shape)
        gained = counts[seen] * (np.log(fitted[seen]) - np.log(independent[seen]))
        return by_chi_square(2 * math.fsum(gained.tolist()), len(counts) - 1, float(counts.sum()))


@dataclass(frozen=True)
class Numbers(GroupTests):
    """Numbers: one-way analysis of variance.

    >>> from treewright.reference.tally import NumberTally
    >>> samples = (5, 6, 7, 6), (9, 8, 10, 9), (5, 7, 6, 6)
    >>> found = Numbers().test([NumberTally.of([(y, 1.0) for y in ys]) for ys in samples])
    >>> round(found.statistic, 4), found.degrees, found.within, round(math.exp(found.log_p), 6)
    (18.0, 2, 9.0, 0.000716)
    """

    def rate(self, tally: Any) -> Number:
        return tally.mean

    def test(self, groups: Sequence[Any]) -> GroupTest:
        whole: Any = together(groups)
        within = sum(group.squared_errors for group in groups)
        apart = [] if whole.is_pure else [group.weight * (group.mean - whole.mean) ** 2 for group in groups]
        return by_f(len(groups), self.size(whole), within, sum(apart))
