"""A small tree that stands for any model."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import treewright as tw
from treewright.errors import DataError


def test_a_tree_of_enough_leaves_answers_as_the_tree_it_stands_for() -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    model = tw.DecisionTreeClassifier(max_depth=2).fit(X, y)
    found = tw.surrogate_model(model, X, max_leaves=3)
    assert found.fidelity == 1.0
    assert found.fidelity_held_out > 0.9
    assert (found.tree.predict(X) == model.predict(X)).all()


def test_fidelity_is_measured_against_the_model_and_not_against_the_truth() -> None:
    X, y = tw.datasets.load_titanic(return_X_y=True)
    forest = tw.RandomForestClassifier(20, random_state=0).fit(X, y)
    found = tw.surrogate_model(forest, X, 6)
    assert found.fidelity == pytest.approx((found.tree.predict(X) == forest.predict(X)).mean())
    assert found.tree.get_n_leaves() == 6
    assert f"{found.fidelity_held_out * 100:.0f} % held out" in found.summary


def test_numbers_of_a_model_from_elsewhere_have_an_r2() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    model = LinearRegression().fit(X, X[:, 0] * 3 + X[:, 1])
    found = tw.surrogate_model(model, X, 16)
    answers = model.predict(X)
    assert found.fidelity == pytest.approx(1 - np.mean((answers - found.tree.predict(X)) ** 2) / answers.var())
    assert found.fidelity_held_out < found.fidelity
    assert "R²" in str(found)


def test_what_makes_no_sense_is_refused() -> None:
    X = [[1.0], [2.0]]
    model = tw.DecisionTreeRegressor().fit(X, [1.0, 2.0])
    with pytest.raises(DataError, match="'max_leaves' must be a whole number of at least 2"):
        tw.surrogate_model(model, X, 1)
    with pytest.raises(DataError, match="needs a fitted model with predict"):
        tw.surrogate_model("model", X)
    assert tw.surrogate_model(model, X, 2).fidelity == 1.0


def test_the_text_says_where_missing_values_go_of_columns_that_have_some() -> None:
    table = pd.DataFrame({"age": [None, *range(20, 59)], "size": range(40)})
    forest = tw.RandomForestClassifier(5, column_kinds={"size": "numeric"}).fit(table, [i > 20 for i in range(40)])
    text = str(tw.surrogate_model(forest, table[["age"]].assign(size=1), max_leaves=2))
    assert "or missing" in text
    assert "or missing" not in str(tw.surrogate_model(forest, table.fillna(20), max_leaves=2))
