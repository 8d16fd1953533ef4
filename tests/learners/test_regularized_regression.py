"""Penalised regression: equal to scikit-learn, the same for the same rows, and clear about what it cannot do."""

from __future__ import annotations

import pickle
import signal
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn.linear_model
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, RepeatedKFold

import treewright as tw

TIGHT = {"tol": 1e-13, "max_iter": 1_000_000}


def numbers(rows: int = 200, columns: int = 8, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns)) @ rng.normal(size=(columns, columns)) + rng.normal(size=columns)
    truth = np.where(np.arange(columns) % 2, 0.0, rng.normal(size=columns))
    return X, X @ truth + rng.normal(size=rows)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("shape", [(200, 8), (12, 30)], ids=["tall", "wide"])
def test_coefficients_are_those_of_scikit_learn(intercept: bool, weighted: bool, shape: tuple[int, int]) -> None:
    X, y = numbers(*shape)
    weights = np.random.default_rng(1).uniform(0.1, 3, len(y)) if weighted else None
    total = len(y) if weights is None else weights.sum()
    for settings, theirs in (
        ({"q": 1, "alpha": 0.1}, sklearn.linear_model.Lasso(0.1, **TIGHT)),
        ({"q": 1, "alpha": 0.2, "l1_ratio": 0.3}, sklearn.linear_model.ElasticNet(0.2, l1_ratio=0.3, **TIGHT)),
        ({"q": 2, "alpha": 0.05}, sklearn.linear_model.Ridge(2 * total * 0.05)),
    ):
        theirs.set_params(fit_intercept=intercept).fit(X, y, weights)
        ours = tw.RegularizedRegression(standardize=False, fit_intercept=intercept, **settings).fit(X, y, weights)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6, rtol=1e-6)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-6)


def test_standardised_columns_are_those_of_a_scaler_before_scikit_learn() -> None:
    X, y = numbers()
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    theirs = sklearn.linear_model.Lasso(0.1, **TIGHT).fit(scaled, y)
    ours = tw.RegularizedRegression(alpha=0.1).fit(X, y)
    np.testing.assert_allclose(ours.coef_ * X.std(axis=0), theirs.coef_, atol=1e-9)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(scaled), atol=1e-9)


@pytest.mark.parametrize("ratio", [1.0, 0.5])
def test_the_cross_validated_choice_is_that_of_scikit_learn_on_the_same_folds(ratio: float) -> None:
    X, y = numbers(300, 10)
    theirs = sklearn.linear_model.ElasticNetCV(l1_ratio=ratio, cv=KFold(5), **TIGHT).fit(X, y)
    ours = tw.RegularizedRegression(l1_ratio=ratio, cv=KFold(5), standardize=False).fit(X, y)
    np.testing.assert_allclose(ours.path_.alphas, theirs.alphas_, rtol=1e-9)
    np.testing.assert_allclose(ours.path_.errors, theirs.mse_path_.mean(axis=1), rtol=1e-7)
    assert ours.alpha_ == pytest.approx(theirs.alpha_)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-7)


def test_wide_tables_have_the_path_of_scikit_learn() -> None:
    X, y = numbers(40, 90)
    theirs = sklearn.linear_model.LassoCV(cv=KFold(4), eps=0.01, **TIGHT).fit(X, y)
    ours = tw.RegularizedRegression(cv=KFold(4), alpha_min_ratio=0.01, standardize=False).fit(X, y)
    np.testing.assert_allclose(ours.path_.errors, theirs.mse_path_.mean(axis=1), rtol=1e-4)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)


def test_ridge_of_ill_conditioned_columns_is_that_of_an_augmented_table() -> None:
    x = np.linspace(-1, 1, 40)
    X = np.vander(x, 12, increasing=True)[:, 1:]
    X, y = X - X.mean(axis=0), np.sin(5 * x)
    lam = 1e-11
    augmented = np.vstack([X, np.sqrt(2 * len(y) * lam) * np.eye(11)])
    best = np.linalg.lstsq(augmented, np.append(y - y.mean(), np.zeros(11)), rcond=None)[0]
    ours = tw.RegularizedRegression(q=2, alpha=lam, standardize=False).fit(X, y)
    np.testing.assert_allclose(ours.coef_, best, rtol=1e-6, atol=1e-8)


