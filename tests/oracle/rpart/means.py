"""A target of numbers, judged by squares: rpart's method "anova"."""

from __future__ import annotations

from decimal import Decimal

from oracle.rpart.lesson import Lesson, Rows, Statistic, total

ZERO = Decimal(0)


class Means:
    """Numbers; a leaf answers their mean. Sums are taken from the mean of all rows, so that few digits cancel."""

    def __init__(self, lesson: Lesson) -> None:
        self.lesson = lesson
        rows = lesson.rows()
        self.centre = sum((lesson.weights[row] * lesson.target[row] for row in rows), ZERO) / lesson.weight(rows)

    def statistic(self, row: int) -> Statistic:
        """The weight, and the weighted distance from the centre."""
        weight = Decimal(self.lesson.weights[row])
        return weight, weight * (self.lesson.target[row] - self.centre)

    def worth(self, sums: Statistic) -> Decimal:
        """S squared / W: what the mean explains of the squares."""
        return sums[1] * sums[1] / sums[0] if sums[0] else ZERO

    def rate(self, sums: Statistic) -> Decimal:
        """The mean."""
        return sums[1] / sums[0]

    def possible(self, rows: Rows) -> Decimal:
        """The sum of squares around the mean; exactly 0 where all numbers are the same."""
        return self.risk(rows) if len({self.lesson.target[row] for row in rows}) > 1 else ZERO

    def improve(self, gain: Decimal, rows: Rows) -> Decimal:
        """The share of the node's sum of squares that the split explains."""
        return gain / self.risk(rows)

    def answer(self, rows: Rows) -> Decimal:
        """The mean."""
        return self.centre + self.rate(total(self, rows))

    def risk(self, rows: Rows) -> Decimal:
        """The sum of squares around the mean."""
        mean = self.answer(rows)
        return sum((self.lesson.weights[row] * self.loss(row, mean) for row in rows), ZERO)

    def loss(self, row: int, answer: Decimal) -> Decimal:
        """The square of the distance."""
        return (self.lesson.target[row] - answer) ** 2
