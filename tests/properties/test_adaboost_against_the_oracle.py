"""AdaBoost is the definition's: the same trees, errors and says, over several recipes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import treewright as tw
from oracle.adaboost import Boosted, boost, boost_numbers, votes, weighted_median
from properties.engine import frame_of
from properties.tables import tables
from thorough import examples
from treewright.reference.table import Table

RECIPES = {
    "stump": tw.DecisionTreeClassifier(max_depth=1),
    "small tree": tw.DecisionTreeClassifier(max_depth=2, missing="larger"),
    "C4.5": tw.C45Classifier(),
    "surrogates": tw.DecisionTreeClassifier(max_depth=1, missing="surrogates"),
    "class weights": tw.DecisionTreeClassifier(max_depth=1, class_weight="balanced"),
}


def by_definition(table: Table, recipe: Any, n_trees: int, rate: float, algorithm: str) -> Boosted:
    """Boost with trees that are each fitted from scratch."""
    X, y = frame_of(table), np.array(table.target)

    def learner(weights: Any) -> Any:
        return clone(recipe).fit(X, y, np.array(weights)).predict(X).tolist()

    return boost(table.target, [float(w) for w in table.weights], table.n_classes, learner, n_trees, rate, algorithm)


@pytest.mark.parametrize("name", list(RECIPES))
@settings(max_examples=examples(40))
@given(
    table=tables(classes=3),
    rate=st.sampled_from([1.0, 0.5]),
    algorithm=st.sampled_from(["samme", "m1"]),
    n_trees=st.integers(1, 5),
)
def test_errors_says_and_answers_are_those_of_the_definition(
    name: str, table: Table, rate: float, algorithm: str, n_trees: int
) -> None:
    recipe, X = RECIPES[name], frame_of(table)
    model = tw.AdaBoostClassifier(recipe, n_estimators=n_trees, learning_rate=rate, algorithm=algorithm, n_jobs=1)
    model.fit(X, np.array(table.target), np.array(table.weights, dtype=float))
    expected = by_definition(table, recipe, n_trees, rate, algorithm)
    if not expected.says:  # not even the first tree is better than chance
        assert [tree.n_nodes for tree in model.trees_] == [1]
        return
    assert model.estimator_errors_ == pytest.approx(expected.errors, abs=1e-12)
    assert model.estimator_weights_ == pytest.approx(expected.says, rel=1e-9)
    for member, answers in zip(model.estimators_, expected.answers, strict=True):
        assert member.predict(X).tolist() == answers
    clear = [sorted(votes(expected, table.n_classes, row)) for row in range(len(table.target))]
    for row, answer in enumerate(model.predict(X)):
        if len(clear[row]) == 1 or clear[row][-1] - clear[row][-2] > 1e-9:
            assert answer == int(np.argmax(votes(expected, table.n_classes, row)))


NUMBER_RECIPES = {
    "small tree": tw.DecisionTreeRegressor(max_depth=2),
    "medians": tw.DecisionTreeRegressor(max_depth=1, criterion="absolute_error"),
    "surrogates": tw.DecisionTreeRegressor(max_depth=1, missing="surrogates"),
}


@pytest.mark.parametrize("name", list(NUMBER_RECIPES))
@settings(max_examples=examples(40))
@given(
    table=tables(),
    rate=st.sampled_from([1.0, 0.5]),
    loss=st.sampled_from(["linear", "square", "exponential"]),
    n_trees=st.integers(1, 5),
)
def test_errors_says_and_medians_are_those_of_the_definition(
    name: str, table: Table, rate: float, loss: str, n_trees: int
) -> None:
    recipe, X, y = NUMBER_RECIPES[name], frame_of(table), np.array(table.target, dtype=float)

    def learner(weights: Any) -> Any:
        return clone(recipe).fit(X, y, np.array(weights)).predict(X).tolist()

    model = tw.AdaBoostRegressor(recipe, n_estimators=n_trees, learning_rate=rate, loss=loss, n_jobs=1)
    model.fit(X, y, np.array(table.weights, dtype=float))
    expected = boost_numbers(y.tolist(), [float(w) for w in table.weights], learner, n_trees, rate, loss)
    if not expected.says:  # not even the first tree is good enough: it is the model
        assert model.predict(X).tolist() == learner(table.weights)
        return
    assert model.estimator_errors_ == pytest.approx(expected.errors, abs=1e-12)
    assert model.estimator_weights_ == pytest.approx(expected.says, rel=1e-9)
    for member, answers in zip(model.estimators_, expected.answers, strict=True):
        assert member.predict(X).tolist() == pytest.approx(answers)
    says = np.array(expected.says)
    for row, answer in enumerate(model.predict(X)):
        column = [answers[row] for answers in expected.answers]
        below = np.cumsum(says[np.argsort(column, kind="stable")])
        if np.abs(below - says.sum() / 2).min() > 1e-9:  # no answer stands exactly in the middle
            assert answer == pytest.approx(weighted_median(expected, row))
