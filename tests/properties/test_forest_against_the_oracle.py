"""The trees of a forest are the definition's trees for the same random words: tests, missing branches, counts."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.forest import ForestRecipe, grow_forest
from properties.engine import assert_same_tree, frame_of
from properties.tables import recipes, tables
from treewright import _core
from treewright.reference.cart import Recipe
from treewright.reference.table import Table
from treewright.table.encode import encode_table
from treewright.table.frame import open_frame

TREES = 3


def encoded(table: Table) -> tuple[_core.Table, _core.Target]:
    """The table as the core takes it."""
    kinds = {f"x{i}": column.kind for i, column in enumerate(table.columns)}
    made = encode_table(open_frame(frame_of(table)), kinds, None, 1).core
    weights = np.array(table.weights, dtype=np.float64)
    if table.n_classes:
        return made, _core.Target.classes(np.array(table.target, dtype=np.int32), table.n_classes, weights)
    return made, _core.Target.numbers(np.array(table.target, dtype=np.float64), weights, False)


def rules_of(recipe: ForestRecipe) -> dict[str, Any]:
    """The same recipe for the core."""
    tree = recipe.tree
    return {
        "criterion": tree.criterion,
        "max_depth": tree.max_depth,
        "min_samples_split": tree.min_samples_split,
        "min_samples_leaf": tree.min_samples_leaf,
        "max_leaf_nodes": tree.max_leaf_nodes,
        "min_impurity_decrease": tree.min_impurity_decrease,
        "max_features": recipe.max_features,
        "sampling": "with_replacement" if recipe.bootstrap else "all_rows",
        "random_cuts": recipe.random_cuts,
        "seed": recipe.seed,
        "n_trees": TREES,
    }


def assert_same_forest(table: Table, recipe: ForestRecipe) -> None:
    """Grow both and compare tree by tree."""
    core, target = encoded(table)
    order = [int(row) for row in _core.rows_by_content(core, target, 1)]
    forest, _ = _core.grow_forest(core, target, rules_of(recipe), _core.Progress(), 1)
    for number, nodes in enumerate(grow_forest(table, recipe, TREES, order)):
        model = SimpleNamespace(tree_=SimpleNamespace(arrays=forest.tree(number).arrays()))
        drawn = replace(table, weights=weights_of(table, recipe, number, order))
        assert_same_tree(model, drawn, nodes)


def weights_of(table: Table, recipe: ForestRecipe, number: int, order: list[int]) -> tuple[int, ...]:
    """How much each row counts in a tree."""
    from oracle.forest import drawn_units

    return tuple(drawn_units(recipe.seed, number, order, table.weights)) if recipe.bootstrap else table.weights


@st.composite
def forest_recipes(draw: st.DrawFn, criterion: str) -> ForestRecipe:
    tree: Recipe = draw(recipes(criterion, ("learn",)))
    return ForestRecipe(
        tree=replace(tree, min_variance_share=0.0),
        max_features=draw(st.integers(1, 4)),
        bootstrap=draw(st.booleans()),
        random_cuts=draw(st.booleans()),
        seed=draw(st.integers(0, 2**32)),
    )


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@given(data=st.data())
def test_a_forest_of_classes_equals_the_definition(criterion: str, data: st.DataObject) -> None:
    table = data.draw(tables(classes=data.draw(st.sampled_from([2, 3, 4]))))
    assert_same_forest(table, data.draw(forest_recipes(criterion)))


@given(data=st.data())
def test_a_forest_of_numbers_equals_the_definition(data: st.DataObject) -> None:
    assert_same_forest(data.draw(tables()), data.draw(forest_recipes("squared_error")))
