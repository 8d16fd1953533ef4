"""Nearest neighbours and naive Bayes as contestants: ours and other libraries', the same numbers of neighbours."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from benchmarks.contestants import Contestant
from benchmarks.data import Table

NEIGHBOURS = 5


class NearLearner(Contestant):
    package, module = "treewright", "treewright"

    def make(self) -> Any:
        """Give the estimator, not fitted yet."""
        raise NotImplementedError

    def fit(self, X: Table, y: np.ndarray) -> None:
        self.model = self.make().fit(X, y)

    def predict(self, X: Table) -> np.ndarray:
        return np.asarray(self.model.predict_proba(X))


class OurNeighbours(NearLearner):
    title = "treewright, neighbours"

    def make(self) -> Any:
        import treewright as tw

        return tw.KNeighborsClassifier(NEIGHBOURS, metric="euclidean", n_jobs=1)


class ScikitNeighbours(NearLearner):
    title, package, module, compared_with = "scikit-learn, neighbours", "scikit-learn", "sklearn", OurNeighbours.title
    algorithm: ClassVar[str] = "auto"

    def make(self) -> Any:
        from sklearn.neighbors import KNeighborsClassifier

        return KNeighborsClassifier(NEIGHBOURS, algorithm=self.algorithm)


class ScikitBallTree(ScikitNeighbours):
    title, algorithm = "scikit-learn, ball tree", "ball_tree"


class IntelNeighbours(ScikitNeighbours):
    title, package, module = "scikit-learn-intelex, neighbours", "scikit-learn-intelex", "sklearnex"

    def make(self) -> Any:
        from sklearnex.neighbors import KNeighborsClassifier

        return KNeighborsClassifier(NEIGHBOURS, algorithm=self.algorithm)


class FaissNeighbours(NearLearner):
    """Exact search in numbers of 32 bits; faiss finds neighbours, and their classes are counted here."""

    title, package, module, compared_with = "faiss, neighbours", "faiss-cpu", "faiss", OurNeighbours.title

    def fit(self, X: Table, y: np.ndarray) -> None:
        import faiss

        faiss.omp_set_num_threads(self.threads)
        self.model, self.classes = faiss.IndexFlatL2(X.shape[1]), np.asarray(y, dtype=np.int64)
        self.model.add(np.ascontiguousarray(X, dtype=np.float32))

    def predict(self, X: Table) -> np.ndarray:
        nearest = self.model.search(np.ascontiguousarray(X, dtype=np.float32), NEIGHBOURS)[1]
        counts = np.zeros((len(nearest), self.classes.max() + 1))
        np.add.at(counts, (np.arange(len(nearest))[:, None], self.classes[nearest]), 1 / NEIGHBOURS)
        return counts


class OurNaiveBayes(NearLearner):
    title = "treewright naive Bayes"

    def make(self) -> Any:
        import treewright as tw

        return tw.NaiveBayesClassifier()


class ScikitNaiveBayes(NearLearner):
    title, package, module, compared_with = "scikit-learn GaussianNB", "scikit-learn", "sklearn", OurNaiveBayes.title

    def make(self) -> Any:
        from sklearn.naive_bayes import GaussianNB

        return GaussianNB()
