"""Penalised regression on random small tables: no search finds a lower objective, and the conditions hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from oracle.linear_regression import least_objective, objective, price, spreads
from thorough import examples


@st.composite
def problems(draw: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, float, bool, bool]:
    """Columns (some constant, some copies), a target, weights, λ, and two choices."""
    n_rows, n_columns = draw(st.integers(2, 8)), draw(st.integers(1, 4))
    cell = st.integers(-3, 3)
    X = np.array([[draw(cell) for _ in range(n_columns)] for _ in range(n_rows)], dtype=float)
    y = np.array([draw(st.integers(-5, 5)) for _ in range(n_rows)], dtype=float)
    weights = np.array([draw(st.integers(1, 3)) for _ in range(n_rows)], dtype=float)
    return X, y, weights, draw(st.sampled_from([0.003, 0.05, 0.4, 2.0])), draw(st.booleans()), draw(st.booleans())


def fit(problem: Any, q: float, l1_ratio: float = 1.0) -> tuple[tw.RegularizedRegression, np.ndarray, Any]:
    """Fit; give the model, the sizes by which coefficients are priced, and their price."""
    X, y, weights, lam, intercept, standardize = problem
    model = tw.RegularizedRegression(
        q=q, alpha=lam, l1_ratio=l1_ratio, fit_intercept=intercept, standardize=standardize
    ).fit(X, y, weights)
    sizes = spreads(X, weights, intercept) if standardize else np.ones(X.shape[1])
    return model, sizes, lambda b: price(b, sizes, q, lam, l1_ratio)


def height(problem: Any, model: tw.RegularizedRegression, cost: Any) -> float:
    """The objective of the model."""
    X, y, weights, *_ = problem
    return objective(X, y, weights, model.coef_, model.intercept_, cost(model.coef_))


@given(
    problems(), st.sampled_from([(1.0, 1.0), (1.0, 0.5), (1.0, 0.0), (2.0, 1.0), (1.2, 1.0), (1.7, 1.0), (3.5, 1.0)])
)
@settings(max_examples=examples(50), deadline=None)
def test_no_search_finds_a_lower_objective_where_it_is_convex(problem: Any, kind: tuple[float, float]) -> None:
    X, y, weights, _, intercept, _ = problem
    model, _, cost = fit(problem, *kind)
    ours = height(problem, model, cost)
    for start in (np.zeros(X.shape[1]), model.coef_):
        found = least_objective(X, y, weights, intercept, cost, start)
        assert ours <= found + 1e-9 * max(1.0, abs(found))


@given(problems(), st.sampled_from([0.3, 0.5, 0.8]))
@settings(max_examples=examples(25), deadline=None)
def test_below_one_no_change_of_one_coefficient_helps(problem: Any, q: float) -> None:
    X, y, weights, _, intercept, _ = problem
    model, _, cost = fit(problem, q)
    ours = height(problem, model, cost)
    for j in range(X.shape[1]):
        for value in [0.0, *np.linspace(-6, 6, 241), *(model.coef_[j] * np.linspace(0.9, 1.1, 21))]:
            b = model.coef_.copy()
            b[j] = value
            middle = weights @ (y - X @ b) / weights.sum() if intercept else 0.0
            assert ours <= objective(X, y, weights, b, middle, cost(b)) + 1e-9


@given(problems(), st.sampled_from([1.0, 0.6]))
@settings(max_examples=examples(60), deadline=None)
def test_slopes_of_the_lasso_are_its_price_or_less_where_a_coefficient_is_0(problem: Any, l1_ratio: float) -> None:
    X, y, weights, lam, _, _ = problem
    model, sizes, _ = fit(problem, 1.0, l1_ratio)
    left = y - model.predict(X)
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = np.where(sizes > 0, (weights * left) @ X / weights.sum() / sizes, 0.0)
    scaled = model.coef_ * sizes
    slopes = slopes - lam * (1 - l1_ratio) * scaled
    used = model.coef_ != 0
    np.testing.assert_allclose(slopes[used], lam * l1_ratio * np.sign(model.coef_[used]), atol=1e-4)
    assert (np.abs(slopes[~used]) <= lam * l1_ratio + 1e-4).all()


@given(problems(), st.sampled_from([1.3, 2.0, 3.0]))
@settings(max_examples=examples(60), deadline=None)
def test_slopes_of_other_powers_are_those_of_the_price(problem: Any, q: float) -> None:
    X, y, weights, lam, _, _ = problem
    model, sizes, _ = fit(problem, q)
    left = y - model.predict(X)
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = np.where(sizes > 0, (weights * left) @ X / weights.sum() / sizes, 0.0)
    scaled = model.coef_ * sizes
    np.testing.assert_allclose(slopes, lam * q * np.sign(scaled) * np.abs(scaled) ** (q - 1), atol=1e-7)
