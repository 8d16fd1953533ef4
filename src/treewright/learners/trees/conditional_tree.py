"""Conditional inference trees: columns are chosen by tests, and a tree stops where nothing is significant."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin

from treewright.errors import DataError
from treewright.learners.base.parameters import declares_parameters, number, one_of, parameter, share, whole
from treewright.learners.base.target import scores_of_target
from treewright.learners.trees.training_data import Recipe, TrainingData
from treewright.learners.trees.tree_model import TreeClassifier, TreeModel
from treewright.sources.source import Source


@declares_parameters
class _ConditionalTree(BaseEstimator):  # type: ignore[misc]
    """What both estimators share. There is no parameter for pruning: the tests say when to stop."""

    alpha: float = parameter(
        default=0.05,
        takes=number(0.0, 1.0, "neither"),
        doc="A column is cut only if its adjusted p-value is below this. Raising it gives a larger tree.",
    )
    test: str = parameter(
        default="bonferroni",
        takes=one_of("bonferroni", "univariate", "monte_carlo", "monte_carlo_bonferroni"),
        doc="""Where p-values come from. "bonferroni": the limiting distribution, adjusted for the number of columns
        tested; "univariate": the same, not adjusted; "monte_carlo": random permutations of the target at every node,
        not adjusted; "monte_carlo_bonferroni": permutations, adjusted.""",
    )
    statistic: str = parameter(
        default="quadratic",
        takes=one_of("quadratic", "maximum"),
        doc="What is tested: all deviations of a column together, or the largest one.",
    )
    split_statistic: str | None = parameter(
        default=None,
        takes=[one_of("quadratic", "maximum"), None],
        doc="What the cut of the chosen column is judged by; None takes `statistic`.",
    )
    n_permutations: int = parameter(
        default=9999,
        takes=whole(1, 1000000000),
        doc='How many permutations "monte_carlo" draws. No p-value is below 1 / (n_permutations + 1).',
    )
    missing: str = parameter(
        default="larger",
        takes=one_of("larger", "surrogates", "learn", "fractional", "branch", "stop", "refuse"),
        doc="""What happens to rows without a value in the column of a test. Tests never see them. "larger": they follow
        the branch with more weight; "surrogates": other columns that divide the rows alike say where they go, and where
        those have no value either, the branch with more weight; "learn": the cut is tried with them on either side;
        "fractional": they go down both branches in parts; "branch": a branch of their own; "stop": they end at the
        node; "refuse": missing values are an error. A level that was never seen in training counts as missing.""",
    )
    max_surrogates: int = parameter(
        default=5,
        takes=whole(0),
        doc='With ``missing="surrogates"``: how many other columns a node may ask, the most significant first.',
    )
    max_depth: int | None = parameter(default=None)
    min_samples_split: float = parameter(
        default=20,
        takes=[whole(2), share("right")],
        doc="""A node of less weight is not tested. A fraction is a share of the whole weight. Raising it gives a
        smaller tree.""",
    )
    min_samples_leaf: float = parameter(
        default=7,
        takes=[whole(1), share("neither")],
        doc="""No branch may have less weight. A fraction is a share of the whole weight. Raising it gives a smaller
        tree.""",
    )
    min_branch_share: float = parameter(
        default=0.01,
        takes=number(0.0, 0.5),
        doc="No branch may have a smaller share of its node's weight. Raising it gives a smaller tree.",
    )
    split_tries: int = parameter(
        default=2,
        takes=whole(1),
        doc="""How many columns, the most significant first, are tried for a cut that keeps to the sizes. Raising it
        gives a larger tree.""",
    )
    random_state: Any = parameter(
        default=None,
        takes="random_state",
        doc="""Seed of permutations, and of the sampling behind p-values of the maximum. None is 0: the same data give
        the same tree.""",
    )

    ccp_alpha = 0.0
    _fit_bytes: ClassVar[tuple[float, float]] = (24, 240)

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


class ConditionalTreeClassifier(_ConditionalTree, TreeClassifier, TreeModel):
    """A tree that predicts classes and chooses its columns by permutation tests (ctree).

    At every node each column is tested for association with the target. The most significant one is cut in two; where
    none is significant the tree stops. Columns with many values have no advantage, and no pruning is needed. Trees are
    those of partykit's ``ctree``.

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

    target_order: Sequence[Any] | None = parameter(
        default=None,
        takes=["array-like", None],
        doc="""The classes from low to high, for an ordinal target: they count 1, 2, 3 … and the tests look for a shift
        along this scale. A target of ordered categories has its order already.""",
    )
    class_scores: Mapping[Any, float] | None = parameter(
        default=None,
        takes=[dict, None],
        doc="""What each class of an ordinal target counts as, for instance ``{"low": 1, "middle": 2, "high": 5}``,
        instead of `target_order`.""",
    )

    criterion = "gini"
    _scores_orders: ClassVar[bool] = True  # by the levels that occur

    def _fit_source(self, source: Source, y: Any, sample_weight: Any = None) -> None:
        from treewright.learners.trees.fit_tables import fit_tables  # most fits have their rows at hand

        fit_tables(self, source, y, sample_weight)

    def _complete(self, training: TrainingData, y: Any) -> TrainingData:
        training = super()._complete(training, y)
        return replace(training, recipe=self._complete_recipe(training.recipe, training.classes, y))

    def _complete_recipe(self, recipe: Recipe, classes: NDArray[Any] | None, y: Any = None) -> Recipe:
        scores = scores_of_target(self.target_order, self.class_scores, y, classes)
        return replace(recipe, options={**recipe.options, "class_scores": scores})


class ConditionalTreeRegressor(_ConditionalTree, RegressorMixin, TreeModel):  # type: ignore[misc]
    """A tree that predicts numbers and chooses its columns by permutation tests (ctree).

    It works as `ConditionalTreeClassifier` does; a leaf answers the mean of its rows.

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
