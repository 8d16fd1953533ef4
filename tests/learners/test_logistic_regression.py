"""Logistic regression: the numbers of other programs, separable classes, solvers, bad input, files."""

from __future__ import annotations

import math
import pickle
import signal
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

import treewright as tw
from treewright.errors import DataError, ModelFileError
from treewright.learners.logistic.loss import LogisticRows, SquaredLoss

# Before 1.8 scikit-learn has to be told that l1_ratio counts.
OLD = tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 8)
ELASTIC = {"penalty": "elasticnet"} if OLD else {}
SETTINGS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "l2": ({"C": 0.3}, {"C": 0.3}),
    "no penalty": ({"penalty": None}, {"C": np.inf}),
    "l1": ({"penalty": "l1", "C": 0.1}, {"C": 0.1, "l1_ratio": 1.0, "solver": "saga", **ELASTIC}),
    "elastic net": (
        {"penalty": "elasticnet", "C": 0.1, "l1_ratio": 0.3},
        {"C": 0.1, "l1_ratio": 0.3, "solver": "saga", **ELASTIC},
    ),
    "no intercept": ({"fit_intercept": False}, {"fit_intercept": False}),
    "balanced": ({"class_weight": "balanced"}, {"class_weight": "balanced"}),
}


def numbers(n_classes: int, n_rows: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Classes that overlap."""
    X, y = make_classification(
        n_rows, 6, n_informative=4, n_redundant=0, n_classes=n_classes, flip_y=0.3, class_sep=0.5, random_state=0
    )
    return X, y


@pytest.mark.parametrize("n_classes", [2, 3])  # of four, two up and two down may move together: L1 does not tell
@pytest.mark.parametrize("name", list(SETTINGS))
def test_coefficients_and_probabilities_are_those_of_scikit_learn(name: str, n_classes: int) -> None:
    X, y = numbers(n_classes)
    ours, theirs = SETTINGS[name]
    theirs = {"solver": "newton-cholesky", "tol": 1e-12, "max_iter": 100_000, **theirs}
    one, other = tw.LogisticRegression(**ours).fit(X, y), LogisticRegression(**theirs).fit(X, y)
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(one.intercept_, other.intercept_, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), rtol=1e-6, atol=1e-6)
    assert (one.predict(X) == other.predict(X)).all()


def test_columns_far_from_zero_lose_no_digits() -> None:
    X, y = numbers(2)
    near = tw.LogisticRegression(penalty=None).fit(X, y)
    far = tw.LogisticRegression(penalty=None).fit(X * 3.0 + 1e7, y)
    np.testing.assert_allclose(far.coef_ * 3.0, near.coef_, rtol=1e-6)
    np.testing.assert_allclose(far.standard_errors_[:, 1:] * 3.0, near.standard_errors_[:, 1:], rtol=1e-6)


def test_a_long_table_is_fitted_as_exactly_as_a_short_one() -> None:
    X, y = numbers(2, 40_000)  # long enough that the first guess comes from some of the rows
    ours = tw.LogisticRegression().fit(X, y)
    theirs = LogisticRegression(solver="newton-cholesky", tol=1e-12).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-7, atol=1e-9)


def test_three_classes_have_standard_errors_against_the_first() -> None:
    """The roots of the diagonal of the inverse of the information, written out."""
    X, y = numbers(3)
    model = tw.LogisticRegression(penalty=None).fit(X, y)
    P, A = model.predict_proba(X), np.column_stack([np.ones(len(X)), X])
    blocks = [[A.T @ (A * (P[:, k] * ((k == m) - P[:, m]))[:, None]) for m in (1, 2)] for k in (1, 2)]
    errors = np.sqrt(np.diag(np.linalg.inv(np.block(blocks)))).reshape(2, -1)
    np.testing.assert_allclose(model.standard_errors_, errors, rtol=1e-6)
    assert [table.names[0] for table in model.summary().tables] == ["(intercept)"] * 2


def test_the_slope_of_squared_loss_dies_where_log_loss_is_steepest() -> None:
    for z, squared, log in ((-4.0, -0.0173, -0.9820), (-8.0, -0.0003, -0.9997)):
        found = SquaredLoss(LogisticRows(np.zeros((1, 0)), np.array([1]), None, 2)).slopes(
            np.array([[z]]), hessian=True
        )
        p = 1 / (1 + math.exp(-z))
        assert round(found.gradient[0, 0], 4) == squared
        assert round(p - 1, 4) == log
        if z == -4.0:
            assert round(float(found.hessian[0, 0]), 4) == -0.0164  # not convex


@pytest.mark.parametrize("loss", ["squared", "squared_sigmoid"])
@pytest.mark.parametrize("solver", ["auto", "gradient_descent", "sgd"])
def test_squared_loss_learns_too(loss: str, solver: str) -> None:
    X, y = numbers(2)
    kept = {"tol": 1e-4} if solver == "sgd" else {}
    model = tw.LogisticRegression(loss=loss, solver=solver, standardize=True, **kept).fit(X, y)
    assert model.score(X, y) >= tw.LogisticRegression().fit(X, y).score(X, y) - 0.03


@pytest.mark.parametrize("solver", ["gradient_descent", "sgd"])
def test_descents_keep_their_loss_curve_and_end_near_the_minimum(solver: str) -> None:
    X, y = numbers(2)
    best = tw.LogisticRegression().fit(X, y)
    model = tw.LogisticRegression(solver=solver, tol=1e-5 if solver == "gradient_descent" else 1e-3).fit(X, y)
    assert model.loss_curve_[-1] < model.loss_curve_[0]
    assert model.deviance_ == pytest.approx(best.deviance_, rel=5e-3)
    assert len(model.loss_curve_) in (model.n_iter_, model.n_iter_ + 1)
    if solver == "gradient_descent":
        assert (np.diff(model.loss_curve_) <= 0).all()


@pytest.mark.parametrize("solver", ["gradient_descent", "sgd"])
def test_a_rate_that_is_too_large_is_answered_with_a_sentence(solver: str) -> None:
    X, y = numbers(2)
    model = tw.LogisticRegression(penalty="l2", C=1e-3, solver=solver, learning_rate=1e4)
    with pytest.raises(DataError, match=r"diverged: the mean loss was .* Choose learning_rate=[0-9.e+-]+ or less"):
        model.fit(X * 100, y)
    assert not hasattr(model, "coef_")


def test_too_few_steps_are_told() -> None:
    X, y = numbers(2)
    with pytest.warns(ConvergenceWarning, match="not converged after 3 steps"):
        tw.LogisticRegression(solver="gradient_descent", max_iter=3).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="not converged after 1 steps"):
        tw.LogisticRegression(max_iter=1).fit(X, y)


@pytest.mark.parametrize("target", ["complete", "border"])
def test_separable_classes_are_told_with_the_column_that_parts_them(target: str) -> None:
    table = pd.DataFrame({"noise": [3.0, 1.0, 2.0, 2.0, 1.0, 3.0], "age": [1.0, 2.0, 3.0, 3.0, 4.0, 5.0]})
    y = ["a", "a", "a", "b" if target == "border" else "a", "b", "b"]
    text = "but for rows on the border" if target == "border" else "without error"
    with pytest.warns(ConvergenceWarning, match=f"separable: column 'age' alone parts them {text}.*penalty='l2'"):
        model = tw.LogisticRegression(penalty=None).fit(table, y)
    assert np.isfinite(model.coef_).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tw.LogisticRegression().fit(table, y)


def test_separable_by_two_columns_together_names_both() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(size=(60, 3)), columns=["a", "b", "c"])
    y = X["a"] + X["b"] > 1
    with pytest.warns(ConvergenceWarning, match="'a'.*'b'.* together part them"):
        tw.LogisticRegression(penalty=None).fit(X, y)


def test_one_of_three_classes_that_is_apart_is_told() -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="Some classes are separable from others: column 'petallength' alone"):
        model = tw.LogisticRegression(penalty=None).fit(X, y)
    assert model.deviance_ == pytest.approx(11.8985, abs=1e-3)  # that of the two classes that overlap


def test_classes_that_overlap_are_not_called_separable() -> None:
    X, y = numbers(3, 100)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tw.LogisticRegression(penalty=None).fit(X, y)


def test_columns_that_are_sums_of_others_get_no_coefficient() -> None:
    X, y = numbers(2)
    wide = np.column_stack([X[:, :2], X[:, 0] + 2 * X[:, 1], np.full(len(X), 3.0), X[:, 2]])
    model = tw.LogisticRegression(penalty=None).fit(wide, y)
    alone = tw.LogisticRegression(penalty=None).fit(X[:, :3], y)
    np.testing.assert_allclose(model.coef_[0, [0, 1, 4]], alone.coef_[0], rtol=1e-6)
    assert model.coef_[0, [2, 3]].tolist() == [0.0, 0.0]
    assert np.isnan(model.standard_errors_[0, [3, 4]]).all()
    assert model.summary().rank == alone.summary().rank == 4
    assert " -" in str(model.summary())


def test_levels_have_readable_names_and_missing_values_count_as_the_mean() -> None:
    table = pd.DataFrame({"job": ["cook", "smith", None, "smith", "cook", "king"], "age": [1.0, None, 3, 4, 6, 2]})
    model = tw.LogisticRegression(contrasts="treatment", missing="flag").fit(table, list("ababba"))
    assert model.coef_names_ == ("job = king", "job = smith", "age", "job is missing", "age is missing")
    assert "job = smith" in str(model.summary())
    assert tw.LogisticRegression().fit(table, list("ababba")).coef_names_[0] == "job = cook"
    with pytest.raises(DataError, match="Column 'job' has missing values"):
        tw.LogisticRegression(missing="refuse").fit(table, list("ababba"))


def test_with_a_penalty_the_order_of_levels_changes_nothing() -> None:
    X, y = tw.datasets.load_heart_c(return_X_y=True)
    turned = X.assign(cp=X["cp"].astype(pd.CategoricalDtype(sorted(set(X["cp"]), reverse=True))))
    one, other = tw.LogisticRegression().fit(X, y), tw.LogisticRegression().fit(turned, y)
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(turned), atol=1e-8)


def test_one_class_is_always_answered() -> None:
    model = tw.LogisticRegression().fit([[1.0], [2.0]], ["a", "a"])
    assert model.predict([[9.0]]).tolist() == ["a"]
    assert model.predict_proba([[9.0]]).tolist() == [[1.0]]


@pytest.mark.parametrize("labels", ["ab", "abc", "abcd"])
def test_a_class_of_weight_0_has_no_probability(labels: str) -> None:
    X, y = np.arange(8.0)[:, None], np.array(list(labels) * 4)[:8]
    weights = np.where(y == "b", 0.0, 1.0)
    model = tw.LogisticRegression().fit(X, y, weights)
    shares = model.predict_proba(X)
    assert shares.shape == (8, len(labels))
    assert (shares[:, 1] == 0).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    kept = weights > 0
    if len(labels) > 2:
        alone = tw.LogisticRegression().fit(X[kept], y[kept])
        np.testing.assert_allclose(shares[:, [0, *range(2, len(labels))]], alone.predict_proba(X), atol=1e-7)


def test_a_second_fit_can_start_where_the_first_ended() -> None:
    X, y = numbers(3)
    model = tw.LogisticRegression(warm_start=True).fit(X, y)
    cold, first = model.n_iter_, model.coef_.copy()
    model.fit(X, y)
    assert model.n_iter_ < cold
    np.testing.assert_allclose(model.coef_, first, atol=1e-8)
    model.fit(X[:, :2], y)  # other columns: from the start
    assert model.coef_.shape == (3, 2)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"penalty": "l1", "solver": "newton"}, "solver='newton' needs slopes everywhere"),
        ({"loss": "squared", "solver": "newton"}, "is not convex"),
        ({"loss": "squared", "penalty": "l1"}, "goes with penalty='l2' or None"),
    ],
)
def test_choices_that_do_not_go_together_are_refused(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        tw.LogisticRegression(**settings).fit([[1.0], [2.0]], ["a", "b"])


@pytest.mark.parametrize(
    "settings", [{"C": 0}, {"C": -1.0}, {"penalty": "l3"}, {"solver": "newton-cg"}, {"tol": 0}, {"l1_ratio": 2}]
)
def test_wrong_parameters_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="parameter of LogisticRegression must be"):
        tw.LogisticRegression(**settings).fit([[1.0], [2.0]], ["a", "b"])


@pytest.mark.parametrize(
    "settings", [{}, {"penalty": None}, {"solver": "sgd", "tol": 1e-2}, {"penalty": "l1"}, {"loss": "squared"}]
)
def test_files_and_pickles_hold_the_whole_model(settings: dict[str, Any], tmp_path: Path) -> None:
    X, y = tw.datasets.load_heart_c(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = tw.LogisticRegression(standardize=True, **settings).fit(X, y)
    tw.save(model, tmp_path / "model.tw")
    for again in (tw.load(tmp_path / "model.tw"), pickle.loads(pickle.dumps(model))):
        assert again.fingerprint() == model.fingerprint()
        assert str(again) == str(model)
        assert str(again.summary()) == str(model.summary())
        np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
        np.testing.assert_array_equal(again.feature_importances_, model.feature_importances_)
    assert clone(model).fit(X, y).fingerprint() == model.fingerprint() if not settings else True


@pytest.mark.parametrize("name", ["coef_", "intercept_", "spread_", "standard_errors_"])
def test_a_file_whose_parts_do_not_belong_together_is_refused(name: str) -> None:
    X, y = tw.datasets.load_kyphosis(return_X_y=True)
    model = tw.LogisticRegression(penalty=None).fit(X, y)
    model.__dict__[name] = model.__dict__[name][..., :-1]
    with pytest.raises(ModelFileError, match="damaged"):
        pickle.loads(pickle.dumps(model))


def test_one_row_is_answered_as_many() -> None:
    X, y = tw.datasets.load_heart_c(return_X_y=True)
    model = tw.LogisticRegression().fit(X, y)
    assert [model.predict_one(row) for row in X.head(20).to_dict("records")] == model.predict(X.head(20)).tolist()
    assert model.predict_one({}) in model.classes_


def test_a_text_tells_what_the_model_is() -> None:
    X, y = tw.datasets.load_heart_c(return_X_y=True)
    text = str(tw.LogisticRegression().fit(X, y))
    assert text.startswith("LogisticRegression for 'num': 2 classes, 25 coefficients, penalty l2, C 1\n")
    assert "… and 13 more: print(model.summary())" in text
    assert str(tw.LogisticRegression()) == "LogisticRegression()"


def test_an_interrupt_stops_a_descent_and_leaves_the_model_as_it_was() -> None:
    X, y = numbers(2)
    model = tw.LogisticRegression(solver="gradient_descent", tol=1e-300, max_iter=10**9)
    model.set_params(solver="newton").fit(X, y)
    before = model.fingerprint()
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    try:
        model.set_params(solver="sgd")
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, y)
    finally:
        signal.signal(signal.SIGINT, handler)
    assert model.set_params(solver="newton").fingerprint() == before


def test_a_bar_shows_the_loss(capfd: pytest.CaptureFixture[str]) -> None:
    X, y = numbers(2)
    tw.LogisticRegression(verbose=1).fit(X, y)
    assert "LogisticRegression" in capfd.readouterr().err


def test_numbers_too_large_for_squares_are_refused() -> None:
    table = pd.DataFrame({"age": [1.0, 2.0, 3.0], "mass": [1e200, -1e200, 3e200]})
    with pytest.raises(DataError, match="Column 'mass' holds numbers that are too large"):
        tw.LogisticRegression().fit(table, list("aba"))
