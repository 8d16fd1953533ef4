"""Every split that one column offers at one node, in the order in which ties are decided.

First the cuts of the known values (numeric and ordinal: neighbours; nominal: subsets of levels), then for each cut
what the missing policy makes of it: who gets the rows without a value, and which rows the score counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise

from oracle import criteria
from oracle.table import Column, Table

EXHAUSTIVE_LEVELS = 10


@dataclass(frozen=True)
class Cut:
    """A test of the known values: `sides` says for each value present at the node whether it goes to 0 or 1.

    `threshold` is None for a test by levels.
    """

    threshold: float | None
    sides: tuple[tuple[float, int], ...]


@dataclass(frozen=True)
class Split:
    """A complete division of a node: the test, where missing goes, and the rows of every branch.

    `position` is the place of the cut in its column's order; the smaller one wins a tie. `sizes` are the rows of each
    branch that the search saw: the rule of the smallest leaf counts these.
    """

    column: int
    position: int
    cut: Cut
    missing_branch: int
    branches: tuple[tuple[int, ...], ...]
    sizes: tuple[int, ...]
    score: Decimal


def midpoint(low: float, high: float) -> float:
    """The threshold between two neighbouring values; the lower one if the middle rounds up to the higher.

    >>> midpoint(1.0, 2.0), midpoint(1.0, 1.0000000000000002)
    (1.5, 1.0)
    """
    middle = low + (high - low) / 2
    return middle if middle < high else low


def ordered_cuts(column: Column, rows: Sequence[int]) -> list[Cut]:
    """Cuts between neighbouring values, ascending. An ordinal threshold is the last level on the left.

    >>> [cut.threshold for cut in ordered_cuts(Column("numeric", (3, 1, 4, 1)), range(4))]
    [2.0, 3.5]
    >>> [cut.threshold for cut in ordered_cuts(Column("ordinal", (3, 1, 4, 1)), range(4))]
    [1, 3]
    """
    values = column.present(rows)
    cuts = []
    for low, high in pairwise(values):
        threshold = low if column.kind == "ordinal" else midpoint(low, high)
        cuts.append(Cut(threshold, tuple((value, int(value > low)) for value in values)))
    return cuts


def level_order(table: Table, column: Column, rows: Sequence[int], criterion: str) -> list[float]:
    """The levels by ascending rate of class 1, mean, or median then mean; equals by level code."""

    def key(level: float) -> tuple[Decimal, ...]:
        sample = table.sample([row for row in rows if column.values[row] == level])
        if table.n_classes:
            return (criteria.mean([(int(k == 1), w) for k, w in sample]), Decimal(level))
        if criterion == "absolute_error":
            return (Decimal(criteria.lower_median(sample)), criteria.mean(sample), Decimal(level))
        return (criteria.mean(sample), Decimal(level))

    return sorted(column.present(rows), key=key)


def prefix_cuts(order: Sequence[float]) -> list[Cut]:
    """The first level against the rest, the first two against the rest, and so on.

    >>> [cut.sides for cut in prefix_cuts([2, 1, 3])]
    [((1, 1), (2, 0), (3, 1)), ((1, 0), (2, 0), (3, 1))]
    """
    return [
        Cut(None, tuple(sorted((level, int(place >= size)) for place, level in enumerate(order))))
        for size in range(1, len(order))
    ]


def subset_cuts(levels: Sequence[float]) -> list[Cut]:
    """Every division into two sides, as ascending bit masks of the side without the smallest level.

    >>> [cut.sides for cut in subset_cuts([1, 4, 7])]
    [((1, 0), (4, 1), (7, 0)), ((1, 0), (4, 0), (7, 1)), ((1, 0), (4, 1), (7, 1))]
    """
    others = levels[1:]
    return [
        Cut(None, ((levels[0], 0), *((level, mask >> bit & 1) for bit, level in enumerate(others))))
        for mask in range(1, 2 ** len(others))
    ]


def cuts_of(table: Table, column: Column, rows: Sequence[int], criterion: str) -> list[Cut]:
    """The cuts of the known values, in the order of ties."""
    if column.kind != "nominal":
        return ordered_cuts(column, rows)
    if table.n_classes <= 2:
        return prefix_cuts(level_order(table, column, rows, criterion))
    levels = column.present(rows)
    if len(levels) > EXHAUSTIVE_LEVELS:
        raise ValueError(f"the oracle tries all subsets of at most {EXHAUSTIVE_LEVELS} levels, not {len(levels)}")
    return subset_cuts(levels)


def divide(column: Column, rows: Sequence[int], cut: Cut) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The known rows on side 0 and on side 1 of a cut."""
    side = dict(cut.sides)
    known = [(row, value) for row in rows if (value := column.values[row]) is not None]
    return (
        tuple(row for row, value in known if side[value] == 0),
        tuple(row for row, value in known if side[value] == 1),
    )


