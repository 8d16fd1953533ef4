"""What forests of classes share: class weights, balanced drawing, votes, the shares out of bag."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.encode.target import encode_classes, target_column
from treewright.estimators.class_weights import weights_by_class
from treewright.estimators.ensemble_classifier import EnsembleClassifier
from treewright.estimators.forest_model import ForestModel
from treewright.estimators.out_of_bag import OutOfBag, check_answers
from treewright.estimators.training_data import TrainingData


class ForestClassifier(EnsembleClassifier, ForestModel):
    """A forest that predicts classes."""

    _learnt_arrays: ClassVar[tuple[str, ...]] = ("oob_decision_function_",)

    def _encode_target(self, y: Any, n_rows: int, weights: Any) -> tuple[NDArray[Any], NDArray[np.int32], Any]:
        # Class weights stay apart from the weights of rows: whole weights of rows say how often a row is in the hat.
        classes, codes = encode_classes(target_column(y, n_rows, type(self).__name__))
        return classes, codes, weights

    def _complete(self, training: TrainingData, y: Any) -> TrainingData:
        if self.class_weight is None or self.class_weight == "balanced_subsample":
            return training
        assert training.classes is not None
        weights = weights_by_class(self.class_weight, training.classes, training.truth)
        recipe = replace(training.recipe, options={"class_weights": weights.tolist()})
        return replace(training, recipe=recipe)

    def _forest_rules(self, training: TrainingData) -> dict[str, Any]:
        return {
            **super()._forest_rules(training),
            **training.recipe.options,
            "balance_classes": isinstance(self.class_weight, str) and self.class_weight == "balanced_subsample",
            "voting": self.voting,
        }

    def _score_of(self, out: OutOfBag, truth: NDArray[Any], weights: Any) -> float:
        return out.accuracy(truth, weights)

    def _out_of_bag(self, out: OutOfBag) -> dict[str, Any]:
        return {"oob_decision_function_": out.means()}

    def _check_learnt(self, core: _core.Ensemble, fitted: dict[str, Any]) -> None:
        check_answers(fitted, "oob_decision_function_", 2)
        if "oob_decision_function_" in fitted and fitted["oob_decision_function_"].shape[1] != core.n_classes:
            raise ValueError("its answers out of bag are not those of its classes")
