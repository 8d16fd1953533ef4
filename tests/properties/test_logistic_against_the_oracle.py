"""Losses, slopes and minima of logistic regression are those of the definition."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

import treewright as tw
from oracle import logistic as oracle
from thorough import examples
from treewright.learners.logistic.loss import BinaryLogLoss, LogisticRows, SoftmaxLogLoss, SquaredLoss
from treewright.learners.logistic.solvers import Ridge

numbers = st.floats(-3, 3, allow_subnormal=False).map(lambda x: round(x, 3))


@st.composite
def problems(draw: Any, n_classes: int = 2, most_rows: int = 12) -> tuple[LogisticRows, np.ndarray]:
    """Small tables with weights, and coefficients to look at."""
    n, p = draw(st.integers(1, most_rows)), draw(st.integers(0, 3))
    matrix = np.array(draw(st.lists(numbers, min_size=n * p, max_size=n * p))).reshape(n, p)
    codes = np.array(draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n)))
    weights = draw(st.none() | st.lists(st.floats(0.25, 4), min_size=n, max_size=n).map(np.array))
    centre = draw(st.none() | st.just(np.full(p, 0.5)))
    scale = draw(st.none() | st.just(np.full(p, 2.0)))
    rows = LogisticRows(matrix, codes, weights, n_classes, draw(st.booleans()), centre, scale)
    assume(rows.width > 0)
    units = 1 if n_classes == 2 else n_classes
    at = np.array(draw(st.lists(numbers, min_size=units * rows.width, max_size=units * rows.width)))
    return rows, at.reshape(units, rows.width)


def plain(rows: LogisticRows) -> tuple[list[list[float]], list[int], list[float]]:
    """The rows as the definition takes them."""
    shifted = rows.matrix - (0 if rows.centre is None else rows.centre)
    scaled = shifted / (1 if rows.scale is None else rows.scale)
    weights = np.ones(len(rows.codes)) if rows.weights is None else rows.weights
    return scaled.tolist(), rows.codes.tolist(), weights.tolist()


LOSSES = {
    "log": (BinaryLogLoss, oracle.log_loss, 2),
    "softmax": (SoftmaxLogLoss, oracle.log_loss, 3),
    "squared": (SquaredLoss, oracle.squared_loss, 2),
}


@pytest.mark.parametrize("name", list(LOSSES))
@settings(max_examples=examples(60))
@given(data=st.data())
def test_value_gradient_and_second_derivatives_are_those_of_finite_differences(name: str, data: Any) -> None:
    kind, definition, n_classes = LOSSES[name]
    rows, at = data.draw(problems(n_classes))
    found = kind(rows).slopes(at, hessian=True)

    def value(coefficients: list[list[float]]) -> float:
        return oracle.whole_loss(definition, *plain(rows), coefficients, rows.intercept)

    assert found.value == pytest.approx(value(at.tolist()), rel=1e-10, abs=1e-10)
    np.testing.assert_allclose(found.gradient, oracle.slopes(value, at.tolist()), rtol=1e-6, atol=1e-6)
    for j in range(at.size):
        h = 1e-5
        there, back = at.copy(), at.copy()
        there.flat[j] += h
        back.flat[j] -= h
        line = (kind(rows).slopes(there).gradient - kind(rows).slopes(back).gradient) / (2 * h)
        np.testing.assert_allclose(found.hessian[j], line.ravel(), rtol=1e-5, atol=1e-6)


def test_the_penalty_is_part_of_value_and_slopes() -> None:
    rows = LogisticRows(np.array([[1.0], [2.0]]), np.array([0, 1]), None, 2)
    at, ridge = np.array([[0.5, -0.25]]), np.array([0.0, 4.0])
    bare, with_ridge = BinaryLogLoss(rows).slopes(at, True), Ridge(BinaryLogLoss(rows), ridge).slopes(at, True)
    assert with_ridge.value - bare.value == pytest.approx(4.0 * 0.0625 / 2)
    np.testing.assert_allclose(with_ridge.gradient - bare.gradient, [[0.0, -1.0]])
    np.testing.assert_allclose(with_ridge.hessian - bare.hessian, [[0.0, 0.0], [0.0, 4.0]])


@st.composite
def tables(draw: Any, n_classes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tables with every class, for whole fits."""
    n, p = draw(st.integers(n_classes, 25)), draw(st.integers(1, 3))
    X = np.array(draw(st.lists(numbers, min_size=n * p, max_size=n * p))).reshape(n, p)
    more = st.lists(st.integers(0, n_classes - 1), min_size=n - n_classes, max_size=n - n_classes)
    y = np.array(draw(more) + list(range(n_classes)))
    return X, y, np.array(draw(st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=n, max_size=n)))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("penalty", ["l2", "l1", "elasticnet"])
