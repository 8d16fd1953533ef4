"""Every division in two that one column offers at a node, in the order in which ties are decided.

First the cuts of the known values (numbers and ordered levels: between neighbours; nominal: sets of levels), then for
each cut what the missing policy makes of it: who gets the rows without a value, and which rows the score counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import inf
from typing import Any

from treewright.reference.arithmetic import Number
from treewright.reference.split import Division, Split, midpoint
from treewright.reference.table import Column, ValueTable
from treewright.reference.tally import NumberTally, Tally

EXHAUSTIVE_LEVELS = 10  # with three classes or more, up to so many levels are grouped in every way


# ------------------------------------------------------------------------------------------ cuts of the known values
def ordered_cuts(column: Column, j: int, table: ValueTable) -> Iterator[Division]:
    """Cut between neighbouring values, ascending: numbers at the midpoint, ordinal levels after the lower one.

    >>> from treewright.reference.table import Place, Table
    >>> ages = Table((Column("numeric", (20, 30, 50)),), (0, 0, 1), (1.0,) * 3, n_classes=2)
    >>> cuts = ordered_cuts(ages.columns[0], 0, Place(ages, ages.cases()).values_of(0))
    >>> [(cut.split.cuts, cut.branches[0].counts) for cut in cuts]
    [((25.0,), (1.0, 0.0)), ((40.0,), (2.0, 0.0))]
    """
    below, above = [table.nothing], [table.nothing]
    for tally in table.tallies:
        below.append(below[-1] + tally)
    for tally in reversed(table.tallies):
        above.append(tally + above[-1])
    for place, (low, high) in enumerate(pairwise(table.values), start=1):
        at = low if column.kind == "ordinal" else midpoint(low, high)
        sides = below[place], above[len(table.values) - place]
        yield Division(Split(j, cuts=(at,)), sides, between=(low, high))


def level_cuts(j: int, table: ValueTable, n_classes: int, along_rates: bool = True) -> Iterator[Division]:
    """Cut nominal levels in two. Two classes or numbers: along the order of their rates, which is enough
    (Breiman and others 1984, theorem 4.5). More classes: every grouping, or for many levels a good choice of them.
    Without `along_rates` few levels are grouped in every way for any target.

    >>> from treewright.reference.table import Place, Table
    >>> colours = Table((Column("nominal", (1, 2, 3)),), (0, 1, 0), (1.0,) * 3, n_classes=2)
    >>> cuts = level_cuts(0, Place(colours, colours.cases()).values_of(0), 2)
    >>> [cut.split.levels for cut in cuts]
    [{1: 0, 2: 1, 3: 1}, {1: 0, 3: 0, 2: 1}]
    """
    places = range(len(table.values))
    if n_classes <= 2 and (along_rates or len(places) > EXHAUSTIVE_LEVELS):
        groupings = prefixes(sorted(places, key=lambda place: (*_rate(table.tallies[place]), place)))
    elif len(places) <= EXHAUSTIVE_LEVELS:
        groupings = subsets(len(places))
    else:
        groupings = _some_subsets(table, n_classes)
    for left in groupings:
        yield level_cut(j, table, left)


def level_cuts_by_share(j: int, table: ValueTable, n_classes: int) -> Iterator[Division]:
    """Cut nominal levels in two along their mean or rate; with three classes and more, along the share of each.

    >>> from treewright.reference.table import Place, Table
    >>> table = Table((Column("nominal", (1, 2, 3, None)),), (0, 1, 2, 2), (1.0,) * 4, n_classes=3)
    >>> found = Place(table, table.cases()).values_of(0)
    >>> len(list(level_cuts_by_share(0, found, 3)))  # two along the share of each class
    6
    """
    if n_classes <= 2:
        yield from level_cuts(j, table, n_classes)
        return
    counts: Any = (table.known + table.missing, *table.tallies)
    for k in (k for k, count in enumerate(counts[0].counts) if count > 0):
        yield from (level_cut(j, table, left) for left in prefixes(_by_share(table, k)))


def level_cut(j: int, table: ValueTable, left: set[int]) -> Division:
    """The levels at some places of the table against the others.

    >>> from treewright.reference.table import Place, Table
    >>> table = Table((Column("nominal", (1, 2, 3, None)),), (0, 1, 2, 2), (1.0,) * 4, n_classes=3)
    >>> found = Place(table, table.cases()).values_of(0)
    >>> level_cut(0, found, {0, 2}).split.levels
    {1: 0, 3: 0, 2: 1}
    """
    sides = sorted(left), [place for place in range(len(table.values)) if place not in left]
    levels = {int(table.values[place]): branch for branch, side in enumerate(sides) for place in side}
    return Division(Split(j, levels=levels), (table.sum_of(sides[0]), table.sum_of(sides[1])))


def _rate(tally: Any) -> tuple[Number, ...]:
    if isinstance(tally, NumberTally):
        return (tally.median, tally.mean) if tally.values else (tally.mean,)
    return (tally.counts[1] / tally.weight if len(tally.counts) > 1 else 0,)


def prefixes(order: Sequence[int]) -> Iterator[set[int]]:
    """The first against the rest, the first two against the rest, and so on.

    >>> list(prefixes([2, 0, 1]))
    [{2}, {0, 2}]
    """
    for size in range(1, len(order)):
        yield set(order[:size])


def subsets(n: int) -> Iterator[set[int]]:
    """Every division of n levels in two, as ascending bit masks of the side without the smallest level.

    >>> list(subsets(3))
    [{0, 2}, {0, 1}, {0}]
    """
    for mask in range(1, 2 ** max(n - 1, 0)):
        yield {0, *(place for place in range(1, n) if not mask >> (place - 1) & 1)}


def _some_subsets(table: ValueTable, n_classes: int) -> Iterator[set[int]]:
    for k in range(n_classes):
        yield from prefixes(_by_share(table, k))
    yield from ({place} for place in range(len(table.values)))


def _by_share(table: ValueTable, k: int) -> list[int]:
    tallies: Any = table.tallies
    return sorted(range(len(tallies)), key=lambda place: (tallies[place].counts[k] / tallies[place].weight, place))


# ------------------------------------------------------------------------------------------ rows without a value
def with_missing(cut: Division, table: ValueTable, policy: str) -> Iterator[Division]:
    """Say who gets the rows without a value, and which rows the score counts.

    "learn" tries them on both sides, "branch" gives them a branch of their own; else the known rows decide, for as
    much as their share of the weight, and the others follow the heavier side.

    >>> from treewright.reference.table import Place, Table
    >>> ages = Table((Column("numeric", (20, 30, None)),), (0, 1, 1), (1.0,) * 3, n_classes=2)
    >>> found = Place(ages, ages.cases()).values_of(0)
    >>> cut = next(ordered_cuts(ages.columns[0], 0, found))
    >>> [(d.split.missing, d.branches[0].counts, d.branches[1].counts) for d in with_missing(cut, found, "learn")]
    [(0, (1.0, 1.0), (0.0, 1.0)), (1, (1.0, 0.0), (0.0, 2.0))]
    """
    left, right = cut.branches
    heavier = 0 if left.weight >= right.weight else 1
    missing = table.missing
    if not missing.rows:
        yield _sent(cut, heavier, (left, right))
    elif policy == "learn":
        yield _sent(cut, 0, (left + missing, right), has_missing=True)
        yield _sent(cut, 1, (left, right + missing), has_missing=True)
    elif policy == "branch":
        yield _sent(cut, 2, (left, right, missing), has_missing=True)
    else:
        share = table.known.weight / (table.known.weight + missing.weight)
        yield _sent(cut, heavier, (left, right), share=share, has_missing=True)


def _sent(cut: Division, missing: int, branches: tuple[Tally, ...], **more: Any) -> Division:
    return Division(replace(cut.split, missing=missing), branches, **more)


def known_or_not(j: int, table: ValueTable, is_nominal: bool) -> Iterator[Division]:
    """Whether there is a value at all, as a division of its own.

    >>> from treewright.reference.table import Place, Table
    >>> table = Table((Column("nominal", (1, 2, 3, None)),), (0, 1, 2, 2), (1.0,) * 4, n_classes=3)
    >>> found = Place(table, table.cases()).values_of(0)
    >>> [division.branches[1].counts for division in known_or_not(0, found, is_nominal=True)]
    [(0.0, 0.0, 1.0)]
    """
    if table.missing.rows and table.values:
        levels = {int(code): 0 for code in table.values} if is_nominal else {}
        split = Split(j, cuts=() if levels else (inf,), levels=levels, missing=1)
        yield Division(split, (table.known, table.missing), has_missing=True)
