"""Pruning with ccp_alpha gives the smallest of the cheapest pruned trees, by the definition."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.prune import cost_complexity_path
from properties.engine import grow_with_engine
from properties.tables import tables
from treewright.reference.cart import Recipe, grow
from treewright.reference.growing import Node


def children_of(nodes: list[Node]) -> list[list[int]]:
    """The numbers of every node's children, nodes being in preorder."""
    number = {node.path: i for i, node in enumerate(nodes)}
    return [[number[child.path] for child in node.children] for node in nodes]


def risks_of(nodes: list[Node]) -> list[Fraction]:
    """The impurity of every node as its share of the whole: what the price of a leaf is weighed against."""
    total = Fraction(nodes[0].weight)
    return [Fraction(round(node.impurity, 25) * node.weight) / total for node in nodes]


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
@given(data=st.data())
def test_every_price_of_a_leaf_gives_the_tree_of_the_definition(criterion: str, data: st.DataObject) -> None:
    table = data.draw(tables(classes=0 if criterion == "squared_error" else 3))
    nodes = grow(table, Recipe(criterion))
    path = cost_complexity_path(children_of(nodes), risks_of(nodes))
    prices = [(low[0] + high[0]) / 2 for low, high in pairwise(path)] + [path[-1][0] * 2 + 1]
    for (alpha, leaves, risk), price in zip(path, prices, strict=True):
        if price - alpha < Fraction(Decimal("1e-9")):  # Too near to a change for doubles to tell.
            continue
        model = grow_with_engine(table, Recipe(criterion), ccp_alpha=float(price))
        a = model.tree_.arrays
        leaf = a["n_children"] == 0
        assert leaf.sum() == leaves
        found = float((a["weight"] * a["impurity"])[leaf].sum() / a["weight"][0])
        assert found == pytest.approx(float(risk), abs=1e-9)
