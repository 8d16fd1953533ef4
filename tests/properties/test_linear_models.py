"""Linear regression on random small tables: levels, holes, weights, dependent columns, one row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from oracle.linear_regression import fitted_values, kept_columns, mixed_matrix, standard_errors
from thorough import examples

VALUES = st.one_of(st.none(), st.integers(-3, 3).map(float))
LEVELS = st.sampled_from(["a", "b", "c", None])


@st.composite
def tables(draw: Any) -> tuple[list[Any], list[Any], np.ndarray, np.ndarray]:
    """Numbers, levels, the target and weights of 1 to 9 rows."""
    n_rows, n_numbers, n_levels = draw(st.integers(1, 9)), draw(st.integers(1, 3)), draw(st.integers(0, 2))
    numbers = [[draw(VALUES) for _ in range(n_numbers)] for _ in range(n_rows)]
    levels = [[draw(LEVELS) for _ in range(n_levels)] for _ in range(n_rows)]
    y = np.array([draw(st.integers(-5, 5)) for _ in range(n_rows)], dtype=float)
    weights = np.array([draw(st.integers(1, 3)) for _ in range(n_rows)], dtype=float)
    return numbers, levels, y, weights


def frame_of(numbers: list[Any], levels: list[Any]) -> pd.DataFrame:
    """The table as a user has it."""
    named = {f"n{j}": pd.array(list(column), dtype="Float64") for j, column in enumerate(zip(*numbers, strict=True))}
    texts = {f"t{j}": pd.Series(list(column), dtype="str") for j, column in enumerate(zip(*levels, strict=True))}
    return pd.DataFrame({**named, **texts})


@given(tables(), st.booleans(), st.booleans())
@settings(max_examples=examples(80), deadline=None)
def test_it_answers_what_least_squares_answers(table: Any, intercept: bool, weighted: bool) -> None:
    numbers, levels, y, weights = table
    weights = weights if weighted else np.ones(len(y))
    X, frame = mixed_matrix(numbers, levels, list(weights), full=False), frame_of(numbers, levels)
    model = tw.LinearRegression(fit_intercept=intercept).fit(frame, y, weights if weighted else None)
    assert model.kept_.tolist() == kept_columns(X, weights, intercept)
    np.testing.assert_allclose(model.predict(frame), fitted_values(X, y, weights, intercept), atol=1e-9)
    assert np.isfinite(model.coef_).all()
    assert str(model)


@given(st.integers(0, 10**6), st.booleans(), st.booleans())
@settings(max_examples=examples(40), deadline=None)
def test_standard_errors_are_those_of_the_definition(seed: int, intercept: bool, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 3)) * [1, 100, 0.01] + [0, 5, 3]
    y = rng.normal(size=12)
    weights = rng.integers(1, 4, 12).astype(float) if weighted else np.ones(12)
    model = tw.LinearRegression(fit_intercept=intercept).fit(X, y, weights)
    ours = model.summary().to_frame()["std_error"]
    np.testing.assert_allclose(ours, standard_errors(X, y, weights, intercept), rtol=1e-7)


@given(st.integers(0, 10**6))
@settings(max_examples=examples(40), deadline=None)
def test_products_and_rows_lead_to_the_same_answer(seed: int) -> None:
    """Well-conditioned tables go one way, others the other; a column that is nearly a copy changes the way."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    near = np.column_stack([X, X[:, 0] + 1e-6 * rng.normal(size=40)])
    ours = tw.LinearRegression().fit(near, y).predict(near)
    np.testing.assert_allclose(ours, fitted_values(near, y, np.ones(40), True), atol=1e-7)
    ours = tw.LinearRegression().fit(X, y).predict(X)
    np.testing.assert_allclose(ours, fitted_values(X, y, np.ones(40), True), atol=1e-12)


@given(
    st.integers(0, 10**6), st.sampled_from(["polynomial:3", "spline:3", "bspline:4", "radial:3", "fourier:1", "joint"])
)
@settings(max_examples=examples(40), deadline=None)
def test_a_row_of_weight_two_is_two_rows_for_every_basis(seed: int, basis: str) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 30, (25, 2)).astype(float), rng.normal(size=25)
    weights = rng.integers(0, 4, 25)
    chosen = {(0, 1): "radial:5"} if basis == "joint" else basis
    weighted = tw.LinearRegression(basis=chosen).fit(X, y, weights)
    repeated = tw.LinearRegression(basis=chosen).fit(X.repeat(weights, axis=0), y.repeat(weights))
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-6)
