"""How much each column matters: what it gains as a primary split, and a share of that where it is a surrogate."""

from __future__ import annotations

from decimal import Decimal

from oracle.rpart.grow import Node


def importance(root: Node, n_columns: int) -> list[Decimal]:
    """For every column the gains of its splits, and adj times the gain of each split that it is a surrogate of.

    Gains are totals in the criterion's unit; competitors do not count.
    """
    found = [Decimal(0)] * n_columns
    for node in root.preorder():
        if node.primary is None or not node.children:
            continue
        found[node.primary.test.column] += node.primary.gain
        for surrogate in node.surrogates:
            adj = Decimal(surrogate.adj.numerator) / surrogate.adj.denominator
            found[surrogate.test.column] += adj * node.primary.gain
    return found
