"""Rules part the rows as the leaves do; trees are compared as their rows are."""

from __future__ import annotations

from hypothesis import given

import treewright as tw
from properties.explained_models import CLASSIFIERS, OTHERS, Explained, explained_models
from treewright.inspection.decision_path import read_row
from treewright.inspection.tree_diff import compare_trees

EVERY = {**CLASSIFIERS, **OTHERS}
BOXES = {**CLASSIFIERS, "oblique": OTHERS["oblique"]}


@given(case=explained_models(BOXES))
def test_every_row_fulfils_exactly_the_rule_of_its_leaf(case: Explained) -> None:
    rules = case.model.rules(stops=True)
    for table in (case.X, case.rows):
        ends = case.model.apply(table)
        for i, end in enumerate(ends):
            values = read_row(case.model._lookup.encoder, table.iloc[i]).numbers
            leaves = [rule.node for rule in rules if not rule.is_stop and rule.covers(values)]
            is_leaf = case.model.tree_.node(int(end)).is_leaf
            assert leaves == ([end] if is_leaf else [])
            assert is_leaf or any(rule.is_stop and rule.node == end for rule in rules)


@given(case=explained_models(EVERY))
def test_rules_take_all_training_rows_once(case: Explained) -> None:
    rules = case.model.rules()
    stops = any(rule.is_stop for rule in case.model.rules(stops=True))
    weight = sum(rule.weight for rule in rules)
    root = case.model.tree_.root
    assert weight <= root.weight + 1e-9
    assert stops or abs(weight - root.weight) <= 1e-6 * root.weight
    assert len(rules) == case.model.tree_.n_leaves


@given(case=explained_models(EVERY))
def test_a_model_does_not_differ_from_itself(case: Explained) -> None:
    found = tw.diff(case.model, case.model, case.rows)
    assert found.is_same
    assert len(found.splits.same) == case.model.tree_.n_nodes - case.model.tree_.n_leaves


@given(case=explained_models({"cart": lambda: tw.DecisionTreeClassifier()}))
def test_cutting_a_tree_only_loses_splits(case: Explained) -> None:
    small = tw.DecisionTreeClassifier(max_depth=2, column_kinds={"colour": "nominal"}).fit(case.X, case.y)
    found = compare_trees(case.model.tree_, small.tree_)
    inner = small.tree_.n_nodes - small.tree_.n_leaves
    assert len(found.same) == inner
    assert not found.new
    assert not found.moved_cut
    assert len(found.lost) == case.model.tree_.n_nodes - case.model.tree_.n_leaves - inner


@given(one=explained_models(EVERY), other=explained_models(EVERY))
def test_every_split_of_both_trees_is_told_once(one: Explained, other: Explained) -> None:
    a, b = one.model.tree_, other.model.tree_
    found = compare_trees(a, b)
    pairs = found.same + found.moved_cut + found.moved_place
    assert sorted([i for i, _ in pairs] + found.lost) == [node.id for node in a.nodes() if not node.is_leaf]
    assert sorted([j for _, j in pairs] + found.new) == [node.id for node in b.nodes() if not node.is_leaf]
