"""Trees that draw: the columns that a node looks at, or the cut of each. They are grown as a forest of one tree."""

from __future__ import annotations

import math
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.learners.base.parameters import one_of, parameter, share, whole

if TYPE_CHECKING:
    from treewright.learners.trees.training_data import Recipe, TrainingData

MAX_FEATURES: Any = parameter(
    default=None,
    takes=[whole(1), share("right"), one_of("sqrt", "log2", "third"), None],
    doc="""How many columns each node looks at, drawn anew for every node; a fraction is a share of all columns,
    "third" is a third of them, None is all. What is drawn depends on the rows and the seed, never on the order of rows.
    """,
)


def columns_of(max_features: Any, n_columns: int) -> int:
    """Read max_features: how many columns a node looks at.

    Examples
    --------
    >>> columns_of("sqrt", 50), columns_of("third", 50), columns_of(0.5, 50), columns_of(None, 50), columns_of(9, 4)
    (7, 16, 25, 50, 4)
    """
    if max_features is None:
        return n_columns
    if max_features == "sqrt":
        return max(1, math.isqrt(n_columns))
    if max_features == "log2":
        return max(1, int(math.log2(n_columns)))
    if max_features == "third":
        return max(1, n_columns // 3)
    if isinstance(max_features, Integral):
        return min(int(max_features), n_columns)
    return max(1, int(max_features * n_columns))


def rules_of_trees(recipe: Recipe) -> dict[str, Any]:
    """The part of a recipe that forests know.

    Examples
    --------
    >>> from treewright.learners.trees.training_data import Recipe
    >>> rules_of_trees(Recipe("gini", max_depth=3))["max_depth"]
    3
    """
    return {
        "criterion": recipe.criterion,
        "max_depth": recipe.max_depth,
        "min_samples_split": recipe.min_samples_split,
        "min_samples_leaf": recipe.min_samples_leaf,
        "min_weight_leaf": recipe.min_weight_leaf,
        "max_leaf_nodes": recipe.max_leaf_nodes,
        "min_impurity_decrease": recipe.min_impurity_decrease,
    }


def grow_drawn(training: TrainingData, rows: NDArray[np.uint32] | None) -> _core.Tree:
    """Grow a tree that draws, from some rows or from all: the only tree of a forest that sees every row.

    A nominal column of more than two levels pays for what so many levels gain on noise alone, as in every forest.
    """
    target = training.target
    if rows is not None:
        weights = np.zeros(len(training.truth))
        weights[rows] = training.row_weights[rows] if training.weights is None else training.weights[rows]
        target = _target_of(training, weights)
    rules = {**rules_of_trees(training.recipe), **(training.recipe.draws or {}), "sampling": "all_rows", "n_trees": 1}
    forest, _ = _core.grow_forest(training.table.core, target, rules, _core.Progress(), training.threads)
    return forest.tree(0)


def _target_of(training: TrainingData, weights: NDArray[np.float64]) -> _core.Target:
    if training.classes is None:
        return _core.Target.numbers(training.truth, weights, False, training.case_weights)
    return _core.Target.classes(training.truth, len(training.classes), weights, training.case_weights)
