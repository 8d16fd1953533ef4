"""Forests whose answer may only rise, or fall, with some columns: each tree keeps to it, and so does their mean."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright import _core
from treewright.errors import DataError
from treewright.learners.ensemble.bootstrap import draw_bootstraps
from treewright.learners.forest.oblique_forest import ObliqueGrower, class_weights_of
from treewright.learners.trees.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from treewright.learners.trees.drawn_splits import columns_of
from treewright.learners.trees.training_data import TrainingData

_PASSED_ON = (
    "criterion",
    "missing",
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "max_leaf_nodes",
    "min_impurity_decrease",
    "monotonic_cst",
    "n_jobs",
)


def make_monotone_grower(model: Any, training: TrainingData) -> ObliqueGrower:
    """Read the parameters of a forest; what such trees do not have is refused."""
    if model._random_cuts:
        raise DataError("monotonic_cst does not go with cuts that are drawn. Leave it out, or take a random forest.")
    if getattr(model, "balanced_sampling", False) or getattr(model, "voting", "mean") == "vote":
        raise DataError("monotonic_cst does not go with balanced_sampling or voting='vote'. Leave one of them out.")
    kind: Any = DecisionTreeRegressor if training.classes is None else DecisionTreeClassifier
    recipe = kind(**{name: getattr(model, name) for name in _PASSED_ON})
    return ObliqueGrower(
        recipe,
        training.without_weights(),
        draw_bootstraps(training, training.weights, model.max_samples or 1.0, model.bootstrap, model._seed()),
        *class_weights_of(model, training),
        columns_of(model.max_features, len(training.table.schema.columns)),
        model.min_weight_fraction_leaf,
        model._seed(),
    )


def joined(trees: Any, training: TrainingData) -> _core.Ensemble:
    """The trees as a forest keeps them."""
    n_classes = 0 if training.classes is None else len(training.classes)
    return _core.Ensemble.from_trees(list(trees), len(training.schema.columns), n_classes)


def whole_trees(forest: Any) -> list[_core.Tree]:
    """The trees of a forest as they were grown, for a warm start."""
    return [forest.tree(int(i)) for i in np.arange(forest.n_trees)]
