"""C4.5 by its definition: grow with fractions of cases, share out missing values, predict.

Read `c45_splits` first (one column at one node), then this (the choice among columns, dividing, growing, predicting),
then `c45_prune`. `c45_subsets` is the grouping of levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from oracle.c45_splits import (
    EPSILON,
    ROUNDING,
    TINY,
    Cases,
    Counts,
    NodeTest,
    Settings,
    best_threshold,
    class_counts,
    multiway,
    one_against_the_rest,
)
from oracle.c45_subsets import grouped
from treewright.reference.table import Table, Value


@dataclass
class Node:
    """A node with the cases that reached it. An empty node answers like its parent."""

    cases: Cases
    counts: Counts
    answer: int
    test: NodeTest | None = None
    children: list[Node] = field(default_factory=list)

    @property
    def weight(self) -> float:
        """The weight of its cases."""
        return sum(self.counts)

    @property
    def errors(self) -> float:
        """The weight that it gets wrong as a leaf."""
        return max(self.weight - max(self.counts), 0.0)

    @property
    def is_empty(self) -> bool:
        """Has it no case at all?"""
        return self.weight < TINY

    def become_leaf(self) -> None:
        """Drop what is below."""
        self.test, self.children = None, []

    def preorder(self) -> list[Node]:
        """The node and all below it."""
        found, waiting = [], [self]
        while waiting:
            node = waiting.pop()
            found.append(node)
            waiting += reversed(node.children)
        return found


def heaviest(counts: Counts) -> int:
    """The class with the largest weight, the first of equals.

    >>> heaviest([1.0, 3.0, 3.0])
    1
    """
    best = 0
    for k, count in enumerate(counts):
        if count > counts[best] + TINY:
            best = k
    return best


class C45:
    """One table and the settings; `grow` makes the full tree."""

    def __init__(self, table: Table, settings: Settings) -> None:
        self.table, self.settings = table, settings
        self.weight = table.weight(table.rows())

    def grow(self, rows: Sequence[int] | None = None) -> Node:
        """The tree before any pruning."""
        rows = self.table.rows() if rows is None else rows
        root = self.node([(row, float(self.table.weights[row])) for row in rows], 0)
        waiting = [root]
        while waiting:
            node = waiting.pop()
            node.test = self.choose(node)
            if node.test is not None:
                parts = self.divide(node.test, node.cases)
                node.children = [self.node(part, node.answer) for part in parts]
                waiting += node.children
        return root

    def node(self, cases: Cases, answer_above: int) -> Node:
        """A leaf with these cases."""
        counts = class_counts(self.table, cases)
        return Node(cases, counts, heaviest(counts) if sum(counts) >= TINY else answer_above)

    def test_of(self, index: int, cases: Cases) -> NodeTest | None:
        """The best test on one column, or None if it has none that may be used."""
        column, settings = self.table.columns[index], self.settings
        if column.kind != "nominal":
            return best_threshold(self.table, index, cases, settings)
        if settings.subsets and self.n_levels(index) > 2:
            return grouped(self.table, index, cases, settings)
        if settings.binary:
            return one_against_the_rest(self.table, index, cases, settings)
        return multiway(self.table, index, cases, settings)

    def n_levels(self, index: int) -> int:
        """How many levels a nominal column has."""
        return len(self.table.columns[index].present(range(len(self.table.target))))

    def has_many_levels(self, index: int) -> bool:
        """Has a nominal column so many levels that its gain says little?"""
        return self.table.columns[index].kind == "nominal" and self.n_levels(index) >= 0.3 * self.weight - TINY

    def choose(self, node: Node) -> NodeTest | None:
        """Among the tests whose gain is not below the mean gain: the largest gain ratio, the first of equals."""
        settings = self.settings
        if node.weight < 2 * settings.min_samples_leaf - TINY or node.errors < TINY:
            return None
        found = [self.test_of(index, node.cases) for index in range(len(self.table.columns))]
        usable = [test for test in found if test is not None]
        everywhere = all(self.has_many_levels(index) for index in range(len(self.table.columns)))
        # Release 8 counts no column as having too many levels when it may group them.
        everywhere |= settings.subsets
        counted = [test.gain for test in usable if everywhere or not self.has_many_levels(test.column)]
        if not counted:
            return None
        mean = sum(counted) / len(counted)
        return self.best_ratio([test for test in usable if test.gain >= mean - EPSILON])

    def best_ratio(self, tests: list[NodeTest]) -> NodeTest | None:
        """J48 wants a ratio above 0 and takes a later one only if it is larger by 1e-6; release 8 takes 0 as well."""
        best: NodeTest | None = None
        if self.settings.variant == "j48":
            for test in tests:
                if test.ratio > (best.ratio if best else 0.0) + TINY:
                    best = test
            return best
        for test in tests:
            if test.split_info > EPSILON and test.ratio > (best.ratio if best else -EPSILON) + ROUNDING:
                best = test
        return best

    def divide(self, test: NodeTest, cases: Cases) -> list[list[tuple[int, float]]]:
        """The cases of each branch: one without a value goes to all, in the shares of those that have one."""
        values = self.table.columns[test.column].values
        parts: list[list[tuple[int, float]]] = [[] for _ in range(test.n_branches)]
        unknown = []
        for row, weight in cases:
            branch = test.branch(values[row])
            (unknown if branch is None else parts[branch]).append((row, weight))
        sizes = [sum(weight for _, weight in part) for part in parts]
        known = sum(sizes)
        shares = [size / known if known >= TINY else 1 / len(parts) for size in sizes]
        for part, share in zip(parts, shares, strict=True):
            if share > TINY:
                part += [(row, weight * share) for row, weight in unknown]
        return parts

    def predict(self, root: Node, values: Sequence[Value]) -> Counts:
        """The class shares for one row: each leaf that it reaches speaks with the weight that arrives there."""
        shares = [0.0] * self.table.n_classes
        waiting = [(root, 1.0)]
        while waiting:
            node, weight = waiting.pop()
            if node.test is None:
                shares = [a + weight * b for a, b in zip(shares, self.leaf_shares(node), strict=True)]
                continue
            branch = node.test.branch(values[node.test.column])
            if branch is None:
                full = [child for child in node.children if not child.is_empty]
                waiting += [(child, weight * child.weight / node.weight) for child in full]
            elif node.children[branch].is_empty:
                shares = [a + weight * b for a, b in zip(shares, self.leaf_shares(node), strict=True)]
            else:
                waiting.append((node.children[branch], weight))
        return shares

    def leaf_shares(self, node: Node) -> Counts:
        """The class shares of a node's cases, with one more case of each class if Laplace's rule is asked for."""
        more = 1.0 if self.settings.laplace else 0.0
        whole = node.weight + more * len(node.counts)
        return [(count + more) / whole for count in node.counts]
