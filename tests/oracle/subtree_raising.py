"""C4.5's pruning with raising, on a tree with its rows: slow, and by the words of the book.

Quinlan (1993), chapter 4. Every node keeps the rows that come to it; a raised branch gets those of the node above.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from oracle.pruning_menu import extra_errors

Row = int


@dataclass
class Branching:
    """A node: the rows that come to it, and if it asks, a function from a row to the number of its branch."""

    rows: list[Row]
    route: Callable[[Row], int] | None = None
    children: list[Branching] = field(default_factory=list)


@dataclass(frozen=True)
class Rows:
    """The class and the weight of every row."""

    truth: tuple[int, ...]
    weights: tuple[float, ...]

    def weight(self, rows: list[Row]) -> float:
        """The weight of some rows."""
        return sum(self.weights[row] for row in rows)

    def errors(self, rows: list[Row]) -> float:
        """The weight that one answer to all of them gets wrong."""
        by_class = {k: sum(self.weights[row] for row in rows if self.truth[row] == k) for k in set(self.truth)}
        return self.weight(rows) - max(by_class.values())

    def feared(self, rows: list[Row], confidence: float, variant: str) -> float:
        """The errors to be expected of a leaf with these rows."""
        n = self.weight(rows)
        return self.errors(rows) + extra_errors(n, self.errors(rows), confidence, variant) if n else 0.0


@dataclass(frozen=True)
class Raising:
    """The rule with its numbers."""

    rows: Rows
    confidence: float = 0.25
    variant: str = "j48"

    def prune(self, node: Branching) -> Branching:
        """Children first; then a leaf, the largest branch (the last of equals) in the node's place, or as it is."""
        if not node.children:
            return node
        node = Branching(node.rows, node.route, [self.prune(child) for child in node.children])
        largest = max(enumerate(node.children), key=lambda each: (self.rows.weight(each[1].rows), each[0]))[1]
        as_leaf = self.rows.feared(node.rows, self.confidence, self.variant)
        as_tree = self.feared_of_tree(node)
        raised = given(largest, node.rows)
        as_branch = self.feared_of_tree(raised)
        if as_leaf <= as_tree + 0.1 and as_leaf <= as_branch + 0.1:
            return Branching(node.rows)
        return self.prune(raised) if as_branch <= as_tree + 0.1 else node

    def feared_of_tree(self, node: Branching) -> float:
        """The errors to be expected of all leaves below."""
        if not node.children:
            return self.rows.feared(node.rows, self.confidence, self.variant)
        return sum(self.feared_of_tree(child) for child in node.children)


def given(node: Branching, rows: list[Row]) -> Branching:
    """The same tests with other rows.

    >>> odd = Branching([1, 2], lambda row: row % 2, [Branching([2]), Branching([1])])
    >>> [child.rows for child in given(odd, [1, 2, 3, 4]).children]
    [[2, 4], [1, 3]]
    """
    if node.route is None or not node.children:
        return Branching(rows)
    parts = [[row for row in rows if node.route(row) == b] for b in range(len(node.children))]
    return Branching(rows, node.route, [given(child, part) for child, part in zip(node.children, parts, strict=True)])


def shape(node: Branching) -> tuple[object, ...]:
    """The rows of every node and the shape of the tree."""
    return (sorted(node.rows), *(shape(child) for child in node.children))
