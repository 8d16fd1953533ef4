"""Ensembles of recipes keep every promise that scikit-learn asks of an estimator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import treewright as tw


@parametrize_with_checks(
    [
        tw.BaggingTreesClassifier(n_estimators=20),
        tw.BaggingTreesRegressor(n_estimators=20),
        tw.BaggingTreesClassifier(tw.C45Classifier(), n_estimators=10, voting="vote"),
        tw.BaggingTreesRegressor(tw.ModelTreeRegressor(), n_estimators=10, bootstrap=False, max_samples=0.7),
        tw.AdaBoostClassifier(),
        tw.AdaBoostClassifier(tw.ObliqueTreeClassifier(max_depth=2), n_estimators=5, algorithm="m1"),
    ]
)
def test_scikit_learn_finds_nothing_wrong(
    estimator: Any, check: Callable[[Any], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # without it one check would not run
    check(estimator)
