"""What forests of numbers share: the answers out of bag, and quantiles."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from treewright import _core
from treewright.errors import DataError
from treewright.estimators.ensemble_regressor import EnsembleRegressor
from treewright.estimators.forest_model import ForestModel
from treewright.estimators.out_of_bag import OutOfBag, check_answers
from treewright.estimators.threads import thread_count
from treewright.estimators.training_data import TrainingData

_KEPT = ("training_nodes_", "training_target_", "training_weights_")


class ForestRegressor(EnsembleRegressor, ForestModel):
    """A forest that predicts numbers."""

    _learnt_arrays: ClassVar[tuple[str, ...]] = (*_KEPT, "oob_prediction_")
    training_nodes_: NDArray[np.int32]
    training_target_: NDArray[np.float64]
    training_weights_: NDArray[np.float64]

    @property
    def _keeps_nodes(self) -> bool:  # type: ignore[override]
        return bool(self.quantiles)

    def _score_of(self, out: OutOfBag, truth: NDArray[Any], weights: Any) -> float:
        return out.explained(truth, weights)

    def _out_of_bag(self, out: OutOfBag) -> dict[str, Any]:
        return {"oob_prediction_": out.means()[:, 0]}

    def _learnt(self, training: TrainingData, forest: _core.Ensemble, known: dict[str, Any]) -> dict[str, Any]:
        learnt = super()._learnt(training, forest, known)
        if not self._keeps_nodes:
            return learnt
        nodes = known["nodes"].reshape(len(training.truth), -1)
        weights = np.ones(len(training.truth)) if training.weights is None else training.weights
        return learnt | dict(zip(_KEPT, (nodes, training.truth, weights), strict=True))

    def _check_learnt(self, core: _core.Ensemble, fitted: dict[str, Any]) -> None:
        check_answers(fitted, "oob_prediction_", 1)
        kept = [fitted[name] for name in _KEPT if name in fitted]
        if not kept:
            return
        if len(kept) < len(_KEPT) or kept[0].dtype != np.int32 or any(a.dtype != np.float64 for a in kept[1:]):
            raise ValueError("the training rows that it keeps are not whole")
        nodes, target, weights = kept
        if nodes.shape != (len(target), core.n_trees) or weights.shape != target.shape or target.ndim != 1:
            raise ValueError("the training rows that it keeps are not those of its trees")

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
        array([[22. , 25. , 32.5],
               [19.7, 22.6, 28.7]])
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