def test_lambda_0_is_least_squares() -> None:
    X, y = numbers()
    least_squares = tw.LinearRegression().fit(X, y).coef_
    for q in (0.5, 1, 1.5, 2):
        ours = tw.RegularizedRegression(q=q, alpha=0).fit(X, y)
        np.testing.assert_allclose(ours.coef_, least_squares, rtol=1e-8)


def test_at_the_greatest_lambda_all_is_0_and_just_below_it_something_is_not() -> None:
    X, y = numbers()
    for q in (0.5, 1.0):
        path = tw.RegularizedRegression(q=q, alphas=30).fit(X, y).path_
        assert path.nonzero[0] == 0
        assert path.nonzero[5] > 0
        just_below = tw.RegularizedRegression(q=q, alpha=path.alphas[0] * 0.98).fit(X, y)
        assert np.count_nonzero(just_below.coef_) >= (1 if q == 1 else 0)


def test_the_lower_q_the_more_coefficients_are_0() -> None:
    X, y = numbers(80, 20)
    counts = []
    for q in (0.5, 1.0, 2.0):
        models = tw.RegularizedRegression(q=q, alphas=25, cv=5).fit(X, y)
        counts.append(np.count_nonzero(models.coef_))
    assert counts[0] <= counts[1] <= counts[2] == 20


def test_the_rule_of_one_standard_error_takes_a_larger_lambda() -> None:
    X, y = numbers()
    least, simpler = (tw.RegularizedRegression(rule=rule).fit(X, y) for rule in ("min", "1se"))
    assert simpler.alpha_ > least.alpha_
    path = least.path_
    best = path.errors.argmin()
    place = list(path.alphas).index(simpler.alpha_)
    assert path.errors[place] <= path.errors[best] + path.standard_errors[best]
    assert path.errors[place - 1] > path.errors[best] + path.standard_errors[best]


def test_folds_depend_on_the_content_of_rows_alone() -> None:
    X, y = numbers(90, 4)
    order = np.random.default_rng(0).permutation(90)
    ours = tw.RegularizedRegression().fit(X, y)
    shuffled = tw.RegularizedRegression().fit(X[order], y[order])
    twice = tw.RegularizedRegression().fit(np.repeat(X, 2, axis=0), np.repeat(y, 2))
    weighted = tw.RegularizedRegression().fit(X, y, np.full(90, 2.0))
    for other in (shuffled, twice, weighted):
        np.testing.assert_allclose(other.path_.errors, ours.path_.errors, rtol=1e-9)
        np.testing.assert_allclose(other.coef_, ours.coef_, rtol=1e-9)
    assert not np.allclose(tw.RegularizedRegression(random_state=1).fit(X, y).path_.errors, ours.path_.errors)


