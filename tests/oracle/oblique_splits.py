"""The tests that a node of an oblique tree may ask, each with what it saves and what it costs, in bits.

Classes: rows are told by their class shares, so a split saves n·H(node) - n·H(left) - n·H(right).
Numbers: they are told as a Gauss curve around the mean, so it saves n/2·log2(spread of the node / spread inside).
A cut among N costs log2(N), a grouping of L levels log2(2^(L-1) - 1), "missing left or right" one bit, and every column
beyond the first λ·(log2(n)/2 + log2(columns)): how much of it, and which.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf, log2

import numpy as np
from numpy.typing import NDArray

from oracle import oblique_directions as directions
from treewright.reference.split import midpoint

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FLOOR = 2.0**-40  # of the node's spread: numbers are never told more exactly than this
QUANTA = 2.0**40
MANY_LEVELS = 50
DRAWN = 5.0  # rows that draw the scores of levels towards the middle
MOST_MISSING = 0.3  # a column with a larger share of holes takes part in no sum
MOST_UNKNOWN = 0.5  # a row that lacks a larger share of a sum has no side
FEWEST_ROWS, ROWS_PER_COLUMN, MOST_COLUMNS = 20, 10, 24


@dataclass(frozen=True)
class Rows:
    """Some rows: their places in the table, target and weights; n_classes is 0 for numbers."""

    places: Ints
    target: Ints
    weights: Ints
    n_classes: int

    @property
    def weight(self) -> float:
        """The weight of all rows."""
        return float(self.weights.sum())

    def of(self, chosen: NDArray[np.bool_]) -> Rows:
        """Those of the rows that are marked."""
        return Rows(self.places[chosen], self.target[chosen], self.weights[chosen], self.n_classes)

    def sides(self, left: NDArray[np.bool_]) -> tuple[int, int]:
        """The number of rows on the left and on the right."""
        return int(left.sum()), int((~left).sum())

    def class_weights(self) -> Floats:
        """The weight of each class."""
        return np.bincount(self.target, weights=self.weights, minlength=self.n_classes)

    def spread(self) -> float:
        """The sum of squares around the mean."""
        if not len(self.target):
            return 0.0
        mean = np.average(self.target, weights=self.weights)
        return float(self.weights @ (self.target - mean) ** 2)

    def bits(self) -> float:
        """Bits that tell the classes of the rows when their shares are known."""
        counts = self.class_weights()
        counts = counts[counts > 0]
        return float((counts * np.log2(counts.sum() / counts)).sum())

    def saved(self, left: NDArray[np.bool_]) -> float:
        """Bits that a split saves."""
        one, other = self.of(left), self.of(~left)
        if self.n_classes:
            return self.bits() - one.bits() - other.bits()
        whole = self.spread()
        if whole == 0:
            return 0.0
        return self.weight / 2 * log2(whole * (1 + FLOOR) / (one.spread() + other.spread() + whole * FLOOR))

    def most(self) -> float:
        """Bits that no split can save more than: the unit of ties."""
        return self.bits() if self.n_classes else self.weight * -log2(FLOOR) / 2


@dataclass(frozen=True)
class Offer:
    """A test and its division of the node. A sum has several terms; `levels` are those of branch 0, of all present."""

    columns: tuple[int, ...]
    left: NDArray[np.bool_]
    saved: float
    price: float
    threshold: float = inf
    weights: tuple[float, ...] = (1.0,)
    fillers: tuple[float, ...] = (0.0,)
    shares: tuple[float, ...] = (1.0,)
    levels: tuple[frozenset[int], frozenset[int]] | None = None
    missing_left: bool = True
    level_weights: tuple[dict[int, float] | None, ...] = (None,)  # of a sum: what each level adds, None for numbers

    @property
    def score(self) -> float:
        """What the choice goes by."""
        return self.saved - self.price


def bits_of_levels(n: int) -> float:
    """Bits that tell which of the groupings of n levels in two it is.

    >>> bits_of_levels(2), round(bits_of_levels(4), 4), bits_of_levels(51)
    (0.0, 2.8074, 50.0)
    """
    return n - 1.0 if n > MANY_LEVELS else log2(max(2 ** (n - 1) - 1, 1))


def quantised(score: float, rows: Rows) -> float:
    """The score in steps that rounding errors do not reach."""
    if score == -inf or rows.most() == 0:
        return min(score, 0.0)
    return float(np.floor(score / rows.most() * QUANTA + 0.5))


@dataclass(frozen=True)
class AxisSearch:
    """The splits of one column at one node."""

    rows: Rows
    column: int
    kind: str
    values: Floats  # of the node's rows; NaN is missing
    min_leaf: int
    learns: bool  # missing rows are tried on both sides; else they follow the heavier one

    def best(self) -> Offer | None:
        """The split that saves most; the first of equals."""
        known = self.values[~np.isnan(self.values)]
        present = np.unique(known).tolist()
        holes = np.isnan(self.values).any()
        bits = bits_of_levels(len(present)) if self.kind == "nominal" else log2(max(len(present) - 1, 1))
        price = bits + (1 if holes and self.learns else 0)
        found = [test for left in self.lefts(present) for test in self.with_missing(left, present, price)]
        if holes and self.learns and present:
            found += self.tests({v: True for v in present}, False, price)
        fits = [t for t in found if min(self.rows.sides(t.left)) >= self.min_leaf]
        return max(fits, key=lambda t: quantised(t.saved, self.rows), default=None)

    def lefts(self, present: Sequence[float]) -> Iterator[dict[float, bool]]:
        """Which of the values go left, cut by cut."""
        for order in [present] if self.kind != "nominal" else self.level_orders(present):
            for size in range(1, len(order)):
                yield {value: place < size for place, value in enumerate(order)}

    def level_orders(self, present: Sequence[float]) -> list[list[float]]:
        """Levels by their mean, or by the share of class 1, or (three classes and more) of each class that is here."""
        rows = self.rows

        def order(target: Floats) -> list[float]:
            mean = {v: self.mean_where(v, target) for v in present}
            return sorted(present, key=lambda v: (mean[v], v))

        if rows.n_classes == 0:
            return [order(rows.target.astype(float))]
        classes = [1] if rows.n_classes == 2 else np.flatnonzero(rows.class_weights()).tolist()
        return [order((rows.target == k).astype(float)) for k in classes]

    def mean_where(self, value: float, target: Floats) -> float:
        """The mean of a target over the rows with one value."""
        here = self.values == value
        return float(self.rows.weights[here] @ target[here] / self.rows.weights[here].sum())

    def with_missing(self, goes_left: dict[float, bool], present: Sequence[float], price: float) -> list[Offer]:
        """What the rule for missing values makes of a cut."""
        missing = np.isnan(self.values)
        if missing.any() and self.learns:
            return self.tests(goes_left, True, price) + self.tests(goes_left, False, price)
        left = np.array([goes_left.get(v, False) for v in self.values.tolist()])
        heavier = bool(self.rows.weights[left].sum() >= self.rows.weights[~left & ~missing].sum())
        if not missing.any():
            return self.tests(goes_left, heavier, price)
        saved = self.rows.of(~missing).saved(left[~missing])
        if min(self.rows.of(~missing).sides(left[~missing])) < self.min_leaf:
            return []
        return [Offer((self.column,), left | (missing & heavier), saved, price, *self.cut(goes_left, heavier))]

    def tests(self, goes_left: dict[float, bool], missing_left: bool, price: float) -> list[Offer]:
        """The test that sends these values, and perhaps the missing, left."""
        missing = np.isnan(self.values)
        left = np.array([goes_left.get(v, False) for v in self.values.tolist()]) | (missing & missing_left)
        return [Offer((self.column,), left, self.rows.saved(left), price, *self.cut(goes_left, missing_left))]

    def cut(self, goes_left: dict[float, bool], missing_left: bool) -> tuple[object, ...]:
        """The threshold and the levels of a test."""
        low = [v for v, is_left in goes_left.items() if is_left]
        high = [v for v, is_left in goes_left.items() if not is_left]
        if self.kind == "nominal":
            threshold = np.nan
        elif not high:
            threshold = inf  # known or not
        else:
            threshold = max(low) if self.kind == "ordinal" else midpoint(max(low), min(high))
        levels = frozenset(map(int, low)), frozenset(map(int, goes_left))
        return threshold, (1.0,), (0.0,), (1.0,), levels, missing_left


@dataclass(frozen=True)
class SumSearch:
    """The weighted sums of columns at one node. `columns` are those of the table that may take part, ascending."""

    rows: Rows
    columns: tuple[int, ...]
    values: Floats  # node's rows × columns
    means: Floats
    deviations: Floats
    n_usable: int  # columns of which these were chosen
    min_leaf: int
    price: float  # λ
    ridge: float
    max_terms: int  # longer sums only point the way to shorter ones
    scores: tuple[dict[int, float] | None, ...]  # of the levels of each column; None for numbers

    def tests(self) -> Iterator[Offer]:
        """Every sum that is tried, in the order of ties."""
        z = np.column_stack(
            [
                directions.standardised(self.values[:, j], self.means[j], self.deviations[j])
                for j in range(len(self.columns))
            ]
        )
        cloud = directions.Cloud(z, self.rows.weights)
        if self.rows.n_classes == 0:
            yield from self.scanned(directions.squares_directions(cloud, self.steps_of_target(), self.ridge))
            return
        groups = directions.class_groups(cloud, self.rows.target, self.rows.n_classes)
        targets = [np.isin(self.rows.target, list(group)).astype(np.int64) for group in groups]
        if len(targets) > 1:
            firsts = [self.first(cloud, target) for target in targets]
            targets = [targets[int(np.argmax(firsts))]]
        for target in targets:
            yield from self.scanned(directions.squares_directions(cloud, target * directions.STEP, self.ridge))
            yield from self.scanned(directions.logistic_directions(cloud, target, self.ridge))

    def first(self, cloud: directions.Cloud, target: Ints) -> float:
        """How well a target does with all columns: only the best goes on."""
        found = next(directions.squares_directions(cloud, target * directions.STEP, self.ridge), None)
        test = self.scan(*found) if found else None
        return quantised(test.score, self.rows) if test else -inf

    def steps_of_target(self) -> Ints:
        """A numeric target, standardised like a column."""
        numbers = self.rows.target.astype(float)
        mean = float(np.average(numbers, weights=self.rows.weights))
        return directions.standardised(numbers, mean, float(np.sqrt(self.rows.spread() / self.rows.weight)))

    def scanned(self, found: Iterator[tuple[Ints, Floats]]) -> Iterator[Offer]:
        """The best cut along each direction."""
        for kept, coefficients in found:
            test = self.scan(kept, coefficients) if len(kept) <= self.max_terms else None
            if test is not None:
                yield test

    def scan(self, kept: Ints, coefficients: Floats) -> Offer | None:
        """The best cut of a weighted sum; the column that counts most has weight 1."""
        lead = int(np.argmax(directions.strength(coefficients)))
        per_unit = coefficients / self.deviations[kept]
        of_levels = [self.scores[j] for j in kept]
        farthest = self.scores[kept[lead]]
        if farthest is not None:  # the level that counts most has weight 1, or -1
            per_unit = per_unit / (per_unit[lead] * max(abs(s - self.means[kept[lead]]) for s in farthest.values()))
        else:
            per_unit = per_unit / per_unit[lead]
        weights = np.array([to_24_bits(w) for w in per_unit])
        level_weights = [
            None if found is None else {v: to_24_bits(w * (s - self.means[j])) for v, s in found.items()}
            for found, w, j in zip(of_levels, per_unit, kept, strict=True)
        ]
        size = np.abs(coefficients)
        shares = size / size.sum()
        missing = np.isnan(self.values[:, kept])
        is_number = np.array([found is None for found in of_levels])
        fillers = np.where(is_number, weights * self.means[kept], 0.0)
        total = np.zeros(len(self.values))
        for place, j in enumerate(kept):  # one after the other, as a stored tree adds them
            found, adds = self.scores[j], level_weights[place]
            if found is None or adds is None:
                told_part = weights[place] * self.values[:, j]
            else:
                by_score = {score: adds[level] for level, score in found.items()}
                told_part = np.array([by_score.get(score, np.nan) for score in self.values[:, j].tolist()])
            total = total + np.where(missing[:, place], fillers[place], told_part)
        told = missing @ shares <= MOST_UNKNOWN
        best = self.best_cut(total, told)
        if best is None:
            return None
        saved, left, threshold, n_cuts = best
        heavier = bool(self.rows.weights[left].sum() >= self.rows.weights[told & ~left].sum())
        price = log2(n_cuts) + self.price * (len(kept) - 1) * (log2(self.rows.weight) / 2 + log2(self.n_usable))
        price += sum(bits_of_levels(len(found)) for found in of_levels if found is not None)
        return Offer(
            tuple(self.columns[j] for j in kept),
            left | (~told & heavier),
            saved,
            price,
            threshold,
            tuple(weights),
            tuple(fillers),
            tuple(shares),
            missing_left=heavier,
            level_weights=tuple(level_weights),
        )

    def best_cut(self, total: Floats, told: NDArray[np.bool_]) -> tuple[float, NDArray[np.bool_], float, int] | None:
        """Bits saved, rows on the left, threshold and number of cuts of the best cut of a sum."""
        keys = sum_keys(total, told)
        present = np.unique(keys[told])
        rows, best, best_key = self.rows.of(told), -inf, -1.0
        for key in present[:-1]:
            left = keys[told] <= key
            if min(rows.sides(left)) >= self.min_leaf and quantised(rows.saved(left), rows) > best:
                best, best_key = quantised(rows.saved(left), rows), key
        if best == -inf:
            return None
        left = told & (keys <= best_key)
        threshold = midpoint(total[left].max(), total[told & ~left].min())
        return rows.saved(left[told]), left, threshold, len(present) - 1


def to_24_bits(number: float) -> float:
    """The nearest number with 24 bits.

    >>> to_24_bits(1 / 3) == float(np.float32(1 / 3))
    True
    """
    fraction, exponent = np.frexp(number)
    return float(np.ldexp(np.rint(np.ldexp(fraction, 24)), exponent - 24))


def sum_keys(total: Floats, told: NDArray[np.bool_]) -> Floats:
    """The place of each sum in the range of all, in 2^32 steps: sums in one step are not cut apart.

    >>> sum_keys(np.array([0.0, 0.5, 1.0]), np.array([True, True, True])).tolist()
    [0.0, 2147483647.0, 4294967294.0]
    """
    low, high = total[told].min(), total[told].max()
    if high <= low:
        return np.zeros(len(total))
    return np.floor((total - low) * ((2.0**32 - 2) / (high - low)))
