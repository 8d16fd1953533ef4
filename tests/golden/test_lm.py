"""Linear regression gives the numbers of R's lm, to six digits and more, and the errors of Weka's on the same folds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from golden.test_m5p import load

HERE = Path(__file__).parent
CASES: dict[str, Any] = json.loads((HERE / "lm" / "models.json").read_text(encoding="utf-8"))
WEKA: dict[str, Any] = json.loads((HERE / "lm" / "weka.json").read_text(encoding="utf-8"))
DIGITS = {"rtol": 1e-8, "atol": 1e-10}


def table(name: str, target: str, **kinds: str) -> tuple[pd.DataFrame, pd.Series]:
    """Read a table; the named columns are text."""
    own = HERE / "tables" / f"{name}.csv"
    frame = pd.read_csv(own if own.exists() else tw.datasets.path(name), dtype=dict(kinds)).dropna()
    return frame.drop(columns=target), frame[target]


def case(name: str) -> tuple[tw.LinearRegression, pd.DataFrame]:
    """Fit what R has fitted."""
    X, y = table("boston", "medv", chas="str")
    if name == "boston":
        return tw.LinearRegression().fit(X, y), X
    if name == "weighted":
        return tw.LinearRegression().fit(X, y, 1 + (np.arange(len(X)) + 1) % 5), X
    if name == "no_intercept":
        X = X[["rm", "lstat", "age"]]
        return tw.LinearRegression(fit_intercept=False).fit(X, y), X
    if name == "twins":
        X = X[["rm", "lstat"]].assign(twice=2 * X.rm, sum=X.rm + X.lstat, one=7)
        return tw.LinearRegression().fit(X, y), X
    if name in ("polynomial", "spline", "bspline"):
        number = {"polynomial": 5, "spline": 4, "bspline": 6}[name]
        X = X[["lstat", "rm"]]
        return tw.LinearRegression(basis={"lstat": f"{name}:{number}"}).fit(X, y), X
    target = {"servo": "Class", "cpu_vendor": "class", "airquality": "Ozone", "longley": "Employed"}[name]
    X, y = table(name, target, **({"Pgain": "str", "Vgain": "str"} if name == "servo" else {}))
    return tw.LinearRegression().fit(X, y), X


def r_numbers(name: str, what: str) -> np.ndarray:
    """One column of R's table of coefficients, without those that it calls NA."""
    told = CASES[name][what]
    return np.array([number for number in told.values() if number is not None])


@pytest.mark.parametrize("name", CASES)
def test_fitted_values_and_intervals_are_those_of_lm(name: str) -> None:
    model, X = case(name)
    told = CASES[name]
    np.testing.assert_allclose(model.predict(X.iloc[:10]), told["fitted"], **DIGITS)
    _, low, high = np.array(told["prediction"]).T
    np.testing.assert_allclose(model.predict_interval(X.iloc[:5]), np.column_stack([low, high]), rtol=1e-7)
    _, low, high = np.array(told["confidence"]).T
    ours = model.predict_interval(X.iloc[:5], level=0.9, kind="confidence")
    np.testing.assert_allclose(ours, np.column_stack([low, high]), rtol=1e-7)


@pytest.mark.parametrize("name", CASES)
def test_the_fit_as_a_whole_is_that_of_lm(name: str) -> None:
    summary, told = case(name)[0].summary(), CASES[name]
    numbers = [summary.residual_error, summary.df_residual, summary.r_squared, summary.adjusted_r_squared]
    np.testing.assert_allclose(numbers, [told["sigma"], told["df"], told["r_squared"], told["adjusted"]], rtol=1e-9)
    np.testing.assert_allclose(summary.f_statistic, told["f"]["value"], rtol=1e-8)
    np.testing.assert_allclose(summary.quantiles, told["residual_quantiles"], **DIGITS)


@pytest.mark.parametrize("name", sorted(set(CASES) - {"spline", "bspline"}))  # R has other functions of the same span
def test_the_table_of_coefficients_is_that_of_lm(name: str) -> None:
    frame = case(name)[0].summary().to_frame().dropna()
    for ours, theirs in (("estimate", "coefficients"), ("std_error", "std_error"), ("t", "t"), ("p", "p")):
        np.testing.assert_allclose(frame[ours], r_numbers(name, theirs), rtol=1e-6, err_msg=ours)
    np.testing.assert_allclose(frame["low"], r_numbers(name, "low"), rtol=1e-6)
    np.testing.assert_allclose(frame["high"], r_numbers(name, "high"), rtol=1e-6)


def test_columns_without_a_coefficient_are_those_that_r_calls_na() -> None:
    told = CASES["twins"]["coefficients"]
    assert case("twins")[0].aliased_ == tuple(name for name, number in told.items() if number is None)


def test_names_of_coefficients_are_those_of_r_in_words() -> None:
    names = case("servo")[0].coefficient_names_
    assert tuple(name.replace(" = ", "") for name in names) == tuple(CASES["servo"]["coefficients"])[1:]


def fold_errors(name: str, model: tw.LinearRegression | tw.RegularizedRegression) -> np.ndarray:
    """The root mean squared errors on the folds on which Weka was asked."""
    content, frame = load(name)
    target, fold = content["target"], np.array(content["fold"])
    model.column_kinds = {column: kind for column, kind in content["kinds"].items() if column != target}
    X, y = frame.drop(columns=target), frame[target].to_numpy(dtype=float)
    errors = []
    for k in range(10):
        model.fit(X[fold != k], y[fold != k])
        errors.append(np.sqrt(np.mean((model.predict(X[fold == k]) - y[fold == k]) ** 2)))
    return np.array(errors)


@pytest.mark.parametrize("name", WEKA)
def test_errors_on_unseen_rows_are_those_of_weka(name: str) -> None:
    """To 6 digits where nothing is missing and no level is rare; Weka fills holes and drops columns in its own way."""
    theirs = np.array(WEKA[name]["fold_rmse"])
    ours = fold_errors(name, tw.LinearRegression())
    if name in ("auto_mpg", "boston", "airquality", "servo"):
        np.testing.assert_allclose(ours.mean(), theirs.mean(), rtol=1e-6)
    assert ours.mean() < theirs.mean() + 0.25 * theirs.std(ddof=1) / np.sqrt(10)


def test_a_price_on_coefficients_makes_errors_smaller_than_those_of_weka() -> None:
    ratios = [
        fold_errors(name, tw.RegularizedRegression(q=2, alphas=30)).mean() / np.mean(WEKA[name]["fold_rmse"])
        for name in WEKA
    ]
    assert len(ratios) == 7
    assert np.exp(np.mean(np.log(ratios))) < 1
