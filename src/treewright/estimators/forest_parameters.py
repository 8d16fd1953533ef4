"""The parameters that all forests have: what each does, and which values it takes. Written once."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from treewright.estimators.shared_parameters import SHARED_CONSTRAINTS

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
