"""What AdaBoost does for classes and for numbers: trees one after the other, each judged, with a say of its own."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from treewright import _core
from treewright.learners.adaboost.weight_updates import Round
from treewright.learners.base.learnt import reals
from treewright.learners.base.parameters import MOST_TREES, declares_parameters, number, parameter, whole
from treewright.learners.ensemble.other_estimators import Member, MemberFitter
from treewright.learners.ensemble.reweighted_trees import MemberGrower, Weights
from treewright.learners.trees.training_data import TrainingData
from treewright.learners.trees.tree_lookup import RowLookup
from treewright.table.frame import InputFrame

Floats = NDArray[np.float64]
_MOST_SAY = 1e100  # of one tree in a file: sums of them stay finite


@declares_parameters
class BoostedTrees(BaseEstimator):  # type: ignore[misc]
    """What the classifier and the regressor share beside `ReweightedTrees`."""

    n_estimators: int = parameter(
        default=50,
        takes=whole(1, MOST_TREES),
        doc="The most trees. Boosting stops earlier where a tree makes no error, or is no better than chance.",
    )
    learning_rate: float = parameter(
        default=1.0,
        takes=number(0.0, 1e300, "right"),
        doc="""What the say of every tree is multiplied by. Lowering it needs more trees, and mostly gives a better
        model.""",
    )
    random_state: Any = parameter(
        default=None,
        takes="random_state",
        doc="For recipes that draw (folds of pruning, permutations). Boosting itself draws nothing.",
    )
    verbose: int = parameter(
        default=0,
        takes="verbose",
        doc="Whether a bar on stderr shows how far the fit is, with the error of the last tree.",
    )

    _score_name = "error"
    _fitted_arrays = {"estimator_weights_": reals("trees", lowest=0.0), "estimator_errors_": reals("trees", lowest=0.0)}

    def _answers_of(self, lookup: RowLookup | Member, rows: Any) -> NDArray[Any]:
        """What one tree answers: class numbers, or numbers."""
        raise NotImplementedError

    def _judge(self, weights: Floats, answers: NDArray[Any], training: TrainingData) -> Round | None:
        """What a tree with these answers brought; None if it is not worth keeping."""
        raise NotImplementedError

    def _without_trees(self, first: Any, training: TrainingData) -> tuple[Any, float]:
        """The only tree where not even the first is worth keeping, and its error."""
        raise NotImplementedError

    # ---------------------------------------------------------------- fit
    def _grow(
        self, grower: MemberGrower | MemberFitter, frame: InputFrame, weights: Weights, progress: _core.Progress
    ) -> dict[str, Any]:
        training, progress.total = grower.training, self.n_estimators
        rows = grower.rows(frame)
        now = np.ones(len(training.truth)) if weights is None else weights
        cores, estimator_weights, errors = [], [], []
        for stage in range(self.n_estimators):
            core: Any = grower.grow(stage, now)
            updated = self._judge(now, self._answers_of(grower.lookup(core), rows), training)
            if updated is None:
                break
            cores.append(core)
            estimator_weights.append(updated.estimator_weight)
            progress.done, progress.score = stage + 1, updated.error
            errors.append(updated.error)
            if updated.is_perfect:
                break
            now = updated.weights
        if not cores:
            only, error = self._without_trees(core, training)
            cores, estimator_weights, errors = [only], [1.0], [error]
        return {
            "cores": cores,
            "estimator_weights_": np.array(estimator_weights),
            "estimator_errors_": np.array(errors),
        }

    def _check_fitted(self, fitted: dict[str, Any]) -> None:
        for name in self._fitted_arrays:
            if not (fitted[name] < _MOST_SAY).all():
                raise ValueError(f"its {name} are too large")
        if not fitted["estimator_weights_"].all():
            raise ValueError("one of its trees has no say")

    def _says(self) -> Floats:
        return cast(Floats, self.estimator_weights_)
