"""Conditional inference trees: columns are chosen by tests, and a tree stops where nothing is significant."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from treewright.errors import DataError
from treewright.learners.base.parameters import SHARED_CONSTRAINTS
from treewright.learners.base.target import scores_of_target
from treewright.learners.trees.training_data import Recipe, TrainingData
from treewright.learners.trees.tree_model import TreeClassifier, TreeModel, TreeRegressor

_TESTS = {"bonferroni", "univariate", "monte_carlo", "monte_carlo_bonferroni"}
_CONSTRAINTS: dict[str, list[Any]] = {
    "alpha": [Interval(Real, 0.0, 1.0, closed="neither")],
    "test": [StrOptions(_TESTS)],
    "statistic": [StrOptions({"quadratic", "maximum"})],
    "split_statistic": [StrOptions({"quadratic", "maximum"}), None],
    "n_permutations": [Interval(Integral, 1, 10**9, closed="both")],
    "missing": [StrOptions({"larger", "surrogates", "learn", "fractional", "branch", "stop", "refuse"})],
    "max_surrogates": SHARED_CONSTRAINTS["max_surrogates"],
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
    missing : {"larger", "surrogates", "learn", "fractional", "branch", "stop", "refuse"}, default "larger"
        What happens to rows without a value in the column of a test. Tests never see them. "larger": they follow the
        branch with more weight; "surrogates": other columns that divide the rows alike say where they go, and where
        those have no value either, the branch with more weight; "learn": the cut is tried with them on either side;
        "fractional": they go down both branches in parts; "branch": a branch of their own; "stop": they end at the
        node; "refuse": missing values are an error. A level that was never seen in training counts as missing.
    max_surrogates : int, default 5
        With ``missing="surrogates"``: how many other columns a node may ask, the most significant first.
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
    """What both estimators share. There is no parameter for pruning: the tests say when to stop."""

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
                "max_surrogates": float(self.max_surrogates),
                "class_scores": [],
                "seed": float(self._seed()),
            },
        )

    def _complete(self, training: TrainingData, y: Any) -> TrainingData:
        if self.test.startswith("monte_carlo"):
            _refuse_parts_of_rows(self.missing, training.weights)
        return training


class ConditionalTreeClassifier(_ConditionalTree, TreeClassifier):
    __doc__ = f"""A tree that predicts classes and chooses its columns by permutation tests (ctree).

    At every node each column is tested for association with the target. The most significant one is cut in two; where
    none is significant the tree stops. Columns with many values have no advantage, and no pruning is needed. Trees are
    those of partykit's ``ctree``.

    Parameters
    ----------
    {_PARAMETERS}
    target_order : list, optional
        The classes from low to high, for an ordinal target: they count 1, 2, 3 … and the tests look for a shift along
        this scale. A target of ordered categories has its order already.
    class_scores : dict, optional
        What each class of an ordinal target counts as, for instance ``{{"low": 1, "middle": 2, "high": 5}}``, instead
        of `target_order`.

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
    >>> X, y = tw.datasets.load_titanic(return_X_y=True)
    >>> model = tw.ConditionalTreeClassifier(max_depth=2).fit(X, y)
    >>> print(model)
    survived: no 62 %, yes 38 %  (1,309 rows)  [statistic 365.6, df 1, p 1.7e-81, adjusted 5.1e-81]
    ├─ sex is female                      yes   73 %  (339 of 466)  [statistic 115.5, df 2, p 8.5e-26, adjusted 1.7e-25]
    │  ├─ passengerClass is 1st or 2nd  → yes   93 %  (233 of 250)
    │  └─ passengerClass is 3rd         → no    51 %  (110 of 216)
    └─ sex is male                        no    81 %  (682 of 843)  [statistic 32.99, df 2, p 6.8e-8, adjusted 1.4e-7]
       ├─ passengerClass is 1st         → no    66 %  (118 of 179)
       └─ passengerClass is 2nd or 3rd  → no    85 %  (564 of 664)
    >>> round(model.tree_.node(1).statistic, 3)
    115.454
    """

    criterion = "gini"
    _parameter_constraints: dict[str, list[Any]] = {
        **_CONSTRAINTS,
        "target_order": ["array-like", None],
        "class_scores": [dict, None],
    }

    def __init__(
        self,
        *,
        alpha: float = 0.05,
        test: str = "bonferroni",
        statistic: str = "quadratic",
        split_statistic: str | None = None,
        n_permutations: int = 9999,
        missing: str = "larger",
        max_surrogates: int = 5,
        max_depth: int | None = None,
        min_samples_split: float = 20,
        min_samples_leaf: float = 7,
        min_branch_share: float = 0.01,
        split_tries: int = 2,
        target_order: Sequence[Any] | None = None,
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
        self.max_surrogates = max_surrogates
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_branch_share = min_branch_share
        self.split_tries = split_tries
        self.target_order = target_order
        self.class_scores = class_scores
        self.column_kinds = column_kinds
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _complete(self, training: TrainingData, y: Any) -> TrainingData:
        training = super()._complete(training, y)
        scores = scores_of_target(self.target_order, self.class_scores, y, training.classes)
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
    Ozone: mean 42.13, sd 32.85  (116 rows)  [statistic 56.09, df 1, p 6.9e-14, adjusted 3.5e-13]
    ├─ Temp <= 82  → 26.54  (sd 23.2, 79 rows)
    └─ Temp > 82   → 75.41  (sd 24.63, 37 rows)
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
        max_surrogates: int = 5,
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
        self.max_surrogates = max_surrogates
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
