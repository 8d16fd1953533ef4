"""Bagging and AdaBoost of estimators that are no trees of treewright."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, BaggingRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR

import treewright as tw
from treewright.errors import DataError

RNG = np.random.default_rng(5)
X = RNG.normal(size=(200, 4)).round(3)
CLASSES = np.where(X[:, 0] + X[:, 1] ** 2 > 0.7, "yes", np.where(X[:, 2] > 0.5, "maybe", "no"))
NUMBERS = 3 * X[:, 0] - X[:, 3] + RNG.normal(size=200).round(3)

CLASSIFIERS = [
    tw.BaggingTreesClassifier(SVC(), n_estimators=4),
    tw.BaggingTreesClassifier(LogisticRegression(), n_estimators=4, max_features=2, max_samples=0.5),
    tw.BaggingTreesClassifier(make_pipeline(StandardScaler(), KNeighborsClassifier()), n_estimators=4, voting="vote"),
    tw.BaggingTreesClassifier(tw.LogisticRegression(), n_estimators=3),
    tw.AdaBoostClassifier(LogisticRegression(), n_estimators=4),
    tw.AdaBoostClassifier(RidgeClassifier(), n_estimators=4),
]
REGRESSORS = [
    tw.BaggingTreesRegressor(SVR(), n_estimators=4),
    tw.BaggingTreesRegressor(KNeighborsRegressor(), n_estimators=4, bootstrap_features=True),
    tw.AdaBoostRegressor(LinearRegression(), n_estimators=4),
    tw.AdaBoostRegressor(KNeighborsRegressor(), n_estimators=4),
]


@pytest.mark.parametrize("model", CLASSIFIERS, ids=repr)
def test_any_classifier_answers_by_its_own_predict(model: Any) -> None:
    fitted = clone(model).fit(X, CLASSES)
    assert fitted.classes_.tolist() == ["maybe", "no", "yes"]
    shares = fitted.predict_proba(X)
    assert np.allclose(shares.sum(axis=1), 1)
    assert (fitted.predict(X) == fitted.classes_[shares.argmax(axis=1)]).all()
    assert fitted.score(X, CLASSES) > 0.55  # the largest class has .515
    assert [type(member) for member in fitted.estimators_] == [type(model.estimator)] * len(fitted)
    assert fitted.predict_one(X[3].tolist()) == fitted.predict(X[3:4])[0]


@pytest.mark.parametrize("model", REGRESSORS, ids=repr)
def test_any_regressor_answers_by_its_own_predict(model: Any) -> None:
    fitted = clone(model).fit(X, NUMBERS)
    assert fitted.score(X, NUMBERS) > 0.5
    assert fitted.predict_one(X[3].tolist()) == pytest.approx(fitted.predict(X[3:4])[0])


@pytest.mark.parametrize("model", [*CLASSIFIERS, *REGRESSORS], ids=repr)
def test_it_can_be_pickled_and_a_model_file_is_refused_in_a_sentence(model: Any, tmp_path: Path) -> None:
    fitted = clone(model).fit(X, CLASSES if model._predicts_classes else NUMBERS)
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.predict(X), fitted.predict(X))
    for ask in (lambda: tw.save(fitted, tmp_path / "m.tw"), fitted.fingerprint):
        with pytest.raises(DataError, match=r"a model file holds trees of treewright only.*Pickle the model"):
            ask()
    assert list(tmp_path.iterdir()) == []


def test_bagging_without_draws_is_the_estimator_itself_and_scikit_learns_bagging() -> None:
    alone = KNeighborsRegressor().fit(X, NUMBERS).predict(X)
    how: dict[str, Any] = {"n_estimators": 2, "bootstrap": False}
    assert np.allclose(tw.BaggingTreesRegressor(KNeighborsRegressor(), **how).fit(X, NUMBERS).predict(X), alone)
    assert np.allclose(BaggingRegressor(KNeighborsRegressor(), **how).fit(X, NUMBERS).predict(X), alone)
    ours = tw.BaggingTreesClassifier(LogisticRegression(), **how).fit(X, CLASSES)
    theirs = BaggingClassifier(LogisticRegression(), **how).fit(X, CLASSES)
    assert np.allclose(ours.predict_proba(X), theirs.predict_proba(X))


def test_boosting_gives_the_says_of_scikit_learn_where_the_scale_of_weights_does_not_matter() -> None:
    ours = tw.AdaBoostClassifier(RidgeClassifier(alpha=1e-12), n_estimators=5).fit(X, CLASSES)
    theirs = AdaBoostClassifier(RidgeClassifier(alpha=1e-12), n_estimators=5).fit(X, CLASSES)
    assert np.allclose(ours.estimator_weights_, theirs.estimator_weights_)
    assert np.allclose(ours.decision_function(X), theirs.decision_function(X))


def test_each_member_is_fitted_on_the_rows_and_columns_that_are_told() -> None:
    model = tw.BaggingTreesClassifier(KNeighborsClassifier(), n_estimators=3, max_features=2).fit(X, CLASSES)
    drawn = zip(model.estimators_, model.estimators_samples_, model.estimators_features_, strict=True)
    for member, rows, columns in drawn:
        again = KNeighborsClassifier().fit(X[rows][:, columns], CLASSES[rows])
        assert (again.predict(X[:, columns]) == member.predict(X[:, columns])).all()


def test_what_is_drawn_does_not_depend_on_the_order_of_the_rows() -> None:
    order = np.random.default_rng(0).permutation(200)
    model = tw.BaggingTreesRegressor(LinearRegression(), n_estimators=3).fit(X, NUMBERS)
    other = tw.BaggingTreesRegressor(LinearRegression(), n_estimators=3).fit(X[order], NUMBERS[order])
    for rows, others in zip(model.estimators_samples_, other.estimators_samples_, strict=True):
        assert sorted(order[others]) == rows.tolist()
    assert np.allclose(model.predict(X), other.predict(X))


def test_rows_out_of_bag_are_judged_and_a_warm_start_goes_on() -> None:
    model = tw.BaggingTreesClassifier(SVC(), n_estimators=30, oob_score=True).fit(X, CLASSES)
    assert 0.6 < model.oob_score_ < 1
    warm = tw.BaggingTreesRegressor(SVR(), n_estimators=2, warm_start=True).fit(X, NUMBERS)
    first = warm.estimators_[0]
    warm.set_params(n_estimators=5).fit(X, NUMBERS)
    assert len(warm) == 5
    assert warm.estimators_[0] is first
    at_once = tw.BaggingTreesRegressor(SVR(), n_estimators=5).fit(X, NUMBERS)
    assert np.array_equal(warm.predict(X), at_once.predict(X))
    with pytest.raises(DataError, match="less than the 5 trees"):
        warm.set_params(n_estimators=1).fit(X, NUMBERS)
    trees = warm.set_params(estimator=None, n_estimators=3).fit(X, NUMBERS)  # nothing of the other members is kept
    assert len(trees.trees_) == 3


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_frames_reach_the_estimator_as_frames(kind: Any) -> None:
    columns = {"job": ["a", "b", "c", "a"] * 25, "age": [float(i % 17) for i in range(100)]}
    y = ["old" if i % 17 > 8 else "young" for i in range(100)]
    encoder = make_column_transformer((OneHotEncoder(), ["job"]), remainder="passthrough")
    model = tw.BaggingTreesClassifier(make_pipeline(encoder, LogisticRegression()), n_estimators=3)
    fitted = model.fit(kind(columns), y)
    assert fitted.score(kind(columns), y) > 0.9
    if kind is pd.DataFrame:
        assert fitted.predict_one({"job": "b", "age": 15.0}) == "old"


def test_sparse_tables_reach_the_estimator_as_they_are() -> None:
    table = sparse.csr_array(np.where(X > 0, X, 0))
    fitted = tw.AdaBoostClassifier(LogisticRegression(), n_estimators=3).fit(table, CLASSES)
    dense = tw.AdaBoostClassifier(LogisticRegression(), n_estimators=3).fit(table.toarray(), CLASSES)
    assert (fitted.predict(table) == dense.predict(table.toarray())).all()


def test_several_targets_are_learnt_each_for_itself() -> None:
    both = np.column_stack([NUMBERS, X[:, 1]])
    model = tw.BaggingTreesRegressor(SVR(), n_estimators=3).fit(X, both)
    assert model.predict(X).shape == (200, 2)
    assert np.array_equal(model.targets_[0].predict(X), model.predict(X)[:, 0])
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    with pytest.raises(DataError, match="a model file holds trees"):
        model.fingerprint()
    with pytest.raises(AttributeError, match=r"ask model.targets_\[0\].estimators_"):
        _ = model.estimators_


@pytest.mark.parametrize(
    ("model", "how", "sentence"),
    [
        (tw.BaggingTreesClassifier(SVR()), {}, "one that predicts classes: a tree of treewright such as"),
        (tw.BaggingTreesRegressor(SVC()), {}, "one that predicts numbers"),
        (tw.BaggingTreesClassifier(SVC), {}, "Got <class 'sklearn.svm._classes.SVC'>"),
        (tw.BaggingTreesClassifier("cart"), {}, "Got 'cart' instead"),
        (tw.AdaBoostClassifier(KNeighborsClassifier()), {}, "KNeighborsClassifier doesn't support sample_weight"),
        (tw.BaggingTreesClassifier(KNeighborsClassifier()), {"sample_weight": X[:, 0] ** 2 + 0.1}, "doesn't support"),
        (tw.BaggingTreesClassifier(SVC(), column_kinds={"a": "nominal"}), {}, "column_kinds tells trees of treewright"),
    ],
)
def test_what_cannot_be_a_member_is_refused(model: Any, how: dict[str, Any], sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        model.fit(X, CLASSES if model._predicts_classes else NUMBERS, **how)


def test_questions_to_trees_are_answered_with_a_sentence() -> None:
    model = tw.BaggingTreesRegressor(SVR(), n_estimators=2).fit(X, NUMBERS)
    with pytest.raises(AttributeError, match="made of SVR and has no trees_"):
        _ = model.trees_
    for ask in (lambda: model.shap_values(X), lambda: model.why(X[0])):
        with pytest.raises(DataError, match="a question to trees of treewright, and the model is made of SVR"):
            ask()
    with pytest.raises(DataError, match="Choose kind='permutation'"):
        model.plot()
    assert not hasattr(model, "feature_importances_")
    forests = tw.BaggingTreesRegressor(tw.RandomForestRegressor(3), n_estimators=2, max_features=2).fit(X, NUMBERS)
    assert forests.feature_importances_.sum() == pytest.approx(1)


class OwnFit(tw.DecisionTreeRegressor):
    """A tree of treewright with a `fit` of its own."""

    def fit(self, X: Any, y: Any) -> Any:  # type: ignore[override]
        """Learn the opposite."""
        return super().fit(X, -np.asarray(y))


def test_a_fit_of_ones_own_is_called() -> None:
    model = tw.BaggingTreesRegressor(OwnFit(), n_estimators=2, bootstrap=False).fit(X, NUMBERS)
    assert np.allclose(model.predict(X), -NUMBERS)
