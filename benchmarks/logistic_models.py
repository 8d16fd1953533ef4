"""Logistic regression and the perceptron as contestants: ours, scikit-learn's by two solvers, Intel's and glum's."""

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


class IntelLogistic(ScikitLogistic):
    title, package, module = "scikit-learn-intelex logistic", "scikit-learn-intelex", "sklearnex"

    def make(self) -> Any:
        from sklearnex.linear_model import LogisticRegression

        return LogisticRegression(solver=self.solver)


class GlumLogistic(LinearClassifier):
    """Two classes only; the same penalty as the others have."""

    title, package, module, compared_with = "glum logistic", "glum", "glum", "treewright logistic"

    def fit(self, X: Table, y: np.ndarray) -> None:
        from glum import GeneralizedLinearRegressor

        model = GeneralizedLinearRegressor(family="binomial", alpha=1 / len(y), l1_ratio=0)
        self.model = model.fit(np.asarray(X), np.asarray(y, dtype=np.float64))


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
