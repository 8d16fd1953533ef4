"""Oblique forests: the laws of all forests hold, and what they cannot do is refused with a sentence."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright import _core
from treewright.errors import DataError
from treewright.learners.ensemble.bootstrap import draw_bootstraps
from treewright.save.persist import load_bytes
from treewright.table.frame import open_frame

FORESTS = (tw.RandomForestClassifier, tw.RandomForestRegressor)


def leaning_table(n_rows: int, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Numbers, some missing, and levels; classes and numbers that lean on a sum of two columns."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n_rows, 4)).round(2), columns=list("abcd"))
    X.loc[rng.random(n_rows) < 0.1, "c"] = np.nan
    X["e"] = np.array(["p", "q", "r"])[rng.integers(0, 3, n_rows)]
    signal = X["a"] - X["b"] + (X["e"] == "q") + rng.normal(size=n_rows) / 3
    return X, np.digitize(signal, [-0.5, 0.8]), signal.to_numpy().round(3)


def fitted(kind: type, n_rows: int = 300, n_trees: int = 8, **params: Any) -> tuple[Any, pd.DataFrame, np.ndarray]:
    X, classes, numbers = leaning_table(n_rows)
    y = classes if kind is tw.RandomForestClassifier else numbers
    return kind(n_trees, splitter="oblique", random_state=3, **params).fit(X, y), X, y


@pytest.mark.parametrize("kind", FORESTS)
def test_threads_do_not_change_a_byte(kind: type) -> None:
    assert len({fitted(kind, n_jobs=n)[0].fingerprint() for n in (1, 2, 3, 8)}) == 1


@pytest.mark.parametrize("kind", FORESTS)
def test_the_order_of_rows_does_not_change_the_trees(kind: type) -> None:
    one, X, y = fitted(kind)
    order = np.random.default_rng(1).permutation(len(y))
    other = kind(8, splitter="oblique", random_state=3).fit(X.iloc[order].reset_index(drop=True), y[order])
    assert np.array_equal(one.predict(X), other.predict(X))


@pytest.mark.parametrize("kind", FORESTS)
def test_a_weight_of_two_is_the_row_twice(kind: type) -> None:
    X, classes, numbers = leaning_table(200)
    y, weights = classes if kind is tw.RandomForestClassifier else numbers, np.arange(200) % 3
    twice = np.repeat(np.arange(200), weights)
    one = kind(5, splitter="oblique").fit(X, y, sample_weight=weights)
    other = kind(5, splitter="oblique").fit(X.iloc[twice].reset_index(drop=True), y[twice])
    assert np.array_equal(one.predict(X), other.predict(X))


@pytest.mark.parametrize("kind", FORESTS)
def test_the_answer_is_the_mean_of_the_trees(kind: type) -> None:
    model, X, _ = fitted(kind)
    assert any("term_start" in tree.arrays for tree in model.trees_)
    if kind is tw.RandomForestRegressor:
        by_hand = np.mean([single.predict(X) for single in model.estimators_], axis=0)
        assert np.allclose(model.predict(X), by_hand)
    else:
        by_hand = np.mean([single.predict_proba(X) for single in model.estimators_], axis=0)
        assert np.allclose(model.predict_proba(X), by_hand)
        assert np.allclose(list(model.staged_predict_proba(X))[-1], by_hand)


@pytest.mark.parametrize("voting", ["mean", "vote"])
def test_one_row_is_answered_as_in_a_table(voting: str) -> None:
    model, X, _ = fitted(tw.RandomForestClassifier, voting=voting)
    assert [model.predict_one(row) for row in X[:40].to_dict("records")] == model.predict(X[:40]).tolist()
    numbers, X, _ = fitted(tw.RandomForestRegressor)
    said = [numbers.predict_one(row) for row in X[:40].values.tolist()]
    assert said == pytest.approx(numbers.predict(X[:40]).tolist())


@pytest.mark.parametrize("kind", FORESTS)
def test_out_of_bag_by_hand(kind: type) -> None:
    model, X, y = fitted(kind, n_trees=30, oob_score=True)
    training = model._encode(open_frame(X), y, None)
    bags = draw_bootstraps(training, None, 1.0, True, 3)
    for row in range(0, 300, 17):
        out = [i for i in range(30) if bags.weights_of(i)[row] == 0]
        said = [model.estimators_[i] for i in out]
        one = X.iloc[[row]]
        if kind is tw.RandomForestRegressor:
            assert model.oob_prediction_[row] == pytest.approx(np.mean([s.predict(one)[0] for s in said]))
        else:
            assert np.allclose(model.oob_decision_function_[row], np.mean([s.predict_proba(one) for s in said], axis=0))
    assert 0.6 < model.oob_score_ < 1


@pytest.mark.parametrize("kind", FORESTS)
def test_a_saved_forest_is_the_same(kind: type) -> None:
    model, X, _ = fitted(kind, oob_score=True, max_samples=0.3)
    for again in (pickle.loads(pickle.dumps(model)), load_bytes(model._tw_bytes())):
        assert again.fingerprint() == model.fingerprint()
        assert np.array_equal(again.predict(X), model.predict(X))
        assert str(again) == str(model)
        assert np.array_equal(again.feature_importances_, model.feature_importances_)


@pytest.mark.parametrize("kind", FORESTS)
def test_a_warm_start_gives_what_growing_at_once_gives(kind: type) -> None:
    whole, X, y = fitted(kind, oob_score=True, max_samples=0.3)
    model = kind(3, splitter="oblique", random_state=3, max_samples=0.3, warm_start=True).fit(X, y)
    first = model.trees_.core.trees
    model.set_params(n_estimators=8, oob_score=True).fit(X, y)
    assert model.trees_.core.trees[:3] == first  # the very trees, not others like them
    assert np.array_equal(model.predict(X), whole.predict(X))
    assert model.oob_score_ == whole.oob_score_


def test_neighbours_and_quantiles_work() -> None:
    model, X, y = fitted(tw.RandomForestRegressor, quantiles=True, min_samples_leaf=3)
    ends = model.apply(X)
    shares = (ends[0] == ends).mean(axis=1)
    near = model.proximities(X, k=5)
    assert near[0, 0] == 1
    assert np.allclose(near[0].data, shares[near[0].indices])
    low, middle, high = model.predict_quantiles(X).T
    assert (low <= middle).all()
    assert (middle <= high).all()
    assert np.mean((low <= y) & (y <= high)) > 0.8


def test_a_column_that_matters_in_sums_is_important() -> None:
    model, X, _ = fitted(tw.RandomForestClassifier, n_trees=20)
    worth = dict(zip(X.columns, model.feature_importances_, strict=True))
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert min(worth["a"], worth["b"]) > max(worth["c"], worth["d"])


def test_sums_win_where_the_border_leans() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 6))
    y = X @ rng.normal(size=6) > 0
    scores = [
        tw.RandomForestClassifier(40, splitter=splitter, max_features=0.5).fit(X[:600], y[:600]).score(X[600:], y[600:])
        for splitter in ("axis", "oblique")
    ]
    assert scores[1] > scores[0] + 0.02


@pytest.mark.parametrize("weight", ["balanced", "balanced_subsample", {0: 1.0, 2: 30.0}])
def test_class_weights_raise_the_share_of_a_rare_class(weight: Any) -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(400, 3))
    y = (X[:, 0] + X[:, 1] + rng.normal(size=400) > 2.3).astype(int) * 2
    plain, weighted = (
        tw.RandomForestClassifier(20, splitter="oblique", min_samples_leaf=8, class_weight=w).fit(X, y)
        for w in (None, weight)
    )
    assert weighted.predict_proba(X)[:, 1].mean() > plain.predict_proba(X)[:, 1].mean() + 0.05


@pytest.mark.parametrize("params", [{"min_impurity_decrease": 0.1}, {"balanced_sampling": True}])
def test_what_oblique_trees_do_not_know_is_refused(params: dict[str, Any]) -> None:
    with pytest.raises(DataError, match="is not known to oblique trees"):
        fitted(tw.RandomForestClassifier, **params)


def test_no_branch_has_a_smaller_share_of_the_weight() -> None:
    model, _, _ = fitted(tw.RandomForestClassifier, min_weight_fraction_leaf=0.1)
    for tree in model.trees_:
        assert tree.n_leaves > 1
        assert tree.arrays["weight"].min() >= 0.1 * tree.arrays["weight"][0]


def test_importance_out_of_bag_is_refused() -> None:
    model, X, y = fitted(tw.RandomForestClassifier)
    with pytest.raises(DataError, match="not known for oblique forests"):
        model.unbiased_importance(X, y)


def test_a_warm_start_does_not_mix_splitters() -> None:
    model, X, y = fitted(tw.RandomForestClassifier, warm_start=True)
    with pytest.raises(DataError, match="trees of the same splitter"):
        model.set_params(splitter="axis", n_estimators=9).fit(X, y)


@pytest.mark.parametrize("y", [[1, 1, 1], [0, 1, 0]], ids=["one class", "two classes"])
def test_few_rows_make_a_forest(y: list[int]) -> None:
    model = tw.RandomForestClassifier(4, splitter="oblique").fit([[1.0], [2.0], [2.0]], y)
    assert len(model.predict([[5.0]])) == 1
    one_row = tw.RandomForestRegressor(4, splitter="oblique").fit([[1.0]], [7.0])
    assert one_row.predict([[5.0]]) == [7.0]
    assert isinstance(one_row.trees_[0].core, _core.Tree)
