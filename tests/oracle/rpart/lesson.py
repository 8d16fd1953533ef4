"""What is learnt from: columns, a target, weights, and for counts the exposure; and the numbers that a user sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol

from treewright.reference.table import Column

Rows = Sequence[int]
Statistic = tuple[Decimal, ...]


@dataclass(frozen=True)
class Lesson:
    """Columns, the target (class indices, numbers or events), a whole weight for each row, and maybe its exposure.

    >>> lesson = Lesson((Column("numeric", (1.0, 2.0)),), (Decimal(0), Decimal(1)), (1, 2), n_classes=2)
    >>> lesson.weight([0, 1]), lesson.rows()
    (3, [0, 1])
    """

    columns: tuple[Column, ...]
    target: tuple[Decimal, ...]
    weights: tuple[int, ...]
    n_classes: int = 0
    exposure: tuple[Decimal, ...] = ()

    def rows(self) -> list[int]:
        """The rows that count: a row of weight zero is as if it were not there."""
        return [row for row, weight in enumerate(self.weights) if weight > 0]

    def weight(self, rows: Rows) -> int:
        """The weight of some rows."""
        return sum(self.weights[row] for row in rows)


@dataclass(frozen=True)
class Control:
    """rpart's control numbers, under our names; usesurrogate is 2 unless something below says otherwise.

    `use_surrogates` off is usesurrogate = 0, `no_value_stops` is usesurrogate = 1, `count_both_known` is
    surrogatestyle = 1. `must_gain`: rpart makes no split without a gain; our engine splits every impure node.
    """

    min_samples_split: int = 20
    min_samples_leaf: int = 7
    max_depth: int = 30
    max_competitors: int = 4
    max_surrogates: int = 5
    use_surrogates: bool = True
    no_value_stops: bool = False
    count_both_known: bool = False
    must_gain: bool = True


class Method(Protocol):
    """What growing needs to know about a target. `worth` is additive over branches and convex."""

    lesson: Lesson

    def statistic(self, row: int) -> Statistic:
        """What one row adds to the sums of a branch."""

    def worth(self, sums: Statistic) -> Decimal:
        """How well one answer fits these rows; a split gains the worth of its branches minus that of the whole."""

    def rate(self, sums: Statistic) -> Decimal:
        """What nominal levels are ordered by."""

    def possible(self, rows: Rows) -> Decimal:
        """The gain that no split of these rows can beat; 0 if there is nothing to gain."""

    def improve(self, gain: Decimal, rows: Rows) -> Decimal:
        """The gain as rpart prints it."""

    def answer(self, rows: Rows) -> Any:
        """What a leaf with these rows answers."""

    def risk(self, rows: Rows) -> Decimal:
        """The loss of that answer on these rows."""

    def loss(self, row: int, answer: Any) -> Decimal:
        """The loss of any answer for one row of weight 1."""


def total(method: Method, rows: Rows) -> Statistic:
    """The sums of some rows."""
    return add(*(method.statistic(row) for row in rows))


def add(*sums: Statistic) -> Statistic:
    """Add sums part by part.

    >>> add((Decimal(1), Decimal(2)), (Decimal(3), Decimal(4)))
    (Decimal('4'), Decimal('6'))
    """
    return tuple(map(sum, zip(*sums, strict=True)))  # type: ignore[arg-type]


def subtract(whole: Statistic, part: Statistic) -> Statistic:
    """What is left of the whole.

    >>> subtract((Decimal(4),), (Decimal(1),))
    (Decimal('3'),)
    """
    return tuple(a - b for a, b in zip(whole, part, strict=True))
