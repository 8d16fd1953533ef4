"""The parameters that both gradient boosters have: what each does, and which values it takes. Written once."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt, StrOptions

from treewright.estimators.shared_parameters import SHARED_CONSTRAINTS

Objective = Callable[[Any, Any], tuple[Any, Any]]

_SHARE_OR_COUNT = [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="right"), None]

BOOSTING_CONSTRAINTS: dict[str, list[Any]] = {
    "n_estimators": [Interval(Integral, 1, None, closed="left")],
    "learning_rate": [Interval(Real, 0.0, None, closed="neither")],
    "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
    "max_depth": [Interval(Integral, 1, None, closed="left"), None],
    "growth": [StrOptions({"leaf", "level"})],
    "min_samples_leaf": SHARED_CONSTRAINTS["min_samples_leaf"],
    "min_hessian": [Interval(Real, 0.0, None, closed="left")],
    "l2_regularization": [Interval(Real, 0.0, None, closed="left")],
    "min_gain": [Interval(Real, 0.0, None, closed="left")],
    "subsample": [Interval(Real, 0.0, 1.0, closed="right")],
    "max_features": [StrOptions({"sqrt", "log2"}), *_SHARE_OR_COUNT],
    "max_features_per_tree": [StrOptions({"sqrt", "log2"}), *_SHARE_OR_COUNT],
    "max_bins": [Interval(Integral, 2, 255, closed="both"), None],
    "level_smoothing": [Interval(Real, 0.0, None, closed="left")],
    "level_charge": [Interval(Real, 0.0, None, closed="left")],
    "monotonic_cst": ["array-like", dict, None],
    "interaction_cst": [list, tuple, HasMethods("__iter__"), StrOptions({"pairwise", "no_interactions"}), None],
    "early_stopping": ["boolean"],
    "validation_fraction": [
        Interval(Real, 0.0, 1.0, closed="neither"),
        Interval(Integral, 1, None, closed="left"),
        None,
    ],
    "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
    "tol": [Interval(Real, 0.0, None, closed="left")],
    "missing": [StrOptions({"learn", "refuse"})],
    "verbose": ["verbose"],
    **{name: SHARED_CONSTRAINTS[name] for name in ("column_kinds", "random_state", "n_jobs")},
}

BOOSTING_PARAMETERS = """learning_rate : float, default 0.1
        What every leaf is multiplied by. Lowering it needs more trees, and mostly gives a better model.
    n_estimators : int, default 100
        Rounds. Each adds a tree, with three classes and more one for each class. Too many overfit: see `early_stopping`.
    max_leaf_nodes : int or None, default 31
        The most leaves of a tree. Raising it lets more columns act together; None sets no limit.
    max_depth : int, optional
        The most questions on the way to a leaf. None sets no limit.
    growth : {"leaf", "level"}, default "leaf"
        Which node is divided next: the one with the most to gain, or all of one depth before the next.
    min_samples_leaf : int or float, default 20
        No leaf may have fewer rows. A fraction is a share of all rows. Raising it gives smoother trees.
    min_hessian : float, default 0.001
        No leaf may have a smaller sum of hessians. Raising it keeps leaves from answering with large numbers.
    l2_regularization : float, default 0.0
        Added to the hessian of every leaf. Raising it draws the answers of small leaves towards 0.
    min_gain : float, default 0.0
        A split must lower the loss by more than this. Raising it gives smaller trees.
    subsample : float, default 1.0
        The share of rows that each tree is grown from, drawn without putting back. Lowering it mostly saves time.
    max_features : int, float, {"sqrt", "log2"} or None, default None
        How many columns are drawn for each node; a fraction is a share of them. None takes all.
    max_features_per_tree : int, float, {"sqrt", "log2"} or None, default None
        The same for each tree. Nodes then draw from the columns of their tree.
    max_bins : int or None, default 255
        Numbers are cut into at most so many runs of about equal size, and only the cuts between runs are tried. None
        tries every cut, as a single tree does, and takes several times as long.
    level_smoothing : float, default 1.0
        Levels of nominal columns are ordered by gradient ÷ (hessian + this). Raising it draws rare levels to the middle.
    level_charge : float, default 1.0
        Sorted by their gradients, many levels look good even on noise. This many times what noise would gain is taken
        off before a nominal column is compared with others. 0 charges nothing.
    monotonic_cst : dict or array, optional
        Columns whose rise may only raise (1) or only lower (-1) the answer: ``{"age": 1}``, or one number for each
        column. It always holds, for every row.
    interaction_cst : list of lists, "pairwise" or "no_interactions", optional
        Groups of columns, by name or number, that may stand on one path: ``[["age", "job"], ["zip"]]``. Columns that
        are in no group make one more.
    early_stopping : bool, default False
        Stop when the loss of held-out rows has not improved for `n_iter_no_change` rounds, and keep the best round.
    validation_fraction : float, int or None, default 0.1
        With early stopping: the share (or number) of rows that are held out, unless `fit` is given some. Classes keep
        their shares. None judges by the rows that are learnt from.
    n_iter_no_change : int, default 10
        With early stopping: how many rounds without improvement end it.
    tol : float, default 1e-7
        With early stopping: an improvement must be larger than this.
    missing : {"learn", "refuse"}, default "learn"
        Every cut is tried with the rows without a value on either side, or missing values are an error.
    column_kinds : dict, optional
        Kinds that override the guess, for instance ``{"zip": "nominal", "grade": "ordinal"}``.
    verbose : int, default 0
        1 shows a progress bar.
    random_state : int, optional
        Draws rows and columns where fewer than all are taken, and the rows that are held out.
    n_jobs : int, optional
        Threads; None and -1 use all processors. It changes the time, never the model."""
