"""The perceptron, the delta rule and stochastic descent make the steps of the definition."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import Perceptron

import treewright as tw
from oracle import perceptron as oracle
from thorough import examples
from treewright import _core
from treewright.learners.base.stochastic_descent import RowForm, StochasticRules, Visits, one_pass, visits_of
from treewright.learners.perceptron.rules import PassRules, convergence_bound, learn_by_mistakes


@st.composite
def labelled_rows(draw: Any, n_classes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of small whole numbers, so that sums are exact and ties happen."""
    n, p = draw(st.integers(1, 12)), draw(st.sampled_from([1, 2, 9, 20, 40]))
    X = np.array(draw(st.lists(st.integers(-3, 3), min_size=n * p, max_size=n * p)), dtype=float).reshape(n, p)
    y = np.array(draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n)))
    return X, y, np.array(draw(st.lists(st.sampled_from([1.0, 2.0]), min_size=n, max_size=n)))


def no_watch(*_: Any) -> None:
    """Nobody looks."""


@pytest.mark.parametrize("n_units", [1, 3])
@settings(max_examples=examples(80))
@given(data=st.data(), shuffle=st.booleans())
def test_weights_mistakes_pocket_and_mean_are_those_of_the_definition(n_units: int, data: Any, shuffle: bool) -> None:
    X, y, weights = data.draw(labelled_rows(max(n_units, 2)))
    visits = visits_of(X, y, weights, RowForm(), seed=3, shuffle=shuffle)
    visits = replace(visits, weights=1.0 + np.arange(len(visits.rows)) % 2)  # whole, so that ties are ties
    orders = [visits.order(number).tolist() for number in range(1, 9)]
    args = visits.rows.tolist(), visits.targets.tolist(), visits.weights.tolist(), orders, n_units
    wanted = oracle.perceptron(*args)
    start = np.zeros((n_units, visits.rows.shape[1]))
    for average, pocket in ((False, False), (False, True), (True, False)):
        rules = PassRules(1.0, None, 8, 5, average, pocket, False)
        found = learn_by_mistakes(visits, start, rules, no_watch)
        assert found.curve == wanted.mistakes
        assert found.mistakes == sum(wanted.mistakes)
        separated = wanted.mistakes[-1] == 0
        best = wanted.mean if average else wanted.pocket if pocket and not separated else wanted.weights
        np.testing.assert_allclose(found.weights, best, atol=1e-9)


@given(n=st.integers(1, 40), seed=st.integers(0, 2**40), number=st.integers(1, 99))
def test_the_order_of_a_pass_is_that_of_the_definition(n: int, seed: int, number: int) -> None:
    assert _core.shuffled(n, seed, number).tolist() == oracle.shuffled(n, seed, number)


@settings(max_examples=examples(60))
@given(data=st.data(), max_iter=st.integers(1, 6))
def test_without_shuffle_and_scale_it_is_the_perceptron_of_scikit_learn(data: Any, max_iter: int) -> None:
    X, y, _ = data.draw(labelled_rows(2))
    y[0], y[-1] = 0, 1
    if len(set(y)) < 2:
        return
    ours = tw.Perceptron(standardize=False, shuffle=False, pocket=False, tol=None, max_iter=max_iter).fit(X, y)
    theirs = Perceptron(shuffle=False, tol=None, max_iter=max_iter).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-9)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-9)


@pytest.mark.parametrize("unit", ["log_loss", "squared_sigmoid", "squared_linear"])
@settings(max_examples=examples(40))
@given(data=st.data(), penalty=st.sampled_from([0.0, 0.1]))
def test_steps_down_the_slope_are_those_of_the_definition(unit: str, data: Any, penalty: float) -> None:
    X, y, weights = data.draw(labelled_rows(2))
    visits = visits_of(X, y, weights, RowForm(), seed=1)
    shrunk = np.zeros(visits.rows.shape[1])
    shrunk[: X.shape[1]] = 1.0
    found = np.zeros((1, visits.rows.shape[1]))
    rules = StochasticRules(unit, 0.01, penalty, shrunk)
    losses = [one_pass(visits, found, None, rules, number) for number in (1, 2, 3)]
    targets = (2.0 * visits.targets - 1 if unit == "squared_linear" else 1.0 * visits.targets).tolist()
    orders = [visits.order(number).tolist() for number in (1, 2, 3)]
    rows, sizes = visits.rows.tolist(), visits.weights.tolist()
    wanted = oracle.stochastic(rows, targets, sizes, orders, unit, 0.01, penalty, shrunk.tolist())
    np.testing.assert_allclose(found[0], wanted, rtol=1e-9, atol=1e-12)
    assert np.isfinite(losses).all()


