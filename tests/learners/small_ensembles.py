"""The smallest ensembles there can be, to test what all ensembles share."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base.learnt import real, reals
from treewright.learners.base.parameters import one_of, parameter, whole
from treewright.learners.ensemble.bootstrap import trees_to_keep
from treewright.learners.ensemble.ensemble_model import EnsembleClassifier, EnsembleModel, GrownTrees
from treewright.learners.trees.training_data import Recipe, TrainingData, encode_rows, grow_tree, with_recipe
from treewright.table.frame import InputFrame


class SmallEnsemble(EnsembleModel):
    """Tree i is grown to depth i + 1 (at most max_depth), so that all trees differ and nothing is drawn."""

    n_estimators: int = parameter(default=3, takes=whole(1), doc="How many trees.", kw_only=False)
    max_depth: int | None = parameter(default=None, takes=[whole(1), None], doc="The depth of the last tree.")
    missing: str = parameter(default="learn", takes=one_of("learn", "refuse"), doc="What happens to missing values.")
    verbose: int = parameter(default=0, takes="verbose", doc="Whether a bar is shown.")
    warm_start: bool = parameter(default=False, takes="boolean", doc="Whether trees are kept.")
    random_state: Any = parameter(default=None, takes="random_state", doc="Not used.")
    _fitted_numbers: ClassVar = {"oob_score_": real(absent="left out")}

    def _encode(self, frame: InputFrame, y: Any, sample_weight: Any) -> TrainingData:
        recipe = Recipe(criterion=self.criterion, missing=self.missing, max_depth=self.max_depth)
        return with_recipe(encode_rows(self, frame, y, sample_weight), recipe)

    def _grow_trees(self, training: TrainingData, progress: _core.Progress) -> GrownTrees:
        before = trees_to_keep(self, training.table.schema, training.classes)
        n_before = 0 if before is None else before.n_trees
        if n_before > self.n_estimators:
            raise DataError(f"There are {n_before} trees already, more than n_estimators={self.n_estimators}.")
        progress.total = self.n_estimators
        trees = []
        for i in range(n_before, self.n_estimators):
            recipe = replace(training.recipe, max_depth=min(i + 1, self.max_depth or i + 1))
            trees.append(grow_tree(replace(training, recipe=recipe)))
            progress.done = i + 1
        n_classes = 0 if training.classes is None else len(training.classes)
        grown = _core.Ensemble.from_trees(trees, len(training.table.schema.columns), n_classes)
        return GrownTrees(grown if before is None else before.extended(grown), {"oob_score_": 0.5})


class SmallForestClassifier(EnsembleClassifier, SmallEnsemble):
    """A few trees and the mean of their shares."""

    criterion = "gini"


class SmallForestRegressor(RegressorMixin, SmallEnsemble):
    """A few trees and the mean of their values."""

    criterion = "squared_error"


class SmallSum(RegressorMixin, SmallEnsemble):
    """Like boosting: a start, and a tree after the other that is added to it."""

    criterion = "squared_error"
    _fitted_arrays: ClassVar = {"baseline_": reals("outputs")}

    def _grow_trees(self, training: TrainingData, progress: _core.Progress) -> GrownTrees:
        grown = super()._grow_trees(training, progress)
        return GrownTrees(grown.ensemble, {"baseline_": np.array([100.0])})

    def _start(self, core: _core.Ensemble, learnt: Any) -> Any:
        return learnt["baseline_"]

    def _answer(self, sums: Any, n_trees: int) -> Any:
        return sums[:, 0]

    def _answer_one(self, sums: list[float]) -> Any:
        return sums[0]

    def _check_fitted(self, core: _core.Ensemble, fitted: dict[str, Any]) -> None:
        if fitted.get("baseline_", np.zeros(0)).shape != (1,):
            raise ValueError("its start is not one number")
