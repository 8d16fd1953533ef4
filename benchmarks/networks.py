"""Multilayer perceptrons as contestants: ours, scikit-learn's and torch's, the same layers, batches and epochs."""

from __future__ import annotations

from itertools import pairwise
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


class TorchNetwork(Network):
    """The loop of a beginner's page, in numbers of 32 bits: each batch is a slice of the shuffled rows."""

    title, package, module, compared_with = "torch MLP, 32 bits", "torch", "torch", "treewright MLP, 32 bits"

    def fit(self, X: Table, y: np.ndarray) -> None:
        import torch

        torch.set_num_threads(self.threads)
        torch.manual_seed(0)
        of_numbers = is_regression(y)
        rows = torch.as_tensor(np.asarray(X, dtype=np.float32))
        truth = torch.as_tensor(y.astype(np.float32)[:, None] if of_numbers else y.astype(np.int64))
        widths = (rows.shape[1], *self.hidden)
        layers = [
            part for before, after in pairwise(widths) for part in (torch.nn.Linear(before, after), torch.nn.ReLU())
        ]
        self.model = torch.nn.Sequential(*layers, torch.nn.Linear(widths[-1], 1 if of_numbers else int(y.max()) + 1))
        self.of_numbers = of_numbers
        loss_of = torch.nn.MSELoss() if of_numbers else torch.nn.CrossEntropyLoss()
        steps = torch.optim.Adam(self.model.parameters(), lr=0.001)
        for _ in range(EPOCHS):
            for batch in torch.randperm(len(rows)).split(self.settings()["batch_size"]):
                steps.zero_grad()
                loss_of(self.model(rows[batch]), truth[batch]).backward()
                steps.step()

    def predict(self, X: Table) -> np.ndarray:
        import torch

        with torch.no_grad():
            told = self.model(torch.as_tensor(np.asarray(X, dtype=np.float32)))
            return (told[:, 0] if self.of_numbers else told.softmax(dim=1)).numpy()
