"""Our ensembles as contestants."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np

from benchmarks.contestants import Contestant
from benchmarks.data import Table


def is_regression(y: np.ndarray) -> bool:
    """Say whether a target holds numbers to predict; classes are whole numbers."""
    return y.dtype.kind == "f"


def columns_at_a_node(n_columns: int, y: np.ndarray) -> int:
    """Give how many columns every forest looks at in a node: a third for numbers, the root for classes.

    >>> columns_at_a_node(20, np.zeros(1)), columns_at_a_node(50, np.zeros(1, int))
    (7, 7)
    """
    return math.ceil(n_columns / 3) if is_regression(y) else max(1, math.isqrt(n_columns))


class OurEnsemble(Contestant):
    """One of our estimators; `kind` is its name without Classifier and Regressor."""

    package, module, is_ensemble = "treewright", "treewright", True
    kind: ClassVar[str]

    @classmethod
    def why_missing(cls) -> str | None:
        import treewright as tw

        return None if hasattr(tw, f"{cls.kind}Classifier") else f"treewright has no {cls.kind} yet"

    def settings(self, n_columns: int, y: np.ndarray) -> dict[str, Any]:
        """Give the parameters, matched to those of the peers."""
        raise NotImplementedError

    def fit(self, X: Table, y: np.ndarray) -> None:
        import treewright as tw

        estimator = getattr(tw, f"{self.kind}{'Regressor' if is_regression(y) else 'Classifier'}")
        settings = self.settings(X.shape[1], y)
        self.model = estimator(**settings, n_estimators=self.n_trees, n_jobs=self.threads).fit(X, y)

    def predict(self, X: Table) -> np.ndarray:
        model = self.model
        return np.asarray(model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X))

    def explain(self, X: Table) -> np.ndarray:
        return np.asarray(self.model.shap_values(X))

    def one_row(self, row: np.ndarray) -> Sequence[float]:
        return [float(value) for value in row]

    def one_row_predictor(self) -> Callable[[Any], Any]:
        return cast("Callable[[Any], Any]", self.model.predict_one)

    def size_on_disk(self) -> dict[str, float]:
        import treewright as tw

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.tw"
            tw.save(self.model, path)
            size = path.stat().st_size
        return {"bytes_a_node": size / self.model.trees_.core.n_nodes, "nodes": self.model.trees_.core.n_nodes}


class OurForest(OurEnsemble):
    title, kind = "treewright forest", "RandomForest"

    def settings(self, n_columns: int, y: np.ndarray) -> dict[str, Any]:
        return {
            "max_features": columns_at_a_node(n_columns, y),
            "max_depth": self.max_depth,
            "min_samples_leaf": self.min_samples_leaf,
            "random_state": 0,
        }


class OurExtraTrees(OurForest):
    title, kind = "treewright extra trees", "ExtraTrees"


class OurBoosting(OurEnsemble):
    title, kind = "treewright boosting", "GradientBoosting"

    def settings(self, n_columns: int, y: np.ndarray) -> dict[str, Any]:
        return {
            "learning_rate": 0.1,
            "max_leaf_nodes": self.max_leaves,
            "max_depth": self.max_depth,
            "min_samples_leaf": self.min_samples_leaf,
            "early_stopping": False,
            "random_state": 0,
        }


class OurBagging(OurEnsemble):
    title, kind = "treewright bagging", "BaggingTrees"

    def settings(self, n_columns: int, y: np.ndarray) -> dict[str, Any]:
        return {"random_state": 0}


class OurAdaBoost(OurEnsemble):
    title, kind = "treewright AdaBoost", "AdaBoost"

    def settings(self, n_columns: int, y: np.ndarray) -> dict[str, Any]:
        return {}
