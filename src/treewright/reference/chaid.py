"""CHAID (Kass 1980; exhaustive: Biggs, de Ville and Suen 1991): bin the numbers, merge the categories of every column,
split by the column with the smallest adjusted p.

Read `group_tests` (the tests) and `chaid_merging` (the groups of one column) first.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import localcontext
from functools import cached_property
from typing import Any

from treewright.reference.arithmetic import DECIMALS, Number
from treewright.reference.chaid_merging import MISSING, Group, Merged, Merging, Rules, order_of, share_ceiling
from treewright.reference.group_tests import GroupTests
from treewright.reference.growing import Algorithm, Candidate, Choice, Node
from treewright.reference.split import Division, Split
from treewright.reference.table import Place, Table


@dataclass(frozen=True)
class Recipe(Rules):
    """The rules of merging with those of growing. `missing` is "branch" where a missing value is one more category."""

    max_depth: int | None = 3
    min_samples_split: float = 100
    min_samples_leaf: float = 50
    bins: int = 10
    missing: str = "branch"


@dataclass(frozen=True)
class ColumnMerged(Candidate):
    """A column whose categories are merged; `leads` marks the one that was ahead before its small branches were joined,
    which only the leader's are."""

    merging: Merging | None = None
    merged: Merged | None = None
    leads: bool = False


def bin_edges(values: Sequence[tuple[float, Number]], bins: int) -> list[float]:
    """The largest value of every bin but the last, from (value, weight) pairs.

    A value belongs to bin ceil(bins · share of the weight at or below it); a number that does not occur is no bin.

    >>> bin_edges([(v, 1) for v in (1, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9)], 4)
    [3, 6]
    """
    weights: dict[float, Number] = {}
    for value, weight in values:
        weights[value] = weights.get(value, 0) + weight
    total, below = sum(weights.values()), 0
    last: dict[int, float] = {}
    for value in sorted(weights):
        below += weights[value]
        last[share_ceiling(below, total, bins)] = value
    return [last[number] for number in sorted(last)][:-1]


