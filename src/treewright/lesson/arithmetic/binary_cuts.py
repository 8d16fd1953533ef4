"""Every way to cut one column in two: between neighbouring values, or by sets of levels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from treewright.lesson.arithmetic.split import Split, cut_labels, level_label
from treewright.lesson.arithmetic.tally import ClassTally, NumberTally, Tally
from treewright.lesson.arithmetic.value_table import ValueTable
from treewright.table.schema import Column

EXHAUSTIVE_LEVELS = 10  # with three classes or more, up to so many levels are grouped in every way


@dataclass(frozen=True)
class Cut:
    """One way: the split of the known values, and what each side holds. Without a column it asks for any value."""

    split: Split
    column: Column | None
    left: Tally
    right: Tally

    @property
    def tallies(self) -> tuple[Tally, Tally]:
        """What both sides hold."""
        return self.left, self.right

    @property
    def labels(self) -> tuple[str, str]:
        """Name the two sides; written when asked for, since few cuts of many are shown."""
        if self.column is None:
            return "known", "missing"
        if not self.split.levels:
            first, second = cut_labels(self.column, self.split.cuts)
            return first, second
        sides = [[code for code, branch in self.split.levels.items() if branch == side] for side in (0, 1)]
        return level_label(self.column, sides[0]), level_label(self.column, sides[1])


def midpoint(low: float, high: float) -> float:
    """The middle between two neighbours; the lower one if the middle rounds up to the higher.

    >>> midpoint(1.0, 2.0), midpoint(1.0, 1.0000000000000002)
    (1.5, 1.0)
    """
    middle = low + (high - low) / 2
    return middle if middle < high else low


def ordered_cuts(column: Column, j: int, table: ValueTable) -> Iterator[Cut]:
    """Cut between neighbouring values, ascending: numbers at the midpoint, ordinal levels after the lower one.

    Examples
    --------
    >>> none, no, yes = ClassTally(0, (0.0, 0.0)), ClassTally(1, (1.0, 0.0)), ClassTally(1, (0.0, 1.0))
    >>> table = ValueTable((1.0, 2.0), (no, yes), none, none)
    >>> [cut.labels for cut in ordered_cuts(Column("age", "numeric"), 0, table)]
    [('<= 1.5', '> 1.5')]
    """
    sides = [table.nothing]
    for tally in table.tallies:
        sides.append(sides[-1] + tally)
    after = [table.nothing]
    for tally in reversed(table.tallies):
        after.append(tally + after[-1])
    for place, (low, high) in enumerate(pairwise(table.values), start=1):
        at = low if column.kind == "ordinal" else midpoint(low, high)
        yield Cut(Split(j, cuts=(at,)), column, sides[place], after[len(table.values) - place])


def level_cuts(column: Column, j: int, table: ValueTable, n_classes: int, along_rates: bool = True) -> Iterator[Cut]:
    """Cut nominal levels in two. Two classes or numbers: along the order of their rates, which is enough
    (Breiman and others 1984, theorem 4.5). More classes: every grouping, or for many levels a good choice of them.
    Without `along_rates` few levels are grouped in every way for any target.
    """
    places = range(len(table.values))
    if n_classes <= 2 and (along_rates or len(places) > EXHAUSTIVE_LEVELS):
        groupings = _prefixes(sorted(places, key=lambda place: (*_rate(table.tallies[place]), place)))
    elif len(places) <= EXHAUSTIVE_LEVELS:
        groupings = _subsets(len(places))
    else:
        groupings = _some_subsets(table, n_classes)
    for left in groupings:
        right = [place for place in places if place not in left]
        yield _level_cut(column, j, table, sorted(left), right)


def level_cuts_by_share(column: Column, j: int, table: ValueTable, n_classes: int) -> Iterator[Cut]:
    """Cut nominal levels in two along their mean or rate; with three classes and more, along the share of each."""
    if n_classes <= 2:
        yield from level_cuts(column, j, table, n_classes)
        return
    places = range(len(table.values))
    present = [k for k, count in enumerate(_counts(table.known + table.missing)) if count > 0]
    for k in present:
        shares = [_counts(tally)[k] / tally.weight for tally in table.tallies]
        for left in _prefixes(sorted(places, key=lambda place: (shares[place], place))):
            yield _level_cut(column, j, table, sorted(left), [place for place in places if place not in left])


def _level_cut(column: Column, j: int, table: ValueTable, left: Sequence[int], right: Sequence[int]) -> Cut:
    codes = [[int(table.values[place]) for place in side] for side in (left, right)]
    levels = {code: branch for branch, side in enumerate(codes) for code in side}
    return Cut(Split(j, levels=levels), column, table.sum_of(left), table.sum_of(right))


def _rate(tally: Tally) -> tuple[float, ...]:
    if isinstance(tally, NumberTally):
        return (tally.median, tally.mean) if tally.values else (tally.mean,)
    assert isinstance(tally, ClassTally)
    return (tally.counts[1] / tally.weight if len(tally.counts) > 1 else 0.0,)


def _prefixes(order: Sequence[int]) -> Iterator[set[int]]:
    for size in range(1, len(order)):
        yield set(order[:size])


def _subsets(n: int) -> Iterator[set[int]]:
    """Every division, as ascending bit masks of the side without the smallest level."""
    for mask in range(1, 2 ** max(n - 1, 0)):
        yield {0, *(place for place in range(1, n) if not mask >> (place - 1) & 1)}


def _some_subsets(table: ValueTable, n_classes: int) -> Iterator[set[int]]:
    places = range(len(table.values))
    for k in range(n_classes):
        shares = [_counts(tally)[k] / tally.weight for tally in table.tallies]
        yield from _prefixes(sorted(places, key=lambda place: (shares[place], place)))
    for place in places:
        yield {place}


def _counts(tally: Tally) -> tuple[float, ...]:
    assert isinstance(tally, ClassTally)
    return tally.counts
