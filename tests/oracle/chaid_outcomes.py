"""CHAID's tests: is the target distributed alike in several groups of rows?

An outcome says what the target is. A cell is what it knows about a group of rows; cells add up. `test` compares cells.
Sums are fractions, so that they are exact; only the statistics and the tails are floating-point numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.special import chdtrc, fdtrc

Cell = tuple[Fraction, ...]


@dataclass(frozen=True)
class Answer:
    """A statistic, its degrees of freedom, and the logarithm of its p-value."""

    statistic: float
    df: int
    log_p: float


ALIKE = Answer(0.0, 0, 0.0)  # nothing to compare: p = 1


def rank(number: float) -> float:
    """The place of a statistic or of the logarithm of a p-value, coarse enough that rounding cannot tell equals apart.

    >>> rank(0.1 + 0.2) == rank(0.3), rank(-1e9) < rank(-1e9 - 1), rank(-math.inf)
    (True, True, inf)
    """
    size = math.log1p(abs(number)) * 2**36
    return size if math.isinf(size) else float(round(size))


def chi_square(statistic: float, df: int, weight: float) -> Answer:
    """The answer of a test by chi-square of so much weight. A statistic that may be rounding alone is none.

    >>> round(math.exp(chi_square(3.841459, 1, 100).log_p), 6), chi_square(1e-16, 1, 100).log_p
    (0.05, 0.0)
    """
    statistic = 0.0 if statistic < 1e-10 + 1e-15 * weight else statistic
    return Answer(statistic, df, math.log(chdtrc(df, statistic)))


class Outcome:
    """What the target is; the three kinds below say how groups are compared."""

    counts_rows = False  # sizes are weights; where rows stand for others (chaid_sampling), numbers of rows

    def cell(self, sample: Sequence[tuple[int, int]]) -> Cell:
        """What is known about rows given as (target, weight)."""
        raise NotImplementedError

    def test(self, cells: Sequence[Cell]) -> Answer:
        """Compare the cells of two groups or more."""
        raise NotImplementedError

    def weight(self, cell: Cell) -> Fraction:
        """The weight of the rows of a cell."""
        raise NotImplementedError

    def rate(self, cell: Cell) -> Fraction:
        """By what the levels of a wide column are put in order before they are divided in two."""
        raise NotImplementedError

    def is_pure(self, cell: Cell) -> bool:
        """Whether all rows have the same target."""
        raise NotImplementedError


@dataclass(frozen=True)
class Classes(Outcome):
    """A nominal target: a cell is the weight of each class. Pearson's chi-square, or the likelihood ratio.

    >>> round(Classes(2).test([(40, 10), (38, 12), (20, 30), (18, 32), (5, 45)]).statistic, 4)
    69.2549
    >>> round(Classes(2, "likelihood").test([(40, 10), (38, 12), (20, 30), (18, 32), (5, 45)]).statistic, 4)
    76.018
    """

    n_classes: int
    statistic: str = "pearson"

    def cell(self, sample: Sequence[tuple[int, int]]) -> Cell:
        return tuple(Fraction(sum(w for y, w in sample if y == k)) for k in range(self.n_classes))

    def weight(self, cell: Cell) -> Fraction:
        return Fraction(sum(cell))

    def rate(self, cell: Cell) -> Fraction:
        return cell[0] / self.weight(cell)

    def is_pure(self, cell: Cell) -> bool:
        return sum(weight > 0 for weight in cell) <= 1

    def test(self, cells: Sequence[Cell]) -> Answer:
        table = present_classes(cells)
        df = (len(table) - 1) * (len(table[0]) - 1)
        if df < 1:
            return ALIKE
        expected = expected_counts(table)
        pairs = [(float(n), float(m)) for n, m in zip(sum(table, ()), sum(expected, ()), strict=True)]
        if self.statistic == "pearson":
            return chi_square(sum((n - m) ** 2 / m for n, m in pairs), df, sum(n for n, _ in pairs))
        return chi_square(2 * sum(n * math.log(n / m) for n, m in pairs if n), df, sum(n for n, _ in pairs))


def present_classes(cells: Sequence[Cell]) -> list[Cell]:
    """The cells without the classes that none of them has.

    >>> present_classes([(1, 0, 2), (3, 0, 0)])
    [(1, 2), (3, 0)]
    """
    kept = [k for k in range(len(cells[0])) if any(cell[k] for cell in cells)]
    return [tuple(cell[k] for k in kept) for cell in cells]


def expected_counts(table: Sequence[Cell]) -> list[Cell]:
    """What each cell would hold if groups and classes were independent: row total times column total by total."""
    total, columns = Fraction(sum(map(sum, table))), [sum(column) for column in zip(*table, strict=True)]
    return [tuple(Fraction(sum(row) * column) / total for column in columns) for row in table]


@dataclass(frozen=True)
class OrderedClasses(Classes):
    """An ordinal target: the row-effects model m_ij = α_i β_j γ_i^s_j against independence (Goodman 1979).

    The statistic is the likelihood ratio of the two models, with one degree of freedom a group but the first.

    >>> answer = OrderedClasses(3, scores=(1, 2, 3)).test([(20, 10, 5), (10, 12, 10), (4, 11, 18)])
    >>> round(answer.statistic, 4), answer.df, round(math.exp(answer.log_p) * 1e5, 1)
    (19.6466, 2, 5.4)
    """

    scores: tuple[float, ...] = ()

    def rate(self, cell: Cell) -> Fraction:
        return sum((Fraction(s) * n for s, n in zip(self.scores, cell, strict=True)), Fraction(0)) / self.weight(cell)

    def test(self, cells: Sequence[Cell]) -> Answer:
        kept = [k for k in range(len(cells[0])) if any(cell[k] for cell in cells)]
        if len(cells) < 2 or len(kept) < 2:
            return ALIKE
        counts = np.array([[float(cell[k]) for k in kept] for cell in cells])
        fitted = shares_of_model(counts, np.array([self.scores[k] for k in kept]))
        observed = counts > 0
        independent = (counts.sum(0) / counts.sum())[None, :].repeat(len(cells), 0)
        parts = counts[observed] * (np.log(fitted[observed]) - np.log(independent[observed]))
        return chi_square(2 * float(parts.sum()), len(cells) - 1, float(counts.sum()))


def shares_of_model(
    counts: np.ndarray[Any, Any], scores: np.ndarray[Any, Any], rates: np.ndarray[Any, Any] | None = None
) -> np.ndarray[Any, Any]:
    """The share of each class in each group under the row-effects model; rates say how likely rows were drawn.

    A group whose rows all are at one end of the scale is fitted exactly, by a slope without bound, and says nothing
    about the others. It is put aside, with the classes that only such groups have, until none is left.

    >>> shares_of_model(np.array([[5.0, 0, 0], [0, 0, 7]]), np.array([1.0, 2, 3])).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    shares = np.zeros(counts.shape)
    rates = np.ones(counts.shape) if rates is None else rates
    rows, classes = np.arange(len(counts)), np.arange(len(scores))
    while len(rows):
        classes = classes[counts[np.ix_(rows, classes)].any(0)]
        ends = [classes[np.argmin(scores[classes])], classes[np.argmax(scores[classes])]]
        aside = [row for row in rows if any(counts[row, end] == counts[row].sum() for end in ends)]
        if not aside:
            part = np.ix_(rows, classes)
            shares[part] = row_effects(counts[part], scores[classes], np.log(rates[part]))
            break
        for row in aside:
            shares[row, np.argmax(counts[row])] = 1.0
        rows = np.array([row for row in rows if row not in aside], dtype=np.intp)
    return shares


