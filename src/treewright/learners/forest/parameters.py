"""From the parameters of a forest to the rules that the core takes."""

from __future__ import annotations

from numbers import Integral
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.learners.ensemble.bootstrap import BootstrapSamples
from treewright.learners.trees.training_data import TrainingData

FOREST_ATTRIBUTES = """trees_ : sequence of Tree
        The trees: print them, walk them, turn them into data frames.
    n_estimators_, max_features_, min_samples_leaf_ : int
        What the forest was grown with: the parameters, or what "auto" stood for. `max_features_` counts columns.
    feature_importances_ : array
        How much each column lowered the impurity, as shares that sum to 1. `unbiased_importance` and
        `permutation_importance` do not favour columns with many values.
    oob_score_ : float"""


def sampling_of(model: Any, n_units: float) -> dict[str, Any]:
    """Say which rows each tree is grown from.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> sampling_of(SimpleNamespace(bootstrap=True, max_samples=0.5, balanced_sampling=False), 10)
    {'sampling': 'with_replacement', 'draws': 0, 'share_of_draws': 0.5}
    """
    if getattr(model, "balanced_sampling", False):
        if not model.bootstrap or model.max_samples is not None:
            raise DataError(
                "balanced_sampling=True draws as many rows of each class as the smallest one has, with replacement. "
                "Leave bootstrap=True and max_samples=None."
            )
        return {"sampling": "balanced"}
    if model.max_samples is None:
        return {"sampling": "with_replacement" if model.bootstrap else "all_rows"}
    is_count = isinstance(model.max_samples, Integral)
    if is_count and int(model.max_samples) > n_units:
        raise DataError(
            f"max_samples={model.max_samples} is more than the {n_units:,.0f} rows that there are. Lower it."
        )
    return {
        "sampling": "with_replacement" if model.bootstrap else "without_replacement",
        "draws": int(model.max_samples) if is_count else 0,
        "share_of_draws": 1.0 if is_count else float(model.max_samples),
    }


def n_units(training: TrainingData) -> float:
    """How many there are to draw from: groups, or rows with their weights."""
    if training.groups is not None:
        return float(len(np.unique(training.groups)))
    return float(len(training.truth) if training.weights is None else training.weights.sum())


def groups_to_draw(groups: NDArray[np.uint32], sampling: str) -> dict[str, Any]:
    """Say that whole groups are drawn.

    Examples
    --------
    >>> groups_to_draw(np.array([1, 0, 1], dtype=np.uint32), "with_replacement")
    {'groups': [1, 0, 1]}
    """
    if sampling == "balanced":
        raise DataError(
            "balanced_sampling=True draws rows of each class, and groups= whole groups. Choose one of them."
        )
    if sampling == "all_rows":
        raise DataError("groups= says what is drawn together, and nothing is drawn. Set bootstrap=True or max_samples.")
    return {"groups": groups.tolist()}


def bootstraps_of(model: Any, training: TrainingData, known: dict[str, Any]) -> BootstrapSamples | None:
    """The draws of a forest, from what the core has drawn from; None where each class was drawn from apart."""
    if "bootstraps" in known:  # of oblique trees
        return cast(BootstrapSamples, known["bootstraps"])
    sampling = sampling_of(model, n_units(training))["sampling"]
    rows, n_rows, weights, ends = known["drawn_from"], len(training.truth), training.weights, None
    if sampling == "balanced":
        return None
    if sampling == "all_rows":
        rows = np.arange(n_rows) if weights is None else np.flatnonzero(weights > 0)
        return BootstrapSamples(rows.astype(np.uint32), None, None, n_rows, len(rows), False, 0)
    if training.groups is not None:
        rows = np.arange(n_rows) if weights is None else np.flatnonzero(weights > 0)
    elif weights is not None and (weights == np.floor(weights)).all():
        ends = np.cumsum(weights[rows]).astype(np.int64)
    rows, drawn = rows.astype(np.uint32), int(known["n_draws"])
    return BootstrapSamples(
        rows, ends, None, n_rows, drawn, sampling == "with_replacement", known["seed"], training.groups
    )
