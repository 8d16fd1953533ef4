"""Forests that keep to the order of some columns: in every row, whatever is drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright.errors import DataError


def table() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4)).round(4)
    return X, (2 * X[:, 0] - X[:, 1] + np.sin(6 * X[:, 0]) + 0.3 * rng.normal(size=300)).round(4)


def steps(answers: Any, column: int) -> Any:
    """How the answers change while one column rises and the others stay."""
    X, _ = table()
    rows = np.repeat(X[:40], 25, axis=0)
    rows[:, column] = np.tile(np.linspace(-2, 2, 25), 40)
    return np.diff(np.asarray(answers(rows)).reshape(40, 25), axis=1)


@pytest.mark.parametrize("how", [{}, {"max_features": 2}, {"max_leaf_nodes": 20}, {"bootstrap": False}], ids=str)
def test_the_mean_of_ordered_trees_keeps_the_order(how: dict[str, Any]) -> None:
    X, y = table()
    model = tw.RandomForestRegressor(15, monotonic_cst={"x0": 1, "x1": -1}, **how).fit(X, y)
    assert (steps(model.predict, 0) >= -1e-12).all()
    assert (steps(model.predict, 1) <= 1e-12).all()
    free = tw.RandomForestRegressor(15, **how).fit(X, y)
    assert (steps(free.predict, 0) < -1e-6).any()


def test_the_share_of_the_second_class_keeps_the_order() -> None:
    X, y = table()
    model = tw.RandomForestClassifier(15, monotonic_cst=[1, 0, 0, 0], class_weight="balanced_subsample").fit(X, y > 0)
    assert (steps(lambda rows: model.predict_proba(rows)[:, 1], 0) >= -1e-12).all()
    assert model.score(X, y > 0) > 0.9


def test_without_an_order_for_any_column_the_forest_is_the_free_one() -> None:
    X, y = table()
    asked = tw.RandomForestRegressor(5, monotonic_cst=[0, 0, 0, 0]).fit(X, y)
    assert np.array_equal(asked.predict(X), tw.RandomForestRegressor(5).fit(X, y).predict(X))


def test_order_of_rows_and_growing_on_change_nothing() -> None:
    X, y = table()
    how: dict[str, Any] = {"monotonic_cst": [1, -1, 0, 0], "warm_start": True}
    at_once = tw.RandomForestRegressor(12, **how).fit(X, y)
    order = np.random.default_rng(1).permutation(len(X))
    assert tw.RandomForestRegressor(12, n_jobs=1, **how).fit(X[order], y[order]).fingerprint() == at_once.fingerprint()
    begun = tw.RandomForestRegressor(5, **how).fit(X, y).set_params(n_estimators=12).fit(X, y)
    assert begun.fingerprint() == at_once.fingerprint()


def test_a_single_tree_draws_columns_and_keeps_the_order() -> None:
    X, y = table()
    model = tw.DecisionTreeRegressor(max_features=2, monotonic_cst=[1, 0, 0, 0]).fit(X, y)
    assert (steps(model.predict, 0) >= 0).all()
    other = tw.DecisionTreeRegressor(max_features=2, monotonic_cst=[1, 0, 0, 0], random_state=9).fit(X, y)
    assert other.fingerprint() != model.fingerprint()


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (tw.ExtraTreesRegressor(monotonic_cst=[1, 0, 0, 0]), "cuts that are drawn"),
        (tw.DecisionTreeRegressor(splitter="random", monotonic_cst=[1, 0, 0, 0]), "does not go with monotonic_cst"),
        (tw.RandomForestRegressor(monotonic_cst=[1]), "1 numbers for 4 columns"),
    ],
)
def test_what_does_not_go_with_an_order_is_refused(model: Any, sentence: str) -> None:
    X, y = table()
    with pytest.raises(DataError, match=sentence):
        model.fit(X, y)
