"""The gradient boosters keep every promise that scikit-learn asks of an estimator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import treewright as tw


@parametrize_with_checks(
    [
        tw.GradientBoostingClassifier(n_estimators=20),
        tw.GradientBoostingClassifier(n_estimators=20, min_samples_leaf=1, growth="level", max_bins=None),
        tw.GradientBoostingClassifier(n_estimators=10, min_samples_leaf=1, subsample=0.7, max_features=0.5),
        tw.GradientBoostingRegressor(n_estimators=20),
        tw.GradientBoostingRegressor(n_estimators=20, min_samples_leaf=1, max_depth=3, loss="huber"),
    ]
)
def test_scikit_learn_finds_nothing_wrong(
    estimator: Any, check: Callable[[Any], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # without it one check would not run
    check(estimator)
