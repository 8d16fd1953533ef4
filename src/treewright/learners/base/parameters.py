"""The parameters that all CART estimators have: what each does, and which values it takes. Written once."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from treewright.prune.choice import PRUNER_NAMES
from treewright.prune.pruner import Pruner

SHARED_CONSTRAINTS: dict[str, list[Any]] = {
    "missing": [StrOptions({"learn", "surrogates", "larger", "fractional", "branch", "stop", "refuse"})],
    "max_surrogates": [Interval(Integral, 0, None, closed="left")],
    "surrogate_fallback": [StrOptions({"larger", "stop"})],
    "surrogate_share": [StrOptions({"known_primary", "known_both"})],
    "keep_candidates": ["boolean", Interval(Integral, 0, None, closed="left")],
    "max_depth": [Interval(Integral, 1, None, closed="left"), None],
    "min_samples_split": [Interval(Integral, 2, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="right")],
    "min_samples_leaf": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="neither")],
    "min_weight_fraction_leaf": [Interval(Real, 0.0, 0.5, closed="both")],
    "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
    "min_impurity_decrease": [Interval(Real, 0.0, None, closed="left")],
    "ccp_alpha": [Interval(Real, 0.0, None, closed="left")],
    "prune": [StrOptions(set(PRUNER_NAMES)), Pruner, None],
    "column_kinds": [dict, None],
    "random_state": ["random_state"],
    "n_jobs": [Interval(Integral, 1, None, closed="left"), Interval(Integral, None, -1, closed="right"), None],
}

SHARED_PARAMETERS = """missing : {"learn", "surrogates", "larger", "fractional", "branch", "stop", "refuse"}
        What happens to rows without a value in the column of a test. "learn", the default: every cut is tried with them
        on either side; "surrogates": they follow the test of another column that sends rows most alike, as in rpart;
        "larger": they follow the branch with more weight; "fractional": they go down every branch in pieces as large as
        the branches' weights, as in C4.5; "branch": they get a branch of their own; "stop": they end at the node and
        get its answer; "refuse": missing values are an error. A level that was never seen in training counts as
        missing.
    max_depth : int, optional
        The most questions on the way to a leaf. Raising it gives a larger tree; None sets no limit.
    min_samples_split : int or float, default 2
        A node with fewer rows is not split. A fraction is a share of all rows. Raising it gives a smaller tree.
    min_samples_leaf : int or float, default 1
        No branch may have fewer rows. A fraction is a share of all rows. Raising it gives a smaller, smoother tree.
    min_weight_fraction_leaf : float, default 0.0
        No branch may have a smaller share of all weight. Raising it gives a smaller tree.
    max_leaf_nodes : int, optional
        The most leaves; the splits that lower the impurity most are made first. Raising it gives a larger tree.
    min_impurity_decrease : float, default 0.0
        A split must lower the impurity by this much, times the node's share of the weight. Raising it gives a smaller
        tree.
    ccp_alpha : float, default 0.0
        The price of a leaf in cost-complexity pruning, in units of impurity. Raising it gives a smaller tree.
    prune : None, a name or a pruner, default None
        What happens to the grown tree. A pruner has its own numbers, such as ``tw.CostComplexity(cp=0.01)`` or
        ``tw.ReducedError(share=0.3)``; a name stands for one with its usual numbers: "cost_complexity" (at
        `ccp_alpha`), "cost_complexity_cv" (the price by 10-fold cross-validation and the 1-SE rule), "reduced_error",
        "reduced_error_greedy", "validation_gain", "pessimistic", "chi_square", "minimum_error", "mdl" or
        "merge_equal_leaves". A fitted model is made smaller by ``model.pruned(pruner)``.
    max_surrogates : int, default 5
        With ``missing="surrogates"``: the most surrogates of a node. Raising it helps rows with many holes.
    surrogate_fallback : {"larger", "stop"}, default "larger"
        With ``missing="surrogates"``: rows that no surrogate can send follow the branch with more weight, or stop.
    surrogate_share : {"known_primary", "known_both"}, default "known_primary"
        With ``missing="surrogates"``: agreement is counted among all rows that the test itself can send, so that a
        column with many holes is a poor surrogate; or among those that have both values.
    keep_candidates : bool or int, default False
        Keep the best splits of other columns (True: four) at every node, to be shown by `candidates`.
    column_kinds : dict, optional
        Kinds that override the guess, for instance ``{"zip": "nominal", "grade": "ordinal"}``.
    random_state : int, optional
        Deals out the folds of cross-validated pruning and the rows that a pruner holds out. Growing itself draws no
        random numbers.
    n_jobs : int, optional
        Threads; None and -1 use all processors. It changes the time, never the model."""
