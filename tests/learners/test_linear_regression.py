"""Linear regression: equal to scikit-learn, saved and loaded, and clear about what it cannot do."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn.linear_model
from sklearn.base import clone
from threadpoolctl import threadpool_limits

import treewright as tw
from treewright.save.persist import restore_into


def numbers(rows: int = 200, columns: int = 5, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns)) @ rng.normal(size=(columns, columns)) + rng.normal(size=columns) * 10
    return X, X @ rng.normal(size=columns) + rng.normal(size=rows)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_coefficients_are_those_of_scikit_learn(intercept: bool, weighted: bool) -> None:
    X, y = numbers()
    weights = np.random.default_rng(1).uniform(0.1, 3, len(y)) if weighted else None
    ours = tw.LinearRegression(fit_intercept=intercept).fit(X, y, weights)
    theirs = sklearn.linear_model.LinearRegression(fit_intercept=intercept).fit(X, y, weights)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-9, atol=1e-12)


def test_monomials_of_degree_eleven_lose_no_digits() -> None:
    """By products of columns the coefficients would be wrong in the first digit."""
    x = np.linspace(-1, 1.3, 30)
    X = np.vander(x, 12, increasing=True)[:, 1:]
    truth = np.arange(1.0, 12.0)
    model = tw.LinearRegression().fit(X, X @ truth + 1)
    np.testing.assert_allclose(model.coef_, truth, rtol=1e-7)


def test_a_column_of_large_numbers_with_a_small_spread_is_kept() -> None:
    x = 1e9 + np.arange(50.0)
    model = tw.LinearRegression().fit(x[:, None], 3 * np.arange(50.0))
    np.testing.assert_allclose(model.coef_, [3.0], rtol=1e-6)
    assert model.aliased_ == ()


def test_dependent_and_constant_columns_are_named_and_have_no_coefficient() -> None:
    X, y = numbers(50, 2)
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "both": X.sum(axis=1), "one": 1.0})
    model = tw.LinearRegression().fit(frame, y)
    assert model.aliased_ == ("both", "one")
    np.testing.assert_allclose(
        model.predict(frame), tw.LinearRegression().fit(frame[["a", "b"]], y).predict(frame[["a", "b"]])
    )
    assert "not estimated" in str(model)
    assert np.isfinite(model.coef_).all()


def test_more_columns_than_rows_fit_exactly_and_say_that_nothing_can_be_told() -> None:
    X, y = numbers(4, 7)
    model = tw.LinearRegression().fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-8)
    assert "as many coefficients as rows" in str(model)
    with pytest.raises(ValueError, match="as many coefficients as it had rows"):
        model.predict_interval(X)


def test_one_row_is_answered_with_its_own_value() -> None:
    model = tw.LinearRegression().fit([[1.0, 2.0]], [7.0])
    assert model.predict([[9.0, 9.0]]).tolist() == [7.0]
    assert model.aliased_ == ("x0", "x1")


def test_a_constant_target_is_explained_without_a_division_by_0() -> None:
    model = tw.LinearRegression().fit([[1.0], [2.0], [4.0]], [3.0, 3.0, 3.0])
    assert model.r_squared_ == 1.0
    assert model.coef_.tolist() == [0.0]
    assert "Residual error 0" in str(model)


@pytest.mark.parametrize(
    ("settings", "data", "message"),
    [
        ({}, ([[1e200], [2e200], [0.0]], [1, 2, 3]), "squares are beyond the largest number"),
        ({}, ([[np.inf], [1.0]], [1, 2]), "holds infinity in row 1"),
        ({"missing": "refuse"}, ([[np.nan], [1.0]], [1, 2]), "has missing values"),
        ({"basis": "splin:3"}, ([[1.0], [2.0]], [1, 2]), "Did you mean 'spline'"),
        ({"basis": "spline:0"}, ([[1.0], [2.0]], [1, 2]), "a whole number from 1"),
        ({"basis": "fourier:2,period=0"}, ([[1.0], [2.0]], [1, 2]), "period is a number above 0"),
        ({"basis": "spline:2,width=3"}, ([[1.0], [2.0]], [1, 2]), "Nothing may follow the number"),
        ({"basis": {(0, 1): "spline"}}, ([[1.0, 2.0], [2.0, 5.0]], [1, 2]), "Only 'radial' takes several"),
        ({"basis": {(0, 1): "radial", 1: "spline"}}, ([[1.0, 2.0], [2.0, 5.0]], [1, 2]), "names the column 'x1' twice"),
        ({"basis": {"height": "spline"}}, ([[1.0], [2.0]], [1, 2]), "which the table does not have"),
        ({"basis": np.log}, ([[-1.0], [2.0]], [1, 2]), "log gives no finite number for -1"),
        ({"basis": lambda x: x[:1]}, ([[1.0], [2.0]], [1, 2]), "one number for each row"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(settings: dict, data: tuple, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tw.LinearRegression(**settings).fit(*data)


def test_weights_that_are_all_zero_are_refused() -> None:
    with pytest.raises(ValueError, match="Every sample_weight is zero"):
        tw.LinearRegression().fit([[1], [2]], [1, 2], [0, 0])


def test_a_basis_for_a_column_of_levels_is_refused() -> None:
    frame = pd.DataFrame({"job": ["a", "b", "a"]})
    with pytest.raises(ValueError, match="which holds levels"):
        tw.LinearRegression(basis={"job": "spline"}).fit(frame, [1, 2, 3])


def test_a_level_of_an_interval_is_between_0_and_1() -> None:
    model = tw.LinearRegression().fit([[1], [2], [4]], [1, 2, 3])
    with pytest.raises(ValueError, match="between 0 and 1"):
        model.summary(level=95)
    with pytest.raises(ValueError, match="'prediction' or 'confidence'"):
        model.predict_interval([[1]], kind="mean")


def mixed() -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, 120).astype(float),
            "job": rng.choice(["cook", "smith", "king"], 120),
            "day": rng.uniform(0, 365, 120),
        }
    )
    frame.loc[5, "age"], frame.loc[7, "job"] = np.nan, None
    return frame, pd.Series(frame["day"] / 50 + (frame["job"] == "king") * 3 + rng.normal(size=120), name="pay")


BASES = [
    None,
    "polynomial:3",
    {"age": "spline:4", "day": "fourier:2,period=365"},
    "bspline:5",
    "radial:4,width=30",
    {("age", "day"): "radial:6"},
]


@pytest.mark.parametrize("basis", BASES, ids=str)
@pytest.mark.parametrize("missing", ["mean", "flag"])
def test_a_saved_model_is_the_same_model(basis: object, missing: str, tmp_path: Path) -> None:
    X, y = mixed()
    model = tw.LinearRegression(basis=basis, missing=missing).fit(X, y)
    tw.save(model, tmp_path / "model.tw")
    for other in (tw.load(tmp_path / "model.tw"), pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert other.fingerprint() == model.fingerprint()
        assert (other.predict(X) == model.predict(X)).all()
        assert (other.predict_interval(X) == model.predict_interval(X)).all()
        assert str(other) == str(model)
        assert other.predict_one({"age": 30, "job": "king"}) == model.predict_one({"age": 30, "job": "king"})


def test_a_basis_of_functions_works_but_cannot_be_saved(tmp_path: Path) -> None:
    X, y = mixed()
    model = tw.LinearRegression(basis={"day": [np.sqrt, np.log1p]}).fit(X, y)
    assert "sqrt(day)" in model.coefficient_names_
    with pytest.raises(ValueError, match="a model file never holds code"):
        tw.save(model, tmp_path / "model.tw")
    assert clone(model).fit(X, y).predict(X).tolist() == model.predict(X).tolist()


def test_a_damaged_file_is_found(tmp_path: Path) -> None:
    X, y = mixed()
    model = tw.LinearRegression(basis="spline:3").fit(X, y)
    header, arrays = model._tw_state()
    for name in ("learnt_coef_", "learnt_basis_numbers_", "learnt_root_", "learnt_means_", "learnt_kept_"):
        wrong = {**arrays, name: arrays[name][:-1]}
        with pytest.raises(tw.errors.ModelFileError):
            restore_into(tw.LinearRegression(), header, wrong, "the file")


def test_the_number_of_threads_changes_nothing() -> None:
    X, y = numbers(3000, 12)
    prints = set()
    for threads in (1, 2):
        with threadpool_limits(threads):
            prints.add(tw.LinearRegression().fit(X, y).fingerprint())
    assert len(prints) == 1


def test_the_order_of_rows_changes_no_more_than_rounding() -> None:
    X, y = numbers(500, 4)
    order = np.random.default_rng(0).permutation(500)
    ours, other = tw.LinearRegression().fit(X, y), tw.LinearRegression().fit(X[order], y[order])
    np.testing.assert_allclose(ours.coef_, other.coef_, rtol=1e-12)


def test_bells_in_a_plane_learn_what_bells_of_each_column_cannot() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (600, 2))
    y = np.sign(X[:, 0] * X[:, 1])
    apart, together = (tw.LinearRegression(basis=basis).fit(X, y) for basis in ("radial:25", {(0, 1): "radial:25"}))
    assert apart.r_squared_ < 0.2
    assert together.r_squared_ > 0.6
    order = rng.permutation(600)
    again = tw.LinearRegression(basis={(0, 1): "radial:25"}).fit(X[order], y[order])
    assert again.coefficient_names_ == together.coefficient_names_
    np.testing.assert_allclose(again.predict(X), together.predict(X), atol=1e-6)


def test_importances_are_shares_of_the_columns_of_the_table() -> None:
    X, y = mixed()
    model = tw.LinearRegression(basis={"day": "spline:3"}).fit(X, y)
    assert model.feature_importances_.shape == (3,)
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert model.feature_importances_.argmax() == 2


def test_an_interval_holds_new_values_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    held = []
    for _ in range(60):
        X = rng.normal(size=(220, 3))
        y = X @ [1.0, 2.0, 3.0] + rng.normal(size=220)
        low, high = tw.LinearRegression().fit(X[:20], y[:20]).predict_interval(X[20:], level=0.8).T
        held.append(np.mean((low < y[20:]) & (y[20:] < high)))
    assert np.mean(held) == pytest.approx(0.8, abs=0.02)


def test_residuals_whose_square_is_lost_in_a_division_leave_the_test_of_the_fit_open() -> None:
    model = tw.LinearRegression().fit([[1.0], [2.0], [3.0], [4.0]], [1.0, 3.0, 2.0, 5.0])
    model.residual_square_ = 5e-324  # as a file may say
    summary = model.summary()
    assert summary.residual_error == 0.0
    assert np.isnan(summary.f_statistic)
    assert str(model)
