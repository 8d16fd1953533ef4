"""Boosting that starts from another model: what the trees learn, what rows are answered with, and files."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.neighbors import KNeighborsRegressor as TheirNeighbours
from sklearn.svm import LinearSVC

import treewright as tw
from treewright.errors import DataError, ModelFileError
from treewright.save.attached import whole_state
from treewright.save.model_bytes import to_bytes
from treewright.save.persist import load_bytes

PASSENGERS, SURVIVED = tw.datasets.load_titanic(return_X_y=True)
CARS, MPG = tw.datasets.load_auto_mpg(return_X_y=True)
FLOWERS, SPECIES = tw.datasets.load_iris(return_X_y=True)
QUICK: dict[str, Any] = {"n_estimators": 5, "max_leaf_nodes": 6}
LEARNT = [
    (tw.GradientBoostingClassifier, tw.NaiveBayesClassifier(), PASSENGERS, SURVIVED),
    (tw.GradientBoostingClassifier, tw.LogisticRegression(), FLOWERS, SPECIES),
    (tw.GradientBoostingRegressor, tw.LinearRegression(), CARS, MPG),
    (tw.GradientBoostingRegressor, tw.KNeighborsRegressor(), CARS.to_numpy(), MPG),
]
BY_KIND = pytest.mark.parametrize(("kind", "first", "X", "y"), LEARNT, ids=["two", "three", "numbers", "array"])


def test_the_trees_of_numbers_learn_what_the_first_model_leaves_over() -> None:
    first = tw.LinearRegression().fit(CARS, MPG)
    model = tw.GradientBoostingRegressor(init=tw.LinearRegression(), **QUICK).fit(CARS, MPG)
    rest = tw.GradientBoostingRegressor(init="zero", **QUICK).fit(CARS, MPG - first.predict(CARS))
    np.testing.assert_allclose(model.predict(CARS), first.predict(CARS) + rest.predict(CARS), rtol=1e-9)
    assert model.init_.coef_.tolist() == first.coef_.tolist()


def test_the_trees_of_classes_learn_from_gradients_at_the_probabilities_of_the_first_model() -> None:
    shares = tw.NaiveBayesClassifier().fit(PASSENGERS, SURVIVED).predict_proba(PASSENGERS)[:, 1]
    odds = np.log(shares / (1 - shares))

    def loss(y: Any, added: Any) -> tuple[Any, Any]:
        share = expit(odds + added)
        return share - y, share * (1 - share)

    by_hand = tw.GradientBoostingClassifier(loss=loss, **QUICK).fit(PASSENGERS, SURVIVED)
    model = tw.GradientBoostingClassifier(init=tw.NaiveBayesClassifier(), **QUICK).fit(PASSENGERS, SURVIVED)
    added = by_hand.decision_function(PASSENGERS)
    np.testing.assert_allclose(model.decision_function(PASSENGERS), odds + added, rtol=1e-6)


def test_sums_of_three_classes_start_at_the_logarithms_of_the_probabilities() -> None:
    model = tw.GradientBoostingClassifier(init=tw.LogisticRegression(), **QUICK).fit(FLOWERS, SPECIES)
    trees = copy.copy(model)
    del trees.init_
    added = trees._make_lookup().sums(model._rows(FLOWERS), 1)
    logs = np.log(np.clip(model.init_.predict_proba(FLOWERS), 2.0**-23, 1 - 2.0**-23))
    np.testing.assert_allclose(model.predict_proba(FLOWERS), softmax(logs + added, axis=1), rtol=1e-9)


@BY_KIND
def test_it_answers_one_row_in_stages_and_from_a_file_as_it_answers_all(
    kind: Any, first: Any, X: Any, y: Any, tmp_path: Path
) -> None:
    model = kind(init=first, **QUICK).fit(X, y)
    answers = model.predict(X)
    row = X[7].tolist() if isinstance(X, np.ndarray) else X.iloc[7].to_dict()
    assert model.predict_one(row) == answers[7]
    stages = list(model.staged_predict(X))
    assert len(stages) == 5
    assert (stages[-1] == answers).all()
    tw.save(model, tmp_path / "m.tw")
    for other in (tw.load(tmp_path / "m.tw"), pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert (other.predict(X) == answers).all()
        assert other.fingerprint() == model.fingerprint()


@pytest.mark.parametrize(
    ("kind", "first", "X", "y"),
    [*LEARNT[:3], (tw.GradientBoostingRegressor, tw.DecisionTreeRegressor(max_depth=2), CARS, MPG)],
    ids=["two", "three", "numbers", "tree"],
)
def test_the_order_of_rows_does_not_change_the_model(kind: Any, first: Any, X: Any, y: Any) -> None:
    order = np.random.default_rng(0).permutation(len(y))
    models = [kind(init=first, subsample=0.5, **QUICK).fit(X.iloc[rows], y.iloc[rows]) for rows in (order, order[::-1])]
    assert models[0].fingerprint() == models[1].fingerprint()


def test_rounds_are_judged_by_rows_that_the_first_model_has_not_seen() -> None:
    given = tw.GradientBoostingRegressor(init=tw.LinearRegression(), early_stopping=True, n_estimators=200)
    learnt, judging = CARS.index % 4 > 0, CARS.index % 4 == 0
    model = given.fit(CARS[learnt], MPG[learnt], X_val=CARS[judging], y_val=MPG[judging])
    first = tw.LinearRegression().fit(CARS[learnt], MPG[learnt])
    assert model.init_.coef_.tolist() == pytest.approx(first.coef_.tolist())
    losses = [np.mean((MPG[judging] - first.predict(CARS[judging])) ** 2)]
    losses += [np.mean((MPG[judging] - answers) ** 2) for answers in model.staged_predict(CARS[judging])]
    np.testing.assert_allclose(losses, model.loss_curve_[: len(losses)])
    assert model.n_estimators_ == np.argmin(model.loss_curve_) < 200
    by_itself = tw.GradientBoostingClassifier(init=tw.NaiveBayesClassifier()).fit(PASSENGERS, SURVIVED)
    assert by_itself.n_models_ == 1
    assert by_itself.n_estimators_ == max(1, np.argmin(by_itself.loss_curve_))


@pytest.mark.parametrize("loss", ["absolute_error", "huber", "quantile"])
def test_losses_by_ranks_start_from_a_model_too(loss: str) -> None:
    model = tw.GradientBoostingRegressor(init=tw.LinearRegression(), loss=loss, n_estimators=40).fit(CARS, MPG)
    error = MPG - model.predict(CARS)
    start = MPG - model.init_.predict(CARS)
    worth = (lambda e: np.maximum(0.9 * e, -0.1 * e).mean()) if loss == "quantile" else (lambda e: e.abs().mean())
    assert worth(error) < 0.7 * worth(start)


def test_a_warm_start_keeps_the_first_model() -> None:
    model = tw.GradientBoostingRegressor(init=tw.LinearRegression(), warm_start=True, **QUICK).fit(CARS, MPG)
    first = model.init_
    model.set_params(n_estimators=9).fit(CARS, MPG)
    assert model.init_ is first
    at_once = tw.GradientBoostingRegressor(init=tw.LinearRegression(), **{**QUICK, "n_estimators": 9}).fit(CARS, MPG)
    np.testing.assert_allclose(model.predict(CARS), at_once.predict(CARS), rtol=1e-6)


def test_estimators_of_others_are_taken_pickled_and_refused_by_files(tmp_path: Path) -> None:
    model = tw.GradientBoostingClassifier(init=TheirLogistic(), **QUICK).fit(FLOWERS, SPECIES)
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict_proba(FLOWERS) == model.predict_proba(FLOWERS)).all()
    assert model.predict_one(FLOWERS.iloc[0].to_dict()) == model.predict(FLOWERS)[0]
    with pytest.raises(DataError, match="starts from LogisticRegression, and a model file holds models of treewright"):
        tw.save(model, tmp_path / "m.tw")
    of_others = tw.GradientBoostingClassifier(init=tw.AdaBoostClassifier(tw.C45Classifier(), n_estimators=2), **QUICK)
    with pytest.raises(DataError, match="AdaBoostClassifier, which is made of another model"):
        tw.save(of_others.fit(FLOWERS, SPECIES), tmp_path / "m.tw")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"init": tw.NaiveBayesClassifier()}, "predicts numbers"),
        ({"init": tw.LinearRegression}, "predicts numbers"),
        ({"init": tw.LinearRegression(), "loss": "poisson"}, "LinearRegression does not go with loss='poisson'"),
        ({"init": tw.LinearRegression(), "n_models": 3}, "With init there is one model"),
        ({"init": TheirNeighbours(), "weights": True}, "KNeighborsRegressor does not support sample weights"),
        ({"init": tw.GradientBoostingRegressor(init=tw.LinearRegression())}, "itself starts from another"),
        ({"init": "one"}, "'init' parameter"),
    ],
)
def test_what_cannot_be_started_from_is_told(settings: dict[str, Any], words: str) -> None:
    weights = np.linspace(1, 2, len(MPG)) if settings.pop("weights", False) else None
    with pytest.raises(ValueError, match=words):
        tw.GradientBoostingRegressor(**{"n_estimators": 5, **settings}).fit(CARS, MPG, weights)


def test_classes_need_a_model_with_probabilities() -> None:
    with pytest.raises(DataError, match="predict_proba"):
        tw.GradientBoostingClassifier(init=LinearSVC(), **QUICK).fit(FLOWERS, SPECIES)


def test_what_is_told_by_trees_alone_is_refused_by_name(tmp_path: Path) -> None:
    model = tw.GradientBoostingRegressor(init=tw.LinearRegression(), **QUICK).fit(CARS, MPG)
    for ask in (
        lambda: model.why(CARS.iloc[0]),
        lambda: model.shap_values(CARS),
        lambda: model.expected_value,
        lambda: model.export(tmp_path / "model.py"),
    ):
        with pytest.raises(DataError, match="adds its trees to the answers of LinearRegression"):
            ask()


def test_columns_that_the_first_model_asks_for_are_needed() -> None:
    model = tw.GradientBoostingRegressor(init=tw.LinearRegression(), n_estimators=1, max_leaf_nodes=2).fit(CARS, MPG)
    with pytest.raises(DataError, match="lacks 1 of the 7 columns"):
        tw.align(CARS.drop(columns="origin"), model)


def test_a_file_whose_first_model_does_not_fit_is_refused() -> None:
    model = tw.GradientBoostingRegressor(init=tw.LinearRegression(), **QUICK).fit(CARS, MPG)
    header, arrays = whole_state(model)
    others = {
        "other columns": tw.LinearRegression().fit(CARS.iloc[:, :3], MPG),
        "predicts something else": tw.NaiveBayesClassifier().fit(CARS, MPG > 20),
        "none that can stand alone": model,
    }
    own = {name: array for name, array in arrays.items() if not name.startswith("init:")}
    for words, first in others.items():
        first_header, first_arrays = whole_state(first)
        changed = {**own, **{f"init:{name}": array for name, array in first_arrays.items()}}
        with pytest.raises(ModelFileError, match=words):
            load_bytes(to_bytes({**header, "init": first_header}, changed))
    tree_header, tree_arrays = whole_state(tw.DecisionTreeRegressor().fit(CARS, MPG))
    joined = {**tree_arrays, **{name: array for name, array in arrays.items() if name.startswith("init:")}}
    with pytest.raises(ModelFileError, match="which none of its kind does"):
        load_bytes(to_bytes({**tree_header, "init": header["init"]}, joined))
