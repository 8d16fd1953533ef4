"""Do groups of rows differ in their target? Chi-square for classes (Pearson, likelihood ratio), F for numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from treewright.lesson.arithmetic.upper_tail import log_chi_square_tail, log_f_tail
from treewright.reference.tally import NumberTally


@dataclass(frozen=True)
class GroupTest:
    """A statistic with its degrees of freedom and the logarithm of its p-value; `within` is for F only."""

    statistic: float
    degrees: int
    log_p: float
    within: float | None = None


ALIKE = GroupTest(0.0, 0, 0.0)  # nothing to compare: p = 1


def expected_counts(table: Sequence[Sequence[float]]) -> list[list[float]]:
    """What each cell would hold if rows and columns were independent: row total · column total / total.

    >>> expected_counts([[2, 2], [4, 8]])
    [[1.5, 2.5], [4.5, 7.5]]
    """
    totals = [math.fsum(column) for column in zip(*table, strict=True)]
    total = math.fsum(totals)
    return [[math.fsum(row) * column / total for column in totals] for row in table]


def chi_square(table: Sequence[Sequence[float]], statistic: str = "pearson") -> GroupTest:
    """Test a table of counts, groups by classes, with (groups − 1)(classes − 1) degrees of freedom.

    Rows and columns without counts are left out. There is no correction for continuity.

    Examples
    --------
    >>> patrons = chi_square([[2, 0], [0, 4], [4, 2]])  # the restaurant table: None, Some, Full
    >>> round(patrons.statistic, 4), patrons.degrees, round(math.exp(patrons.log_p), 4)
    (6.6667, 2, 0.0357)
    >>> round(chi_square([[40, 10], [38, 12], [20, 30], [18, 32], [5, 45]], "likelihood").statistic, 4)
    76.018
    """
    kept = [k for k in range(len(table[0])) if any(row[k] > 0 for row in table)]
    counts = [[row[k] for k in kept] for row in table if math.fsum(row) > 0]
    degrees = (len(counts) - 1) * (len(kept) - 1)
    if degrees < 1:
        return ALIKE
    pairs = [
        pair
        for row, means in zip(counts, expected_counts(counts), strict=True)
        for pair in zip(row, means, strict=True)
    ]
    if statistic == "pearson":
        found = math.fsum((n - m) ** 2 / m for n, m in pairs)
    else:
        found = max(2 * math.fsum(n * math.log(n / m) for n, m in pairs if n > 0), 0.0)
    return GroupTest(found, degrees, log_chi_square_tail(found, degrees))


def f_test(groups: Sequence[NumberTally]) -> GroupTest:
    """Compare the means of groups by one-way analysis of variance.

    Examples
    --------
    >>> found = f_test([NumberTally.of([(y, 1.0) for y in ys]) for ys in ((5, 6, 7, 6), (9, 8, 10, 9), (5, 7, 6, 6))])
    >>> round(found.statistic, 4), found.degrees, found.within, round(math.exp(found.log_p), 6)
    (18.0, 2, 9.0, 0.000716)
    """
    whole = groups[0]
    for group in groups[1:]:
        whole = whole + group
    degrees, within_degrees = len(groups) - 1, whole.weight - len(groups)
    if degrees < 1 or within_degrees <= 0:
        return ALIKE
    within = math.fsum(group.squared_errors for group in groups)
    between = math.fsum(group.weight * (group.mean - whole.mean) ** 2 for group in groups)
    if within <= 1e-14 * whole.squared_errors:
        differ = len({group.mean for group in groups}) > 1
        return GroupTest(math.inf if differ else 0.0, degrees, -math.inf if differ else 0.0, within_degrees)
    found = between / degrees / (within / within_degrees)
    return GroupTest(found, degrees, log_f_tail(found, degrees, within_degrees), within_degrees)
