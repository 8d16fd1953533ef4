"""`shap_values` of every kind of tree is the Shapley value of its columns, as every coalition tells it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from oracle.shap import StoredTree, against_background
from properties.engine import frame_of
from properties.oblique_tables import sloped_tables
from properties.shap_rows import by_definition, coded_rows
from properties.tables import tables
from thorough import examples
from treewright.learners.adaboost.adaboost import _decision
from treewright.learners.trees.tree_lookup import node_answers

CLOSE = 1e-9

CLASSIFIERS = {
    "CART, learnt side": lambda: tw.DecisionTreeClassifier(),
    "CART, surrogates": lambda: tw.DecisionTreeClassifier(missing="surrogates"),
    "CART, stops": lambda: tw.DecisionTreeClassifier(missing="stop"),
    "CART, surrogates or stops": lambda: tw.DecisionTreeClassifier(missing="surrogates", surrogate_fallback="stop"),
    "CART, a branch of its own": lambda: tw.DecisionTreeClassifier(missing="branch"),
    "CART, in pieces": lambda: tw.DecisionTreeClassifier(missing="fractional"),
    "C4.5": lambda: tw.C45Classifier(min_samples_leaf=1, prune=False),
    "C4.5 with Laplace's rule": lambda: tw.C45Classifier(laplace=True, confidence=0.4),
    "CHAID": lambda: tw.CHAIDClassifier(alpha_split=0.5, alpha_merge=0.3, min_samples_split=2, min_samples_leaf=1),
    "conditional": lambda: tw.ConditionalTreeClassifier(alpha=0.7, min_samples_split=2, min_samples_leaf=1),
}
REGRESSORS = {
    "CART": lambda: tw.DecisionTreeRegressor(),
    "CART, surrogates": lambda: tw.DecisionTreeRegressor(missing="surrogates"),
    "CHAID": lambda: tw.CHAIDRegressor(alpha_split=0.5, alpha_merge=0.3, min_samples_split=2, min_samples_leaf=1),
    "model tree": lambda: tw.ModelTreeRegressor(min_samples_leaf=2, prune=False, max_depth=2),
    "model tree without a range": lambda: tw.ModelTreeRegressor(
        min_samples_leaf=2, prune=False, max_depth=2, clip=False
    ),
}


ENSEMBLES = {
    "forest": lambda: tw.RandomForestClassifier(3, max_depth=4),
    "forest of votes": lambda: tw.RandomForestClassifier(3, max_depth=4, voting="vote"),
    "bagged C4.5": lambda: tw.BaggingTreesClassifier(tw.C45Classifier(min_samples_leaf=1), n_estimators=3),
    "AdaBoost": lambda: tw.AdaBoostClassifier(tw.DecisionTreeClassifier(max_depth=2), n_estimators=3),
}
BOOSTERS = {
    "classes": lambda: tw.GradientBoostingClassifier(n_estimators=3, max_leaf_nodes=5, min_samples_leaf=1),
    "numbers": lambda: tw.GradientBoostingRegressor(n_estimators=3, max_leaf_nodes=5, min_samples_leaf=1),
}


def fitted(model: Any, table: Any) -> tuple[Any, Any]:
    """The model, and the rows to explain: those of the table and as many with their cells mixed up."""
    if not isinstance(model, tw.ID3Classifier):
        model.column_kinds = {f"x{i}": column.kind for i, column in enumerate(table.columns)}
    frame = frame_of(table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # columns with one value
        model.fit(frame, np.array(table.target), sample_weight=np.array(table.weights, dtype=float))
    mixed = pd.DataFrame({name: np.roll(frame[name], j + 1) for j, name in enumerate(frame)}).astype(frame.dtypes)
    return model, pd.concat([frame, mixed], ignore_index=True).iloc[::3]


def check(model: Any, trees: list[Any], frame: Any, answers: Any, start: Any = 0.0) -> None:
    values = model.shap_values(frame)
    by_coalitions, expected = by_definition(trees, coded_rows(model, frame))
    shape = values.shape if values.ndim == 3 else (*values.shape, 1)
    np.testing.assert_allclose(values.reshape(shape), by_coalitions, atol=CLOSE)
    np.testing.assert_allclose(np.ravel(model.expected_value), expected + start, atol=CLOSE)
    np.testing.assert_allclose(
        values.sum(axis=1) + model.expected_value, answers(frame).reshape(values.sum(axis=1).shape), atol=CLOSE
    )


def check_tree(model: Any, frame: Any, answers: Any) -> None:
    core = model.tree_.core
    check(model, [(core, model._node_numbers(core))], frame, answers)


@pytest.mark.parametrize("name", CLASSIFIERS)
@given(data=st.data())
@settings(max_examples=examples(25))
def test_the_values_of_a_classifier_are_those_of_all_coalitions(name: str, data: st.DataObject) -> None:
    model, frame = fitted(CLASSIFIERS[name](), data.draw(tables(classes=3)))
    check_tree(model, frame, model.predict_proba)


@given(table=tables(classes=3, kinds=("nominal",)))
@settings(max_examples=examples(25))
def test_the_values_of_many_branches_are_those_of_all_coalitions(table: Any) -> None:
    model, frame = fitted(tw.ID3Classifier(missing="branch"), table)
    check_tree(model, frame, model.predict_proba)


@pytest.mark.parametrize("name", REGRESSORS)
@given(data=st.data())
@settings(max_examples=examples(25))
def test_the_values_of_a_regressor_are_those_of_all_coalitions(name: str, data: st.DataObject) -> None:
    model, frame = fitted(REGRESSORS[name](), data.draw(tables()))
    check_tree(model, frame, model.predict)


@given(table=sloped_tables(classes=3))
@settings(max_examples=examples(25))
def test_the_values_of_sums_of_columns_are_those_of_all_coalitions(table: Any) -> None:
    model, frame = fitted(tw.ObliqueTreeClassifier(max_depth=3), table)
    check_tree(model, frame, model.predict_proba)


@given(table=sloped_tables(classes=0))
@settings(max_examples=examples(25))
def test_the_values_of_equations_are_those_of_all_coalitions(table: Any) -> None:
    model, frame = fitted(tw.ModelTreeRegressor(max_depth=2), table)
    check_tree(model, frame, model.predict)


@pytest.mark.parametrize("name", ENSEMBLES)
@given(data=st.data())
@settings(max_examples=examples(15))
def test_the_values_of_many_trees_are_the_sums_over_them(name: str, data: st.DataObject) -> None:
    model, frame = fitted(ENSEMBLES[name](), data.draw(tables(classes=3)))
    cores = [tree.core for tree in model.trees_]
    if name == "AdaBoost":
        says = model.estimator_weights_ / model.estimator_weights_.sum()
        numbers = [_decision(node_answers(core, "votes"), 1.0) for core in cores]
        trees = [(c, say * n.reshape(len(n), -1)) for c, n, say in zip(cores, numbers, says, strict=True)]
        check(model, trees, frame, model.decision_function)
        return
    says = "votes" if getattr(model, "voting", "mean") == "vote" else "shares"
    check(model, [(core, node_answers(core, says) / len(cores)) for core in cores], frame, model.predict_proba)


@pytest.mark.parametrize("name", BOOSTERS)
@given(data=st.data())
@settings(max_examples=examples(15))
def test_the_values_of_a_booster_are_those_of_its_raw_scores(name: str, data: st.DataObject) -> None:
    model, frame = fitted(BOOSTERS[name](), data.draw(tables(classes=3 if name == "classes" else 0)))
    n = len(model.baseline_)
    trees = []
    for i, tree in enumerate(model.trees_):
        answers = np.zeros((tree.n_nodes, n))
        answers[:, i % n] = tree.core.arrays()["value"]
        trees.append((tree.core, answers))
    raw = model.predict if name == "numbers" else model.decision_function
    check(model, trees, frame, raw, model.baseline_)


@pytest.mark.parametrize("name", ["CART, learnt side", "CART, a branch of its own"])
@given(data=st.data())
@settings(max_examples=examples(20))
def test_values_against_a_background_are_those_of_rows_mixed_with_it(name: str, data: st.DataObject) -> None:
    model, frame = fitted(CLASSIFIERS[name](), data.draw(tables(classes=3)))
    rows, background = frame.iloc[:4], frame.iloc[::2]
    core = model.tree_.core
    tree = StoredTree(core.arrays(), model._node_numbers(core).tolist())
    others = coded_rows(model, background)
    expected = [against_background(tree, row, others, core.n_columns) for row in coded_rows(model, rows)]
    values = model.shap_values(rows, background=background)
    np.testing.assert_allclose(values, expected, atol=CLOSE)
    mean = model.predict_proba(background).mean(axis=0)
    np.testing.assert_allclose(values.sum(axis=1) + mean, model.predict_proba(rows), atol=CLOSE)
