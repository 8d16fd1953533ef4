"""Logistic regression and the perceptron keep every promise that scikit-learn asks of an estimator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import treewright as tw


@parametrize_with_checks(
    [
        tw.LogisticRegression(),
        tw.LogisticRegression(solver="lbfgs"),
        tw.LogisticRegression("l1"),
        tw.LogisticRegression(solver="gradient_descent", standardize=True, tol=1e-4),
        tw.LogisticRegression(solver="sgd", standardize=True, tol=1e-2),
        tw.LogisticRegression(loss="squared"),
        tw.Perceptron(),
        tw.Perceptron(average=True, multi_class="one_vs_rest"),
        tw.Perceptron("linear"),
        tw.Perceptron("sigmoid"),
    ]
)
def test_scikit_learn_finds_nothing_wrong(
    estimator: Any, check: Callable[[Any], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # without it one check would not run
    check(estimator)
