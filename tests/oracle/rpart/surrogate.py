"""Surrogates: cuts of other columns that send rows the same way as the primary split, for rows that it cannot send.

Everything here is counted in the weights as they were given; priors, losses and exposure play no part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from oracle.rpart.lesson import Control, Lesson, Rows
from oracle.rpart.primary import Test, cut_between
from treewright.reference.table import Column

FEWEST_ROWS = 2


@dataclass(frozen=True)
class Surrogate:
    """A test with the share of the weight that it sends as the primary does, also adjusted for the majority's."""

    test: Test
    agree: Fraction
    adj: Fraction


@dataclass(frozen=True)
class Guided:
    """The rows of a node that the primary split can send, with where they go."""

    lesson: Lesson
    rows: Rows  # all of the node, also those that the primary split cannot send
    sides: dict[int, bool]  # row -> goes left
    torn_goes_left: bool  # where a level goes when nothing else tells

    def known(self, column: Column) -> list[int]:
        """The rows with a value in the column and in the primary's."""
        return column.known(list(self.sides))

    def weights(self, rows: Sequence[int]) -> tuple[int, int]:
        """The weight that goes left, and right."""
        left = self.lesson.weight([row for row in rows if self.sides[row]])
        return left, self.lesson.weight(rows) - left


def best_threshold(guided: Guided, j: int, column: Column) -> tuple[int, Test] | None:
    """The cut that agrees most, in either direction, if it beats sending all rows one way; the lowest of equals.

    Cuts lie between neighbouring values of all rows of the node, also of rows that the primary split cannot send.
    """
    values = column.present(guided.rows)
    rows_of: dict[float, list[int]] = {value: [] for value in values}
    for row in guided.known(column):
        rows_of[column.values[row] or 0].append(row)
    all_left, all_right = guided.weights(guided.known(column))
    agree, found = max(all_left, all_right), None
    below_left = below_right = n_below = 0
    for low, high in pairwise(values):
        left, right = guided.weights(rows_of[low])
        below_left, below_right, n_below = below_left + left, below_right + right, n_below + len(rows_of[low])
        if min(n_below, len(guided.known(column)) - n_below) < FEWEST_ROWS:
            continue
        as_primary = below_left + all_right - below_right
        if max(as_primary, all_left + all_right - as_primary) > agree:
            agree = max(as_primary, all_left + all_right - as_primary)
            found = low, high, as_primary == agree
    if found is None:
        return None
    low, high, below_is_left = found
    sides = frozenset(v for v in values if v <= low), frozenset(v for v in values if v > low)
    return agree, Test(j, cut_between(column, low, high), *(sides if below_is_left else reversed(sides)))


def best_levels(guided: Guided, j: int, column: Column) -> tuple[int, Test] | None:
    """Every level follows the majority of its own rows; a level that is torn, the majority of all.

    rpart asks that at least two rows be sent the wrong way. (It will have meant two rows on each side, as for
    thresholds: its levels can never make a perfect surrogate.) We do as rpart does.
    """
    rows = guided.known(column)
    all_left, all_right = guided.weights(rows)
    torn_goes_left = guided.torn_goes_left if all_left == all_right else all_left > all_right
    left, right, agree, wrong = set(), set(), 0, 0
    for level in column.present(rows):
        own = [row for row in rows if column.values[row] == level]
        own_left, own_right = guided.weights(own)
        goes_left = torn_goes_left if own_left == own_right else own_left > own_right
        (left if goes_left else right).add(level)
        agree += own_left if goes_left else own_right
        wrong += sum(guided.sides[row] is not goes_left for row in own)
    return None if wrong < FEWEST_ROWS else (agree, Test(j, None, frozenset(left), frozenset(right)))


def sends_left(test: Test, value: float | None) -> bool | None:
    """Where a surrogate sends a value. With a threshold, either side may be the left one."""
    if value is None or test.threshold is None:
        return test.goes_left(value)
    return (value <= test.threshold) == (max(test.left) <= test.threshold)


def surrogates(lesson: Lesson, control: Control, primary: Test, rows: Rows, torn_goes_left: bool) -> list[Surrogate]:
    """The best surrogate of every other column, those that agree most first; the smaller column first of equals."""
    sent = {row: primary.goes_left(lesson.columns[primary.column].values[row]) for row in rows}
    guided = Guided(lesson, rows, {row: side for row, side in sent.items() if side is not None}, torn_goes_left)
    found = []
    for j, column in enumerate(lesson.columns):
        both = guided.known(column)
        if j == primary.column or not both:
            continue
        best = (best_levels if column.kind == "nominal" else best_threshold)(guided, j, column)
        counted = guided.weights(both if control.count_both_known else list(guided.sides))
        if best is not None and best[0] > max(counted):
            adj = Fraction(best[0] - max(counted), sum(counted) - max(counted))
            found.append(Surrogate(best[1], Fraction(best[0], sum(counted)), adj))
    return sorted(found, key=lambda surrogate: -surrogate.agree)[: control.max_surrogates]
