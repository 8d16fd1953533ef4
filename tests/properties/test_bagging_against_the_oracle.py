"""Bagged trees are the definition's trees, and what is out of bag is counted by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from oracle.bagging import bagged_trees, draw_counts, leaf_shares
from properties.engine import assert_same_tree, frame_of
from properties.tables import recipes, tables
from thorough import examples
from treewright.reference.cart import Recipe
from treewright.reference.table import Table

N_TREES = 4


def fit_bagged(table: Table, recipe: Recipe, seed: int, **more: Any) -> Any:
    """Bag the engine's CART on an oracle's table."""
    kinds = {f"x{i}": column.kind for i, column in enumerate(table.columns)}
    numbers = {"criterion": recipe.criterion, "missing": recipe.missing, "max_depth": recipe.max_depth}
    if table.n_classes:
        model = tw.BaggingTreesClassifier(tw.DecisionTreeClassifier(**numbers), n_estimators=N_TREES)
    else:
        model = tw.BaggingTreesRegressor(tw.DecisionTreeRegressor(**numbers), n_estimators=N_TREES)
    model.set_params(column_kinds=kinds, random_state=seed, **more)
    return model.fit(frame_of(table), np.array(table.target), sample_weight=np.array(table.weights, dtype="float64"))


def plain(recipe: Recipe) -> Recipe:
    return Recipe(recipe.criterion, recipe.missing, recipe.max_depth)


@settings(max_examples=examples(60))
@given(data=st.data(), seed=st.integers(0, 2**32 - 1), replaces=st.booleans())
@pytest.mark.parametrize("classes", [0, 3])
def test_every_bagged_tree_equals_the_definition(classes: int, data: st.DataObject, seed: int, replaces: bool) -> None:
    table = data.draw(tables(classes=classes))
    recipe = plain(data.draw(recipes("gini" if classes else "squared_error")))
    whole = sum(table.weights)
    n_drawn = data.draw(st.integers(1, whole))
    model = fit_bagged(table, recipe, seed, bootstrap=replaces, max_samples=n_drawn)
    expected = bagged_trees(table, recipe, N_TREES, seed, n_drawn, replaces)
    for member, (bag, nodes) in zip(model.estimators_, expected, strict=True):
        assert_same_tree(member, bag, nodes)


@settings(max_examples=examples(40))
@given(data=st.data(), seed=st.integers(0, 1000))
def test_shares_are_the_mean_of_the_leaves_of_the_rows(data: st.DataObject, seed: int) -> None:
    table = data.draw(tables(classes=3))
    model = fit_bagged(table, Recipe(), seed)
    found = model.predict_proba(frame_of(table))
    trees = bagged_trees(table, Recipe(), N_TREES, seed, sum(table.weights), True)
    for row in range(len(table.target)):
        leaves = [[n for n in nodes if row in n.rows and not n.children] for _, nodes in trees]
        if all(leaves):  # a row that every tree saw: the definition says where it ends
            shares = [leaf_shares(bag, leaf[0]) for (bag, _), leaf in zip(trees, leaves, strict=True)]
            mean = [float(sum(of_class)) / N_TREES for of_class in zip(*shares, strict=True)]
            assert found[row] == pytest.approx(mean)


@settings(max_examples=examples(40))
@given(data=st.data(), seed=st.integers(0, 1000), voting=st.sampled_from(["mean", "vote"]))
@pytest.mark.filterwarnings("ignore:.*in the bag of every tree")
def test_a_row_out_of_bag_is_answered_by_the_trees_that_did_not_see_it(
    data: st.DataObject, seed: int, voting: str
) -> None:
    table = data.draw(tables(classes=3))
    model = fit_bagged(table, Recipe(), seed, oob_score=True, voting=voting)
    X, n = frame_of(table), len(table.target)
    counts = [draw_counts(table, tree, seed, sum(table.weights), True) for tree in range(N_TREES)]
    right = heavy = 0
    for row in range(n):
        out = [member for member, count in zip(model.estimators_, counts, strict=True) if count[row] == 0]
        if not out:
            assert np.isnan(model.oob_decision_function_[row]).all()
            continue
        one = X.iloc[[row]]
        if voting == "mean":
            said = np.mean([member.predict_proba(one)[0] for member in out], axis=0)
        else:
            said = np.mean([member.predict(one)[0] == model.classes_ for member in out], axis=0)
        assert model.oob_decision_function_[row] == pytest.approx(said)
        right += table.weights[row] * int(model.oob_decision_function_[row].argmax() == table.target[row])
        heavy += table.weights[row]
    assert heavy == 0 or model.oob_score_ == pytest.approx(right / heavy)
