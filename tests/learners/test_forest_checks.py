"""Forests keep every promise that scikit-learn asks of an estimator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import treewright as tw


@parametrize_with_checks(
    [
        tw.RandomForestClassifier(n_estimators=10),
        tw.RandomForestRegressor(n_estimators=10),
        tw.ExtraTreesClassifier(n_estimators=10),
        tw.ExtraTreesRegressor(n_estimators=10),
        tw.RandomForestClassifier(n_estimators=10, voting="vote", balanced_sampling=True, criterion="entropy"),
        tw.ExtraTreesRegressor(n_estimators=10, bootstrap=True, max_features="third"),
        tw.RandomForestClassifier(n_estimators=10, splitter="oblique"),
        tw.RandomForestRegressor(n_estimators=10, splitter="oblique"),
    ]
)
def test_scikit_learn_finds_nothing_wrong(
    estimator: Any, check: Callable[[Any], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # without it one check would not run
    check(estimator)
