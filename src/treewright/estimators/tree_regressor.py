"""What every regressor with one tree has: the target as numbers, and the answers to new rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from treewright import _core
from treewright.estimators.number_target import NumberTarget
from treewright.estimators.row_lookup import node_answers
from treewright.estimators.threads import thread_count
from treewright.estimators.tree_model import TreeModel


class TreeRegressor(NumberTarget, RegressorMixin, TreeModel):  # type: ignore[misc]
    """A tree that predicts numbers; subclasses say how it is grown."""

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Give the value of each row's leaf.

        Examples
        --------
        >>> import treewright as tw
        >>> tw.DecisionTreeRegressor().fit([[1], [2]], [10, 20]).predict([[0], [7]])
        array([10., 20.])
        """
        rows = self._rows(X)
        return self._lookup.values(rows, thread_count(self.n_jobs))

    def _node_numbers(self, core: _core.Tree) -> NDArray[np.float64]:
        return node_answers(core, "values")
