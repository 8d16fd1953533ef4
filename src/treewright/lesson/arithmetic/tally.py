"""What a set of rows holds: the weight of each class, or the sums of a number. Tallies add up."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self


class Tally(ABC):
    """What a set of rows holds."""

    rows: int

    @property
    @abstractmethod
    def weight(self) -> float:
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
    counts: tuple[float, ...]

    @property
    def weight(self) -> float:
        return math.fsum(self.counts)

    def __add__(self, other: ClassTally) -> ClassTally:
        return ClassTally(self.rows + other.rows, tuple(a + b for a, b in zip(self.counts, other.counts, strict=True)))

    @property
    def is_pure(self) -> bool:
        return sum(count > 0 for count in self.counts) <= 1

    @property
    def errors(self) -> float:
        """The weight that is not of the most frequent class."""
        return self.weight - max(self.counts, default=0.0)

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
    heft: float  # the sum of the weights
    total: float
    squares: float
    logarithms: float  # sum of y ln y, for counts
    lowest: float
    highest: float
    values: tuple[tuple[float, float], ...] = ()

    @classmethod
    def of(cls, pairs: Iterable[tuple[float, float]], keep_values: bool = False) -> NumberTally:
        """Add up (number, weight) pairs."""
        values = tuple(pairs)
        return cls(
            len(values),
            math.fsum(w for _, w in values),
            math.fsum(y * w for y, w in values),
            math.fsum(y * y * w for y, w in values),
            math.fsum(w * y * math.log(y) for y, w in values if y > 0),
            min((y for y, _ in values), default=math.inf),
            max((y for y, _ in values), default=-math.inf),
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
    def weight(self) -> float:
        return self.heft

    @property
    def is_pure(self) -> bool:
        return self.lowest >= self.highest

    @property
    def mean(self) -> float:
        """The mean; 0 of nothing."""
        return self.total / self.weight if self.weight else 0.0

    @property
    def median(self) -> float:
        """The smallest number with at least half of the weight at or below it."""
        half, below = self.weight / 2, 0.0
        for y, weight in sorted(self.values):
            below += weight
            if below >= half:
                return y
        return 0.0

    @property
    def squared_errors(self) -> float:
        """The sum of squared distances to the mean."""
        return 0.0 if self.is_pure else max(self.squares - self.total * self.mean, 0.0)

    def to_dict(self, classes: tuple[Any, ...] | None) -> dict[str, Any]:
        found = {"rows": self.rows, "weight": self.weight, "mean": self.mean, "squared_errors": self.squared_errors}
        return {**found, "median": self.median} if self.values else found
