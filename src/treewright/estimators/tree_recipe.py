"""The recipe of a CART tree from an estimator's parameters: what single trees and forests share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.estimators.fraction import rows_of
from treewright.recipe import Recipe


def tree_recipe(model: Any, n_rows: int, weights: NDArray[np.float64] | None) -> Recipe:
    """Read criterion, missing policy and stop rules; shares become numbers of rows and weights.

    Examples
    --------
    >>> import treewright as tw
    >>> tree_recipe(tw.DecisionTreeClassifier(min_samples_leaf=0.1), 200, None).min_samples_leaf
    20
    """
    total = float(n_rows if weights is None else weights.sum())
    return Recipe(
        criterion=model.criterion,
        missing=model.missing,
        max_depth=model.max_depth,
        min_samples_split=max(2, rows_of(model.min_samples_split, n_rows)),
        min_samples_leaf=max(1, rows_of(model.min_samples_leaf, n_rows)),
        min_weight_leaf=model.min_weight_fraction_leaf * total,
        max_leaf_nodes=model.max_leaf_nodes,
        min_impurity_decrease=model.min_impurity_decrease,
        min_variance_share=getattr(model, "min_variance_share", 0.0),  # only single regressors have it
    )
