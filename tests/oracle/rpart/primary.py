"""The best cut of each column at a node: the primary split and its competitors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from oracle.rpart.lesson import Control, Method, Rows, Statistic, add, subtract
from treewright.reference.arithmetic import quantised
from treewright.reference.divisions import subsets
from treewright.reference.split import midpoint
from treewright.reference.table import Column

EXHAUSTIVE_LEVELS = 10


@dataclass(frozen=True)
class Test:
    """A test of one column: `left` and `right` are the values, seen at the node, that go there."""

    column: int
    threshold: float | None
    left: frozenset[float]
    right: frozenset[float]

    def goes_left(self, value: float | None) -> bool | None:
        """Where a value goes; None if there is none, or if it is a level that the node has not seen."""
        if value is None:
            return None
        if self.threshold is not None:
            return value <= self.threshold
        return True if value in self.left else False if value in self.right else None


@dataclass(frozen=True)
class Candidate:
    """A test with its gain on the rows that have a value."""

    test: Test
    gain: Decimal
    quantum: int


def cut_between(column: Column, low: float, high: float) -> float:
    """The threshold between two neighbouring values."""
    return low if column.kind == "ordinal" else midpoint(low, high)


def summed_by_value(method: Method, column: Column, rows: Rows) -> dict[float, tuple[Statistic, int]]:
    """For every value present: the sums of its rows, and how many they are."""
    found: dict[float, tuple[Statistic, int]] = {}
    for row in rows:
        value = column.values[row]
        if value is not None:
            own = method.statistic(row)
            found[value] = (add(found[value][0], own), found[value][1] + 1) if value in found else (own, 1)
    return found


def left_sides(method: Method, column: Column, sums: dict[float, tuple[Statistic, int]]) -> Iterator[list[float]]:
    """The left side of every cut, in the order of ties; each grows from the one before where it can."""
    values = sorted(sums)
    if column.kind == "nominal" and method.lesson.n_classes > 2:
        if len(values) > EXHAUSTIVE_LEVELS:
            raise ValueError(f"the oracle tries all subsets of at most {EXHAUSTIVE_LEVELS} levels, not {len(values)}")
        for left in subsets(len(values)):
            yield [values[place] for place in sorted(left)]
        return
    if column.kind == "nominal":
        values.sort(key=lambda value: (method.rate(sums[value][0]), value))
    for size in range(1, len(values)):
        yield values[:size]


def best_of_column(method: Method, control: Control, j: int, rows: Rows, unit: Decimal) -> Candidate | None:
    """The cut of column j with the largest gain; the first of equals."""
    column = method.lesson.columns[j]
    sums = summed_by_value(method, column, rows)
    if len(sums) < 2:
        return None
    whole = add(*(own for own, _ in sums.values()))
    known = sum(n for _, n in sums.values())
    best: tuple[int, Decimal, list[float]] | None = None
    previous: list[float] = []
    left, n_left = subtract(whole, whole), 0
    for side in left_sides(method, column, sums):
        fresh = side[len(previous) :] if side[: len(previous)] == previous else side
        if fresh is side:
            left, n_left = subtract(whole, whole), 0
        left = add(left, *(sums[value][0] for value in fresh))
        n_left += sum(sums[value][1] for value in fresh)
        previous = side
        if min(n_left, known - n_left) < control.min_samples_leaf:
            continue
        gain = max(method.worth(left) + method.worth(subtract(whole, left)) - method.worth(whole), Decimal(0))
        if best is None or quantised(gain, unit) > best[0]:
            best = quantised(gain, unit), gain, side
    if best is None:
        return None
    quantum, gain, side = best
    others = sorted(set(sums) - set(side))
    threshold = None if column.kind == "nominal" else cut_between(column, max(side), others[0])
    return Candidate(Test(j, threshold, frozenset(side), frozenset(others)), gain, quantum)


def candidates(method: Method, control: Control, rows: Rows) -> list[Candidate]:
    """The best cuts of all columns, best first, the smaller column first of equals; primary and competitors only."""
    unit = method.possible(rows)
    if not unit:
        return []
    found: Sequence[Candidate | None] = [
        best_of_column(method, control, j, rows, unit) for j in range(len(method.lesson.columns))
    ]
    offers = [offer for offer in found if offer is not None and (offer.quantum > 0 or not control.must_gain)]
    return sorted(offers, key=lambda offer: -offer.quantum)[: control.max_competitors + 1]
