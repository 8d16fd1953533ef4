"""Means and squares of numbers by class, from sums that are whole numbers: the same wherever and in whatever order.

The sums of a column come first, from them the mean of each class as the nearest double; then the squares of the
distances from these means are added up. So no digit is lost where a mean is far from 0, and parts of the rows can be
asked for either by themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.learners.base.whole_sums import (
    AT_ONCE,
    BITS,
    Floats,
    Whole,
    as_doubles,
    quotients,
    shifts_for,
    weight_shift,
    whole_sums,
)
from treewright.table.schema import Schema

_CELLS = 2**15  # 256 KiB of doubles
_FEWEST = 64  # rows that a piece has at least, where columns are many


@dataclass(frozen=True)
class RowsByClass:
    """Numeric columns (columns × rows), the rows of one class after those of the other, where each class starts."""

    numbers: Floats
    weights: Floats | None
    start: NDArray[np.int64]

    @classmethod
    def of(
        cls, columns: Sequence[Floats] | Floats, codes: NDArray[Any], weights: Floats | None, n_classes: int
    ) -> RowsByClass:
        """Of columns, or a matrix of rows × columns; −0 becomes 0."""
        order = np.argsort(codes.astype(np.uint16) if n_classes < 2**16 else codes, kind="stable")
        start = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=n_classes))]).astype(np.int64)
        if isinstance(columns, np.ndarray):
            numbers = _turned(columns, order)
        else:
            numbers = np.empty((len(columns), len(codes)))
            for place, column in enumerate(columns):
                np.add(column[order], 0.0, out=numbers[place])
        return cls(numbers, None if weights is None else weights[order], start)

    @property
    def shape(self) -> tuple[int, int]:
        """How many classes and columns there are."""
        return len(self.start) - 1, len(self.numbers)

    @cached_property
    def ends(self) -> tuple[Floats, Floats]:
        """The smallest and the largest number of each column; no number where it has none."""
        none = np.full(len(self.numbers), np.nan)
        if not self.numbers.shape[1]:
            return none, none
        low, high = self.numbers.min(axis=1), self.numbers.max(axis=1)
        for place in np.flatnonzero(np.isnan(low)):
            low[place], high[place] = np.fmin.reduce(self.numbers[place]), np.fmax.reduce(self.numbers[place])
        return low, high

    @cached_property
    def has_holes(self) -> bool:
        """Whether a value is missing."""
        return bool(np.isnan(self.numbers.sum(axis=1)).any()) and bool(np.isnan(self.numbers).any())

    def known(self, shift: int) -> Whole:
        """The weights of the rows with a value, classes × columns, as `weight_sums` has them."""
        found = np.zeros(self.shape, dtype=object)
        for k, numbers, weights in self.pieces():
            there = np.where(np.isnan(numbers), 0.0, 2.0**BITS)
            found[k] += whole_sums(there if weights is None else there * np.ldexp(weights, shift))
        return found

    def pieces(self) -> Iterator[tuple[int, Floats, Floats | None]]:
        """The rows of each class, so many at a time that their sums are exact and they stay in the cache."""
        step = min(max(_CELLS // max(len(self.numbers), 1), _FEWEST), AT_ONCE)
        for k in range(len(self.start) - 1):
            for begin in range(self.start[k], self.start[k + 1], step):
                piece = slice(begin, min(begin + step, self.start[k + 1]))
                yield k, self.numbers[:, piece], None if self.weights is None else self.weights[piece]


def _turned(matrix: Floats, order: NDArray[np.int64]) -> Floats:
    numbers = np.empty((matrix.shape[1], len(order)))
    step = max(_CELLS // max(matrix.shape[1], 1), _FEWEST)
    for begin in range(0, len(order), step):
        piece = slice(begin, begin + step)
        np.add(matrix.take(order[piece], axis=0).T, 0.0, out=numbers[:, piece])
    return numbers


@dataclass(frozen=True)
class Units:
    """What numbers are multiplied with before they are added up: it follows from the ends of columns and of weights.

    `heaviest` is the largest weight, 1 where every row counts the same.

    Examples
    --------
    >>> units = Units(np.array([1.0]), np.array([5.0]), 1.0)
    >>> rows = RowsByClass.of(np.array([[1.0], [5.0], [3.0]]), np.array([0, 0, 1]), None, 2)
    >>> sums = units.sums(rows)
    >>> means = units.means(sums, rows.known(0))
    >>> means, units.squares(units.square_sums(rows, means), np.ones((2, 1)), np.zeros((2, 1)))
    (array([[3.],
           [3.]]), array([[8.],
           [0.]]))
    """

    low: Floats
    high: Floats
    heaviest: float

    @cached_property
    def for_numbers(self) -> NDArray[np.int32]:
        """The powers of two for the numbers."""
        return shifts_for(np.nan_to_num(np.maximum(np.abs(self.low), np.abs(self.high))))

    @cached_property
    def for_gaps(self) -> NDArray[np.int32]:
        """The powers of two for distances inside a column: half of the digits, since these are squared."""
        with np.errstate(over="ignore"):
            return shifts_for(np.nan_to_num(self.high - self.low)) - BITS // 2

    @cached_property
    def for_weights(self) -> int:
        """The power of two for the weights."""
        return weight_shift(self.heaviest)

    def sums(self, rows: RowsByClass) -> Whole:
        """The weighted sums of the numbers, classes × columns."""
        powers = np.ldexp(1.0, self.for_numbers)[:, None]
        found = np.zeros(rows.shape, dtype=object)
        for k, numbers, weights in rows.pieces():
            scaled = numbers * powers
            found[k] += self._added(scaled, weights, rows.has_holes)
        return found

    def means(self, sums: Whole, known: Whole) -> Floats:
        """The mean of each class and column, by the weights of the rows with a value; 0 where there is none."""
        some = known > 0
        return np.where(some, quotients(sums, self.for_numbers, np.where(some, known, 1)), 0.0)

    def square_sums(self, rows: RowsByClass, means: Floats) -> Whole:
        """The weighted sums of squared distances from the means, classes × columns."""
        powers = np.ldexp(1.0, self.for_gaps)[:, None]
        found = np.zeros(rows.shape, dtype=object)
        for k, numbers, weights in rows.pieces():
            gaps = numbers - means[k][:, None]
            gaps *= powers
            gaps *= gaps
            found[k] += self._added(gaps, weights, rows.has_holes)
        return found

    def offsets(self, sums: Whole, known: Whole, means: Floats) -> Floats:
        """What means lack, rounded to doubles as they are."""
        unit, some = 2 ** (2 * BITS), np.where(known > 0, known, 1)
        rounded = _whole(np.ldexp(means, self.for_numbers)) * known
        return quotients((sums * unit - rounded), self.for_numbers, some * unit)

    def squares(self, sums: Whole, weights: Floats, offsets: Floats) -> Floats:
        """Such sums as doubles, around the means as they would be without rounding."""
        found = as_doubles(sums, 2 * self.for_gaps + self.for_weights)
        with np.errstate(over="ignore", invalid="ignore"):
            found = np.maximum(found - weights * offsets**2, 0.0)
            return np.where(np.isinf(self.high - self.low), np.inf, found)

    def _added(self, scaled: Floats, weights: Floats | None, has_holes: bool) -> Whole:
        if weights is not None:
            scaled *= np.ldexp(weights, self.for_weights)
        if has_holes:
            np.nan_to_num(scaled, copy=False)
        return whole_sums(scaled)


def _whole(scaled: Floats) -> Whole:
    """Each number alone in the units of sums."""
    return whole_sums(scaled[..., None])


def refuse_infinite(units: Units, schema: Schema) -> None:
    """Refuse columns of numbers with infinite ones, by the name of the first.

    Examples
    --------
    >>> from treewright.table.schema import Column
    >>> refuse_infinite(Units(np.array([-np.inf]), np.array([5.0]), 1.0), Schema((Column("age", "numeric"),)))
    Traceback (most recent call last):
    treewright.errors.DataError: Column 'age' holds infinity. This learner takes finite numbers. \
Give these rows a finite value, or leave it empty.
    """
    infinite = np.isinf(units.low) | np.isinf(units.high)
    if infinite.any():
        names = [column.name for column in schema.columns if column.kind == "numeric"]
        raise DataError(
            f"Column '{names[int(np.argmax(infinite))]}' holds infinity. This learner takes finite numbers. "
            "Give these rows a finite value, or leave it empty."
        )
