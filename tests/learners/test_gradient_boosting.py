"""Gradient boosting: worked numbers, losses of one's own, early stopping, stages, weights, files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.preprocessing import OrdinalEncoder
from threadpoolctl import threadpool_limits

import treewright as tw
from treewright.errors import DataError

X5, Y5 = [[1], [3], [1], [1], [3]], [1, 0, 1, 1, 0]


def table(n_rows: int = 400, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.normal(size=n_rows), "b": rng.normal(size=n_rows), "c": rng.integers(0, 9, n_rows)})
    frame["c"] = pd.Categorical.from_codes(frame["c"], list("ihgfedcba"))
    frame.loc[rng.random(n_rows) < 0.1, "a"] = np.nan
    y = np.nan_to_num(frame["a"]) * 2 + (frame["c"].cat.codes > 4) + rng.normal(size=n_rows) * 0.3
    return frame, y.to_numpy()


def quick(kind: str = "Regressor", **more: Any) -> Any:
    return getattr(tw, f"GradientBoosting{kind}")(n_estimators=15, min_samples_leaf=5, **more)


@pytest.mark.parametrize(("l2", "left", "right", "gain"), [(1.0, 0.6977, -0.8108, 0.9051), (0.0, 1.6667, -2.5, 2.5)])
def test_the_first_tree_has_the_worked_numbers(l2: float, left: float, right: float, gain: float) -> None:
    model = tw.GradientBoostingClassifier(
        n_estimators=1, learning_rate=1.0, min_samples_leaf=1, l2_regularization=l2, max_leaf_nodes=2
    ).fit(X5, Y5)
    arrays = model.trees_[0].arrays
    assert model.baseline_[0] == pytest.approx(0.4055, abs=5e-5)
    assert arrays["value"][1:].tolist() == pytest.approx([left, right], abs=5e-5)
    assert arrays["gain"][0] * arrays["weight"][0] == pytest.approx(gain, abs=5e-5)


def test_weights_of_the_nodes_are_their_hessians() -> None:
    model = tw.GradientBoostingClassifier(n_estimators=1, min_samples_leaf=1, max_leaf_nodes=2).fit(X5, Y5)
    assert model.trees_[0].arrays["weight"].tolist() == pytest.approx([5 * 0.24, 3 * 0.24, 2 * 0.24])


def test_a_loss_of_ones_own_gives_the_trees_of_the_built_in_one() -> None:
    X, y = table()
    own = quick(loss=lambda y, raw: (raw - y, np.ones_like(y))).fit(X, y - y.mean())
    built_in = quick().fit(X, y - y.mean())
    assert np.abs(built_in.baseline_).max() < 1e-9
    assert np.allclose(own.predict(X), built_in.predict(X))


def test_a_loss_of_ones_own_sees_a_score_for_each_class() -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    shapes = []

    def softmax(y: np.ndarray, raw: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        shapes.append(raw.shape)
        p = np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True)
        return p - np.eye(3)[y.astype(int)], 3 / 2 * p * (1 - p)

    model = quick("Classifier", loss=softmax).fit(X, y)
    assert shapes == [(150, 3)] * 15  # once a round
    assert model.score(X, y) > 0.95
    assert np.allclose(model.predict_proba(X), quick("Classifier").fit(X, y).predict_proba(X), atol=1e-6)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda y, raw: raw - y, "two arrays"),
        (lambda y, raw: (raw[1:] - y[1:], y[1:]), "wrong shape"),
        (lambda y, raw: (raw * np.nan, raw), "not finite"),
        (lambda y, raw: (raw, raw - 1), "hessian below 0"),
    ],
)
def test_a_loss_that_gives_nonsense_is_told_what_to_give(answer: Any, says: str) -> None:
    X, y = table(50)
    with pytest.raises(ValueError, match=says):
        quick(loss=answer).fit(X, y)


def test_errors_inside_a_loss_come_out_as_they_are() -> None:
    def broken(y: np.ndarray, raw: np.ndarray) -> Any:
        raise KeyError("mine")

    X, y = table(50)
    with pytest.raises(KeyError, match="mine"):
        quick(loss=broken).fit(X, y)


@pytest.mark.parametrize("kind", ["Classifier", "Regressor"])
def test_the_last_stage_is_the_prediction(kind: str) -> None:
    X, y = table()
    y = np.digitize(y, [-1, 1]) if kind == "Classifier" else y
    model = quick(kind).fit(X, y)
    stages = list(model.staged_predict(X))
    assert len(stages) == 15
    assert np.array_equal(stages[-1], model.predict(X))
    if kind == "Classifier":
        assert np.allclose(list(model.staged_predict_proba(X))[-1], model.predict_proba(X))


def test_early_stopping_keeps_the_best_round() -> None:
    X, y = table(300)
    model = tw.GradientBoostingRegressor(n_estimators=500, early_stopping=True, n_iter_no_change=5).fit(X, y)
    assert 0 < model.n_estimators_ < 500
    assert len(model.trees_) == model.n_estimators_
    assert np.argmin(model.loss_curve_) == model.n_estimators_
    assert len(model.loss_curve_) <= model.n_estimators_ + 6
    assert model.validation_score_ == -model.loss_curve_.min()
    assert "on held-out rows" in str(model)


def test_rows_that_judge_may_be_given() -> None:
    X, y = table(400)
    model = tw.GradientBoostingRegressor(n_estimators=200, early_stopping=True)
    model.fit(X[:300], y[:300], X_val=X[300:], y_val=y[300:])
    mean = float(np.mean((y[300:] - y[:300].mean()) ** 2) / 2)
    assert model.loss_curve_[0] == pytest.approx(mean)
    best = np.mean((y[300:] - model.predict(X[300:])) ** 2) / 2
    assert model.loss_curve_.min() == pytest.approx(best)
    alone = tw.GradientBoostingRegressor(n_estimators=model.n_estimators_).fit(X[:300], y[:300])
    assert np.allclose(alone.predict(X), model.predict(X))
    assert "_given_held_out" not in model.__dict__


def test_rows_that_judge_need_early_stopping() -> None:
    X, y = table(100)
    with pytest.raises(DataError, match="early_stopping=True"):
        quick().fit(X, y, X_val=X, y_val=y)


def test_classes_keep_their_shares_among_the_rows_that_judge() -> None:
    from treewright.learners.base.folds import draw_held_out

    X, y = table(400)
    classes = np.where(y > 1.5, "rare", "common")
    model = quick("Classifier", early_stopping=True, validation_fraction=0.25).fit(X, classes)
    training = model._encode(model._rows(X), classes, None)
    held_out = draw_held_out(training, 0.25, 0)
    shares = [np.mean(part == "rare") for part in (classes[held_out], classes)]
    assert len(held_out) == pytest.approx(100, abs=1)
    assert shares[0] == pytest.approx(shares[1], abs=0.01)


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber", "quantile"])
def test_a_row_of_weight_two_is_the_row_twice(loss: str) -> None:
    X, y = table(200)
    twice = np.arange(200) % 3 == 0
    weighted = quick(loss=loss).set_params(min_samples_leaf=1).fit(X, y, np.where(twice, 2.0, 1.0))
    doubled = clone(weighted).fit(pd.concat([X, X[twice]]), np.concatenate([y, y[twice]]))
    assert np.allclose(weighted.predict(X), doubled.predict(X), atol=1e-9)


@pytest.mark.parametrize("max_bins", [255, None])
def test_values_that_only_rows_of_weight_zero_have_change_no_tree(max_bins: int | None) -> None:
    """A cut after the bin of such a value would part missing values from all others."""
    a = np.where(np.arange(60) % 4 == 0, np.nan, np.arange(60.0))
    X, y = pd.DataFrame({"a": a}), np.where(np.isnan(a), 9.0, a / 60)
    counts = np.arange(60) >= 10
    model = tw.GradientBoostingRegressor(
        n_estimators=5, early_stopping=True, validation_fraction=None, min_samples_leaf=1, max_bins=max_bins
    )
    weighted, alone = clone(model).fit(X, y, counts.astype(float)), model.fit(X[counts], y[counts])
    for one, other in zip(weighted.trees_, alone.trees_, strict=True):
        arrays = [{name: array.tobytes() for name, array in tree.arrays.items()} for tree in (one, other)]
        assert arrays[0] == arrays[1]
    errors = [np.mean((stage - y[counts]) ** 2) / 2 for stage in weighted.staged_predict(X[counts])]
    assert weighted.loss_curve_[1:].tolist() == pytest.approx(errors), "rows go where they went when the trees grew"


def test_the_order_of_rows_changes_nothing() -> None:
    X, y = table(500)
    order = np.random.default_rng(1).permutation(500)
    for more in ({}, {"subsample": 0.6, "max_features": 2}, {"early_stopping": True}):
        model, shuffled = quick(**more).fit(X, y), quick(**more).fit(X.iloc[order], y[order])
        assert model.predict(X).tolist() == pytest.approx(shuffled.predict(X).tolist(), abs=1e-12)


def test_small_gradients_are_told_apart_beside_huge_ones() -> None:
    X = np.arange(200.0).reshape(-1, 1)
    y = np.where(np.arange(200) > 100, 1.0, 0.0)
    y[0] = 3e7
    model = tw.GradientBoostingRegressor(
        loss=lambda y, raw: (raw - y, np.ones_like(y)), n_estimators=1, learning_rate=1.0, min_samples_leaf=1,
        max_leaf_nodes=None,
    )  # fmt: skip
    assert np.abs(model.fit(X, y).predict(X) - y)[1:].mean() < 0.02


def test_balanced_classes_weigh_the_same() -> None:
    X, y = table(300)
    y = (y > 1.5).astype(int)
    balanced = quick("Classifier", class_weight="balanced").fit(X, y)
    assert balanced.baseline_[0] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("loss", ["poisson", "gamma"])
def test_answers_on_a_logarithm_are_above_zero(loss: str) -> None:
    X, y = table(300)
    y = np.exp(y)
    y[0] = 1e6 * y.max()  # far from everything
    model = quick(loss=loss).fit(X, y)
    assert (model.predict(X) > 0).all()
    assert np.isfinite(model.predict(X)).all()
    assert model.predict_one(X.iloc[1].tolist()) == pytest.approx(model.predict(X.iloc[[1]])[0])


@pytest.mark.parametrize(
    ("loss", "y", "says"),
    [("gamma", [0.0, 1.0], "above 0"), ("poisson", [-1.0, 1.0], "0 or more"), ("poisson", [0.0, 0.0], "0 everywhere")],
)
def test_a_target_that_the_loss_cannot_have_is_refused(loss: str, y: list[float], says: str) -> None:
    with pytest.raises(DataError, match=says):
        quick(loss=loss).fit([[1], [2]], y)


def test_a_model_with_a_loss_of_ones_own_can_be_saved_but_not_trained_again(tmp_path: Path) -> None:
    X, y = table(100)
    model = quick(loss=lambda y, raw: (raw - y, np.ones_like(y))).fit(X, y)
    tw.save(model, tmp_path / "own.tw")
    loaded = tw.load(tmp_path / "own.tw")
    assert np.array_equal(loaded.predict(X), model.predict(X))
    with pytest.raises(DataError, match="Set `loss`"):
        loaded.fit(X, y)


@pytest.mark.parametrize("kind", ["Classifier", "Regressor"])
def test_a_saved_model_answers_the_same(kind: str, tmp_path: Path) -> None:
    X, y = table()
    y = np.digitize(y, [-1, 1]) if kind == "Classifier" else y
    model = quick(kind, early_stopping=True, interaction_cst=[{"a", "b"}], max_bins=31).fit(X, y)
    tw.save(model, tmp_path / "model.tw")
    loaded = tw.load(tmp_path / "model.tw")
    assert loaded.fingerprint() == model.fingerprint()
    assert np.array_equal(loaded.predict(X), model.predict(X))
    assert loaded.validation_score_ == model.validation_score_
    assert clone(loaded).fit(X, y).fingerprint() == model.fingerprint()


def test_fewer_bins_try_fewer_cuts() -> None:
    X = np.arange(1000.0).reshape(-1, 1)
    y = np.arange(1000.0)
    model = tw.GradientBoostingRegressor(n_estimators=1, learning_rate=1, max_bins=4, max_leaf_nodes=None).fit(X, y)
    assert model.trees_[0].n_leaves == 4
    sizes = model.trees_[0].arrays["n_rows"][model.trees_[0].arrays["n_children"] == 0]
    assert sizes.tolist() == pytest.approx([250] * 4, abs=5)
    exact = tw.GradientBoostingRegressor(n_estimators=1, learning_rate=1, max_bins=None, min_samples_leaf=1)
    exact = exact.set_params(max_leaf_nodes=None).fit(X, y)
    assert exact.trees_[0].n_leaves == 1000
    assert np.allclose(exact.predict(X), y)


def test_every_leaf_has_enough_rows() -> None:
    X, y = table(600)
    model = tw.GradientBoostingClassifier(n_estimators=40, min_samples_leaf=17).fit(X, y > 0)
    for tree in model.trees_:
        assert tree.arrays["n_rows"].min() >= 17


def test_a_level_never_seen_goes_where_missing_goes() -> None:
    X, y = table()
    model = quick().fit(X, y)
    strange, hole = X.iloc[:20].copy(), X.iloc[:20].copy()
    strange["c"], hole["c"] = "new", None
    assert np.array_equal(model.predict(strange), model.predict(hole))


def test_held_out_loss_is_no_worse_than_that_of_scikit_learn() -> None:
    ours, theirs = zip(*(held_out_losses(name) for name in ("heart_c", "titanic", "credit_g")), strict=True)
    assert np.mean(ours) <= 1.01 * np.mean(theirs)


def held_out_losses(name: str) -> tuple[float, float]:
    """Mean log loss of five folds: ours on the table as it is, scikit-learn's on integer codes."""
    X, y = getattr(tw.datasets, f"load_{name}")(return_X_y=True)
    text = [column for column in X.columns if not pd.api.types.is_numeric_dtype(X[column])]
    coded = X.copy()
    coded[text] = OrdinalEncoder(encoded_missing_value=np.nan).fit_transform(X[text].astype(object))
    theirs = HistGradientBoostingClassifier(
        max_iter=40, early_stopping=False, categorical_features=[column in text for column in X.columns]
    )
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    with threadpool_limits(1):
        first, second = (
            log_loss(y, cross_val_predict(model, data, y, cv=folds, method="predict_proba"))
            for model, data in ((tw.GradientBoostingClassifier(n_estimators=40), X), (theirs, coded.astype(float)))
        )
    return first, second


def test_infinite_values_are_told_from_the_others_and_from_missing_ones() -> None:
    X = np.array([-np.inf, 0.0, 1.0, np.inf, np.nan])[:, None]
    model = tw.GradientBoostingClassifier(n_estimators=1, learning_rate=1.0, min_samples_leaf=1)
    for y in (X[:, 0] == np.inf, X[:, 0] == -np.inf, np.isnan(X[:, 0])):
        assert model.fit(X, y).predict(X).tolist() == y.tolist()
