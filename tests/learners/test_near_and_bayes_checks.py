"""Neighbours, local regression and naive Bayes keep every promise that scikit-learn asks of an estimator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import treewright as tw


@parametrize_with_checks(
    [
        tw.KNeighborsClassifier(),
        tw.KNeighborsRegressor(),
        tw.KNeighborsClassifier(weights="distance", metric="gower"),
        tw.KNeighborsRegressor(weights="distance", metric="standardised"),
        tw.LocallyWeightedRegression(),
        tw.LocallyWeightedRegression(kernel="tricube", span=0.5),
        tw.NaiveBayesClassifier(),
        tw.NaiveBayesClassifier(numeric="kernel", variance="population"),
    ]
)
def test_scikit_learn_finds_nothing_wrong(
    estimator: Any, check: Callable[[Any], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # without it one check would not run
    check(estimator)