def known_against_missing(column: Column, rows: Sequence[int]) -> Cut:
    """The test that asks only whether there is a value."""
    threshold = None if column.kind == "nominal" else float("inf")
    return Cut(threshold, tuple((value, 0) for value in column.present(rows)))


def heavier(table: Table, branches: Sequence[Sequence[int]]) -> int:
    """The branch with the largest weight, the first of equals."""
    weights = [table.weight(branch) for branch in branches]
    return weights.index(max(weights))


Sides = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True)
class Search:
    """One column at one node under one criterion and one missing policy.

    >>> table = Table((Column("nominal", (1, 2, 3, 3)),), (0, 1, 0, 0), (1, 1, 1, 1), n_classes=2)
    >>> search = Search(table, 0, (0, 1, 2, 3), "gini", "learn")
    >>> max(split.score for split in search.splits()) == max(split.score for split in search.all_subsets())
    True
    """

    table: Table
    column: int
    rows: tuple[int, ...]
    criterion: str
    policy: str

    def splits(self) -> list[Split]:
        """Every split on offer, with its score; the size rules are not applied here."""
        return self.offers(cuts_of(self.table, self.table.columns[self.column], self.rows, self.criterion))

    def all_subsets(self) -> list[Split]:
        """Every split of a nominal column by brute force: the best of them is what the ordered scan must reach."""
        return self.offers(subset_cuts(self.table.columns[self.column].present(self.rows)))

    def offers(self, cuts: Sequence[Cut]) -> list[Split]:
        """What the missing policy makes of the cuts."""
        column = self.table.columns[self.column]
        missing = tuple(column.missing(self.rows))
        policies = {"learn": self.learn, "larger": self.larger, "branch": self.branch}
        offer = policies[self.policy] if missing else self.complete
        found = [
            split
            for position, cut in enumerate(cuts)
            for split in offer(position, cut, divide(column, self.rows, cut), missing)
        ]
        known = tuple(column.known(self.rows))
        if missing and known and self.policy == "learn":
            found.append(self.split(len(cuts), known_against_missing(column, self.rows), 1, (known, missing)))
        return found

    def split(self, position: int, cut: Cut, missing_branch: int, branches: tuple[tuple[int, ...], ...]) -> Split:
        """A split that is scored on all the rows of its branches."""
        found = criteria.score(self.criterion, [self.table.sample(branch) for branch in branches])
        sizes = tuple(len(branch) for branch in branches)
        return Split(self.column, position, cut, missing_branch, branches, sizes, found)

    def complete(self, position: int, cut: Cut, sides: Sides, missing: tuple[int, ...]) -> list[Split]:
        """Nothing is missing: rows that come later without a value follow the heavier branch."""
        return [self.split(position, cut, heavier(self.table, sides), sides)]

    def learn(self, position: int, cut: Cut, sides: Sides, missing: tuple[int, ...]) -> list[Split]:
        """Missing rows are tried on the left, then on the right, and count."""
        left, right = sides
        return [
            self.split(position, cut, 0, (left + missing, right)),
            self.split(position, cut, 1, (left, right + missing)),
        ]

    def larger(self, position: int, cut: Cut, sides: Sides, missing: tuple[int, ...]) -> list[Split]:
        """The known rows decide, for as much as their share of the weight; the missing follow the heavier side."""
        on_known = self.split(position, cut, heavier(self.table, sides), sides)
        share = Decimal(self.table.weight(sides[0] + sides[1])) / self.table.weight(self.rows)
        branches = tuple(
            side + missing if place == on_known.missing_branch else side for place, side in enumerate(sides)
        )
        return [replace(on_known, branches=branches, score=on_known.score * share)]

    def branch(self, position: int, cut: Cut, sides: Sides, missing: tuple[int, ...]) -> list[Split]:
        """Missing rows get a third branch of their own."""
        return [self.split(position, cut, 2, (*sides, missing))]