def test_every_level_has_a_coefficient_or_all_but_the_first() -> None:
    frame = pd.DataFrame({"job": ["cook", "smith", "king"] * 10, "age": np.arange(30.0)})
    y = np.arange(30.0) + 5 * (frame["job"] == "king")
    full = tw.RegularizedRegression(alpha=0.01).fit(frame, y)
    treatment = tw.RegularizedRegression(alpha=0.01, contrasts="treatment").fit(frame, y)
    assert full.coefficient_names_ == ("job = cook", "job = king", "job = smith", "age")
    assert treatment.coefficient_names_ == ("job = king", "job = smith", "age")
    assert full.feature_importances_.argmax() == 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"q": 0}, "'q' parameter"),
        ({"q": -1}, "'q' parameter"),
        ({"alpha": -0.1}, "'alpha' parameter"),
        ({"alpha": "best"}, "'alpha' parameter"),
        ({"q": 2, "l1_ratio": 0.5}, "Leave out one of them"),
        ({"alphas": [1.0, -1.0]}, "finite number of 0 or more"),
        ({"alphas": []}, "alphas is empty"),
        ({"alphas": ["a"]}, "a list of them"),
        ({"cv": RepeatedKFold(n_splits=2)}, "exactly once"),
        ({"cv": [(np.arange(0), np.arange(50))]}, "one fold of all rows"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(settings: dict[str, Any], message: str) -> None:
    X, y = numbers(50, 3)
    with pytest.raises(ValueError, match=message):
        tw.RegularizedRegression(**settings).fit(X, y)


def test_one_row_can_be_fitted_for_a_given_lambda_but_not_cross_validated() -> None:
    with pytest.raises(ValueError, match="nothing can be held out"):
        tw.RegularizedRegression().fit([[1.0]], [2.0])
    assert tw.RegularizedRegression(alpha=0.1).fit([[1.0]], [2.0]).predict([[5.0]]).tolist() == [2.0]


def test_more_than_4000_columns_are_refused_for_odd_powers() -> None:
    with pytest.raises(ValueError, match="Use q=1 or q=2"):
        tw.RegularizedRegression(q=1.5, alpha=1).fit(np.zeros((3, 4001)), [1, 2, 3])


@pytest.mark.parametrize("q", [0.5, 1, 1.5, 2, 3])
def test_constant_columns_and_a_constant_target_give_zeros(q: float) -> None:
    X = np.column_stack([np.full(20, 0.1), np.arange(20.0)])
    model = tw.RegularizedRegression(q=q, alpha=0.01).fit(X, np.arange(20.0))
    assert model.coef_[0] == 0
    assert model.coef_[1] > 0.5
    flat = tw.RegularizedRegression(q=q, cv=3).fit(X, np.full(20, 3.0))
    assert flat.coef_.tolist() == [0, 0]
    assert flat.intercept_ == pytest.approx(3)


@pytest.mark.parametrize("q", [0.5, 1, 1.5, 2])
def test_copies_of_a_column_share_its_part_without_harm(q: float) -> None:
    X, y = numbers(60, 3)
    twice = np.column_stack([X, X])
    model = tw.RegularizedRegression(q=q, alpha=0.05).fit(twice, y)
    assert np.isfinite(model.coef_).all()
    if q == 1:
        np.testing.assert_allclose(
            model.predict(twice), tw.RegularizedRegression(alpha=0.05).fit(X, y).predict(X), atol=1e-6
        )


def test_too_few_rounds_are_told() -> None:
    X, y = numbers(60, 30)
    with pytest.warns(ConvergenceWarning, match="Raise max_iter"):
        tw.RegularizedRegression(alpha=0.001, max_iter=1).fit(X, y)


@pytest.mark.parametrize(
    "settings",
    [{}, {"q": 2, "rule": "1se"}, {"alpha": 0.3, "l1_ratio": 0.5}, {"q": 0.5, "alphas": 10}, {"cv": KFold(3)}],
    ids=str,
)
def test_a_saved_model_is_the_same_model(settings: dict[str, Any], tmp_path: Path) -> None:
    X, y = numbers(60, 4)
    model = tw.RegularizedRegression(**settings).fit(X, y)
    tw.save(model, tmp_path / "model.tw")
    for other in (tw.load(tmp_path / "model.tw"), pickle.loads(pickle.dumps(model))):
        assert other.fingerprint() == model.fingerprint()
        assert (other.predict(X) == model.predict(X)).all()
        assert str(other) == str(model)
        if "alpha" not in settings:
            assert other.path_.to_frame().equals(model.path_.to_frame())


def test_a_path_is_there_only_where_many_lambdas_were_tried() -> None:
    X, y = numbers(60, 4)
    assert not hasattr(tw.RegularizedRegression(alpha=1.0).fit(X, y), "path_")


def test_an_interrupt_stops_a_long_path_and_leaves_the_model_as_it_was() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        X, y = numbers(300, 200)
        model = tw.RegularizedRegression(q=1.3, alpha=1.0).fit(X[:, :3], y)
        fingerprint = model.fingerprint()
        model.set_params(alpha="cv")
        state = dict(model.__dict__)
        pressed: list[float] = []

        def press() -> None:
            pressed.append(time.perf_counter())
            signal.raise_signal(signal.SIGINT)

        timer = threading.Timer(0.3, press)
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, y)
        assert time.perf_counter() - pressed[0] < 1.0
        assert model.__dict__ == state
        assert model.set_params(alpha=1.0).fingerprint() == fingerprint
    finally:
        signal.signal(signal.SIGINT, before)