@settings(max_examples=examples(25))
@given(data=st.data(), C=st.sampled_from([0.1, 1.0, 10.0]))
def test_no_small_move_makes_the_penalised_loss_smaller(n_classes: int, penalty: str, data: Any, C: float) -> None:
    X, y, weights = data.draw(tables(n_classes))
    model = tw.LogisticRegression(penalty, C=C).fit(X, y, weights)
    ratio = {"l2": 0.0, "l1": 1.0, "elasticnet": 0.5}[penalty]

    def value(coefficients: np.ndarray) -> float:
        loss = oracle.whole_loss(oracle.log_loss, X.tolist(), y.tolist(), weights.tolist(), coefficients.tolist())
        return loss + oracle.penalty(coefficients.tolist(), C, ratio)

    at = np.column_stack([model.intercept_, model.coef_])
    least = value(at)
    for j in range(at.size):
        for step in (1e-3, -1e-3):
            moved = at.copy()
            moved.flat[j] += step
            assert value(moved) >= least - 1e-10


@pytest.mark.parametrize("n_classes", [2, 3])
@settings(max_examples=examples(25))
@given(data=st.data(), C=st.sampled_from([0.1, 1.0, 10.0]))
def test_coefficients_with_l2_are_those_of_scikit_learn(n_classes: int, data: Any, C: float) -> None:
    X, y, weights = data.draw(tables(n_classes))
    ours = tw.LogisticRegression(C=C).fit(X, y, weights)
    with warnings.catch_warnings():  # at the minimum it may say that it cannot get lower
        warnings.simplefilter("ignore", ConvergenceWarning)
        theirs = LogisticRegression(C=C, solver="newton-cholesky", tol=1e-10, max_iter=1000).fit(X, y, weights)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-6, atol=1e-6)


@settings(max_examples=examples(25))
@given(data=st.data(), n_classes=st.sampled_from([2, 3]))
def test_every_solver_finds_the_same_minimum(data: Any, n_classes: int) -> None:
    X, y, weights = data.draw(tables(n_classes))
    newton = tw.LogisticRegression(solver="newton").fit(X, y, weights)
    for solver, tol, near in (("lbfgs", 1e-6, 1e-5), ("gradient_descent", 1e-12, 1e-3)):
        other = tw.LogisticRegression(solver=solver, tol=tol, max_iter=100_000).fit(X, y, weights)
        np.testing.assert_allclose(other.coef_, newton.coef_, atol=near)
    corners = tw.LogisticRegression("elasticnet", l1_ratio=0.0).fit(X, y, weights)
    np.testing.assert_allclose(corners.coef_, newton.coef_, atol=1e-6)


@settings(max_examples=examples(25))
@given(data=st.data())
def test_a_row_of_weight_2_is_a_row_twice(data: Any) -> None:
    X, y, _ = data.draw(tables(2))
    weights = np.array([1.0 + i % 2 for i in range(len(y))])
    twice = np.repeat(np.arange(len(y)), weights.astype(int))
    once = tw.LogisticRegression().fit(X, y, weights)
    np.testing.assert_allclose(once.coef_, tw.LogisticRegression().fit(X[twice], y[twice]).coef_, atol=1e-8)


@settings(max_examples=examples(25))
@given(data=st.data())
def test_standardised_columns_cost_the_same_in_any_unit(data: Any) -> None:
    X, y, _ = data.draw(tables(2))
    assume((X.std(axis=0) > 1e-3).all())
    factor = np.array([1000.0, 0.01, 7.0])[: X.shape[1]]
    plain_units = tw.LogisticRegression(standardize=True).fit(X, y)
    other_units = tw.LogisticRegression(standardize=True).fit(X * factor + 5.0, y)
    np.testing.assert_allclose(other_units.coef_ * factor, plain_units.coef_, rtol=1e-5, atol=1e-7)
