"""What forests of classes have beside `ForestModel` (class weights, votes), and forests of numbers (quantiles)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base.learnt import Arrays, reals, wholes
from treewright.learners.base.parameters import (
    at_least,
    declares_parameters,
    fitted,
    one_of,
    parameter,
)
from treewright.learners.base.target import weights_by_class
from treewright.learners.base.threads import thread_count
from treewright.learners.ensemble.bootstrap import (
    OutOfBag,
)
from treewright.learners.ensemble.ensemble_model import EnsembleClassifier
from treewright.learners.trees.training_data import TrainingData
from treewright.table.frame import InputFrame
from treewright.table.target import encode_classes, target_column


@declares_parameters
class ForestClassifier(EnsembleClassifier):
    """What a `ForestModel` that predicts classes has beside it."""

    criterion: str = parameter(
        default="gini",
        takes=one_of("gini", "entropy", "log_loss"),
        doc='What a split is judged by; "log_loss" is another name of "entropy".',
    )
    class_weight: Mapping[Any, float] | str | None = parameter(
        default=None,
        takes=[dict, list, one_of("balanced", "balanced_subsample"), None],
        doc="""How much each class counts. "balanced" makes every class weigh the same; "balanced_subsample" does so in
        the rows drawn for each tree. With several targets: a list with a dict for each.""",
    )
    balanced_sampling: bool = parameter(
        default=False,
        takes="boolean",
        doc="Whether every tree draws the same number of rows of each class: as many as the smallest class has.",
    )
    voting: str = parameter(
        default="mean",
        takes=one_of("mean", "vote"),
        doc="Whether the trees' probabilities are averaged, or each tree gives one vote.",
    )

    shrinkage: float | str = parameter(
        default="auto",
        takes=[one_of("auto"), at_least(0.0)],
        doc="""How much the class shares of a branch are drawn to those of its node, on the whole way from the root to
        a leaf: 1 / (1 + shrinkage / weight of the node) of each step is kept. Raising it gives smoother
        probabilities; above 0 none is 0. "auto" is 0 with a given `n_estimators` and with more than ten classes, else
        judged by rows that are held out.""",
    )

    _fitted_arrays: ClassVar[Arrays] = {"oob_decision_function_": reals("rows", "classes", unknown=True, needed=False)}

    def _encode_target(self, y: Any, n_rows: int, weights: Any) -> tuple[NDArray[Any] | None, NDArray[Any], Any]:
        # Class weights stay apart from the weights of rows: whole weights of rows say how often a row is in the hat.
        classes, codes = encode_classes(target_column(y, n_rows, type(self).__name__))
        return classes, codes, weights

    def _encode(self, frame: InputFrame, y: Any, sample_weight: Any, groups: Any = None) -> TrainingData:
        training: TrainingData = super()._encode(frame, y, sample_weight, groups)
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
            "shrinkage": float(self.shrinkage),
        }

    def _score_of(self, out: OutOfBag, truth: NDArray[Any], weights: Any) -> float:
        return out.accuracy(truth, weights)

    def _out_of_bag(self, out: OutOfBag) -> dict[str, Any]:
        return {"oob_decision_function_": out.means()}


_KEPT = ("training_nodes_", "training_target_", "training_weights_")


@declares_parameters
class ForestRegressor(RegressorMixin):  # type: ignore[misc]
    """What a `ForestModel` that predicts numbers has beside it."""

    criterion: str = parameter(
        default="squared_error",
        takes=one_of("squared_error", "friedman_mse"),
        doc="What a split is judged by; both names say the same.",
    )
    quantiles: bool = parameter(
        default=False,
        takes="boolean",
        doc="""Whether the model keeps where the training rows ended, so that `predict_quantiles` can answer. It makes
        the model larger: four bytes for each row and tree.""",
    )

    _fitted_arrays: ClassVar[Arrays] = {
        "training_nodes_": wholes("rows", "trees", dtype="i4", lowest=0, needed=False),
        "training_target_": reals("rows", needed=False),
        "training_weights_": reals("rows", lowest=0.0, needed=False),
        "oob_prediction_": reals("rows", unknown=True, needed=False),
    }
    training_nodes_: NDArray[np.int32] = fitted()
    training_target_: NDArray[np.float64] = fitted()
    training_weights_: NDArray[np.float64] = fitted()

    def _score_of(self, out: OutOfBag, truth: NDArray[Any], weights: Any) -> float:
        return out.explained(truth, weights)

    def _out_of_bag(self, out: OutOfBag) -> dict[str, Any]:
        return {"oob_prediction_": out.means()[:, 0]}

    def _fitted(self, training: TrainingData, forest: _core.Ensemble, known: dict[str, Any]) -> dict[str, Any]:
        fitted: dict[str, Any] = super()._fitted(training, forest, known)
        if not self.quantiles:
            return fitted
        nodes = known["nodes"].reshape(len(training.truth), -1)
        weights = np.ones(len(training.truth)) if training.weights is None else training.weights
        return fitted | dict(zip(_KEPT, (nodes, training.truth, weights), strict=True))

    def _check_fitted(self, core: _core.Ensemble, fitted: dict[str, Any]) -> None:
        if len({name in fitted for name in _KEPT}) > 1 or (self.quantiles and _KEPT[0] not in fitted):
            raise ValueError("the training rows that it keeps are not whole")

    def predict_quantiles(self, X: Any, quantiles: ArrayLike = (0.05, 0.5, 0.95)) -> NDArray[np.float64]:
        """Give quantiles of the target for each row: one column for each quantile.

        Training rows count as much as they share leaves with the row, on the mean over the trees (quantile regression
        forests, Meinshausen 2006). The outer two of three quantiles are an interval of prediction. Needs a model that
        was fitted with ``quantiles=True``.

        Parameters
        ----------
        X : table
            The rows.
        quantiles : numbers between 0 and 1, default (0.05, 0.5, 0.95)
            Which quantiles.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = tw.datasets.load_boston(return_X_y=True)
        >>> model = tw.RandomForestRegressor(quantiles=True, min_samples_leaf=5, random_state=1).fit(X, y)
        >>> model.predict_quantiles(X[:2])
        array([[21.6, 25.1, 35.1],
               [18.9, 22.2, 28.6]])
        """
        check_is_fitted(self)
        shares = np.asarray(quantiles, dtype=np.float64).ravel()
        if not np.all((shares >= 0) & (shares <= 1)):
            raise DataError(f"Quantiles lie between 0 and 1; got {shares.tolist()}.")
        if "training_nodes_" not in self.__dict__:
            raise DataError("This model does not keep what quantiles need. Fit it with quantiles=True.")
        rows = self._lookup_nodes(X)
        found = _core.leaf_quantiles(
            self.training_nodes_, rows, self.training_target_, self.training_weights_, shares, thread_count(self.n_jobs)
        )
        return found.reshape(len(rows), len(shares))
