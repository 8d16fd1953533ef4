"""Local regressions are those of the definition, singular ones included; leaving out a row needs no second fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from oracle.local_regression import local_fit, weight
from thorough import examples
from treewright.learners.base.content_order import order_of_table
from treewright.learners.local_regression.bandwidth import _measured, loo_error

KERNELS = ("gaussian", "tricube", "epanechnikov")


def table(seed: int, n_rows: int, n_columns: int, grid: bool) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n_rows, n_columns)) / 4 if grid else rng.random((n_rows, n_columns))
    return X, rng.normal(size=n_rows), rng.integers(1, 4, n_rows).astype(float)


def by_definition(X: Any, y: Any, w: Any, at: Any, kernel: str, bandwidth: float, degree: int) -> Any:
    """Distances in the units of the table; columns of spread 1 in the fit."""
    mean = np.average(X, axis=0, weights=w)
    spread = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=w))
    kept = spread > 0
    Z = (X[:, kept] - mean[kept]) / spread[kept]
    q = (at[kept] - mean[kept]) / spread[kept]
    weights = [
        s * weight(kernel, float(np.sqrt(((row - at) ** 2).sum())), bandwidth) for row, s in zip(X, w, strict=True)
    ]
    return local_fit(Z.tolist(), y.tolist(), weights, q.tolist(), degree)


@pytest.mark.parametrize("kernel", KERNELS)
@settings(max_examples=examples(40))
@given(
    seed=st.integers(0, 10**6),
    n_rows=st.integers(2, 12),
    n_columns=st.integers(1, 3),
    grid=st.booleans(),
    bandwidth=st.sampled_from([0.3, 0.6, 2.0]),
    degree=st.sampled_from([0, 1, 1, 1]),
)
def test_the_value_is_that_of_the_definition(
    kernel: str, seed: int, n_rows: int, n_columns: int, grid: bool, bandwidth: float, degree: int
) -> None:
    X, y, w = table(seed, n_rows, n_columns, grid)
    model = tw.LocallyWeightedRegression(kernel=kernel, bandwidth=bandwidth, degree=degree, metric="euclidean")
    model.fit(X, y, w)
    asked = np.vstack([X, np.random.default_rng(seed + 1).random((3, n_columns))])
    far = np.sqrt(((asked[:, None] - X[None]) ** 2).sum(axis=2))
    for place, answer in enumerate(model.predict(asked)):
        expected = by_definition(X, y, w, asked[place], kernel, bandwidth, degree)
        wanted = y[far[place].argmin()] if expected is None else expected[0]
        assert answer == pytest.approx(wanted, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("kernel", KERNELS)
@settings(max_examples=examples(25))
@given(seed=st.integers(0, 10**6), bandwidth=st.sampled_from([1.5, 4.0]))
def test_the_error_of_a_row_left_out_follows_from_its_leverage(kernel: str, seed: int, bandwidth: float) -> None:
    X, y, _ = table(seed, 14, 1, grid=False)
    by_content = order_of_table(X, y)  # the model keeps its rows so
    X, y = X[by_content], y[by_content]
    model = tw.LocallyWeightedRegression(kernel=kernel, bandwidth=bandwidth, metric="euclidean").fit(X, y)
    local = model._local
    fast = loo_error(local.rows, _measured(local.rows, local.queries(model._columns(X))), bandwidth)
    Z, squares = (X - X.mean()) / X.std(), []  # the spread of all rows, as the model has it
    for left in range(len(y)):
        kept = np.arange(len(y)) != left
        weights = [weight(kernel, float(abs(v[0] - X[left, 0])), bandwidth) for v in X[kept]]
        found = local_fit(Z[kept].tolist(), y[kept].tolist(), weights, Z[left].tolist(), 1)
        assert found is not None
        squares.append((y[left] - found[0]) ** 2)
    assert fast == pytest.approx(np.mean(squares), rel=1e-6)


@pytest.mark.parametrize("kernel", ["tricube", "epanechnikov"])
@pytest.mark.parametrize("bandwidth", [0.02, 0.2])
def test_a_k_d_tree_finds_the_rows_that_count(kernel: str, bandwidth: float) -> None:
    X, y, w = table(3, 2500, 2, grid=False)
    asked = np.vstack([X[:30], [[3.0, 3.0]]])
    by_tree = tw.LocallyWeightedRegression(kernel=kernel, bandwidth=bandwidth, metric="euclidean").fit(X, y, w)
    assert by_tree._local.rows.search.tree is not None
    by_force = tw.LocallyWeightedRegression(kernel=kernel, bandwidth=bandwidth, metric="euclidean").fit(X, y, w)
    by_force._local.rows.search.algorithm = "brute"
    assert by_force._local.rows.search.tree is None
    assert by_tree.predict(asked) == pytest.approx(by_force.predict(asked), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("bandwidth", [0.05, 0.3, 3.0])
def test_sums_over_all_rows_and_over_the_near_ones_give_the_same(bandwidth: float) -> None:
    X, y, w = table(5, 400, 4, grid=False)
    model = tw.LocallyWeightedRegression(bandwidth=bandwidth, metric="euclidean").fit(X, y, w)
    for place in range(0, 400, 80):
        expected = by_definition(X, y, w, X[place], "gaussian", bandwidth, 1)
        assert model.predict(X[place : place + 1])[0] == pytest.approx(expected[0], rel=1e-6)


def test_the_span_is_the_distance_to_the_last_of_that_share_of_the_rows() -> None:
    X = np.arange(10.0)[:, None]
    y = np.sin(X[:, 0])
    model = tw.LocallyWeightedRegression(kernel="tricube", span=0.5, metric="euclidean").fit(X, y)
    expected = by_definition(X, y, np.ones(10), np.array([0.0]), "tricube", 4.0, 1)
    assert model.predict([[0.0]])[0] == pytest.approx(expected[0], rel=1e-9)
