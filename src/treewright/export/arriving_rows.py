"""Rows that arrive at a node: what the tests on the way leave open of every column, and a value inside of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

from treewright.export.program import BELOW, KNOWN, MEMBER, NodeTable, Program
from treewright.table.schema import Column

Cell = Any  # None, a number, or a level
DATES = ("date", "datetime", "time", "duration")
LARGEST_DATE = {"date": 100_000, "datetime": 10**15, "time": 86_399_999_999, "duration": 10**13}


@dataclass(frozen=True)
class Region:
    """What is known of a column on the way to a node: above `low`, at most `high`, one of `codes`, or no value."""

    low: float = -math.inf
    high: float = math.inf
    codes: frozenset[int] | None = None
    missing: bool = False


@dataclass
class Walk:
    """The regions of each node of a tree, by column."""

    regions: list[dict[int, Region] | None] = field(default_factory=list)


def walked(program: Program, tree: NodeTable) -> Walk:
    """Follow the rules down: a node stands behind its parent, and the first rule that leads to it tells its region."""
    walk = Walk([None] * tree.n_nodes)
    walk.regions[0] = {}
    for node in range(tree.n_nodes):
        here = walk.regions[node]
        if here is None:
            continue
        left = here  # where no rule so far holds
        for rule in tree.rules(node):
            child = tree.rule_child[rule]
            if walk.regions[child] is None:
                walk.regions[child] = narrowed(tree, rule, left)
            left = _beyond(tree, rule, left)
        fallback = tree.fallback[node]
        targets = [child for child, _ in tree.pieces.get(node, ())] if node in tree.pieces else [fallback]
        for child in targets:
            if child >= 0 and walk.regions[child] is None:
                asked = {tree.rule_column[rule] for rule in tree.rules(node)} - {-1}
                walk.regions[child] = {**here, **{column: Region(missing=True) for column in asked}}
    return walk


def _beyond(tree: NodeTable, rule: int, here: dict[int, Region]) -> dict[int, Region]:
    """The region that is left to the next rule of a test by intervals: above the bound of this one."""
    column, number = tree.rule_column[rule], tree.rule_number[rule]
    if tree.rule_kind[rule] != BELOW or here.get(column, Region()).missing:
        return here
    old = here.get(column, Region())
    return {**here, column: replace(old, low=max(old.low, number))}


def narrowed(tree: NodeTable, rule: int, here: dict[int, Region]) -> dict[int, Region] | None:
    """Give the region of the rows that a rule takes."""
    kind, column, number = tree.rule_kind[rule], tree.rule_column[rule], tree.rule_number[rule]
    if column < 0:  # a sum: the region is not told column by column
        return dict(here)
    old = here.get(column, Region())
    if old.missing:
        return dict(here)  # no row without this value arrives; a row with another value may, by another way
    if kind == MEMBER:
        codes = frozenset(tree.sets[int(number)])
        new = replace(old, codes=codes if old.codes is None else codes & old.codes)
    elif kind == KNOWN:
        new = old
    elif number == number:
        new = replace(old, high=min(old.high, number)) if kind == BELOW else replace(old, low=max(old.low, number))
    return {**here, column: new}


def arriving(program: Program, regions: dict[int, Region], place: dict[int, int], node: int) -> list[Cell]:
    """A row that arrives at the node; columns that nobody asked for on the way have a value or none, by turns."""
    row: list[Cell] = []
    for at, column in enumerate(place):
        region = regions.get(column)
        if region is None:
            row.append(None if (node + at) % 2 else inside(program.columns[column], Region()))
        else:
            row.append(None if region.missing else inside(program.columns[column], region))
    return row


def inside(column: Column, region: Region) -> Cell:
    """Give a value of a column in a region; None where there is none.

    >>> inside(Column("age", "numeric"), Region(high=9.5))
    9.5
    >>> inside(Column("grade", "ordinal", levels=("low", "high")), Region(high=-math.inf)) is None
    True
    """
    if column.kind != "numeric":
        lowest, highest = (min(max(bound, 0.0), len(column.levels)) for bound in (region.low, region.high))
        low, high = math.floor(lowest) + 1, math.floor(highest)
        codes = region.codes if region.codes is not None else range(low, high + 1)
        chosen = min((code for code in codes if low <= code <= high), default=None)
        return None if chosen is None else column.levels[chosen - 1]
    if math.isfinite(region.high):
        value = region.high
    else:
        value = math.nextafter(region.low, math.inf) if math.isfinite(region.low) else 0.0
    if column.value_type in DATES:
        limit = LARGEST_DATE[column.value_type]
        return float(
            min(max(math.floor(value) if math.isfinite(region.high) else math.floor(value) + 1, -limit), limit)
        )
    return value
