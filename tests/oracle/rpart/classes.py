"""A target of classes, with priors and losses.

rpart takes priors and losses into the splits as altered priors: the prior of a class times all that its rows could cost
(Breiman, Friedman, Olshen and Stone 1984, section 4.4). Answers and risks use the priors and the losses as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from functools import cache

from oracle.rpart.lesson import Lesson, Rows, Statistic, total
from treewright.reference.arithmetic import ln

ZERO = Decimal(0)


@cache
def x_ln_x(x: Decimal) -> Decimal:
    """0 ln 0 is 0.

    >>> x_ln_x(Decimal(0)), x_ln_x(Decimal(1))
    (Decimal('0'), Decimal('0'))
    """
    return x * ln(x) if x else ZERO


class Classes:
    """Classes 0, 1, …; `losses[i][j]` is what it costs to answer j where i is true."""

    def __init__(
        self,
        lesson: Lesson,
        criterion: str = "gini",
        priors: Sequence[Decimal] | None = None,
        losses: Sequence[Sequence[Decimal]] | None = None,
    ) -> None:
        self.lesson, self.criterion = lesson, criterion
        kinds = range(lesson.n_classes)
        everything = lesson.weight(lesson.rows())
        weights = [lesson.weight([row for row in lesson.rows() if lesson.target[row] == k]) for k in kinds]
        self.losses = losses or [[Decimal(i != j) for j in kinds] for i in kinds]
        if priors is None:
            self.scale = [Decimal(1)] * lesson.n_classes
        else:
            self.scale = [priors[k] * everything / weights[k] for k in kinds]
        cost = [sum(row, ZERO) for row in self.losses]
        unit = sum((self.scale[k] * weights[k] * cost[k] for k in kinds), ZERO) / everything
        same = len(set(cost)) == 1
        self.altered = self.scale if same else [self.scale[k] * cost[k] / unit for k in kinds]

    def statistic(self, row: int) -> Statistic:
        """The row's weight, altered by the prior of its class, in the place of its class."""
        k = int(self.lesson.target[row])
        weight = self.lesson.weights[row] * self.altered[k]
        return tuple(weight if i == k else ZERO for i in range(self.lesson.n_classes))

    def worth(self, sums: Statistic) -> Decimal:
        """Minus the weight times the impurity, but for a part that is the same for every division of the rows."""
        whole = sum(sums, ZERO)
        if not whole:
            return ZERO
        if self.criterion == "gini":
            return sum((x * x for x in sums), ZERO) / whole
        return sum(map(x_ln_x, sums), ZERO) - x_ln_x(whole)

    def rate(self, sums: Statistic) -> Decimal:
        """The share of class 1."""
        return sums[1] / sum(sums, ZERO)

    def possible(self, rows: Rows) -> Decimal:
        """The impurity of the rows times their weight; exactly 0 where all are of one class."""
        if len({self.lesson.target[row] for row in rows}) == 1:
            return ZERO
        sums = total(self, rows)
        pure = sum(sums, ZERO) if self.criterion == "gini" else ZERO
        return pure - self.worth(sums)

    def improve(self, gain: Decimal, rows: Rows) -> Decimal:
        """The gain itself."""
        return gain

    def counts(self, rows: Rows) -> list[int]:
        """The weight of each class, as it was given."""
        kinds = range(self.lesson.n_classes)
        return [self.lesson.weight([row for row in rows if self.lesson.target[row] == k]) for k in kinds]

    def shares(self, rows: Rows) -> list[Decimal]:
        """The share of each class under the priors."""
        scaled = [n * scale for n, scale in zip(self.counts(rows), self.scale, strict=True)]
        return [x / sum(scaled, ZERO) for x in scaled]

    def costs(self, rows: Rows) -> list[Decimal]:
        """What each answer would cost on these rows."""
        kinds, counts = range(self.lesson.n_classes), self.counts(rows)
        return [sum((counts[i] * self.scale[i] * self.losses[i][j] for i in kinds), ZERO) for j in kinds]

    def answer(self, rows: Rows) -> int:
        """The class that costs least; the first of equals."""
        costs = self.costs(rows)
        return costs.index(min(costs))

    def risk(self, rows: Rows) -> Decimal:
        """What that answer costs."""
        return min(self.costs(rows))

    def loss(self, row: int, answer: int) -> Decimal:
        """What an answer costs for one row of weight 1."""
        truth = int(self.lesson.target[row])
        return self.scale[truth] * self.losses[truth][answer]
