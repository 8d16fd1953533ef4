"""The C4.5 and ID3 estimators keep every promise that scikit-learn asks of an estimator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import treewright as tw

ESTIMATORS = [
    tw.C45Classifier(),
    tw.C45Classifier(variant="c45", subsets=True, laplace=True),
    tw.C45Classifier(binary=True, prune=False),
    tw.ID3Classifier(),
    tw.ID3Classifier(missing="branch"),
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_finds_nothing_wrong(
    estimator: Any, check: Callable[[Any], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # without it one check would not run
    check(estimator)
