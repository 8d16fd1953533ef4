"""CHAID: bin the numbers, merge the categories of every column, split by the column with the smallest adjusted p.

Read `chaid_outcomes` (the tests) and `chaid_merging` (the groups of one column) first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from oracle.chaid_merging import MISSING, Column, Group, Merged, Rules
from oracle.chaid_outcomes import Outcome, rank
from treewright.reference.table import Table


@dataclass(frozen=True)
class Stops(Rules):
    """The rules of merging with those of growing."""

    max_depth: int | None = 3
    min_samples_split: float = 100
    min_samples_leaf: float = 50
    bins: int = 10


@dataclass
class Node:
    """A node: its rows, and the column, groups and test by which they are divided; no column at a leaf."""

    rows: list[int]
    depth: int
    column: int = -1
    merged: Merged | None = None
    children: list[Node] = field(default_factory=list)


def bin_edges(values: Sequence[tuple[float, int]], bins: int) -> list[float]:
    """The largest value of every bin but the last, from (value, weight) pairs.

    A value belongs to bin ceil(bins × share of the weight at or below it); a number that does not occur is no bin.

    >>> bin_edges([(v, 1) for v in (1, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9)], 4)
    [3, 6]
    """
    total, below = sum(weight for _, weight in values), 0
    last: dict[int, float] = {}
    for value in sorted({value for value, _ in values}):
        below += sum(weight for other, weight in values if other == value)
        last[math.ceil(Fraction(bins * below, total))] = value
    return [last[number] for number in sorted(last)][:-1]


class Grower:
    """Grows one tree; `nodes` holds it in preorder when `run` is done."""

    def __init__(self, table: Table, outcome: Outcome, stops: Stops) -> None:
        self.table, self.outcome, self.stops = table, outcome, stops
        self.edges = [self.edges_of(column) for column in range(len(table.columns))]
        self.nodes: list[Node] = []

    def edges_of(self, column: int) -> list[float]:
        """The bins of a numeric column, on all rows of the table; no edges for levels."""
        values = self.table.columns[column].values
        known = [(v, self.size([row])) for row in self.table.rows() if (v := values[row]) is not None]
        return bin_edges(known, self.stops.bins) if self.table.columns[column].kind == "numeric" and known else []

    def size(self, rows: Sequence[int]) -> int:
        """How much some rows count for rules of size, and for bins."""
        return len(rows) if self.outcome.counts_rows else self.table.weight(rows)

    def sample(self, rows: Sequence[int]) -> list[tuple[int, int]]:
        """The (target, weight) pairs of some rows."""
        return [(self.table.target[row], self.table.weights[row]) for row in rows]

    def category(self, column: int, row: int) -> int:
        """The category of a row: its level, its bin from 1, or missing."""
        value = self.table.columns[column].values[row]
        if value is None:
            return MISSING
        if self.table.columns[column].kind != "numeric":
            return int(value)
        return 1 + sum(value > edge for edge in self.edges[column])

    def merging(self, column: int, rows: Sequence[int]) -> Column:
        """The categories of a column at a node, ready to merge."""
        by_category: dict[int, list[int]] = {}
        for row in rows:
            by_category.setdefault(self.category(column, row), []).append(row)
        kind = "monotonic" if MISSING not in by_category else "floating"
        if self.table.columns[column].kind == "nominal":
            kind = "free"
        cells = {category: self.outcome.cell(self.sample(part)) for category, part in by_category.items()}
        return Column(kind, cells, self.outcome, self.stops)

    def choose(self, rows: Sequence[int]) -> tuple[int, Merged] | None:
        """The column with the smallest adjusted p, its small branches joined; None where none is significant."""
        offers = [(column, self.merging(column, rows)) for column in range(len(self.table.columns))]
        tried = [(column, part, part.merge()) for column, part in offers if len(part.cells) > 1]
        if not tried:
            return None
        column, part, best = min(tried, key=_significance)
        if best.log_p_adjusted > math.log(self.stops.alpha_split):
            return None
        joined = part.judged(part.join_small(best.groups, self.stops.min_samples_leaf))
        if len(joined.groups) < 2 or joined.log_p_adjusted > math.log(self.stops.alpha_split):
            return None
        return column, joined

    def run(self) -> list[Node]:
        """Grow the tree, depth first."""
        waiting = [Node(self.table.rows(), 0)]
        while waiting:
            node = waiting.pop()
            self.nodes.append(node)
            if chosen := self.choose(node.rows) if self.may_split(node) else None:
                node.column, node.merged = chosen
                node.children = [
                    Node([row for row in node.rows if self.category(node.column, row) in group], node.depth + 1)
                    for group in node.merged.groups
                ]
                waiting.extend(reversed(node.children))
        return self.nodes

    def may_split(self, node: Node) -> bool:
        """Whether the rules of growing let a node be tested at all."""
        deep = self.stops.max_depth is not None and node.depth >= self.stops.max_depth
        small = self.size(node.rows) < self.stops.min_samples_split
        return not deep and not small and not self.outcome.is_pure(self.outcome.cell(self.sample(node.rows)))


def _significance(offer: tuple[int, Column, Merged]) -> tuple[float, float, int]:
    column, _, merged = offer
    answer = merged.answer
    return -rank(merged.log_p_adjusted), -rank(answer.statistic / max(answer.df, 1)), column


def grow(table: Table, outcome: Outcome, stops: Stops) -> list[Node]:
    """Grow a CHAID tree; its nodes in preorder.

    >>> from oracle.chaid_outcomes import Classes
    >>> from treewright.reference.table import Column as Values
    >>> table = Table((Values("nominal", (1, 1, 1, 2, 2, 2)),), (0, 0, 0, 1, 1, 1), (1,) * 6, 2)
    >>> nodes = grow(table, Classes(2), Stops(min_samples_split=2, min_samples_leaf=1))
    >>> [(node.rows, node.column) for node in nodes]
    [([0, 1, 2, 3, 4, 5], 0), ([0, 1, 2], -1), ([3, 4, 5], -1)]
    """
    return Grower(table, outcome, stops).run()


def branches(node: Node) -> list[Group]:
    """The groups of categories that lead to the children of a node."""
    return list(node.merged.groups) if node.merged else []
