"""PessimisticError with raising prunes CART's trees as the book says, with any rule for missing values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from oracle.subtree_raising import Branching, Raising, Rows, shape
from properties.engine import frame_of, grow_with_engine
from properties.tables import tables
from treewright.reference.cart import Recipe
from treewright.reference.table import Table

Cells = list[tuple[Any, ...]]


def branch_of(a: dict[str, Any], node: int, cells: Cells, row: int) -> int:
    """The branch that a row takes at a stored node."""
    value = cells[row][a["column"][node]]
    if value is None:
        return int(a["missing_branch"][node])
    if a["kind"][node] == 1:
        return int(value > a["threshold"][node])
    at = slice(*a["level_start"][node : node + 2])
    known = dict(zip(a["level"][at].tolist(), a["level_branch"][at].tolist(), strict=True))
    return int(known.get(int(value), a["missing_branch"][node]))


def with_rows(model: Any, table: Table) -> Branching:
    """A stored tree with the rows that come to each of its nodes."""
    tree, a = model.tree_, model.tree_.arrays
    cells = list(zip(*(column.values for column in table.columns), strict=True))

    def grow(node: int, rows: list[int]) -> Branching:
        if not a["n_children"][node]:
            return Branching(rows)
        parts: list[list[int]] = [[] for _ in range(int(a["n_children"][node]))]
        for row in rows:
            parts[branch_of(a, node, cells, row)].append(row)
        children = [grow(child, part) for child, part in zip(tree.child_ids(node), parts, strict=True)]
        return Branching(rows, lambda row: branch_of(a, node, cells, row), children)

    return grow(0, table.rows())


def rows_below(model: Any, table: Table) -> tuple[object, ...]:
    return shape(with_rows(model, table))


@pytest.mark.parametrize("missing", ["learn", "larger", "branch"])
@settings(max_examples=settings().max_examples // 2)
@given(data=st.data())
def test_subtrees_are_raised_as_defined(missing: str, data: st.DataObject) -> None:
    table = data.draw(tables(classes=3))
    confidence, variant = data.draw(st.sampled_from([0.05, 0.25, 0.45])), data.draw(st.sampled_from(["j48", "c45"]))
    full = grow_with_engine(table, Recipe("gini", missing))
    rule = Raising(Rows(table.target, table.weights), confidence, variant)
    pruner = tw.PessimisticError(confidence, variant=variant)
    weights = np.array(table.weights, dtype="float64")
    smaller = full.pruned(pruner, frame_of(table), np.array(table.target), sample_weight=weights)
    assert rows_below(smaller, table) == shape(rule.prune(with_rows(full, table)))
    counts = smaller.tree_.arrays["n_rows"]
    assert counts[0] == len(table.rows())
    again = grow_with_engine(table, Recipe("gini", missing), prune=pruner)
    assert again.tree_.to_dict() == smaller.tree_.to_dict()
