"""What random forests and extra trees share: many trees, each grown from drawn rows, looking at drawn columns."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import DataError
from treewright.estimators.ensemble_model import EnsembleModel, GrownTrees
from treewright.estimators.forest_rules import columns_of, rules_of_trees, sampling_of
from treewright.estimators.fraction import rows_of
from treewright.estimators.out_of_bag import OutOfBag
from treewright.estimators.training_data import TrainingData
from treewright.recipe import Recipe


class ForestModel(EnsembleModel):
    """Grows a forest. Subclasses say what the out-of-bag answers are called."""

    _random_cuts = False
    _learnt_numbers: ClassVar = ("oob_score_",)
    _score_name = "out of bag"

    def _recipe(self, n_rows: int, weights: NDArray[np.float64] | None) -> Recipe:
        total = float(n_rows if weights is None else weights.sum())
        return Recipe(
            criterion=self.criterion,
            missing=self.missing,
            max_depth=self.max_depth,
            min_samples_split=max(2, rows_of(self.min_samples_split, n_rows)),
            min_samples_leaf=max(1, rows_of(self.min_samples_leaf, n_rows)),
            min_weight_leaf=self.min_weight_fraction_leaf * total,
            max_leaf_nodes=self.max_leaf_nodes,
            min_impurity_decrease=self.min_impurity_decrease,
        )

    def _forest_rules(self, training: TrainingData) -> dict[str, Any]:
        """Everything that the core is told about the forest."""
        units = len(training.truth) if training.weights is None else float(training.weights.sum())
        return {
            **rules_of_trees(training.recipe),
            **sampling_of(self, units),
            "seed": self._seed(),
            "n_trees": self.n_estimators,
            "max_features": columns_of(self.max_features, len(training.table.schema.columns)),
            "random_cuts": self._random_cuts,
        }

    def _grow_trees(self, training: TrainingData, progress: _core.Progress) -> GrownTrees:
        rules = self._forest_rules(training)
        before = self._trees_before(training.table.schema, training.classes)
        n_before = 0 if before is None else before.n_trees
        if n_before > self.n_estimators:
            raise DataError(
                f"n_estimators={self.n_estimators} is less than the {n_before} trees that are there, and with "
                "warm_start trees are added, not taken away. Raise n_estimators, or set warm_start=False."
            )
        if self.oob_score and rules["sampling"] == "all_rows":
            raise DataError("oob_score=True needs rows that a tree did not see. Set bootstrap=True or max_samples.")
        # The answers out of bag are those of all trees, so with them all are grown again; the trees are the same.
        first = 0 if self.oob_score else n_before
        rules |= {"first_tree": first, "out_of_bag": self.oob_score}
        grown, known = _core.grow_forest(training.table.core, training.target, rules, progress, training.threads)
        forest = before.extended(grown) if before is not None and first > 0 else grown
        return GrownTrees(forest, self._learnt(training, forest, known))

    def _learnt(self, training: TrainingData, forest: _core.Ensemble, known: dict[str, Any]) -> dict[str, Any]:
        """What is known beside the trees, by the names of the attributes."""
        if not self.oob_score:
            return {}
        out = OutOfBag(len(training.truth), max(1, forest.n_classes))
        out.sums, out.trees = known["sums"].reshape(out.sums.shape), known["n_trees"].astype(np.int64)
        if training.weights is not None:
            out.trees[training.weights <= 0] = 0
        out.tell_gaps()
        return self._out_of_bag(out, training.truth, training.weights)

    def _out_of_bag(self, out: OutOfBag, truth: NDArray[Any], weights: Any) -> dict[str, Any]:
        """The attributes that tell what is known out of bag."""
        raise NotImplementedError
