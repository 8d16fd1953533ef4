"""What every classifier with one tree has: the target as classes, and the answers to new rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from treewright import _core
from treewright.estimators.class_target import ClassTarget
from treewright.estimators.row_lookup import RowLookup, node_answers
from treewright.estimators.table_lookup import Rows
from treewright.estimators.threads import thread_count
from treewright.estimators.tree_model import TreeModel


class TreeClassifier(ClassTarget, ClassifierMixin, TreeModel):  # type: ignore[misc]
    """A tree that predicts classes; subclasses say how it is grown."""

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the class of each row.

        Examples
        --------
        >>> import treewright as tw
        >>> tw.DecisionTreeClassifier().fit([[1], [2]], ["a", "b"]).predict([[0], [7]])
        array(['a', 'b'], dtype=object)
        """
        rows = self._rows(X)
        return self._lookup.classes(rows, thread_count(self.n_jobs))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the share of each class in the leaf of each row; columns in the order of `classes_`.

        Examples
        --------
        >>> import treewright as tw
        >>> tw.DecisionTreeClassifier().fit([[1], [1], [2]], ["a", "b", "b"]).predict_proba([[0], [7]])
        array([[0.5, 0.5],
               [0. , 1. ]])
        """
        rows = self._rows(X)
        return self._class_shares(self._lookup, rows, thread_count(self.n_jobs))

    def _class_shares(self, lookup: RowLookup, rows: Rows, threads: int) -> NDArray[np.float64]:
        """What `predict_proba` says of rows that a tree of this kind is asked about."""
        return lookup.class_shares(rows, threads)

    def _node_numbers(self, core: _core.Tree) -> NDArray[np.float64]:
        return node_answers(core, "shares")

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the logarithms of `predict_proba`; minus infinity where a leaf has no row of a class."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))
