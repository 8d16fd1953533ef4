"""Ensembles by definition: trees as nested tuples, walked one row at a time, and what follows from their leaves."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Leaf:
    """The end of a way: its rows, their weights by class or their value, and the impurity."""

    n_rows: int
    weight: float
    counts: Mapping[int, float]  # empty for numbers
    value: float = 0.0
    impurity: float = 0.0


@dataclass(frozen=True)
class Inner:
    """A question with two answers. `levels` maps level codes to branches; None: by the threshold."""

    column: int
    threshold: float
    levels: Mapping[int, int] | None
    missing_branch: int
    gain: float
    children: tuple[Node, Node]


Node = Leaf | Inner


def branch_of(node: Inner, row: Sequence[float]) -> int:
    """The branch that a row takes. NaN is no value; so is a level that the node never saw."""
    x = row[node.column]
    if math.isnan(x):
        return node.missing_branch
    if node.levels is None:
        return 0 if x <= node.threshold else 1
    return node.levels.get(int(x), node.missing_branch)


def preorder(root: Node) -> Iterator[Node]:
    """All nodes, parents first, the first branch before the second."""
    open_nodes = [root]
    while open_nodes:
        node = open_nodes.pop()
        yield node
        if isinstance(node, Inner):
            open_nodes += [node.children[1], node.children[0]]


def leaf_of(root: Node, row: Sequence[float]) -> Leaf:
    """Where a row ends."""
    node = root
    while isinstance(node, Inner):
        node = node.children[branch_of(node, row)]
    return node


def leaves_below(node: Node) -> list[Leaf]:
    return [below for below in preorder(node) if isinstance(below, Leaf)]


def counts_of(node: Node) -> dict[int, float]:
    """The weights of the classes below a node."""
    total: dict[int, float] = {}
    for leaf in leaves_below(node):
        for label, weight in leaf.counts.items():
            total[label] = total.get(label, 0.0) + weight
    return dict(sorted(total.items()))


def shares(way: Sequence[Node]) -> dict[int, float]:
    """The class shares at the end of a way from the root; a leaf without weight answers as the node above it."""
    for node in reversed(way):
        counts = counts_of(node)
        if sum(counts.values()) > 0:
            return {label: weight / sum(counts.values()) for label, weight in counts.items()}
    return {}


def way_of(root: Node, row: Sequence[float]) -> list[Node]:
    way = [root]
    while isinstance(way[-1], Inner):
        way.append(way[-1].children[branch_of(way[-1], row)])
    return way


def weight_of(node: Node) -> float:
    return sum(leaf.weight for leaf in leaves_below(node))


def mean_value(node: Node) -> Fraction:
    """The mean of the leaves' values by their weights, exactly."""
    leaves = leaves_below(node)
    total = sum(Fraction(leaf.weight) for leaf in leaves)
    return sum((Fraction(leaf.weight) * Fraction(leaf.value) for leaf in leaves), Fraction(0)) / total


def impurity_of(node: Node) -> Fraction:
    """The impurity of the leaves, and the gains of the splits on the way up."""
    if isinstance(node, Leaf):
        return Fraction(node.impurity)
    total = Fraction(weight_of(node))
    inside = sum(Fraction(weight_of(child)) * impurity_of(child) for child in node.children)
    return Fraction(node.gain) + inside / total
