"""The networks keep every promise that scikit-learn asks of an estimator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import treewright as tw


@parametrize_with_checks(
    [
        tw.MLPClassifier(hidden_layer_sizes=(16,), max_iter=40, learning_rate_init=0.01),
        tw.MLPClassifier(hidden_layer_sizes=(8,), solver="lbfgs", max_iter=60, loss="squared_error"),
        tw.MLPClassifier(hidden_layer_sizes=(8,), solver="sgd", learning_rate_init=0.1, max_iter=40, missing="flag"),
        tw.MLPRegressor(hidden_layer_sizes=(16,), max_iter=60, learning_rate_init=0.01),
        tw.MLPRegressor(hidden_layer_sizes=(8,), solver="lbfgs", max_iter=60, precision="single"),
        tw.Autoencoder(max_iter=20),
        tw.Autoencoder((6, 2), max_iter=10, tied=True, pretrain=True, mask=0.1, solver="sgd", learning_rate_init=0.01),
    ]
)
def test_scikit_learn_finds_nothing_wrong(
    estimator: Any, check: Callable[[Any], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # without it one check would not run
    check(estimator)
