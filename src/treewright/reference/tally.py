"""What a set of rows holds: the weight of each class, or the sums of a number. Tallies add up."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, Self

from treewright.reference.arithmetic import Number, ln, total


class Tally(ABC):
    """What a set of rows holds."""

    rows: int

    @property
    @abstractmethod
    def weight(self) -> Number:
        """The weight of all rows."""

    @abstractmethod
    def __add__(self, other: Self) -> Self: ...

    @property
    @abstractmethod
    def is_pure(self) -> bool:
        """Whether all rows have the same target."""

    @abstractmethod
    def to_dict(self, classes: tuple[Any, ...] | None) -> dict[str, Any]:
        """Give the tally as plain values."""


@dataclass(frozen=True)
class ClassTally(Tally):
    """The weight of each class in some rows.

    >>> (ClassTally(3, (1.0, 2.0)) + ClassTally(1, (0.0, 1.0))).counts
    (1.0, 3.0)
    """

    rows: int
    counts: tuple[Number, ...]

    @property
    def weight(self) -> Number:
        return total(self.counts)

    def __add__(self, other: ClassTally) -> ClassTally:
        return ClassTally(self.rows + other.rows, tuple(map(add, self.counts, other.counts)))

    @property
    def is_pure(self) -> bool:
        return len([count for count in self.counts if count > 0]) <= 1

    @property
    def errors(self) -> Number:
        """The weight that is not of the most frequent class."""
        return self.weight - max(self.counts, default=0)

    def to_dict(self, classes: tuple[Any, ...] | None) -> dict[str, Any]:
        counts = dict(zip(map(str, classes or ()), self.counts, strict=True))
        return {"rows": self.rows, "weight": self.weight, "counts": counts}


@dataclass(frozen=True)
class NumberTally(Tally):
    """The sums of some numbers with their weights; the numbers themselves only where a median is asked for.

    >>> one = NumberTally.of([(1.0, 1.0), (3.0, 1.0)])
    >>> one.mean, one.squared_errors, (one + one).weight
    (2.0, 2.0, 4.0)
    """

    rows: int
    heft: Number  # the sum of the weights
    total: Number
    squares: Number
    logarithms: Number  # sum of y ln y, for counts
    lowest: Number
    highest: Number
    values: tuple[tuple[Number, Number], ...] = ()

    @classmethod
    def of(cls, pairs: Iterable[tuple[Number, Number]], keep_values: bool = False) -> NumberTally:
        """Add up (number, weight) pairs."""
        values = tuple(pairs)
        return cls(
            len(values),
            total(w for _, w in values),
            total(y * w for y, w in values),
            total(y * y * w for y, w in values),
            total(w * (y * ln(y)) for y, w in values if y > 0),
            min((y for y, _ in values), default=float("inf")),
            max((y for y, _ in values), default=-float("inf")),
            values if keep_values else (),
        )

    def __add__(self, other: NumberTally) -> NumberTally:
        return NumberTally(
            self.rows + other.rows,
            self.heft + other.heft,
            self.total + other.total,
            self.squares + other.squares,
            self.logarithms + other.logarithms,
            min(self.lowest, other.lowest),
            max(self.highest, other.highest),
            self.values + other.values,
        )

    @property
    def weight(self) -> Number:
        return self.heft

    @property
    def is_pure(self) -> bool:
        return bool(self.lowest >= self.highest)

    @property
    def mean(self) -> Number:
        """The mean; 0 of nothing."""
        return self.total / self.weight if self.weight else 0

    @property
    def median(self) -> Number:
        """The smallest number with at least half of the weight at or below it."""
        half, below = self.weight / 2, 0
        for y, weight in sorted(self.values):
            below += weight
            if below >= half:
                return y
        return 0

    @property
    def squared_errors(self) -> Number:
        """The sum of squared distances to the mean."""
        return 0 if self.is_pure else max(self.squares - self.total * self.mean, 0)

    def to_dict(self, classes: tuple[Any, ...] | None) -> dict[str, Any]:
        found = {"rows": self.rows, "weight": self.weight, "mean": self.mean, "squared_errors": self.squared_errors}
        return {**found, "median": self.median} if self.values else found


def together(tallies: Sequence[Tally]) -> Tally:
    """What several sets of rows hold together.

    >>> together([ClassTally(1, (1.0, 0.0)), ClassTally(2, (0.0, 2.0))])
    ClassTally(rows=3, counts=(1.0, 2.0))
    """
    return reduce(add, tallies)
