"""The best cut of a weighted sum of columns, and what it saves in bits."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.lesson.arithmetic.directions import Cloud, Direction, Floats, strength
from treewright.lesson.arithmetic.sum_split import MOST_UNKNOWN, SumSplit, Term
from treewright.reference.split import midpoint
from treewright.reference.tally import ClassTally, NumberTally, Tally

FLOOR = 2.0**-40  # of the spread: numbers are never told more exactly than this
_KEYS = 2.0**32 - 2  # sums in one of so many steps of their range are not cut apart


def bits_saved(node: Tally, branches: tuple[Tally, ...]) -> float:
    """Bits that a division saves: of classes n·H before less n·H of the branches; of numbers n/2·log2 of the spreads.

    >>> bits_saved(ClassTally(4, (2.0, 2.0)), (ClassTally(2, (2.0, 0.0)), ClassTally(2, (0.0, 2.0))))
    4.0
    """
    if isinstance(node, ClassTally):
        inside = sum(class_bits(np.array(b.counts)[None]).item() for b in branches if isinstance(b, ClassTally))
        return max(class_bits(np.array(node.counts)[None]).item() - inside, 0.0)
    assert isinstance(node, NumberTally)
    inside = sum(branch.squared_errors for branch in branches if isinstance(branch, NumberTally))
    return float(number_bits(node.squared_errors, np.array(inside), node.weight))


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


@dataclass(frozen=True)
class SumCut:
    """A direction with its best cut: the test, what it saves, and how many cuts there were to choose from."""

    direction: Direction
    split: SumSplit
    saved: float
    n_cuts: int


@dataclass(frozen=True)
class SumScan:
    """Cuts the sums of one node. `truth` holds class numbers (n_classes > 0) or numbers."""

    cloud: Cloud
    values: Floats  # rows × columns of the cloud; NaN is missing
    columns: tuple[int, ...]  # of the table
    truth: Floats
    n_classes: int
    min_leaf: int

    def best(self, direction: Direction) -> SumCut | None:
        """Find the first of the best cuts along a direction."""
        terms = self._terms(direction)
        total, told = self._sums(direction, terms)
        low, high = total[told].min(initial=math.inf), total[told].max(initial=-math.inf)
        if not high > low:
            return None
        keys = np.floor((total[told] - low) * (_KEYS / (high - low)))
        order = np.argsort(keys, kind="stable")
        ends = np.flatnonzero(np.diff(keys[order]) > 0) + 1  # rows on the left of each cut
        saved = self._saved(np.flatnonzero(told)[order])[ends - 1]
        fits = (ends >= self.min_leaf) & (len(order) - ends >= self.min_leaf)
        if not fits.any():
            return None
        unit = max(float(saved.max()), 1.0) * FLOOR
        place = int(np.argmax(np.where(fits, np.rint(saved / unit), -1.0)))
        in_order, weights = total[told][order], self.cloud.weights[told][order]
        left, right = in_order[: ends[place]], in_order[ends[place] :]
        heavier = int(weights[ends[place] :].sum() > weights[: ends[place]].sum())
        lead = int(np.argmax(strength(direction.coefficients)))
        threshold = midpoint(float(left.max()), float(right.min()))
        split = SumSplit(terms[lead].column, missing=heavier, terms=terms, threshold=threshold)
        return SumCut(direction, split, float(saved[place]), len(ends))

    def _terms(self, direction: Direction) -> tuple[Term, ...]:
        """The terms in the units of the columns, weight 1 for the column that counts most, each with 24 bits."""
        kept, coefficients = direction.kept, direction.coefficients
        per_unit = coefficients / self.cloud.deviations[kept]
        weights = per_unit / per_unit[int(np.argmax(strength(coefficients)))]
        shares = np.abs(coefficients) / np.abs(coefficients).sum()
        return tuple(
            Term(self.columns[j], w, w * float(self.cloud.means[j]), float(share))
            for j, w, share in zip(kept.tolist(), np.float32(weights).astype(float).tolist(), shares, strict=True)
        )

    def _sums(self, direction: Direction, terms: tuple[Term, ...]) -> tuple[Floats, NDArray[np.bool_]]:
        """The sum of every row, and whether enough of it is known."""
        total, unknown = np.zeros(len(self.truth)), np.zeros(len(self.truth))
        for j, term in zip(direction.kept.tolist(), terms, strict=True):
            missing = np.isnan(self.values[:, j])
            total = total + np.where(missing, term.filler, term.weight * self.values[:, j])
            unknown += missing * term.share
        return total, unknown <= MOST_UNKNOWN

    def _saved(self, rows: NDArray[np.int64]) -> Floats:
        """Bits saved by cutting after each of the rows in their order."""
        weights, truth = self.cloud.weights[rows], self.truth[rows]
        if self.n_classes:
            left = np.cumsum((truth[:, None] == np.arange(self.n_classes)) * weights[:, None], axis=0)
            return class_bits(left[-1:]) - class_bits(left) - class_bits(left[-1] - left)
        away = truth - weights @ truth / weights.sum()
        heft, first = np.cumsum(weights), np.cumsum(weights * away)
        rest = np.maximum(heft[-1] - heft, 1e-300)
        spread = float(weights @ away**2)
        return number_bits(spread, spread - first**2 * (1 / heft + 1 / rest), float(heft[-1]))
