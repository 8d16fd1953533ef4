"""The estimators keep every promise that scikit-learn asks of an estimator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import treewright as tw


@parametrize_with_checks(
    [
        tw.DecisionTreeClassifier(),
        tw.DecisionTreeRegressor(),
        tw.DecisionTreeClassifier(missing="surrogates", keep_candidates=True),
        tw.DecisionTreeRegressor(missing="surrogates", keep_candidates=True),
        tw.DecisionTreeClassifier(missing="stop"),
        tw.DecisionTreeClassifier(criterion="gain_ratio"),
        tw.DecisionTreeClassifier(missing="fractional"),
        tw.DecisionTreeRegressor(missing="fractional"),
        tw.CHAIDClassifier(),
        tw.CHAIDRegressor(),
        tw.CHAIDClassifier(min_samples_split=20, min_samples_leaf=10),  # judged by its score too
        tw.CHAIDRegressor(min_samples_split=20, min_samples_leaf=10),
        tw.ConditionalTreeClassifier(),
        tw.ConditionalTreeRegressor(),
        tw.ObliqueTreeClassifier(),
        tw.ObliqueTreeRegressor(),
        tw.ModelTreeRegressor(),
    ]
)
def test_scikit_learn_finds_nothing_wrong(
    estimator: Any, check: Callable[[Any], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # without it one check would not run
    check(estimator)
