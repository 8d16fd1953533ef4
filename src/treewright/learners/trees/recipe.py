"""A recipe names the parts of an algorithm for the core; that of a CART tree is made of an estimator's parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.learners.base.parameters import rows_of

# The vocabulary of choices: a Recipe names the parts of an algorithm.


@dataclass(frozen=True)
class Recipe:
    """What the growing loop is told: criterion, what to do about missing values, and when to stop."""

    criterion: str
    missing: str = "learn"
    max_depth: int | None = None
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_weight_leaf: float = 0.0
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    min_variance_share: float = 0.0
    splitter: str | None = None  # None: exact binary splits; otherwise a splitter that reads tables of counts …
    options: Mapping[str, Any] = field(default_factory=dict)  # … and what it wants to know

    def for_core(self) -> dict[str, Any]:
        """The same choices as the core takes them."""
        return {name: value for name, value in asdict(self).items() if name != "min_weight_leaf" or value > 0}


# The recipe of a CART tree from an estimator's parameters: what single trees and forests share.


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
