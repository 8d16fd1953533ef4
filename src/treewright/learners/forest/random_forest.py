"""Random forests: trees of drawn rows that look at drawn columns (Breiman 2001)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treewright.learners.forest.forest_model import ForestClassifier, ForestRegressor
from treewright.learners.forest.parameters import (
    CLASS_CONSTRAINTS,
    CLASS_PARAMETERS,
    FEATURES,
    FOREST_ATTRIBUTES,
    FOREST_CONSTRAINTS,
    FOREST_PARAMETERS,
    LAST_PARAMETERS,
    NUMBER_CONSTRAINTS,
    QUANTILE_PARAMETER,
    SPLITTER,
    SPLITTER_CONSTRAINT,
)


class RandomForestClassifier(ForestClassifier):
    __doc__ = f"""A random forest that predicts classes.

    Each tree is grown from drawn rows, and each node looks at a few drawn columns only. Tables are
    taken as they are: text, categories, dates and missing values. The same data, parameters and seed
    give the same model, byte for byte, on any number of threads, and whatever the order of the rows.

    Parameters
    ----------
    n_estimators : int, default 100
        How many trees. More trees make the answers steadier, never worse; time grows with them.
    criterion : {{"gini", "entropy", "log_loss"}}, default "gini"
        What a split is judged by; "log_loss" is another name of "entropy".
    {SPLITTER}
    {FEATURES.format(default='"sqrt"')}
    {FOREST_PARAMETERS}
    bootstrap : bool, default True
        Whether each tree is grown from rows drawn with replacement, as many as there are. Without it every tree sees
        all rows, or with `max_samples` that many different ones.
    max_samples : int or float, optional
        How many rows are drawn for each tree; a fraction is a share of all rows. Lowering it makes them differ.
    {CLASS_PARAMETERS}
    {LAST_PARAMETERS}

    Attributes
    ----------
    classes_ : array
        The class labels, sorted.
    {FOREST_ATTRIBUTES}
        Accuracy out of bag, with ``oob_score=True``.
    oob_decision_function_ : array
        The mean answer for each training row by the trees that did not see it; NaN where all did.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_titanic(return_X_y=True)
    >>> model = tw.RandomForestClassifier(oob_score=True, min_samples_leaf=3, random_state=1).fit(X, y)
    >>> round(model.oob_score_, 2)
    0.79
    >>> model.predict_one({{"sex": "female", "passengerClass": "1st"}})
    'yes'
    """

    _parameter_constraints: dict[str, list[Any]] = {**FOREST_CONSTRAINTS, **SPLITTER_CONSTRAINT, **CLASS_CONSTRAINTS}

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        splitter: str = "axis",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | str | None = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        max_samples: float | None = None,
        oob_score: bool = False,
        warm_start: bool = False,
        missing: str = "learn",
        class_weight: Mapping[Any, float] | str | None = None,
        balanced_sampling: bool = False,
        voting: str = "mean",
        column_kinds: Mapping[Any, str] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.oob_score = oob_score
        self.warm_start = warm_start
        self.missing = missing
        self.class_weight = class_weight
        self.balanced_sampling = balanced_sampling
        self.voting = voting
        self.column_kinds = column_kinds
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class RandomForestRegressor(ForestRegressor):
    __doc__ = f"""A random forest that predicts numbers.

    Each tree is grown from drawn rows, and each node looks at some drawn columns only. Tables are
    taken as they are: text, categories, dates and missing values. The same data, parameters and seed
    give the same model, byte for byte, on any number of threads, and whatever the order of the rows.

    Parameters
    ----------
    n_estimators : int, default 100
        How many trees. More trees make the answers steadier, never worse; time grows with them.
    criterion : {{"squared_error"}}, default "squared_error"
        What a split is judged by.
    {SPLITTER}
    {FEATURES.format(default="1.0")}
    {FOREST_PARAMETERS}
    bootstrap : bool, default True
        Whether each tree is grown from rows drawn with replacement, as many as there are. Without it every tree sees
        all rows, or with `max_samples` that many different ones.
    max_samples : int or float, optional
        How many rows are drawn for each tree; a fraction is a share of all rows. Lowering it makes them differ.
    {QUANTILE_PARAMETER}
    {LAST_PARAMETERS}

    Attributes
    ----------
    {FOREST_ATTRIBUTES}
        R squared out of bag, with ``oob_score=True``.
    oob_prediction_ : array
        The mean answer for each training row by the trees that did not see it; NaN where all did.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_boston(return_X_y=True)
    >>> model = tw.RandomForestRegressor(oob_score=True, random_state=1).fit(X, y)
    >>> round(model.oob_score_, 2)
    0.87
    """

    _parameter_constraints: dict[str, list[Any]] = {**FOREST_CONSTRAINTS, **SPLITTER_CONSTRAINT, **NUMBER_CONSTRAINTS}

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        splitter: str = "axis",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | str | None = 1.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        max_samples: float | None = None,
        oob_score: bool = False,
        warm_start: bool = False,
        missing: str = "learn",
        quantiles: bool = False,
        column_kinds: Mapping[Any, str] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.oob_score = oob_score
        self.warm_start = warm_start
        self.missing = missing
        self.quantiles = quantiles
        self.column_kinds = column_kinds
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
