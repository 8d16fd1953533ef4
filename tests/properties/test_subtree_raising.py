"""PessimisticError with raising prunes CART's trees as the book says, with any rule for missing values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from properties.engine import frame_of, grow_with_engine
from properties.tables import tables
from treewright.lesson.routes import split_of
from treewright.reference.cart import Cart, Recipe
from treewright.reference.error_based import ErrorBasedPruning, Pessimism
from treewright.reference.growing import Node
from treewright.reference.table import Place, Table


def with_rows(model: Any, table: Table) -> Node:
    """A stored tree with the rows that come to each of its nodes."""
    tree, found = model.tree_, [Node(Place(table, table.cases()), number=0)]
    for node in found:
        ids = tree.child_ids(node.number)
        if ids:
            node.split, node.n_branches = split_of(tree, node.number), len(ids)
            parts = node.split.parts(table, node.place.cases, len(ids))
            node.children = [
                Node(Place(table, part), parent=node, number=i) for i, part in zip(ids, parts, strict=True)
            ]
            found += node.children
    return found[0]


def shape(node: Node) -> tuple[object, ...]:
    """The rows of every node and the shape of the tree."""
    return (sorted(node.rows), *(shape(child) for child in node.children))


@pytest.mark.parametrize("missing", ["learn", "larger", "branch"])
@settings(max_examples=settings().max_examples // 2)
@given(data=st.data())
def test_subtrees_are_raised_as_defined(missing: str, data: st.DataObject) -> None:
    table = data.draw(tables(classes=3))
    confidence, variant = data.draw(st.sampled_from([0.05, 0.25, 0.45])), data.draw(st.sampled_from(["j48", "c45"]))
    full = grow_with_engine(table, Recipe("gini", missing))
    definition = with_rows(full, table)
    ErrorBasedPruning(Cart(table, Recipe("gini", missing)), Pessimism(confidence, variant)).run(definition)
    pruner = tw.PessimisticError(confidence, variant=variant)
    weights = np.array(table.weights, dtype="float64")
    smaller = full.pruned(pruner, frame_of(table), np.array(table.target), sample_weight=weights)
    assert shape(with_rows(smaller, table)) == shape(definition)
    counts = smaller.tree_.arrays["n_rows"]
    assert counts[0] == len(table.rows())
    again = grow_with_engine(table, Recipe("gini", missing), prune=pruner)
    assert again.tree_.to_dict() == smaller.tree_.to_dict()
