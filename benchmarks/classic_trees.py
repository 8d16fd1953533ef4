"""Our classic trees as contestants: the same algorithms as the reference programs run."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.contestants import Contestant
from benchmarks.data import Table


class ClassicTree(Contestant):
    package = "treewright"

    def make(self) -> Any:
        """Give the estimator, not fitted yet."""
        raise NotImplementedError

    def fit(self, X: Table, y: np.ndarray) -> None:
        self.model = self.make().fit(X, y)

    def predict(self, X: Table) -> np.ndarray:
        return np.asarray(self.model.predict_proba(X))


class OursC45(ClassicTree):
    title = "treewright C4.5"

    def make(self) -> Any:
        import treewright as tw

        return tw.C45Classifier(n_jobs=1)


class OursConditional(ClassicTree):
    title = "treewright ctree"

    def make(self) -> Any:
        import treewright as tw

        return tw.ConditionalTreeClassifier(n_jobs=1)


class OursAsRpart(ClassicTree):
    title = "treewright, as rpart"

    def make(self) -> Any:
        import treewright as tw

        return tw.DecisionTreeClassifier(missing="larger", n_jobs=1)


class OursWithoutSurrogates(ClassicTree):
    title = "treewright, 0 surrogates"
    surrogates = 0

    def make(self) -> Any:
        import treewright as tw

        return tw.DecisionTreeClassifier(missing="surrogates", max_surrogates=self.surrogates, n_jobs=1)


class OursWithSurrogates(OursWithoutSurrogates):
    title = "treewright, 5 surrogates"
    surrogates = 5


class OursChaid(ClassicTree):
    title = "treewright CHAID"

    def make(self) -> Any:
        import treewright as tw

        return tw.CHAIDClassifier(n_jobs=1)


class OursOblique(ClassicTree):
    title = "treewright oblique"

    def make(self) -> Any:
        import treewright as tw

        return tw.ObliqueTreeClassifier(n_jobs=1)