def row_effects(
    counts: np.ndarray[Any, Any], scores: np.ndarray[Any, Any], log_rates: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    """The share of each class in each group under the model, which makes the rows most likely.

    The likelihood is concave in the logarithms of β and γ, so Newton's steps climb it. Where its top lies at infinity
    (a group that has one end of the scale only) every step still takes away most of what is left to gain.

    >>> n = np.array([[20.0, 10, 5], [10, 12, 10], [4, 11, 18]])
    >>> m = row_effects(n, np.array([1.0, 2, 3]), np.zeros((3, 3))) * n.sum(1, keepdims=True)
    >>> np.allclose(m.sum(0), n.sum(0)), np.allclose(m @ [1, 2, 3], n @ [1, 2, 3])
    (True, True)
    """
    groups, classes = counts.shape
    totals = counts.sum(1)
    centred = scores - scores.mean()
    # One column of `design` a parameter: first the classes, then the groups; one row a cell of the table.
    by_class = np.tile(np.eye(classes), (groups, 1))
    by_group = np.repeat(np.eye(groups), classes, 0) * np.tile(centred, groups)[:, None]
    design = np.hstack([by_class, by_group])
    point = np.zeros(classes + groups)
    best, shares = likelihood(counts, design, point, log_rates)
    for _ in range(300):
        slope = design.T @ (counts - totals[:, None] * shares).ravel()
        bend = np.zeros((len(point), len(point)))
        for group in range(groups):
            part = design[group * classes : (group + 1) * classes]
            p = shares[group]
            bend += totals[group] * (part.T * p) @ part - totals[group] * np.outer(p @ part, p @ part)
        step = np.linalg.lstsq(bend, slope, rcond=1e-13)[0]
        reached, new = likelihood(counts, design, point + step, log_rates)
        while reached < best - 1e-12 * abs(best):
            step = step / 2
            reached, new = likelihood(counts, design, point + step, log_rates)
        point, shares, gained, best = point + step, new, reached - best, reached
        if abs(gained) < 1e-14 * max(1.0, abs(best)):
            break
    return shares


def likelihood(
    counts: np.ndarray[Any, Any],
    design: np.ndarray[Any, Any],
    point: np.ndarray[Any, Any],
    log_rates: np.ndarray[Any, Any],
) -> tuple[float, np.ndarray[Any, Any]]:
    """The logarithm of the likelihood at a point, and the shares of the classes there."""
    logs = (design @ point).reshape(counts.shape) + log_rates
    logs = logs - logs.max(1, keepdims=True)
    logs = logs - np.log(np.exp(logs).sum(1, keepdims=True))
    return float((counts * logs).sum()), np.exp(logs)


@dataclass(frozen=True)
class Numbers(Outcome):
    """A numeric target: a cell is weight, sum and sum of squares. One-way analysis of variance.

    >>> outcome = Numbers()
    >>> groups = [outcome.cell([(y, 1) for y in ys]) for ys in ((5, 6, 7, 6), (9, 8, 10, 9), (5, 7, 6, 6))]
    >>> answer = outcome.test(groups)
    >>> answer.statistic, answer.df, round(math.exp(answer.log_p) * 1e4, 2)
    (18.0, 2, 7.16)
    """

    def cell(self, sample: Sequence[tuple[int, int]]) -> Cell:
        return tuple(sum((Fraction(w) * Fraction(y) ** power for y, w in sample), Fraction(0)) for power in (0, 1, 2))

    def weight(self, cell: Cell) -> Fraction:
        return cell[0]

    def rate(self, cell: Cell) -> Fraction:
        return cell[1] / cell[0]

    def is_pure(self, cell: Cell) -> bool:
        return cell[0] * cell[2] == cell[1] ** 2

    def test(self, cells: Sequence[Cell]) -> Answer:
        total = tuple(map(sum, zip(*cells, strict=True)))
        df, df_within = len(cells) - 1, total[0] - len(cells)
        if df < 1 or df_within <= 0:  # no spread to compare the means with
            return ALIKE
        within = sum((c[2] - c[1] ** 2 / c[0] for c in cells), Fraction(0))
        between = sum((c[1] ** 2 / c[0] for c in cells), Fraction(0)) - Fraction(total[1]) ** 2 / total[0]
        if within == 0:
            return Answer(math.inf, df, -math.inf) if between else Answer(0.0, df, 0.0)
        statistic = float(between / df / (within / df_within))
        return Answer(statistic, df, math.log(fdtrc(df, float(df_within), statistic)))
