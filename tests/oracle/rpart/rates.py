"""Counts of events with an exposure: rpart's method "poisson", with its shrunk rates."""

from __future__ import annotations

from decimal import Decimal

from oracle.rpart.lesson import Lesson, Rows, Statistic, total
from treewright.reference.arithmetic import ln

ZERO = Decimal(0)


class Rates:
    """Events and exposure; a leaf answers a rate, drawn towards the rate of all rows where it has seen little.

    The rates of leaves are taken for draws from a gamma distribution with coefficient of variation `shrink`; with
    a = 1 / shrink squared, a leaf answers (events + a) / (exposure + a / rate of all rows). 0 shrinks nothing. `rows`
    are those that the tree is grown from, where they are not all.
    """

    def __init__(self, lesson: Lesson, shrink: Decimal = Decimal(1), rows: Rows = ()) -> None:
        self.lesson = lesson
        exposure, events = total(self, rows or lesson.rows())
        self.more_events = 1 / shrink**2 if shrink else ZERO
        self.more_exposure = self.more_events / (events / exposure)

    def exposure(self, row: int) -> Decimal:
        """The exposure of a row; 1 where none was given."""
        return self.lesson.exposure[row] if self.lesson.exposure else Decimal(1)

    def statistic(self, row: int) -> Statistic:
        """Exposure and events."""
        weight = self.lesson.weights[row]
        return weight * self.exposure(row), weight * self.lesson.target[row]

    def worth(self, sums: Statistic) -> Decimal:
        """The log likelihood of the rate, but for what is the same for every division."""
        exposure, events = sums
        return events * ln(events / exposure) if events else ZERO

    def rate(self, sums: Statistic) -> Decimal:
        """Events by exposure."""
        return sums[1] / sums[0]

    def possible(self, rows: Rows) -> Decimal:
        """Half the deviance around the plain rate; exactly 0 where all rows have the same rate."""
        if len({self.lesson.target[row] / self.exposure(row) for row in rows}) == 1:
            return ZERO
        rate = self.rate(total(self, rows))
        return sum((self.lesson.weights[row] * self.loss(row, rate) for row in rows), ZERO) / 2

    def improve(self, gain: Decimal, rows: Rows) -> Decimal:
        """Twice the gain, as a deviance."""
        return 2 * gain

    def answer(self, rows: Rows) -> Decimal:
        """The shrunk rate."""
        exposure, events = total(self, rows)
        return (events + self.more_events) / (exposure + self.more_exposure)

    def risk(self, rows: Rows) -> Decimal:
        """The deviance around the answer."""
        rate = self.answer(rows)
        return sum((self.lesson.weights[row] * self.loss(row, rate) for row in rows), ZERO)

    def loss(self, row: int, answer: Decimal) -> Decimal:
        """The deviance of one row."""
        events, expected = self.lesson.target[row], answer * self.exposure(row)
        return 2 * ((events * ln(events / expected) if events else ZERO) - events + expected)