@settings(max_examples=examples(40))
@given(data=st.data())
def test_softmax_of_two_classes_makes_the_steps_of_log_loss_on_the_difference(data: Any) -> None:
    X, y, weights = data.draw(labelled_rows(2))
    visits = visits_of(X, y, weights, RowForm())
    width = visits.rows.shape[1]
    both, one = np.zeros((2, width)), np.zeros((1, width))
    loss_of_both = one_pass(visits, both, None, StochasticRules("softmax", 0.01, 0.0, np.zeros(width)), 1)
    # the difference of two weights moves twice as far as either
    loss_of_one = one_pass(visits, one, None, StochasticRules("log_loss", 0.02, 0.0, np.zeros(width)), 1)
    np.testing.assert_allclose(both[1] - both[0], one[0], atol=1e-12)
    assert loss_of_both == pytest.approx(loss_of_one, rel=1e-9)


@settings(max_examples=examples(60))
@given(data=st.data(), n_classes=st.sampled_from([2, 3]))
def test_separable_rows_take_no_more_mistakes_than_the_bound(data: Any, n_classes: int) -> None:
    X, y, _ = data.draw(labelled_rows(n_classes))
    visits = visits_of(X, y, None, RowForm())
    units = 1 if n_classes == 2 else 3
    rules = PassRules(1.0, None, 50, 5, False, True, False)
    found = learn_by_mistakes(visits, np.zeros((units, visits.rows.shape[1])), rules, no_watch)
    bound = convergence_bound(visits, found)
    assert (bound is not None) == found.separated
    if bound is not None:
        assert found.mistakes <= bound.mistakes * (1 + 1e-9)


@settings(max_examples=examples(60))
@given(data=st.data())
def test_no_separator_has_a_wider_margin_than_the_one_of_the_bound(data: Any) -> None:
    X, y, _ = data.draw(labelled_rows(2))
    visits = visits_of(X, y, None, RowForm())
    rules = PassRules(1.0, None, 50, 5, False, True, False)
    found = learn_by_mistakes(visits, np.zeros((1, visits.rows.shape[1])), rules, no_watch)
    bound = convergence_bound(visits, found)
    if bound is not None:
        signs = np.where(visits.targets == 1, 1.0, -1.0)
        own = (signs * (visits.rows @ found.weights[0])).min() / np.linalg.norm(found.weights[0])
        assert own <= bound.margin * (1 + 1e-9)


@settings(max_examples=examples(40))
@given(data=st.data(), neuron=st.sampled_from(["threshold", "linear", "sigmoid"]), standardize=st.booleans())
def test_the_order_of_the_table_changes_no_weight(data: Any, neuron: str, standardize: bool) -> None:
    X, y, weights = data.draw(labelled_rows(2))
    order = np.array(data.draw(st.permutations(range(len(y)))))
    model = tw.Perceptron(neuron, standardize=standardize, max_iter=20)
    one, other = clone(model).fit(X, y, weights), clone(model).fit(X[order], y[order], weights[order])
    np.testing.assert_array_equal(one.coef_, other.coef_)
    np.testing.assert_array_equal(one.intercept_, other.intercept_)
    assert one.mistakes_ == other.mistakes_


def test_visits_of_a_table_without_shuffle_are_the_table() -> None:
    X = np.array([[2.0], [1.0], [2.0]])
    visits = visits_of(X, np.array([0, 1, 0]), None, RowForm(), shuffle=False)
    assert isinstance(visits, Visits)
    assert visits.rows[:, 0].tolist() == [2.0, 1.0, 2.0]
    assert visits.order(1).tolist() == [0, 1, 2]
