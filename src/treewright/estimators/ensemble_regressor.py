"""What every regressor with many small trees has: the target as numbers, and the answers to new rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from treewright.estimators.ensemble_model import EnsembleModel, Floats
from treewright.estimators.number_target import NumberTarget


class EnsembleRegressor(NumberTarget, RegressorMixin, EnsembleModel):  # type: ignore[misc]
    """Trees that predict numbers by their mean; subclasses grow them."""

    def _says(self) -> str:
        return "values"

    def _answer(self, sums: Floats, n_trees: int) -> NDArray[Any]:
        return sums[:, 0] / n_trees

    def _answer_one(self, sums: list[float]) -> Any:
        return sums[0] / len(self.trees_)

    def predict(self, X: Any) -> Floats:
        """Give the number of each row.

        Examples
        --------
        >>> import treewright as tw
        >>> tw.RandomForestRegressor(2, bootstrap=False).fit([[1], [2]], [10, 20]).predict([[0], [7]])
        array([10., 20.])
        """
        sums = self._sums(X)
        return self._answer(sums, len(self.trees_))

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """Give the numbers after the first tree, after the second, and so on.

        Examples
        --------
        >>> import treewright as tw
        >>> list(tw.RandomForestRegressor(2, bootstrap=False).fit([[1], [2]], [10, 20]).staged_predict([[7]]))
        [array([20.]), array([20.])]
        """
        return (self._answer(sums, n_trees) for n_trees, sums in self._stages(X))