class Chaid(Algorithm):
    """One table, how its target is tested, and the recipe.

    >>> from treewright.reference.group_tests import Classes
    >>> from treewright.reference.table import Column
    >>> sky = Column("nominal", (1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3))
    >>> tennis = Table((sky,), (0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1), (1.0,) * 14, n_classes=2)
    >>> [outlook] = Chaid(tennis, Classes(), Recipe()).candidates(Place(tennis, tennis.cases()))
    >>> outlook.merged.groups, round(outlook.measures["chi_square"], 4), round(math.exp(outlook.measures["log_p"]), 4)
    (((1, 3), (2,)), 3.1111, 0.0778)
    """

    def __init__(self, table: Table, tests: GroupTests, recipe: Recipe) -> None:
        super().__init__(table)
        self.tests, self.recipe = tests, recipe

    @cached_property
    def edges(self) -> list[list[float]]:
        """The bins of each numeric column, made once on all rows; no edges for levels."""
        return [self.edges_of(j) for j in range(len(self.table.columns))]

    def edges_of(self, j: int) -> list[float]:
        """The bins of one column."""
        column = self.table.columns[j]
        counted = ((row, 1 if self.tests.counts_rows else weight) for row, weight in self.table.cases())
        known = [(value, size) for row, size in counted if (value := column.values[row]) is not None]
        return bin_edges(known, self.recipe.bins) if column.kind == "numeric" and known else []

    def category(self, j: int, value: float) -> int:
        """The category of a value: its level, or its bin from 1."""
        return bisect_left(self.edges[j], value) + 1 if self.table.columns[j].kind == "numeric" else int(value)

    def stop(self, place: Place) -> str | None:
        """Too small, pure, or too deep."""
        tally = self.tests.tally(self.table, place.cases)
        if self.tests.size(tally) < self.recipe.min_samples_split:
            return "min_samples_split"
        if tally.is_pure:
            return "pure"
        return "max_depth" if self.recipe.max_depth is not None and place.depth >= self.recipe.max_depth else None

    # ------------------------------------------------------------------------------------------ the candidates
    def merging(self, place: Place, j: int) -> Merging:
        """The categories of a column at a node, ready to merge."""
        column, parts = self.table.columns[j], dict[int, list[tuple[int, Number]]]()
        for row, weight in place.cases:
            value = column.values[row]
            if value is not None or self.recipe.missing == "branch":
                parts.setdefault(MISSING if value is None else self.category(j, value), []).append((row, weight))
        kind = "free" if column.kind == "nominal" else "floating" if MISSING in parts else "monotonic"
        cells = {category: self.tests.tally(self.table, part) for category, part in parts.items()}
        return Merging(kind, cells, self.tests, self.recipe)

    def candidates(self, place: Place) -> list[ColumnMerged]:
        """Merge and test every column; small branches of the best one join others."""
        found = [self.candidate(j, self.merging(place, j)) for j in range(len(self.table.columns))]
        best = self.most_significant(found)
        if best is not None and self.is_significant(found[best]):
            merging, merged = found[best].merging, found[best].merged
            assert merging is not None
            assert merged is not None
            groups = merging.join_small(merged.groups, self.recipe.min_samples_leaf)
            found[best] = replace(self.as_merged(found[best].column, merging, merging.judged(groups)), leads=True)
        return found

    def candidate(self, j: int, merging: Merging) -> ColumnMerged:
        """One column with its categories merged."""
        return self.as_merged(j, merging, merging.run()) if len(merging.cells) > 1 else ColumnMerged(j, why="all equal")

    def as_merged(self, j: int, merging: Merging, merged: Merged) -> ColumnMerged:
        """The division into the groups that were found, and their test."""
        test = merged.test
        measures = {"degrees": float(test.degrees), "log_p": test.log_p, "multiplier": float(merged.tries)}
        measures |= {"log_p_adjusted": merged.log_p_adjusted}
        measures |= {} if test.within is None else {"degrees_within": test.within}
        measures["chi_square" if self.table.n_classes else "f"] = test.statistic
        division = Division(self.split(j, merged.groups), tuple(map(merging.tally, merged.groups)))
        why = "one group" if len(merged.groups) < 2 else ""
        return ColumnMerged(j, division, measures, why, steps=merged.steps, merging=merging, merged=merged)

    def split(self, j: int, groups: Sequence[Group]) -> Split:
        """The test with a branch for each group."""
        missing = next((b for b, group in enumerate(groups) if MISSING in group), None)
        if self.table.columns[j].kind == "nominal":
            levels = {code: b for b, group in enumerate(groups) for code in group if code != MISSING}
            return Split(j, levels=levels, missing=missing)
        tops = [max(c for c in group if c != MISSING) for group in groups if group != (MISSING,)]
        edges = self.edges[j]
        return Split(j, cuts=tuple(edges[top - 1] if edges else float(top) for top in tops[:-1]), missing=missing)

    # ------------------------------------------------------------------------------------------ the choice
    def most_significant(self, candidates: Sequence[Candidate]) -> int | None:
        """The smallest adjusted p; then the largest statistic for its degrees of freedom, then the first."""

        def key(i: int) -> tuple[float, float]:
            measures = candidates[i].measures
            statistic = measures["chi_square" if self.table.n_classes else "f"]
            return -order_of(measures["log_p_adjusted"]), -order_of(statistic / max(measures["degrees"], 1))

        return min((i for i, candidate in enumerate(candidates) if candidate.measures), key=key, default=None)

    def ahead(self, candidates: Sequence[Candidate]) -> int | None:
        """The one that led before its small branches were joined, or else the most significant."""
        leads = (i for i, candidate in enumerate(candidates) if isinstance(candidate, ColumnMerged) and candidate.leads)
        return next(leads, self.most_significant(candidates))

    def is_significant(self, candidate: Candidate) -> bool:
        """Whether the adjusted p is small enough."""
        return bool(candidate.measures["log_p_adjusted"] <= math.log(self.recipe.alpha_split))

    def choose(self, place: Place, candidates: Sequence[Candidate]) -> Choice:
        """Take the smallest adjusted p."""
        best = self.ahead(candidates)
        if best is None:
            return Choice(None, "no cut")
        if candidates[best].split is None or not self.is_significant(candidates[best]):
            return Choice(None, "not significant")
        return Choice(best, "best")

    def answer(self, node: Node) -> Number:
        """The majority or the mean."""
        tally: Any = node.tally
        return node.majority() if self.table.n_classes else tally.mean


def grow(table: Table, tests: GroupTests, recipe: Recipe) -> list[Node]:
    """Grow a CHAID tree, its sums in decimals; its nodes in preorder.

    >>> from treewright.reference.group_tests import Classes
    >>> from treewright.reference.table import Column
    >>> table = Table((Column("nominal", (1, 1, 1, 2, 2, 2)),), (0, 0, 0, 1, 1, 1), (1,) * 6, 2)
    >>> [node.rows for node in grow(table, Classes(), Recipe(min_samples_split=2, min_samples_leaf=1))]
    [(0, 1, 2, 3, 4, 5), (0, 1, 2), (3, 4, 5)]
    """
    with localcontext(DECIMALS):
        return list(Chaid(table.exact(), tests, recipe).grow().preorder())
