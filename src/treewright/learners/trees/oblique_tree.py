"""Oblique trees: tests of one column or of a weighted sum of several, for classes and for numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from treewright.learners.base.parameters import above, at_least, declares_parameters, one_of, parameter, whole
from treewright.learners.trees.training_data import Recipe, TrainingData, rows_of
from treewright.learners.trees.tree_lookup import importance_with_sums
from treewright.learners.trees.tree_model import TreeClassifier, TreeModel
from treewright.prune import DescriptionLength, Pruner
from treewright.prune.choice import PRUNER_NAMES
from treewright.table.schema import Column


@declares_parameters
class _ObliqueTree(BaseEstimator):  # type: ignore[misc]
    """What the two oblique trees share: the recipe, pruning by price, and importance that follows the sums."""

    max_terms: int = parameter(
        default=24,
        takes=whole(1),
        doc="""The most columns in a weighted sum; 1 allows no sums. Raising it lets a test look at more columns at
        once.""",
    )
    penalty: float = parameter(
        default=1.0,
        takes=at_least(0.0),
        doc="""The price of each further column of a sum, as a multiple of ``log2(n) / 2 + log2(columns)`` bits. Raising
        it gives fewer and shorter sums.""",
    )
    ridge: float = parameter(
        default=1.0,
        takes=above(0.0),
        doc="""How strongly the coefficients of a sum are held near zero while it is sought, in rows. Raising it makes
        sums steadier where columns tell the same story.""",
    )
    nominal_scores: bool = parameter(
        default=False,
        takes="boolean",
        doc="""Whether columns of text and categories may take part in sums, with a score for each of at most 50 levels.
        A scored column pays for its levels as if it were asked alone.""",
    )
    missing: str = parameter(
        default="learn",
        takes=one_of("learn", "larger", "refuse"),
        doc="""What happens to rows without a value in the column of a test. "learn": every cut is tried with them
        on either side; "larger": they follow the branch with more weight; "refuse": missing values are an error.
        In a sum a missing value counts as the node's mean; a row that lacks more than half of a sum follows the
        heavier branch.""",
    )
    max_depth: int | None = parameter(default=None)
    min_samples_split: float = parameter(default=2)
    min_samples_leaf: float = parameter(default=1)
    max_leaf_nodes: int | None = parameter(
        default=None,
        takes=[whole(2), None],
        doc="The most leaves; the splits that lower the impurity most are kept. Raising it gives a larger tree.",
    )
    prune: str | Pruner | None = parameter(
        default="price",
        takes=[one_of(*PRUNER_NAMES), Pruner, None],
        kind='"price", "cost_complexity_cv", a pruner or None',
        doc="""What happens to the grown tree. "price" cuts every subtree that saves fewer bits than its tests cost; it
        needs no further data. "cost_complexity_cv" and ``tw.CostComplexity(...)`` work as for `DecisionTreeClassifier`.
        A fitted model is made smaller by ``model.pruned(pruner)``.""",
    )
    random_state: Any = parameter(
        default=None,
        takes="random_state",
        doc="Deals out the folds of cross-validated pruning. Growing itself draws no random numbers.",
    )

    ccp_alpha = 0.0
    _fit_bytes: ClassVar[tuple[float, float]] = (28, 190)
    _n_counted = 255  # columns with more different values are kept in order; it changes the time, never the tree

    def _recipe(self, n_rows: int, weights: NDArray[np.float64] | None) -> Recipe:
        return Recipe(
            criterion=self.criterion,
            missing=self.missing,
            max_depth=self.max_depth,
            min_samples_split=max(2, rows_of(self.min_samples_split, n_rows)),
            min_samples_leaf=max(1, rows_of(self.min_samples_leaf, n_rows)),
            max_leaf_nodes=self.max_leaf_nodes,
            splitter="oblique",
            options={
                "max_terms": self.max_terms,
                "penalty": self.penalty,
                "ridge": self.ridge,
                "n_counted": self._n_counted,
                # What pruning by price would close anyway need not be opened; best-first growth must see it all.
                "pays_only": isinstance(self._pruner(), DescriptionLength) and self.max_leaf_nodes is None,
            },
        )

    def _complete(self, training: TrainingData, y: Any) -> TrainingData:
        may_add = [float(_may_add(column, self.nominal_scores)) for column in training.table.schema.columns]
        recipe = replace(training.recipe, options={**training.recipe.options, "may_add": may_add})
        return replace(training, recipe=recipe)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """How much each column lowered the impurity, as shares that sum to 1. A sum counts for its columns in parts."""
        check_is_fitted(self)
        return importance_with_sums(self.tree_.arrays, self.n_features_in_)


def _may_add(column: Column, nominal_scores: bool) -> bool:
    """Whether a column may take part in a weighted sum: plain numbers, and levels if asked for. Dates are asked alone.

    >>> _may_add(Column("age", "numeric"), False), _may_add(Column("day", "numeric", "date"), False)
    (True, False)
    """
    if column.kind == "nominal":
        return nominal_scores
    return column.kind == "numeric" and column.value_type == "number"


class ObliqueTreeClassifier(TreeClassifier, _ObliqueTree, TreeModel):
    """A tree that predicts classes with tests such as ``0.7·age + 0.2·income <= 41``.

    A node asks one column, or a weighted sum of numeric columns where that saves more bits than it costs. Sums come
    from ridge and ridge-logistic regression at the node. Text, categories and dates are asked alone. The same data and
    parameters give the same model, byte for byte, on any number of threads.

    Attributes
    ----------
    tree_ : Tree
        The stored tree: print it, walk it, turn it into a dict, JSON or a data frame.
    classes_ : array
        The class labels, sorted.
    feature_importances_ : array
        How much each column lowered the impurity, as shares that sum to 1.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> model = tw.ObliqueTreeClassifier().fit(X, y)
    >>> print(model)
    class: Iris-setosa 33 %, Iris-versicolor 33 %, Iris-virginica 33 %  (150 rows)
    ├─ petalwidth <= 0.8                              → Iris-setosa      100 %  (50 of 50)
    └─ petalwidth > 0.8                                 Iris-versicolor   50 %  (50 of 100)
       ├─ 0.4721·petallength + petalwidth <= 3.82178  → Iris-versicolor  100 %  (47 of 47)
       └─ 0.4721·petallength + petalwidth > 3.82178   → Iris-virginica    94 %  (50 of 53)
    """

    class_weight: Mapping[Any, float] | str | None = parameter(
        default=None,
        takes=[dict, one_of("balanced"), None],
        doc="""How much each class counts. Raising a class's weight makes the tree answer it more often; "balanced"
        makes every class weigh the same.""",
    )

    criterion = "entropy"


class ObliqueTreeRegressor(RegressorMixin, _ObliqueTree, TreeModel):  # type: ignore[misc]
    """A tree that predicts numbers with tests such as ``0.7·age + 0.2·income <= 41``.

    A node asks one column, or a weighted sum of numeric columns where that saves more bits than it costs. Sums come
    from ridge regression at the node. It takes tables as they are, as `ObliqueTreeClassifier` does.

    Attributes
    ----------
    tree_ : Tree
        The stored tree: print it, walk it, turn it into a dict, JSON or a data frame.
    feature_importances_ : array
        How much each column lowered the impurity, as shares that sum to 1.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_airquality(return_X_y=True)
    >>> model = tw.ObliqueTreeRegressor().fit(X, y)
    >>> print(model)
    Ozone: mean 42.13, sd 32.85  (116 rows)
    ├─ 0.0365·Solar_R - 1.87·Wind + Temp <= 74.5936    24.65  (sd 14.25, 81 rows)
    │  ├─ Temp <= 77.5                               → 18.62  (sd 9.111, 52 rows)
    │  └─ Temp > 77.5                                → 35.48  (sd 15.34, 29 rows)
    └─ 0.0365·Solar_R - 1.87·Wind + Temp > 74.5936   → 82.57  (sd 27.63, 35 rows)
    """

    criterion = "squared_error"
