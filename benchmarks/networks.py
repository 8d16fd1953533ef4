"""Multilayer perceptrons as contestants: ours and scikit-learn's, the same layers, batches and epochs."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from benchmarks.contestants import Contestant
from benchmarks.data import Table
from benchmarks.our_ensembles import is_regression

EPOCHS = 5


class Network(Contestant):
    """Adam, batches of 200 rows, a fixed number of epochs, numbers of 64 bits."""

    is_ensemble = True  # judged by its probabilities too
    hidden: ClassVar[tuple[int, ...]] = (100,)

    def settings(self) -> dict[str, Any]:
        """Give the parameters that both have."""
        return {
            "hidden_layer_sizes": self.hidden,
            "batch_size": 200,
            "max_iter": EPOCHS,
            "n_iter_no_change": EPOCHS,
            "random_state": 0,
        }

    def make(self, y: np.ndarray) -> Any:
        """Give the estimator, not fitted yet."""
        raise NotImplementedError

    def fit(self, X: Table, y: np.ndarray) -> None:
        from threadpoolctl import threadpool_limits

        with threadpool_limits(self.threads):
            self.model = self.make(y).fit(np.asarray(X, dtype=np.float64), y)

    def predict(self, X: Table) -> np.ndarray:
        rows = np.asarray(X, dtype=np.float64)
        model = self.model
        return np.asarray(model.predict_proba(rows) if hasattr(model, "predict_proba") else model.predict(rows))


class OurNetwork(Network):
    title, package, module = "treewright MLP", "treewright", "treewright"

    def make(self, y: np.ndarray) -> Any:
        import treewright as tw

        return (tw.MLPRegressor if is_regression(y) else tw.MLPClassifier)(**self.settings())


class OurSingleNetwork(OurNetwork):
    title = "treewright MLP, 32 bits"

    def settings(self) -> dict[str, Any]:
        return {**super().settings(), "precision": "single"}


class OurDeepNetwork(OurNetwork):
    title, hidden = "treewright MLP, two layers", (50, 50)


class ScikitNetwork(Network):
    title, package, module, compared_with = "scikit-learn MLP", "scikit-learn", "sklearn", "treewright MLP"

    def make(self, y: np.ndarray) -> Any:
        from sklearn.neural_network import MLPClassifier, MLPRegressor

        return (MLPRegressor if is_regression(y) else MLPClassifier)(**self.settings())


class ScikitDeepNetwork(ScikitNetwork):
    title, hidden, compared_with = "scikit-learn MLP, two layers", (50, 50), "treewright MLP, two layers"
