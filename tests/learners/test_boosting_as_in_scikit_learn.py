"""Boosting's rounds as scikit-learn's boosters have them: going on, other judges, what is kept of each round."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor as TheirRegressor
from sklearn.metrics import log_loss

import treewright as tw
from treewright.errors import DataError
from treewright.learners.boosting.kept_scores import RowsOfRounds
from treewright.table.frame import open_frame

PASSENGERS, SURVIVED = tw.datasets.load_titanic(return_X_y=True)
CARS, MPG = tw.datasets.load_auto_mpg(return_X_y=True)
FLOWERS, SPECIES = tw.datasets.load_iris(return_X_y=True)


@pytest.mark.parametrize(
    ("kind", "X", "y"),
    [
        (tw.GradientBoostingClassifier, PASSENGERS, SURVIVED),
        (tw.GradientBoostingClassifier, FLOWERS, SPECIES),
        (tw.GradientBoostingRegressor, CARS, MPG),
    ],
    ids=["two classes", "three classes", "numbers"],
)
def test_a_warm_start_ends_where_all_rounds_at_once_do(kind: Any, X: Any, y: Any) -> None:
    at_once = kind(n_estimators=12).fit(X, y)
    model = kind(n_estimators=5, warm_start=True).fit(X, y)
    first = model.trees_[0]
    model.set_params(n_estimators=12).fit(X, y)
    assert len(model.trees_) == len(at_once.trees_)
    assert str(model.trees_[0]) == str(first)
    ways = ("predict_proba", "staged_predict_proba") if hasattr(model, "classes_") else ("predict", "staged_predict")
    np.testing.assert_allclose(getattr(model, ways[0])(X), getattr(at_once, ways[0])(X), rtol=1e-6)
    for ours, all_at_once in zip(getattr(model, ways[1])(X), getattr(at_once, ways[1])(X), strict=True):
        np.testing.assert_allclose(ours, all_at_once, rtol=1e-6)


@pytest.mark.parametrize("loss", ["absolute_error", "huber", "quantile"])
def test_losses_by_ranks_go_on_too(loss: str) -> None:
    model = tw.GradientBoostingRegressor(n_estimators=5, warm_start=True, loss=loss).fit(CARS, MPG)
    before = list(model.staged_predict(CARS))
    model.set_params(n_estimators=30).fit(CARS, MPG)
    after = list(model.staged_predict(CARS))
    assert len(after) == 30
    np.testing.assert_array_equal(after[4], before[4])  # the first rounds say what they said
    share = model.alpha if loss == "quantile" else 0.5
    losses = [np.maximum(share * (e := MPG - each), (share - 1) * e).mean() for each in (before[4], after[-1])]
    assert losses[1] < 0.6 * losses[0]


def test_a_warm_start_may_change_its_parameters_and_is_saved(tmp_path: Path) -> None:
    model = tw.GradientBoostingRegressor(n_estimators=3, max_depth=1, warm_start=True).fit(CARS, MPG)
    model.set_params(n_estimators=6, max_depth=3).fit(CARS, MPG)
    assert [tree.depth for tree in model.trees_] == [1, 1, 1, 3, 3, 3]
    again = model.set_params(n_estimators=6).fit(CARS, MPG)
    assert len(again.trees_) == 6
    tw.save(model, tmp_path / "m.tw")
    loaded = tw.load(tmp_path / "m.tw").set_params(n_estimators=8).fit(CARS, MPG)
    model.set_params(n_estimators=8).fit(CARS, MPG)
    np.testing.assert_array_equal(loaded.predict(CARS), model.predict(CARS))


def test_rounds_that_are_added_do_not_depend_on_the_order_of_rows() -> None:
    order = np.random.default_rng(3).permutation(len(SURVIVED))
    states = []
    for X, y in [(PASSENGERS, SURVIVED), (PASSENGERS.iloc[order], SURVIVED.iloc[order])]:
        model = tw.GradientBoostingClassifier(n_estimators=4, subsample=0.5, warm_start=True).fit(X, y)
        states.append(model.set_params(n_estimators=9).fit(X, y).trees_.core.arrays())
    for name, array in states[0].items():
        np.testing.assert_array_equal(array, states[1][name])


def test_what_a_warm_start_cannot_do_is_told() -> None:
    model = tw.GradientBoostingRegressor(n_estimators=5, warm_start=True).fit(CARS, MPG)
    for change, words in [
        ({"n_estimators": 4}, "less than the 5 rounds"),
        ({"n_estimators": 9, "early_stopping": True}, "no early stopping"),
        ({"n_estimators": "auto", "early_stopping": None}, "n_estimators as a number"),
        ({"n_estimators": 9, "loss": "poisson"}, "poisson"),
    ]:
        with pytest.raises(DataError, match=words):
            model.set_params(**change).fit(CARS, MPG)
    with pytest.raises(DataError, match="the table of the first fit"):
        model.set_params(loss="squared_error", n_estimators=9).fit(CARS.iloc[:, :3], MPG)


def test_a_score_judges_the_rounds_in_place_of_the_loss() -> None:
    def minus_log_loss(model: Any, X: Any, y: Any) -> float:
        return -log_loss(y, model.predict_proba(X))

    settings = {"n_estimators": 200, "n_iter_no_change": 5, "tol": 0.0}
    by_loss = tw.GradientBoostingClassifier(**settings).fit(PASSENGERS, SURVIVED)
    by_score = tw.GradientBoostingClassifier(**settings, scoring=minus_log_loss).fit(PASSENGERS, SURVIVED)
    assert by_score.n_iter_ == by_loss.n_iter_ < 200
    np.testing.assert_allclose(by_score.loss_curve_, by_loss.loss_curve_, rtol=1e-9)
    named = tw.GradientBoostingClassifier(**settings, scoring="neg_log_loss").fit(PASSENGERS, SURVIVED)
    np.testing.assert_array_equal(named.predict_proba(PASSENGERS), by_loss.predict_proba(PASSENGERS))


def test_folds_may_be_judged_by_a_score() -> None:
    model = tw.GradientBoostingClassifier(scoring="roc_auc", n_models=2, n_iter_no_change=5)
    model.fit(PASSENGERS.iloc[:300], SURVIVED.iloc[:300])
    assert model.n_models_ == 2
    assert 0.7 < model.validation_score_ < 0.95


def test_an_unknown_score_is_answered_with_the_nearest() -> None:
    with pytest.raises(DataError, match="Did you mean 'roc_auc'"):
        tw.GradientBoostingClassifier(n_estimators=5, n_iter_no_change=2, scoring="rocauc").fit(PASSENGERS, SURVIVED)


def test_rounds_without_improvement_alone_stop_a_given_number_of_rounds() -> None:
    assert tw.GradientBoostingClassifier(n_estimators=300).fit(PASSENGERS, SURVIVED).n_iter_ == 300
    assert tw.GradientBoostingClassifier(n_estimators=300, n_iter_no_change=5).fit(PASSENGERS, SURVIVED).n_iter_ < 300
    model = tw.GradientBoostingClassifier(n_estimators=30, n_iter_no_change=None).fit(PASSENGERS, SURVIVED)
    assert model.n_iter_ == 30


@pytest.mark.parametrize("weights", ["none", "whole", "fractions"])
def test_the_rows_of_a_round_are_those_that_the_core_drew(weights: str) -> None:
    given = {"none": None, "whole": np.arange(len(SURVIVED)) % 4, "fractions": np.arange(len(SURVIVED)) % 4 + 0.5}[
        weights
    ]
    model = tw.GradientBoostingClassifier(n_estimators=4, subsample=0.6).fit(PASSENGERS, SURVIVED, given)
    training = model._encode(open_frame(PASSENGERS), SURVIVED, given)
    rounds = RowsOfRounds(training, model._one_side(training, model._settings(training)), 0.6, 0)
    for number, leaves in enumerate(model.apply(PASSENGERS).T):
        drawn = np.bincount(leaves, rounds.weights(number) > 0)
        stored = model.trees_.core.tree(number).arrays()["n_rows"]
        np.testing.assert_array_equal(drawn[np.unique(leaves)], stored[np.unique(leaves)])


def test_the_scores_of_the_rounds_are_those_of_scikit_learn() -> None:
    X = CARS.select_dtypes("number").fillna(0.0)
    ours = tw.GradientBoostingRegressor(
        n_estimators=30, max_depth=3, max_leaf_nodes=None, min_samples_leaf=1, keep_scores=True
    ).fit(X, MPG)
    theirs = TheirRegressor(n_estimators=30, max_depth=3).fit(X, MPG)
    np.testing.assert_allclose(ours.train_score_, theirs.train_score_, rtol=0.02)
    np.testing.assert_allclose(ours.train_score_[-1], np.mean((MPG - ours.predict(X)) ** 2))


def test_out_of_bag_improvements_add_up_to_the_fall_of_the_loss(tmp_path: Path) -> None:
    model = tw.GradientBoostingClassifier(n_estimators=20, subsample=0.5, keep_scores=True).fit(PASSENGERS, SURVIVED)
    assert model.oob_improvement_.shape == model.oob_scores_.shape == model.train_score_.shape == (20,)
    assert model.oob_score_ == model.oob_scores_[-1]
    assert model.oob_improvement_[:5].min() > 0
    assert model.train_score_[-1] < model.oob_score_
    tw.save(model, tmp_path / "m.tw")
    np.testing.assert_array_equal(tw.load(tmp_path / "m.tw").oob_improvement_, model.oob_improvement_)
    first = model.train_score_
    model.set_params(n_estimators=25, warm_start=True).fit(PASSENGERS, SURVIVED)
    assert model.train_score_.shape == (25,)
    np.testing.assert_array_equal(model.train_score_[:20], first)


def test_scores_that_were_not_kept_name_the_way_to_them() -> None:
    model = tw.GradientBoostingClassifier(n_estimators=3).fit(PASSENGERS, SURVIVED)
    with pytest.raises(AttributeError, match="keep_scores=True"):
        _ = model.train_score_
    with pytest.raises(AttributeError, match="subsample below 1"):
        _ = model.oob_improvement_


def test_scores_may_start_at_zero() -> None:
    model = tw.GradientBoostingRegressor(n_estimators=1, learning_rate=1.0, init="zero", max_leaf_nodes=2).fit(
        CARS, MPG
    )
    assert model.baseline_.tolist() == [0.0]
    leaf = model.apply(CARS)[:, 0]
    np.testing.assert_allclose(model.predict(CARS), MPG.groupby(leaf).transform("mean"), rtol=1e-6)
