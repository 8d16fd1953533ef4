"""The parameters that all forests have, and the rules that the core makes of them."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from treewright.errors import DataError
from treewright.learners.base.parameters import SHARED_CONSTRAINTS
from treewright.learners.trees.training_data import Recipe, TrainingData

# The parameters that all forests have: what each does, and which values it takes. Written once.


_SHARED = (
    "max_depth", "min_samples_split", "min_samples_leaf", "min_weight_fraction_leaf", "max_leaf_nodes",
    "min_impurity_decrease", "column_kinds", "random_state", "n_jobs",
)  # fmt: skip

FOREST_CONSTRAINTS: dict[str, list[Any]] = {
    "n_estimators": [Interval(Integral, 1, None, closed="left")],
    "max_features": [
        Interval(Integral, 1, None, closed="left"),
        Interval(RealNotInt, 0.0, 1.0, closed="right"),
        StrOptions({"sqrt", "log2", "third"}),
        None,
    ],
    "missing": [StrOptions({"learn", "refuse"})],
    "bootstrap": ["boolean"],
    "max_samples": [Interval(Integral, 1, None, closed="left"), Interval(Real, 0.0, 1.0, closed="right"), None],
    "oob_score": ["boolean"],
    "warm_start": ["boolean"],
    "verbose": ["verbose"],
    **{name: SHARED_CONSTRAINTS[name] for name in _SHARED},
}

CLASS_CONSTRAINTS: dict[str, list[Any]] = {
    "criterion": [StrOptions({"gini", "entropy", "log_loss"})],
    "class_weight": [dict, StrOptions({"balanced", "balanced_subsample"}), None],
    "balanced_sampling": ["boolean"],
    "voting": [StrOptions({"mean", "vote"})],
}

SPLITTER_CONSTRAINT: dict[str, list[Any]] = {"splitter": [StrOptions({"axis", "oblique"})]}

NUMBER_CONSTRAINTS: dict[str, list[Any]] = {
    "criterion": [StrOptions({"squared_error"})],
    "quantiles": ["boolean"],
}

FEATURES = """max_features : int, float, "sqrt", "log2", "third" or None, default {default}
        How many columns each node looks at, drawn anew for every node; a fraction is a share of all columns, "third" is
        a third of them, None is all. Lowering it makes the trees differ more and grow faster."""

FOREST_PARAMETERS = """missing : {"learn", "refuse"}, default "learn"
        What happens to rows without a value in the column of a test: every cut is tried with them on either side, or
        missing values are an error. A level that was never seen in training counts as missing.
    max_depth : int, optional
        The most questions on the way to a leaf. None grows every tree to the end.
    min_samples_split : int or float, default 2
        A node with fewer rows is not split. A fraction is a share of all rows.
    min_samples_leaf : int or float, default 1
        No branch may have fewer rows. A fraction is a share of all rows. Raising it gives smaller, smoother trees.
    min_weight_fraction_leaf : float, default 0.0
        No branch may have a smaller share of all weight.
    max_leaf_nodes : int, optional
        The most leaves of a tree; the splits that lower the impurity most are kept.
    min_impurity_decrease : float, default 0.0
        A split must lower the impurity by this much, times the node's share of the weight."""

SPLITTER = """splitter : {"axis", "oblique"}, default "axis"
        What a node may ask: one column, or also a weighted sum of its drawn columns where that tells more (see
        `ObliqueTreeClassifier`). Oblique trees are judged by bits and not by `criterion`, and take longer."""

LAST_PARAMETERS = """oob_score : bool, default False
        Whether each row is also answered by the trees that did not see it: an honest score without held-out rows.
    warm_start : bool, default False
        Whether `fit` keeps the trees that are there and grows only those that `n_estimators` asks for beyond them. The
        outcome is that of growing all of them at once.
    column_kinds : dict, optional
        Kinds that override the guess, for instance ``{"zip": "nominal", "grade": "ordinal"}``.
    random_state : int, optional
        Which rows and columns are drawn. None is 0: the same data and parameters give the same model.
    n_jobs : int, optional
        Threads; None and -1 use all processors. It changes the time, never the model.
    verbose : int, default 0
        1 shows a bar on stderr while the trees grow."""

CLASS_PARAMETERS = """class_weight : dict, "balanced" or "balanced_subsample", optional
        How much each class counts. "balanced" makes every class weigh the same; "balanced_subsample" does so in the
        rows drawn for each tree.
    balanced_sampling : bool, default False
        Whether every tree draws the same number of rows of each class: as many as the smallest class has.
    voting : {"mean", "vote"}, default "mean"
        Whether the trees' probabilities are averaged, or each tree gives one vote."""

QUANTILE_PARAMETER = """quantiles : bool, default False
        Whether the model keeps where the training rows ended, so that `predict_quantiles` can answer. It makes the
        model larger: four bytes for each row and tree."""

FOREST_ATTRIBUTES = """trees_ : sequence of Tree
        The trees: print them, walk them, turn them into data frames.
    feature_importances_ : array
        How much each column lowered the impurity, as shares that sum to 1. `unbiased_importance` and
        `permutation_importance` do not favour columns with many values.
    oob_score_ : float"""


# From the parameters of a forest to the rules that the core takes.


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
