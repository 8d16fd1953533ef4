"""Forests, bagging and AdaBoost of other libraries as contestants."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.contestants import Contestant, onnx_session
from benchmarks.data import Table
from benchmarks.encodings import codes, columns_of_text
from benchmarks.our_ensembles import columns_at_a_node, is_regression


class ScikitEnsemble(Contestant):
    """An ensemble of scikit-learn on level numbers."""

    package, module, is_ensemble = "scikit-learn", "sklearn", True

    def make(self, n_columns: int, y: np.ndarray) -> Any:
        """Give the estimator, not fitted yet."""
        raise NotImplementedError

    def fit(self, X: Table, y: np.ndarray) -> None:
        self.model = self.make(X.shape[1], y).fit(codes(self.levels.learn(X)), y)

    def predict(self, X: Table) -> np.ndarray:
        matrix = codes(self.levels.categories(X))
        return np.asarray(
            self.model.predict_proba(matrix) if hasattr(self.model, "predict_proba") else self.model.predict(matrix)
        )


class ScikitForest(ScikitEnsemble):
    title, compared_with = "scikit-learn forest", "treewright forest"
    keeps_model, learner, method = True, "scikit-learn", "forest"

    def make(self, n_columns: int, y: np.ndarray) -> Any:
        from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

        return (RandomForestRegressor if is_regression(y) else RandomForestClassifier)(**self.settings(n_columns, y))

    def settings(self, n_columns: int, y: np.ndarray) -> dict[str, Any]:
        return {
            "n_estimators": self.n_trees,
            "max_features": columns_at_a_node(n_columns, y),
            "max_depth": self.max_depth,
            "min_samples_leaf": self.min_samples_leaf,
            "n_jobs": self.threads,
            "random_state": 0,
        }


class ScikitExtraTrees(ScikitForest):
    title, compared_with, keeps_model = "scikit-learn extra trees", "treewright extra trees", False

    def make(self, n_columns: int, y: np.ndarray) -> Any:
        from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor

        return (ExtraTreesRegressor if is_regression(y) else ExtraTreesClassifier)(**self.settings(n_columns, y))


class IntelForest(ScikitForest):
    """scikit-learn's forest, patched by Intel; it has levels as numbers, too, and cuts of up to 256 bins."""

    title, package, module = "scikit-learn-intelex forest", "scikit-learn-intelex", "sklearnex"
    keeps_model = False

    def make(self, n_columns: int, y: np.ndarray) -> Any:
        from sklearnex.ensemble import RandomForestClassifier, RandomForestRegressor

        return (RandomForestRegressor if is_regression(y) else RandomForestClassifier)(**self.settings(n_columns, y))


class IntelExtraTrees(IntelForest):
    title, compared_with = "scikit-learn-intelex extra trees", "treewright extra trees"

    def make(self, n_columns: int, y: np.ndarray) -> Any:
        from sklearnex.ensemble import ExtraTreesClassifier, ExtraTreesRegressor

        return (ExtraTreesRegressor if is_regression(y) else ExtraTreesClassifier)(**self.settings(n_columns, y))


class ScikitBagging(ScikitEnsemble):
    title, compared_with = "scikit-learn bagging", "treewright bagging"

    def make(self, n_columns: int, y: np.ndarray) -> Any:
        from sklearn.ensemble import BaggingClassifier

        return BaggingClassifier(n_estimators=self.n_trees, n_jobs=self.threads, random_state=0)


class ScikitAdaBoost(ScikitEnsemble):
    title, compared_with = "scikit-learn AdaBoost", "treewright AdaBoost"

    def make(self, n_columns: int, y: np.ndarray) -> Any:
        from sklearn.ensemble import AdaBoostClassifier

        return AdaBoostClassifier(n_estimators=self.n_trees, random_state=0)


class OnnxForest(ScikitForest):
    """scikit-learn's forest, run by ONNX runtime."""

    title, package, module = "ONNX runtime forest", "onnxruntime", "onnxruntime"

    def reset(self) -> None:
        super().reset()
        self.engine: Any = None

    def predict(self, X: Table) -> np.ndarray:
        self.engine = self.engine or onnx_session(self.model, X.shape[1], self.threads)
        return np.asarray(self.engine.run(["probabilities"], {"X": X})[0])


class YdfForest(Contestant):
    title, package, module, is_ensemble = "YDF forest", "ydf", "ydf", True
    compared_with = "treewright forest"

    def fit(self, X: Table, y: np.ndarray) -> None:
        import ydf

        ydf.verbose(0)
        learner = ydf.RandomForestLearner(
            label="the target",
            task=ydf.Task.REGRESSION if is_regression(y) else ydf.Task.CLASSIFICATION,
            num_trees=self.n_trees,
            num_threads=self.threads,
            # It counts the root as depth 1.
            max_depth=-1 if self.max_depth is None else self.max_depth + 1,
            # It counts a row as often as it was drawn; we and scikit-learn count it once. A bag has 63 % of the rows.
            min_examples=1 if self.min_samples_leaf == 1 else round(self.min_samples_leaf / 0.632),
            num_candidate_attributes=columns_at_a_node(X.shape[1], y),
            winner_take_all=False,
            compute_oob_performances=False,
        )
        self.model = learner.train({**columns_of_text(X), "the target": y})

    def predict(self, X: Table) -> np.ndarray:
        return np.asarray(self.model.predict(columns_of_text(X), num_threads=self.threads))


class XGBoostForest(Contestant):
    """One round of many trees on drawn rows and columns: 256 bins, native categories."""

    title, package, module, is_ensemble = "XGBoost forest", "xgboost", "xgboost", True
    compared_with = "treewright forest"

    def fit(self, X: Table, y: np.ndarray) -> None:
        import xgboost

        settings = {
            "objective": "binary:logistic",
            "verbosity": 0,
            "nthread": self.threads,
            "tree_method": "hist",
            "max_depth": self.max_depth or 0,
            "num_parallel_tree": self.n_trees,
            "eta": 1.0,
            "lambda": 0,
            "subsample": 0.632,
            "colsample_bynode": X.shape[1] ** 0.5 / X.shape[1],
            "min_child_weight": self.min_samples_leaf * 0.25,
        }
        rows = xgboost.QuantileDMatrix(self.levels.learn(X), y, nthread=self.threads, enable_categorical=True)
        self.model = xgboost.train(settings, rows, num_boost_round=1)

    def predict(self, X: Table) -> np.ndarray:
        import xgboost

        rows = xgboost.DMatrix(self.levels.categories(X), nthread=self.threads, enable_categorical=True)
        return np.asarray(self.model.predict(rows))
