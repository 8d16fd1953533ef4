"""Random cuts of several columns at a time, at every level of vectors, for tables of every width."""

from __future__ import annotations

import numpy as np
import pytest

import treewright as tw
from vector_levels import LEVELS, vectors

WIDTHS = [1, 31, 32, 33, 64, 65, 90]


def table_of(n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n_columns)
    X = rng.normal(size=(900, n_columns))
    X[:, ::3] = X[:, ::3].round(1)
    X[rng.random(X.shape) < 0.02] = np.nan
    return X, (np.nan_to_num(X[:, 0]) + rng.normal(size=900) > 0).astype(int)


def grown(n_columns: int, max_features: float | None) -> tw.ExtraTreesClassifier:
    X, y = table_of(n_columns)
    return tw.ExtraTreesClassifier(n_estimators=3, max_features=max_features, random_state=2, n_jobs=1).fit(X, y)


@pytest.mark.parametrize("n_columns", WIDTHS)
@pytest.mark.parametrize("max_features", [None, 0.4])
def test_a_forest_is_the_same_at_every_level_of_vectors(n_columns: int, max_features: float | None) -> None:
    made = set()
    for level in LEVELS:
        with vectors(level):
            made.add(grown(n_columns, max_features).fingerprint())
    assert len(made) == 1


@pytest.mark.parametrize("n_columns", WIDTHS)
def test_rows_take_the_stored_thresholds_to_the_leaves_that_counted_them(n_columns: int) -> None:
    X, _ = table_of(n_columns)
    model = grown(n_columns, 0.4)
    for tree, leaves in zip(model.trees_, model.apply(X).T, strict=True):
        n_rows = tree.arrays["n_rows"]
        found, counts = np.unique(leaves, return_counts=True)
        np.testing.assert_array_equal(n_rows[found], counts)
