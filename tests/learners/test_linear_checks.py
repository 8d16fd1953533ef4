"""The linear models keep every promise that scikit-learn asks of an estimator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import treewright as tw


@parametrize_with_checks(
    [
        tw.LinearRegression(),
        tw.LinearRegression(basis="spline:4", missing="flag"),
        tw.LinearRegression(fit_intercept=False),
        tw.RegularizedRegression(),
        tw.RegularizedRegression(lambda_=0.01, contrasts="treatment"),
        tw.RegularizedRegression(q=2),
        tw.RegularizedRegression(lambda_=0.01, l1_ratio=0.5, fit_intercept=False),
        tw.RegularizedRegression(q=1.5, lambda_=0.1),
        tw.RegularizedRegression(q=0.5, lambda_=0.1, rule="1se"),
    ]
)
def test_scikit_learn_finds_nothing_wrong(
    estimator: Any, check: Callable[[Any], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # without it one check would not run
    check(estimator)
