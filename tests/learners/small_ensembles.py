"""The smallest ensembles there can be, to test what all ensembles share."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from treewright import _core
from treewright.errors import DataError
from treewright.learners.ensemble.bootstrap import trees_to_keep
from treewright.learners.ensemble.ensemble_model import EnsembleClassifier, EnsembleModel, EnsembleRegressor, GrownTrees
from treewright.learners.trees.training_data import Recipe, TrainingData, encode_rows, grow_tree, with_recipe
from treewright.table.frame import InputFrame

CONSTRAINTS: dict[str, list[Any]] = {
    "n_estimators": [Interval(Integral, 1, None, closed="left")],
    "max_depth": [Interval(Integral, 1, None, closed="left"), None],
    "missing": [StrOptions({"learn", "refuse"})],
    "column_kinds": [dict, None],
    "verbose": ["verbose"],
    "warm_start": ["boolean"],
    "random_state": ["random_state"],
    "n_jobs": [Interval(Integral, 1, None, closed="left"), None],
}


class SmallEnsemble(EnsembleModel):
    """Tree i is grown to depth i + 1 (at most max_depth), so that all trees differ and nothing is drawn."""

    _parameter_constraints = CONSTRAINTS
    _learnt_numbers: ClassVar = ("oob_score_",)

    def __init__(
        self, n_estimators=3, *, max_depth=None, missing="learn", column_kinds=None,
        verbose=0, warm_start=False, random_state=None, n_jobs=None,
    ):  # fmt: skip
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.missing = missing
        self.column_kinds = column_kinds
        self.verbose = verbose
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs

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


class SmallForestRegressor(EnsembleRegressor, SmallEnsemble):
    """A few trees and the mean of their values."""

    criterion = "squared_error"


class SmallSum(EnsembleRegressor, SmallEnsemble):
    """Like boosting: a start, and a tree after the other that is added to it."""

    criterion = "squared_error"
    _learnt_arrays: ClassVar = ("baseline_",)

    def _grow_trees(self, training: TrainingData, progress: _core.Progress) -> GrownTrees:
        grown = super()._grow_trees(training, progress)
        return GrownTrees(grown.ensemble, {"baseline_": np.array([100.0])})

    def _start(self, core: _core.Ensemble, learnt: Any) -> Any:
        return learnt["baseline_"]

    def _answer(self, sums: Any, n_trees: int) -> Any:
        return sums[:, 0]

    def _answer_one(self, sums: list[float]) -> Any:
        return sums[0]

    def _check_learnt(self, core: _core.Ensemble, fitted: dict[str, Any]) -> None:
        if fitted.get("baseline_", np.zeros(0)).shape != (1,):
            raise ValueError("its start is not one number")
