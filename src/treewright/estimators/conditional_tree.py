"""Conditional inference trees: columns are chosen by tests, and a tree stops where nothing is significant."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from treewright import _core
from treewright.encode.input_frame import InputFrame
from treewright.errors import DataError
from treewright.estimators.class_scores import scores_by_class
from treewright.estimators.price_table import PriceTable
from treewright.estimators.shared_parameters import SHARED_CONSTRAINTS
from treewright.estimators.training_data import TrainingData
from treewright.estimators.tree_classifier import TreeClassifier
from treewright.estimators.tree_model import TreeModel
from treewright.estimators.tree_regressor import TreeRegressor
from treewright.recipe import Recipe

_TESTS = {"bonferroni", "univariate", "monte_carlo", "monte_carlo_bonferroni"}
_CONSTRAINTS: dict[str, list[Any]] = {
    "alpha": [Interval(Real, 0.0, 1.0, closed="neither")],
    "test": [StrOptions(_TESTS)],
    "statistic": [StrOptions({"quadratic", "maximum"})],
    "split_statistic": [StrOptions({"quadratic", "maximum"}), None],
    "n_permutations": [Interval(Integral, 1, 10**9, closed="both")],
    "missing": [StrOptions({"larger", "learn", "fractional", "branch", "stop", "refuse"})],
    "min_branch_share": [Interval(Real, 0.0, 0.5, closed="both")],
    "split_tries": [Interval(Integral, 1, None, closed="left")],
    **{
        name: SHARED_CONSTRAINTS[name]
        for name in ("max_depth", "min_samples_split", "min_samples_leaf", "column_kinds", "random_state", "n_jobs")
    },
}

_PARAMETERS = """alpha : float, default 0.05
        A column is cut only if its adjusted p-value is below this. Raising it gives a larger tree.
    test : {"bonferroni", "univariate", "monte_carlo", "monte_carlo_bonferroni"}, default "bonferroni"
        Where p-values come from. "bonferroni": the limiting distribution, adjusted for the number of columns tested;
        "univariate": the same, not adjusted; "monte_carlo": random permutations of the target at every node, not
        adjusted; "monte_carlo_bonferroni": permutations, adjusted.
    statistic : {"quadratic", "maximum"}, default "quadratic"
        What is tested: all deviations of a column together, or the largest one.
    split_statistic : {"quadratic", "maximum"}, optional
        What the cut of the chosen column is judged by; None takes `statistic`.
    n_permutations : int, default 9999
        How many permutations "monte_carlo" draws. No p-value is below 1 / (n_permutations + 1).
    missing : {"larger", "learn", "fractional", "branch", "stop", "refuse"}, default "larger"
        What happens to rows without a value in the column of a test. Tests never see them. "larger": they follow the
        branch with more weight; "learn": the cut is tried with them on either side; "fractional": they go down both
        branches in parts; "branch": a branch of their own; "stop": they end at the node; "refuse": missing values are
        an error. A level that was never seen in training counts as missing.
    max_depth : int, optional
        The most questions on the way to a leaf. Raising it gives a larger tree; None sets no limit.
    min_samples_split : int or float, default 20
        A node of less weight is not tested. A fraction is a share of the whole weight. Raising it gives a smaller tree.
    min_samples_leaf : int or float, default 7
        No branch may have less weight. A fraction is a share of the whole weight. Raising it gives a smaller tree.
    min_branch_share : float, default 0.01
        No branch may have a smaller share of its node's weight. Raising it gives a smaller tree.
    split_tries : int, default 2
        How many columns, the most significant first, are tried for a cut that keeps to the sizes. Raising it gives a
        larger tree.
    column_kinds : dict, optional
        Kinds that override the guess, for instance ``{"zip": "nominal", "grade": "ordinal"}``.
    random_state : int, optional
        Seed of permutations, and of the sampling behind p-values of the maximum. None is 0: the same data give the
        same tree.
    n_jobs : int, optional
        Threads; None and -1 use all processors. It changes the time, never the model."""


class _ConditionalTree(TreeModel):
    """What both estimators share: the recipe, and no pruning, since the tests say when to stop."""

    ccp_alpha = 0.0

    def _recipe(self, n_rows: int, weights: NDArray[np.float64] | None) -> Recipe:
        total = float(n_rows if weights is None else weights.sum())
        permutes = self.test.startswith("monte_carlo")
        return Recipe(
            criterion=self.criterion,
            missing=self.missing,
            max_depth=self.max_depth,
            splitter="conditional",
            options={
                "alpha": float(self.alpha),
                "adjust": float(self.test.endswith("bonferroni")),
                "n_permutations": float(self.n_permutations if permutes else 0),
                "statistic": self.statistic,
                "split_statistic": self.split_statistic or self.statistic,
                "min_weight_split": _weight_of(self.min_samples_split, total),
                "min_weight_leaf": _weight_of(self.min_samples_leaf, total),
                "min_branch_share": float(self.min_branch_share),
                "split_tries": float(self.split_tries),
                "class_scores": [],
                "seed": float(self._seed()),
            },
        )

    def _encode(self, frame: InputFrame, y: Any, sample_weight: Any) -> TrainingData:
        training = super()._encode(frame, y, sample_weight)
        if self.test.startswith("monte_carlo"):
            _refuse_parts_of_rows(self.missing, training.weights)
        return training

    def _prune_grown(self, core: _core.Tree, training: TrainingData) -> tuple[_core.Tree, PriceTable | None]:
        return core, None


class ConditionalTreeClassifier(_ConditionalTree, TreeClassifier):
    __doc__ = f"""A tree that predicts classes and chooses its columns by permutation tests (ctree).

    At every node each column is tested for association with the target. The most significant one is cut in two; where
    none is significant the tree stops. Columns with many values have no advantage, and no pruning is needed. Trees are
    those of partykit's ``ctree``.

    Parameters
    ----------
    {_PARAMETERS}
    class_scores : dict, optional
        For an ordinal target: what each class counts as, for instance ``{{"low": 1, "middle": 2, "high": 3}}``. The
        tests then look for a shift along the scale. A target of ordered categories counts 1, 2, 3 … by itself.

    Attributes
    ----------
    tree_ : Tree
        The stored tree. Its nodes have `statistic`, `df`, `log_p` and `log_p_adjusted`: of the column that is cut, or
        at a leaf of the best column.
    classes_ : array
        The class labels, sorted.
    feature_importances_ : array
        How much each column lowered the impurity, as shares that sum to 1.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> model = tw.ConditionalTreeClassifier().fit(X, y)
    >>> print(model)
    """

    criterion = "gini"
    _parameter_constraints: dict[str, list[Any]] = {**_CONSTRAINTS, "class_scores": [dict, None]}

    def __init__(
        self,
        *,
        alpha: float = 0.05,
        test: str = "bonferroni",
        statistic: str = "quadratic",
        split_statistic: str | None = None,
        n_permutations: int = 9999,
        missing: str = "larger",
        max_depth: int | None = None,
        min_samples_split: float = 20,
        min_samples_leaf: float = 7,
        min_branch_share: float = 0.01,
        split_tries: int = 2,
        class_scores: Mapping[Any, float] | None = None,
        column_kinds: Mapping[Any, str] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.test = test
        self.statistic = statistic
        self.split_statistic = split_statistic
        self.n_permutations = n_permutations
        self.missing = missing
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_branch_share = min_branch_share
        self.split_tries = split_tries
        self.class_scores = class_scores
        self.column_kinds = column_kinds
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _encode(self, frame: InputFrame, y: Any, sample_weight: Any) -> TrainingData:
        training = super()._encode(frame, y, sample_weight)
        scores = scores_by_class(self.class_scores, y, training.classes)
        options = {**training.recipe.options, "class_scores": scores}
        return replace(training, recipe=replace(training.recipe, options=options))


class ConditionalTreeRegressor(_ConditionalTree, TreeRegressor):
    __doc__ = f"""A tree that predicts numbers and chooses its columns by permutation tests (ctree).

    It works as `ConditionalTreeClassifier` does; a leaf answers the mean of its rows.

    Parameters
    ----------
    {_PARAMETERS}

    Attributes
    ----------
    tree_ : Tree
        The stored tree. Its nodes have `statistic`, `df`, `log_p` and `log_p_adjusted`: of the column that is cut, or
        at a leaf of the best column.
    feature_importances_ : array
        How much each column lowered the impurity, as shares that sum to 1.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_airquality(return_X_y=True)
    >>> print(tw.ConditionalTreeRegressor(alpha=0.001).fit(X, y))
    """

    criterion = "squared_error"
    _parameter_constraints: dict[str, list[Any]] = {**_CONSTRAINTS}

    def __init__(
        self,
        *,
        alpha: float = 0.05,
        test: str = "bonferroni",
        statistic: str = "quadratic",
        split_statistic: str | None = None,
        n_permutations: int = 9999,
        missing: str = "larger",
        max_depth: int | None = None,
        min_samples_split: float = 20,
        min_samples_leaf: float = 7,
        min_branch_share: float = 0.01,
        split_tries: int = 2,
        column_kinds: Mapping[Any, str] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.test = test
        self.statistic = statistic
        self.split_statistic = split_statistic
        self.n_permutations = n_permutations
        self.missing = missing
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_branch_share = min_branch_share
        self.split_tries = split_tries
        self.column_kinds = column_kinds
        self.random_state = random_state
        self.n_jobs = n_jobs


def _weight_of(size: float, total: float) -> float:
    return float(size if isinstance(size, Integral) else math.ceil(size * total))


def _refuse_parts_of_rows(missing: str, weights: NDArray[np.float64] | None) -> None:
    if missing == "fractional":
        raise DataError(
            "Permutations exchange whole rows, but missing='fractional' makes parts of rows. "
            "Choose missing='larger' or test='bonferroni'."
        )
    if weights is not None and (weights != np.floor(weights)).any():
        row = int(np.argmax(weights != np.floor(weights)))
        raise DataError(
            f"Permutations need whole weights, since a weight of 2 stands for the row twice, but row {row + 1} has "
            f"the weight {weights[row]}. Round the weights, or choose test='bonferroni'."
        )
