"""CART: binary trees with exact splits, for classes and for numbers."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import compute_sample_weight
from sklearn.utils._param_validation import Interval, StrOptions

from treewright.encode.target import encode_classes, encode_numbers, to_one_dimension
from treewright.errors import DataError
from treewright.estimators.tree_model import TreeModel
from treewright.recipe import CostComplexity, Pruner

_MISSING = {"learn", "larger", "branch", "refuse"}
_PRUNE = {"cost_complexity", "cost_complexity_cv"}
_SHARED: dict[str, list[Any]] = {
    "missing": [StrOptions(_MISSING)],
    "max_depth": [Interval(Integral, 1, None, closed="left"), None],
    "min_samples_split": [Interval(Integral, 2, None, closed="left"), Interval(Real, 0.0, 1.0, closed="right")],
    "min_samples_leaf": [Interval(Integral, 1, None, closed="left"), Interval(Real, 0.0, 1.0, closed="neither")],
    "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
    "min_impurity_decrease": [Interval(Real, 0.0, None, closed="left")],
    "ccp_alpha": [Interval(Real, 0.0, None, closed="left")],
    "prune": [StrOptions(_PRUNE), CostComplexity, None],
    "column_kinds": [dict, None],
    "random_state": ["random_state"],
    "n_jobs": [Integral, None],
}

_PARAMETERS = """missing : {{"learn", "larger", "branch", "refuse"}}, default "learn"
        What happens to rows without a value in the column of a test. "learn": every cut is tried with them on either
        side; "larger": they follow the branch with more weight; "branch": they get a branch of their own;
        "refuse": missing values are an error. A level that was never seen in training counts as missing.
    max_depth : int, optional
        The most questions on the way to a leaf. Raising it gives a larger tree; None sets no limit.
    min_samples_split : int or float, default 2
        A node with fewer rows is not split. A fraction is a share of all rows.
    min_samples_leaf : int or float, default 1
        No branch may have fewer rows. Raising it gives smoother, smaller trees.
    max_leaf_nodes : int, optional
        The most leaves; the splits that lower the impurity most are made first.
    min_impurity_decrease : float, default 0.0
        A split must lower the impurity by this much, weighted by the node's share of the rows.
    ccp_alpha : float, default 0.0
        The price of a leaf in cost-complexity pruning. Raising it gives a smaller tree.
    prune : None, "cost_complexity", "cost_complexity_cv" or a pruner, default None
        What happens to the grown tree. "cost_complexity" prunes at `ccp_alpha`; "cost_complexity_cv" chooses the
        price by 10-fold cross-validation and the 1-SE rule."""


class DecisionTreeClassifier(ClassifierMixin, TreeModel):  # type: ignore[misc]
    __doc__ = f"""A tree that predicts classes, grown by CART with exact binary splits.

    It takes tables as they are: text and categories are split by level sets, missing values have their own rule, dates
    split as dates. The same data and parameters give the same model, byte for byte, on any number of threads.

    Parameters
    ----------
    criterion : {{"gini", "entropy", "error", "twoing", "hellinger"}}, default "gini"
        What a split is judged by.
    {_PARAMETERS.format()}
    class_weight : dict or "balanced", optional
        How much each class counts; "balanced" makes every class weigh the same.
    column_kinds : dict, optional
        Kinds that override the guess, for instance ``{{"zip": "nominal", "grade": "ordinal"}}``.
    random_state : int, optional
        Deals out the folds of cross-validated pruning. Growing itself draws no random numbers.
    n_jobs : int, optional
        Threads; None uses all processors.

    Attributes
    ----------
    tree_ : Tree
        The stored tree: print it, walk it, turn it into a dict, JSON or a data frame.
    classes_ : array
        The class labels.
    feature_importances_ : array
        How much each column lowered the impurity, as shares.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_tennis(return_X_y=True)
    >>> print(tw.DecisionTreeClassifier(max_depth=2).fit(X, y))  # doctest: +ELLIPSIS
    play...
    """

    _parameter_constraints: dict[str, list[Any]] = {
        "criterion": [StrOptions({"gini", "entropy", "error", "twoing", "hellinger"})],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        **_SHARED,
    }

    def __init__(
        self,
        *,
        criterion: str = "gini",
        missing: str = "learn",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        prune: str | Pruner | None = None,
        class_weight: Mapping[Any, float] | str | None = None,
        column_kinds: Mapping[Any, str] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.missing = missing
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.prune = prune
        self.class_weight = class_weight
        self.column_kinds = column_kinds
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _encode_target(self, y: Any, n_rows: int, weights: Any) -> tuple[Any, Any, Any]:
        y = to_one_dimension(y, n_rows, "This DecisionTreeClassifier")
        classes, codes = encode_classes(y)
        if self.class_weight is not None:
            by_class = compute_sample_weight(self.class_weight, y)
            weights = by_class if weights is None else weights * by_class
        return classes, codes, weights

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the class of each row."""
        leaves = self._leaves(X)
        return self._node_answers()[leaves]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the share of each class in the leaf of each row; columns in the order of `classes_`."""
        return self._node_shares(self._leaves(X))

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the logarithms of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _node_answers(self) -> NDArray[Any]:
        answers = self.__dict__.get("_leaf_answers")
        if answers is None:
            answers = self._leaf_answers = self.classes_[self.tree_.arrays["prediction"]]
        return answers

    def _node_shares(self, leaves: NDArray[np.int32]) -> NDArray[np.float64]:
        arrays = self.tree_.arrays
        reached, place = np.unique(leaves, return_inverse=True)
        shares = np.zeros((len(reached), self.n_classes_))
        start = arrays["count_start"]
        lengths = start[reached + 1] - start[reached]
        row = np.repeat(np.arange(len(reached)), lengths)
        entry = np.arange(lengths.sum()) + np.repeat(start[reached] - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths)
        shares[row, arrays["count_class"][entry]] = arrays["count_weight"][entry]
        shares /= shares.sum(axis=1, keepdims=True)
        return shares[place]


class DecisionTreeRegressor(RegressorMixin, TreeModel):  # type: ignore[misc]
    __doc__ = f"""A tree that predicts numbers, grown by CART with exact binary splits.

    It takes tables as they are, as `DecisionTreeClassifier` does.

    Parameters
    ----------
    criterion : {{"squared_error", "absolute_error", "poisson"}}, default "squared_error"
        What a split is judged by. Leaves answer with the mean, the (lower) median, or the rate.
    {_PARAMETERS.format()}
    column_kinds : dict, optional
        Kinds that override the guess, for instance ``{{"zip": "nominal", "grade": "ordinal"}}``.
    random_state : int, optional
        Deals out the folds of cross-validated pruning. Growing itself draws no random numbers.
    n_jobs : int, optional
        Threads; None uses all processors.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_boston(return_X_y=True)
    >>> model = tw.DecisionTreeRegressor(max_leaf_nodes=4).fit(X, y)
    >>> model.tree_.n_leaves
    4
    """

    _parameter_constraints: dict[str, list[Any]] = {
        "criterion": [StrOptions({"squared_error", "absolute_error", "poisson"})],
        **_SHARED,
    }

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        missing: str = "learn",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        prune: str | Pruner | None = None,
        column_kinds: Mapping[Any, str] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.missing = missing
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.prune = prune
        self.column_kinds = column_kinds
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _encode_target(self, y: Any, n_rows: int, weights: Any) -> tuple[None, Any, Any]:
        numbers = encode_numbers(to_one_dimension(y, n_rows, "This DecisionTreeRegressor"))
        if self.criterion == "poisson":
            self._refuse_negative(numbers, weights)
        return None, numbers, weights

    @staticmethod
    def _refuse_negative(numbers: NDArray[np.float64], weights: Any) -> None:
        if (numbers < 0).any():
            row = int(np.flatnonzero(numbers < 0)[0])
            raise DataError(f"The poisson criterion needs counts, but row {row + 1} has y = {numbers[row]}.")
        if numbers.sum() <= 0:
            raise DataError("The poisson criterion needs at least one count above zero, but the sum of y is not positive.")

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Give the value of each row's leaf."""
        return self._node_answers()[self._leaves(X)]

    def _node_answers(self) -> NDArray[np.float64]:
        return np.asarray(self.tree_.arrays["value"])
