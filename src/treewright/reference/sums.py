"""Questions about a weighted sum of columns: what they save, what they cost in bits, and the best cut of a sum."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.reference import directions
from treewright.reference.directions import Cloud, Direction, Floats, Ints, standardised, strength
from treewright.reference.split import Split, midpoint
from treewright.reference.table import Table
from treewright.reference.tally import ClassTally

FLOOR = 2.0**-40  # of the spread: numbers are never told more exactly than this
MOST_UNKNOWN = 0.5  # a row that lacks a larger share of a sum has no side
MANY_LEVELS = 50
_KEYS = 2.0**32 - 2  # sums in one of so many steps of their range are not cut apart


@dataclass(frozen=True)
class Term:
    """One part of a sum: weight times the number, or the weight itself where the row has a level (above 0).

    Without a value `filler` is added instead; `share` is how much of the sum is then unknown.
    """

    column: int
    weight: float
    filler: float = 0.0
    share: float = 0.0
    level: int = 0


@dataclass(frozen=True)
class SumSplit(Split):
    """A test of a weighted sum: branch 0 up to the threshold. `column` is the one that counts most.

    >>> split = SumSplit(1, missing=1, terms=(Term(0, 0.5, 1.0, 0.4), Term(1, 1.0, 3.0, 0.6)), threshold=6.5)
    >>> from treewright.reference.table import Column
    >>> columns = Column("numeric", (2.0, 8.0, None, 2.0)), Column("numeric", (5.0, 4.0, 5.0, None))
    >>> table = Table(columns, (0, 0, 1, 1), (1.0,) * 4, n_classes=2)
    >>> [split.way(table, row) for row in range(4)]  # 6 and 8; 1 + 5 by the filler; too little is known
    [0, 1, 0, 1]
    """

    terms: tuple[Term, ...] = ()
    threshold: float = 0.0

    @property
    def n_columns(self) -> int:
        """How many columns take part."""
        return len({term.column for term in self.terms})

    def way(self, table: Table, row: int) -> int | None:
        """Give the branch of a row of a table."""
        total = unknown = 0.0
        for term in self.terms:
            value = table.columns[term.column].values[row]
            if value is None:
                total, unknown = total + term.filler, unknown + term.share
            elif not term.level:
                total += term.weight * value
            elif value == term.level:
                total += term.weight
        if unknown > MOST_UNKNOWN:
            return self.missing
        return 0 if total <= self.threshold else 1

    def asks(self, table: Table, row: int) -> bool:
        """Tell whether a row has what the test asks for: a sum has something to say about every row."""
        return True


# ------------------------------------------------------------------------------------------ what a test saves and costs
def bits_saved(branches: Sequence[Any]) -> float:
    """Bits that a division saves: of classes n·H before less n·H of the branches; of numbers n/2·log2 of the spreads.

    >>> bits_saved((ClassTally(2, (2.0, 0.0)), ClassTally(2, (0.0, 2.0))))
    4.0
    """
    node = branches[0] + branches[1]
    if isinstance(node, ClassTally):
        bits = class_bits(np.array([tally.counts for tally in (node, *branches)], dtype=float))
        return max(float(bits[0] - bits[1:].sum()), 0.0)
    inside = np.array(float(sum(branch.squared_errors for branch in branches)))
    return float(number_bits(float(node.squared_errors), inside, float(node.weight)))


def class_bits(counts: Floats) -> Floats:
    """Bits that tell classes when their shares are known, for rows of counts.

    >>> class_bits(np.array([[2.0, 2.0], [3.0, 0.0]])).tolist()
    [4.0, 0.0]
    """
    total = counts.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where(counts > 0, counts * np.log2(total / counts), 0.0)
    return np.asarray(parts.sum(axis=1))


def number_bits(spread: float, inside: Floats, weight: float) -> Floats:
    """Bits that numbers take less when only the spread inside the branches has to be told.

    >>> float(number_bits(8.0, np.array(2.0), 4.0).round(6))
    4.0
    """
    if spread <= 0:
        return np.zeros_like(inside)
    return weight / 2 * np.log2(spread * (1 + FLOOR) / (np.maximum(inside, 0.0) + spread * FLOOR))


def most_bits(tally: Any) -> float:
    """Bits that no division can save more than: the unit of ties.

    >>> most_bits(ClassTally(4, (2.0, 2.0)))
    4.0
    """
    if isinstance(tally, ClassTally):
        return float(class_bits(np.array([tally.counts], dtype=float))[0])
    return float(tally.weight) * -log2(FLOOR) / 2


def bits_of_levels(n: int) -> float:
    """Bits that tell which of the groupings of n levels in two it is.

    >>> bits_of_levels(2), round(bits_of_levels(4), 4), bits_of_levels(51)
    (0.0, 2.8074, 50.0)
    """
    return n - 1.0 if n > MANY_LEVELS else log2(max(2 ** (n - 1) - 1, 1))


# ------------------------------------------------------------------------------------------ sums of columns at a node
@dataclass(frozen=True)
class SumCut:
    """A direction with its best cut: the test, what it saves, and what it costs."""

    direction: Direction
    split: SumSplit
    saved: float
    price: float


@dataclass(frozen=True)
class SumSearch:
    """The weighted sums of some columns at one node, ascending by their places in the table.

    A nominal column takes part by the scores of its levels, which stand in `values` in their place.
    """

    columns: tuple[int, ...]
    values: Floats  # rows × columns; NaN is missing
    truth: Floats  # class numbers (n_classes > 0) or numbers
    weights: Floats
    n_classes: int
    scores: tuple[Mapping[int, float] | None, ...]  # of the levels of each column; None for numbers
    min_leaf: int
    per_term: float  # bits for each column beyond the first
    ridge: float
    max_terms: int  # longer sums only point the way to shorter ones

    @property
    def means(self) -> Floats:
        """The means of the known values."""
        known = ~np.isnan(self.values) * self.weights[:, None]
        return np.asarray(np.nansum(self.values * self.weights[:, None], axis=0) / known.sum(axis=0))

    @property
    def deviations(self) -> Floats:
        """The standard deviations of the known values."""
        known = ~np.isnan(self.values) * self.weights[:, None]
        squares = np.nansum((self.values - self.means) ** 2 * self.weights[:, None], axis=0)
        return np.asarray(np.sqrt(squares / known.sum(axis=0)))

    def cuts(self) -> list[SumCut]:
        """Every sum that is tried, with its best cut."""
        short = (direction for direction in self.directions() if len(direction.kept) <= self.max_terms)
        return [cut for direction in short if (cut := self.best_cut(direction)) is not None]

    def directions(self) -> Iterator[Direction]:
        """Ridge regression; for classes ridge-logistic regression too. Of several groups of classes the one whose first
        direction does best goes on."""
        places = range(len(self.columns))
        z = [standardised(self.values[:, j], float(self.means[j]), float(self.deviations[j])) for j in places]
        cloud = Cloud(np.column_stack(z), self.weights)
        if not self.n_classes:
            mean = float(np.average(self.truth, weights=self.weights))
            deviation = float(np.sqrt(np.average((self.truth - mean) ** 2, weights=self.weights)))
            yield from directions.squares_directions(cloud, standardised(self.truth, mean, deviation), self.ridge)
            return
        groups = directions.class_groups(cloud, self.truth.astype(np.int64), self.n_classes)
        targets = [np.isin(self.truth, list(group)).astype(np.int64) for group in groups]
        firsts = [self.first(cloud, target) if len(targets) > 1 else 0.0 for target in targets]
        if targets:
            target = targets[int(np.argmax(firsts))]
            yield from directions.squares_directions(cloud, target * directions.STEP, self.ridge)
            yield from directions.logistic_directions(cloud, target, self.ridge)

    def first(self, cloud: Cloud, target: Ints) -> float:
        """How well a target does with all columns, in steps."""
        found = next(directions.squares_directions(cloud, target * directions.STEP, self.ridge), None)
        cut = None if found is None else self.best_cut(found)
        unit = self.unit(np.ones(len(self.truth), dtype=bool)) * FLOOR
        return -math.inf if cut is None else float(np.rint((cut.saved - cut.price) / unit))

    def unit(self, rows: NDArray[np.bool_]) -> float:
        """The bits that there are to save in some rows."""
        if not self.n_classes:
            return float(self.weights[rows].sum()) * -log2(FLOOR) / 2
        counts = np.bincount(self.truth[rows].astype(int), weights=self.weights[rows], minlength=self.n_classes)
        return float(class_bits(counts[None].astype(float))[0])

    def best_cut(self, direction: Direction) -> SumCut | None:
        """Find the first of the best cuts along a direction."""
        terms = self.terms(direction)
        total, told = self.sums(direction, terms)
        low, high = total[told].min(initial=math.inf), total[told].max(initial=-math.inf)
        if not high > low:
            return None
        keys = np.floor((total[told] - low) * (_KEYS / (high - low)))
        order = np.argsort(keys, kind="stable")
        ends = np.flatnonzero(np.diff(keys[order]) > 0) + 1  # rows on the left of each cut
        saved = self.saved_after(np.flatnonzero(told)[order])[ends - 1]
        fits = (ends >= self.min_leaf) & (len(order) - ends >= self.min_leaf)
        if not fits.any():
            return None
        unit = max(self.unit(told), 1e-300) * FLOOR
        place = int(np.argmax(np.where(fits, np.rint(saved / unit), -1.0)))
        in_order, weights = total[told][order], self.weights[told][order]
        left, right = in_order[: ends[place]], in_order[ends[place] :]
        heavier = int(weights[ends[place] :].sum() > weights[: ends[place]].sum())
        lead = self.columns[direction.kept[int(np.argmax(strength(direction.coefficients)))]]
        threshold = midpoint(float(left.max()), float(right.min()))
        split = SumSplit(lead, missing=heavier, terms=terms, threshold=threshold)
        of_levels = sum(bits_of_levels(len(found)) for j in direction.kept if (found := self.scores[j]) is not None)
        price = log2(len(ends)) + self.per_term * (len(direction.kept) - 1) + of_levels
        return SumCut(direction, split, float(saved[place]), price)

    def terms(self, direction: Direction) -> tuple[Term, ...]:
        """The terms in the units of the columns, each with 24 bits. The column that counts most has weight 1, or of its
        levels the one that counts most 1 or -1."""
        kept, means = direction.kept, self.means
        per_unit = direction.coefficients / self.deviations[kept]
        lead = int(np.argmax(strength(direction.coefficients)))
        farthest, unit = self.scores[kept[lead]], per_unit[lead]
        if farthest is not None:
            unit = unit * max(abs(score - means[kept[lead]]) for score in farthest.values())
        shares = np.abs(direction.coefficients) / np.abs(direction.coefficients).sum()
        found = []
        for j, weight, share in zip(kept.tolist(), (per_unit / unit).tolist(), shares.tolist(), strict=True):
            found += self.terms_of(j, weight, float(means[j]), share)
        return tuple(found)

    def terms_of(self, j: int, weight: float, mean: float, share: float) -> list[Term]:
        """The term of a number, or those of the levels of a nominal column."""
        scores = self.scores[j]
        if scores is None:
            rounded = float(np.float32(weight))
            return [Term(self.columns[j], rounded, rounded * mean, share)]
        adds = {level: float(np.float32(weight * (score - mean))) for level, score in scores.items()}
        first = min(scores)
        return [Term(self.columns[j], add, 0.0, share if v == first else 0.0, v) for v, add in adds.items()]

    def sums(self, direction: Direction, terms: Sequence[Term]) -> tuple[Floats, NDArray[np.bool_]]:
        """The sum of every row, added up one after the other as a stored tree does, and whether enough is known."""
        total, unknown = np.zeros(len(self.truth)), np.zeros(len(self.truth))
        for j in direction.kept.tolist():
            own = [term for term in terms if term.column == self.columns[j]]
            missing, scores = np.isnan(self.values[:, j]), self.scores[j]
            if scores is None:
                part = own[0].weight * self.values[:, j]
            else:
                by_score = {scores[term.level]: term.weight for term in own}
                part = np.array([by_score.get(score, np.nan) for score in self.values[:, j].tolist()])
            total = total + np.where(missing, own[0].filler, part)
            unknown += missing * sum(term.share for term in own)
        return total, unknown <= MOST_UNKNOWN

    def saved_after(self, rows: Ints) -> Floats:
        """Bits saved by cutting after each of the rows in their order."""
        weights, truth = self.weights[rows], self.truth[rows]
        if self.n_classes:
            left = np.cumsum((truth[:, None] == np.arange(self.n_classes)) * weights[:, None], axis=0)
            return class_bits(left[-1:]) - class_bits(left) - class_bits(left[-1] - left)
        away = truth - weights @ truth / weights.sum()
        heft, first = np.cumsum(weights), np.cumsum(weights * away)
        rest = np.maximum(heft[-1] - heft, 1e-300)
        spread = float(weights @ away**2)
        return number_bits(spread, spread - first**2 * (1 / heft + 1 / rest), float(heft[-1]))
