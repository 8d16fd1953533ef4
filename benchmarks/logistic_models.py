"""Logistic regression and the perceptron as contestants: ours, and scikit-learn's by its two fast solvers."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from benchmarks.contestants import Contestant
from benchmarks.data import Table


class LinearClassifier(Contestant):
    """A classifier of weighted sums, with the settings that its library has by default, on one thread."""

    def make(self) -> Any:
        """Give the estimator, not fitted yet."""
        raise NotImplementedError

    def fit(self, X: Table, y: np.ndarray) -> None:
        from threadpoolctl import threadpool_limits

        with threadpool_limits(self.threads):
            self.model = self.make().fit(X, y)

    def predict(self, X: Table) -> np.ndarray:
        if hasattr(self.model, "predict_proba"):
            return np.asarray(self.model.predict_proba(X))
        return np.asarray(self.model.predict(X), dtype=np.float64)


class OurLogistic(LinearClassifier):
    title, package, module = "treewright logistic", "treewright", "treewright"

    def make(self) -> Any:
        import treewright as tw

        return tw.LogisticRegression()


class ScikitLogistic(LinearClassifier):
    title, package, module = "scikit-learn logistic, lbfgs", "scikit-learn", "sklearn"
    compared_with = "treewright logistic"
    solver: ClassVar[str] = "lbfgs"

    def make(self) -> Any:
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(solver=self.solver)


class ScikitNewton(ScikitLogistic):
    title, solver = "scikit-learn logistic, newton-cholesky", "newton-cholesky"


class OurPerceptron(LinearClassifier):
    title, package, module = "treewright perceptron", "treewright", "treewright"

    def make(self) -> Any:
        import treewright as tw

        return tw.Perceptron()


class ScikitPerceptron(LinearClassifier):
    title, package, module = "scikit-learn perceptron", "scikit-learn", "sklearn"
    compared_with = "treewright perceptron"

    def make(self) -> Any:
        from sklearn.linear_model import Perceptron

        return Perceptron()
