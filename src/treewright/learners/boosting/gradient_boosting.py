"""Gradient boosting: small trees, each grown on what the ones before it left over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax
from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt, StrOptions

from treewright.errors import DataError
from treewright.learners.base.parameters import SHARED_CONSTRAINTS
from treewright.learners.boosting.boosting_model import BoostingModel
from treewright.learners.ensemble.ensemble_model import EnsembleClassifier, EnsembleRegressor, Floats
from treewright.learners.trees.training_data import CodedRows

# The parameters that both gradient boosters have: what each does, and which values it takes. Written once.


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
        Rounds. Each adds a tree, with three classes and more one for each class. Too many overfit: see
        `early_stopping`.
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
        Levels of nominal columns are ordered by gradient ÷ (hessian + this). Raising it draws rare levels to the
        middle.
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


_LOG_LINK = ("poisson", "gamma")


class GradientBoostingClassifier(EnsembleClassifier, BoostingModel):
    __doc__ = f"""Boosted trees for classes: log loss, made small round after round.

    Tables are taken as they are: levels, missing values, dates, weights. The same data and parameters give the same
    model, byte for byte, on any number of threads.

    Parameters
    ----------
    loss : "log_loss" or a function, default "log_loss"
        A function is given the class numbers and the raw scores (rows, or rows × classes where there are more than two)
        and gives two arrays of their shape: gradient and hessian. It is called once a round; scores start at 0.
    {BOOSTING_PARAMETERS}
    class_weight : dict or "balanced", optional
        How much the rows of each class count.

    Attributes
    ----------
    classes_ : array
        The class labels, sorted.
    trees_ : sequence of Tree
        The stored trees, those of one round after each other. A leaf holds what it adds to the raw score.
    baseline_ : array
        The raw scores to which the trees add.
    n_estimators_ : int
        The rounds that were kept.
    loss_history_ : array
        With early stopping: the loss of the rows that judge, before the first round and after each.
    validation_score_ : float
        With early stopping: minus the smallest of them.
    feature_importances_ : array
        How much of the gain each column brought, as shares that sum to 1.

    References
    ----------
    J. H. Friedman, Greedy Function Approximation: A Gradient Boosting Machine, 2001.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_titanic(return_X_y=True)
    >>> model = tw.GradientBoostingClassifier(n_estimators=50, max_leaf_nodes=8).fit(X, y)
    >>> model.predict_proba(X.iloc[:2]).round(2).shape, len(model.trees_)
    ((2, 2), 50)
    """

    _parameter_constraints: dict[str, list[Any]] = {
        "loss": [StrOptions({"log_loss"}), callable, None],
        **BOOSTING_CONSTRAINTS,
        "class_weight": [dict, StrOptions({"balanced"}), None],
    }

    def __init__(
        self,
        *,
        loss: str | Objective | None = "log_loss",
        learning_rate: float = 0.1,
        n_estimators: int = 100,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        growth: str = "leaf",
        min_samples_leaf: float = 20,
        min_hessian: float = 1e-3,
        l2_regularization: float = 0.0,
        min_gain: float = 0.0,
        subsample: float = 1.0,
        max_features: float | str | None = None,
        max_features_per_tree: float | str | None = None,
        max_bins: int | None = 255,
        level_smoothing: float = 1.0,
        level_charge: float = 1.0,
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        early_stopping: bool = False,
        validation_fraction: float | None = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        class_weight: Mapping[Any, float] | str | None = None,
        missing: str = "learn",
        column_kinds: Mapping[Any, str] | None = None,
        verbose: int = 0,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.growth = growth
        self.min_samples_leaf = min_samples_leaf
        self.min_hessian = min_hessian
        self.l2_regularization = l2_regularization
        self.min_gain = min_gain
        self.subsample = subsample
        self.max_features = max_features
        self.max_features_per_tree = max_features_per_tree
        self.max_bins = max_bins
        self.level_smoothing = level_smoothing
        self.level_charge = level_charge
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.class_weight = class_weight
        self.missing = missing
        self.column_kinds = column_kinds
        self.verbose = verbose
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _check_target(self, training: CodedRows) -> None:
        super()._check_target(training)
        if self.monotonic_cst is not None and training.classes is not None and len(training.classes) > 2:
            raise DataError(
                "monotonic_cst is not supported with three classes and more: no single score rises or falls there. "
                "Leave it out, or predict one class against the rest."
            )

    def _says(self) -> str:
        return "values"

    def _probabilities(self, sums: Floats, n_trees: int) -> Floats:
        if sums.shape[1] > 1 or len(self.classes_) == 1:
            return np.asarray(softmax(sums, axis=1))
        second = expit(sums[:, 0])
        return np.column_stack([1 - second, second])

    def _class_numbers(self, sums: Floats) -> NDArray[np.int64]:
        if sums.shape[1] > 1 or len(self.classes_) == 1:
            return np.asarray(sums.argmax(axis=1))
        return (sums[:, 0] > 0).astype(np.int64)

    def _answer_one(self, sums: list[float]) -> Any:
        labels: Any = self._labels
        if len(sums) > 1 or len(labels) == 1:
            return labels[sums.index(max(sums))]
        return labels[sums[0] > 0]

    def decision_function(self, X: Any) -> Floats:
        """Give the raw scores: one for each row (above 0 for the second class), or one for each class.

        Examples
        --------
        >>> import treewright as tw
        >>> model = tw.GradientBoostingClassifier(min_samples_leaf=1).fit([[1], [2]], ["a", "b"])
        >>> (model.decision_function([[0], [7]]) > 0).tolist()
        [False, True]
        """
        sums = self._sums(X)
        return sums[:, 0] if len(self.classes_) == 2 else sums


class GradientBoostingRegressor(EnsembleRegressor, BoostingModel):
    __doc__ = f"""Boosted trees for numbers: squared, absolute, huber, quantile, poisson or gamma loss.

    Tables are taken as they are: levels, missing values, dates, weights. The same data and parameters give the same
    model, byte for byte, on any number of threads.

    Parameters
    ----------
    loss : str or a function, default "squared_error"
        What is made small. "squared_error": the answer is a mean; "absolute_error": a median; "huber": a mean that
        large errors do not pull; "quantile": the quantile `alpha`; "poisson" for counts and "gamma" for positive
        amounts: a mean whose logarithm is added up. A function is given the target and the raw scores and gives two
        arrays: gradient and hessian. It is called once a round; scores start at 0.
    alpha : float, default 0.9
        Which quantile; with "huber" the share of errors that count as small.
    {BOOSTING_PARAMETERS}

    Attributes
    ----------
    trees_ : sequence of Tree
        The stored trees. A leaf holds what it adds to the raw score.
    baseline_ : array
        The raw score to which the trees add.
    n_estimators_ : int
        The rounds that were kept.
    loss_history_ : array
        With early stopping: the loss of the rows that judge, before the first round and after each.
    validation_score_ : float
        With early stopping: minus the smallest of them.
    feature_importances_ : array
        How much of the gain each column brought, as shares that sum to 1.

    References
    ----------
    J. H. Friedman, Greedy Function Approximation: A Gradient Boosting Machine, 2001.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_auto_mpg(return_X_y=True)
    >>> model = tw.GradientBoostingRegressor(n_estimators=50, max_leaf_nodes=8).fit(X, y)
    >>> bool(model.score(X, y) > 0.9), len(model.trees_)
    (True, 50)
    """

    _parameter_constraints: dict[str, list[Any]] = {
        "loss": [
            StrOptions({"squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma"}), callable, None,
        ],
        "alpha": [Interval(Real, 0.0, 1.0, closed="neither")],
        **BOOSTING_CONSTRAINTS,
    }  # fmt: skip

    def __init__(
        self,
        *,
        loss: str | Objective | None = "squared_error",
        alpha: float = 0.9,
        learning_rate: float = 0.1,
        n_estimators: int = 100,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        growth: str = "leaf",
        min_samples_leaf: float = 20,
        min_hessian: float = 1e-3,
        l2_regularization: float = 0.0,
        min_gain: float = 0.0,
        subsample: float = 1.0,
        max_features: float | str | None = None,
        max_features_per_tree: float | str | None = None,
        max_bins: int | None = 255,
        level_smoothing: float = 1.0,
        level_charge: float = 1.0,
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        early_stopping: bool = False,
        validation_fraction: float | None = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        missing: str = "learn",
        column_kinds: Mapping[Any, str] | None = None,
        verbose: int = 0,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.alpha = alpha
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.growth = growth
        self.min_samples_leaf = min_samples_leaf
        self.min_hessian = min_hessian
        self.l2_regularization = l2_regularization
        self.min_gain = min_gain
        self.subsample = subsample
        self.max_features = max_features
        self.max_features_per_tree = max_features_per_tree
        self.max_bins = max_bins
        self.level_smoothing = level_smoothing
        self.level_charge = level_charge
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.missing = missing
        self.column_kinds = column_kinds
        self.verbose = verbose
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _check_target(self, training: CodedRows) -> None:
        super()._check_target(training)
        counts = slice(None) if training.weights is None else training.weights > 0
        y = training.truth[counts]
        if self.loss == "gamma" and y.min() <= 0:
            raise DataError(f"loss='gamma' needs a target above 0, and it holds {y.min()}. Choose another loss.")
        if self.loss == "poisson" and (y.min() < 0 or not y.any()):
            raise DataError(
                "loss='poisson' needs a target of 0 or more that is not 0 everywhere. Choose another loss, or leave "
                f"out such rows. The smallest value is {y.min()}."
            )

    def _answer(self, sums: Floats, n_trees: int) -> NDArray[Any]:
        return np.exp(sums[:, 0]) if self.loss in _LOG_LINK else sums[:, 0]

    def _answer_one(self, sums: list[float]) -> Any:
        return float(np.exp(sums[0])) if self.loss in _LOG_LINK else sums[0]
