"""What every classifier with many small trees has: the target as classes, and the answers to new rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from treewright.estimators.class_target import ClassTarget
from treewright.estimators.ensemble_model import EnsembleModel, Floats


class EnsembleClassifier(ClassTarget, ClassifierMixin, EnsembleModel):  # type: ignore[misc]
    """Trees that predict classes by the mean of their shares, or by votes; subclasses grow them."""

    classes_: NDArray[Any]

    def _says(self) -> str:
        return "votes" if getattr(self, "voting", "mean") == "vote" else "shares"

    def _probabilities(self, sums: Floats, n_trees: int) -> Floats:
        """What sums over so many trees mean for the classes; each row adds up to 1."""
        return sums / n_trees

    def _class_numbers(self, sums: Floats) -> NDArray[np.int64]:
        """The class that rows with these sums are given: the first of the largest."""
        return np.asarray(sums.argmax(axis=1))

    def _answer(self, sums: Floats, n_trees: int) -> NDArray[Any]:
        return self.classes_[self._class_numbers(sums)]

    def _answer_one(self, sums: list[float]) -> Any:
        return self._labels[sums.index(max(sums))]  # type: ignore[index]

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the class of each row.

        Examples
        --------
        >>> import treewright as tw
        >>> tw.RandomForestClassifier(2, bootstrap=False).fit([[1], [2]], ["a", "b"]).predict([[0], [7]])
        array(['a', 'b'], dtype=object)
        """
        sums = self._sums(X)
        return self.classes_[self._class_numbers(sums)]

    def predict_proba(self, X: Any) -> Floats:
        """Give the probability of each class; columns in the order of `classes_`.

        Examples
        --------
        >>> import treewright as tw
        >>> tw.RandomForestClassifier(2, bootstrap=False).fit([[1], [2]], ["a", "b"]).predict_proba([[0], [7]])
        array([[1., 0.],
               [0., 1.]])
        """
        sums = self._sums(X)
        return self._probabilities(sums, len(self.trees_))

    def predict_log_proba(self, X: Any) -> Floats:
        """Give the logarithms of `predict_proba`; minus infinity where no tree thinks of a class.

        Examples
        --------
        >>> import treewright as tw
        >>> tw.RandomForestClassifier(2, bootstrap=False).fit([[1], [2]], ["a", "b"]).predict_log_proba([[0], [7]])
        array([[  0., -inf],
               [-inf,   0.]])
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Give the classes after the first tree, after the second, and so on.

        Examples
        --------
        >>> import treewright as tw
        >>> list(tw.RandomForestClassifier(2, bootstrap=False).fit([[1], [2]], ["a", "b"]).staged_predict([[7]]))
        [array(['b'], dtype=object), array(['b'], dtype=object)]
        """
        return (self.classes_[self._class_numbers(sums)] for _, sums in self._stages(X))

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Give the probabilities after the first tree, after the second, and so on.

        Examples
        --------
        >>> import treewright as tw
        >>> list(tw.RandomForestClassifier(2, bootstrap=False).fit([[1], [2]], ["a", "b"]).staged_predict_proba([[7]]))
        [array([[0., 1.]]), array([[0., 1.]])]
        """
        return (self._probabilities(sums, n_trees) for n_trees, sums in self._stages(X))
