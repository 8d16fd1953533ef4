"""Boosting gives the same bytes at every level of vectors, and passes over no cut that it should have taken."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from vector_levels import LEVELS, vectors

NUMBER_LOSSES = ["squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma"]
# Around the sizes at which vectors and groups of rows end; 9,000 rows are two blocks.
SIZES = [17, 63, 520, 2_001, 9_000]


def random_table(n_rows: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers with ties, with holes and with few values, six levels, and a column of 300 levels."""
    rng = np.random.default_rng(n_rows)
    frame = pd.DataFrame({f"x{i}": rng.normal(size=n_rows) for i in range(4)})
    frame["x1"] = frame["x1"].round(1)
    frame["x2"] = frame["x2"].round().where(rng.random(n_rows) > 0.2)
    few, many = rng.integers(0, 6, n_rows), rng.integers(0, 300, n_rows)
    frame["few"] = pd.Categorical.from_codes(few, list("uvwxyz"))
    frame["many"] = pd.Categorical.from_codes(many, [f"L{i}" for i in range(300)])
    effect = frame["x0"] + frame["x2"].fillna(2) * (few == 2) + rng.normal(size=300)[many]
    return frame, (effect + rng.normal(size=n_rows)).to_numpy()


def weights_of(kind: str | None, n_rows: int) -> np.ndarray | None:
    return {"whole": np.arange(n_rows) % 3, "any": 0.1 + np.arange(n_rows) % 7 / 3, None: None}[kind]


def fingerprints(model: Any, X: Any, y: np.ndarray, weight: np.ndarray | None = None) -> set[str]:
    made = set()
    for level in LEVELS:
        with vectors(level):
            made.add(model.fit(X, y, weight).fingerprint())
    return made


@pytest.mark.parametrize("n_rows", SIZES)
@pytest.mark.parametrize("loss", NUMBER_LOSSES)
@pytest.mark.parametrize("weights", [None, "whole", "any"])
def test_numbers(n_rows: int, loss: str, weights: str | None) -> None:
    X, y = random_table(n_rows)
    model = tw.GradientBoostingRegressor(n_estimators=4, loss=loss, min_samples_leaf=3, n_jobs=1)
    if loss in ("poisson", "gamma"):
        y = np.exp(y / 4)
    assert len(fingerprints(model, X, y, weights_of(weights, n_rows))) == 1


@pytest.mark.parametrize("n_rows", SIZES)
@pytest.mark.parametrize("cuts", [[0.0], [-1.0, 0.0, 1.0]], ids=["two", "four"])
@pytest.mark.parametrize("weights", [None, "whole", "any"])
def test_classes(n_rows: int, cuts: list[float], weights: str | None) -> None:
    X, y = random_table(n_rows)
    model = tw.GradientBoostingClassifier(n_estimators=4, min_samples_leaf=3, n_jobs=1)
    assert len(fingerprints(model, X, np.digitize(y, cuts), weights_of(weights, n_rows))) == 1


@pytest.mark.parametrize(
    "more",
    [
        {"l2_regularization": 1.0, "max_leaf_nodes": 64},
        {"max_bins": None},
        {"max_bins": 20, "growth": "level", "max_depth": 5},
        {"subsample": 0.5, "max_features": 0.5},
        {"monotonic_cst": {"x0": 1}},
        {"min_samples_leaf": 40},
    ],
    ids=lambda more: next(iter(more)),
)
@pytest.mark.parametrize("outlier", [0.0, 1e13], ids=["one word", "two words"])
def test_other_rules(more: dict[str, Any], outlier: float) -> None:
    X, y = random_table(1_500)
    y = y + outlier * (np.arange(len(y)) == 0)  # so large that gradient and hessian need a word each
    model = tw.GradientBoostingRegressor(n_estimators=5, **more)
    assert len(fingerprints(model, X, y)) == 1


# Monotone columns are searched one cut after the other. A column without values to divide constrains nothing, so it
# only changes the way of searching.
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("l2", [0.0, 1.0, 1e6, 1e12, 1e13, 1e14])
def test_groups_of_cuts_hide_no_split(level: str, l2: float) -> None:
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n_rows = int(rng.choice([50, 400, 2_000]))
        X = np.column_stack([rng.normal(size=(n_rows, 3)), np.zeros(n_rows)])
        y = X[:, 0] + rng.normal(size=n_rows)
        if seed % 2:  # after the first split the scores of a node differ by less than a float can tell
            y += 1e4 * (X[:, 1] > 0)
        settings = {"n_estimators": 3, "learning_rate": 1.0, "l2_regularization": l2, "min_samples_leaf": 5}
        with vectors(level):
            grouped = tw.GradientBoostingRegressor(**settings).fit(X, y)
            one_by_one = tw.GradientBoostingRegressor(monotonic_cst=[0, 0, 0, 1], **settings).fit(X, y)
        assert grouped.trees_.core.n_nodes > 3 or l2 > 1e13
        assert grouped.predict(X).tobytes() == one_by_one.predict(X).tobytes()
