"""From the parameters of a forest to the rules that the core takes."""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.learners.trees.training_data import Recipe, TrainingData

FOREST_ATTRIBUTES = """trees_ : sequence of Tree
        The trees: print them, walk them, turn them into data frames.
    feature_importances_ : array
        How much each column lowered the impurity, as shares that sum to 1. `unbiased_importance` and
        `permutation_importance` do not favour columns with many values.
    oob_score_ : float"""


def columns_of(max_features: Any, n_columns: int) -> int:
    """Read max_features: how many columns a node looks at.

    Examples
    --------
    >>> columns_of("sqrt", 50), columns_of("third", 50), columns_of(0.5, 50), columns_of(None, 50), columns_of(9, 4)
    (7, 16, 25, 50, 4)
    """
    if max_features is None:
        return n_columns
    if max_features == "sqrt":
        return max(1, math.isqrt(n_columns))
    if max_features == "log2":
        return max(1, int(math.log2(n_columns)))
    if max_features == "third":
        return max(1, n_columns // 3)
    if isinstance(max_features, Integral):
        return min(int(max_features), n_columns)
    return max(1, int(max_features * n_columns))


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


def rules_of_trees(recipe: Recipe) -> dict[str, Any]:
    """The part of a recipe that forests know.

    Examples
    --------
    >>> rules_of_trees(Recipe("log_loss"))["criterion"]
    'entropy'
    """
    return {
        "criterion": {"log_loss": "entropy"}.get(recipe.criterion, recipe.criterion),
        "max_depth": recipe.max_depth,
        "min_samples_split": recipe.min_samples_split,
        "min_samples_leaf": recipe.min_samples_leaf,
        "min_weight_leaf": recipe.min_weight_leaf,
        "max_leaf_nodes": recipe.max_leaf_nodes,
        "min_impurity_decrease": recipe.min_impurity_decrease,
    }
