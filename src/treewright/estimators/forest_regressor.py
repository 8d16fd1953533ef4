"""What forests of numbers share: the answers out of bag."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from treewright.estimators.ensemble_regressor import EnsembleRegressor
from treewright.estimators.forest_model import ForestModel
from treewright.estimators.out_of_bag import OutOfBag


class ForestRegressor(EnsembleRegressor, ForestModel):
    """A forest that predicts numbers."""

    def _out_of_bag(self, out: OutOfBag, truth: NDArray[Any], weights: Any) -> dict[str, Any]:
        return {"oob_score_": out.explained(truth, weights), "oob_prediction_": out.means()[:, 0]}
