"""Gradient boosting of other libraries as contestants, at matched settings: rate 0.1, 255 bins, no early stop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from benchmarks.contestants import Contestant
from benchmarks.data import Table
from benchmarks.encodings import codes, columns_of_text
from benchmarks.our_ensembles import is_regression


class BoostingPeer(Contestant):
    is_ensemble, compared_with = True, "treewright boosting"


class LightGBMBoosting(BoostingPeer):
    title, package, module = "LightGBM boosting", "lightgbm", "lightgbm"
    more: ClassVar[dict[str, Any]] = {}

    def fit(self, X: Table, y: np.ndarray) -> None:
        import lightgbm

        n_classes = 0 if is_regression(y) else int(y.max()) + 1
        task = {0: "regression", 2: "binary"}.get(n_classes, "multiclass")
        settings = {
            "objective": task,
            "verbosity": -1,
            "num_threads": self.threads,
            "max_bin": 255,
            "learning_rate": 0.1,
            "max_depth": self.max_depth or -1,
            "num_leaves": self.max_leaves or 2 ** (self.max_depth or 5),
            "min_data_in_leaf": self.min_samples_leaf,
            **({"num_class": n_classes} if task == "multiclass" else {}),
            **self.more,
        }
        rows = lightgbm.Dataset(self.levels.learn(X), y, params=settings)
        self.model = lightgbm.train(settings, rows, num_boost_round=self.n_trees)

    def predict(self, X: Table) -> np.ndarray:
        return np.asarray(self.model.predict(self.levels.categories(X), num_threads=self.threads))

    def explain(self, X: Table) -> np.ndarray:
        return np.asarray(self.model.predict(X, pred_contrib=True, num_threads=self.threads))


class LightGBMQuantised(LightGBMBoosting):
    title, more = "LightGBM boosting, quantised", {"use_quantized_grad": True}


class Lleaves(LightGBMBoosting):
    """LightGBM's trees, compiled to machine code."""

    title, package, module = "lleaves", "lleaves", "lleaves"

    def fit(self, X: Table, y: np.ndarray) -> None:
        import tempfile
        from pathlib import Path

        import lleaves

        super().fit(X, y)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.txt"
            self.model.save_model(path)
            self.compiled = lleaves.Model(model_file=str(path))
            self.compiled.compile()

    def predict(self, X: Table) -> np.ndarray:
        return np.asarray(self.compiled.predict(X, n_jobs=self.threads))


class XGBoostBoosting(BoostingPeer):
    title, package, module = "XGBoost boosting", "xgboost", "xgboost"

    def fit(self, X: Table, y: np.ndarray) -> None:
        import xgboost

        n_classes = 0 if is_regression(y) else int(y.max()) + 1
        task = {0: "reg:squarederror", 2: "binary:logistic"}.get(n_classes, "multi:softprob")
        settings = {
            "objective": task,
            "verbosity": 0,
            "nthread": self.threads,
            "tree_method": "hist",
            "max_bin": 256,
            "eta": 0.1,
            "max_depth": self.max_depth or 0,
            "max_leaves": self.max_leaves or 0,
            "grow_policy": "lossguide" if self.max_leaves else "depthwise",
            "lambda": 0,
            "min_child_weight": 1e-3,
            **({"num_class": n_classes} if task == "multi:softprob" else {}),
        }
        rows = xgboost.QuantileDMatrix(self.levels.learn(X), y, nthread=self.threads, enable_categorical=True)
        self.model = xgboost.train(settings, rows, num_boost_round=self.n_trees)

    def predict(self, X: Table) -> np.ndarray:
        import xgboost

        if isinstance(X, np.ndarray):
            return np.asarray(self.model.inplace_predict(X))
        rows = xgboost.DMatrix(self.levels.categories(X), nthread=self.threads, enable_categorical=True)
        return np.asarray(self.model.predict(rows))


class ScikitBoosting(BoostingPeer):
    """The histogram gradient boosting of scikit-learn; levels beyond 255, which it refuses, as numbers."""

    title, package, module = "scikit-learn boosting", "scikit-learn", "sklearn"

    def fit(self, X: Table, y: np.ndarray) -> None:
        from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

        matrix, few = self._matrix(self.levels.learn(X))
        kind = HistGradientBoostingRegressor if is_regression(y) else HistGradientBoostingClassifier
        self.model = kind(
            max_iter=self.n_trees,
            learning_rate=0.1,
            max_leaf_nodes=self.max_leaves,
            max_depth=self.max_depth,
            min_samples_leaf=self.min_samples_leaf,
            categorical_features=few or None,
            early_stopping=False,
        ).fit(matrix, y)

    def _matrix(self, X: Table) -> tuple[np.ndarray, list[int]]:
        if isinstance(X, np.ndarray):
            return X, []
        names = [name for name in X.columns if X[name].dtype == "category" and len(X[name].cat.categories) <= 255]
        return codes(X), [list(X.columns).index(name) for name in names]

    def predict(self, X: Table) -> np.ndarray:
        matrix = self._matrix(self.levels.categories(X))[0]
        return np.asarray(
            self.model.predict_proba(matrix) if hasattr(self.model, "predict_proba") else self.model.predict(matrix)
        )


class ShapPackage(ScikitBoosting):
    """The trees of scikit-learn, explained by the shap package."""

    title, package, module = "shap, of scikit-learn boosting", "shap", "shap"

    def explain(self, X: Table) -> np.ndarray:
        import shap

        return np.asarray(shap.TreeExplainer(self.model).shap_values(X, check_additivity=False))


class OnnxBoosting(LightGBMBoosting):
    """LightGBM's trees, exported by onnxmltools and run by ONNX runtime."""

    title, package, module = "ONNX runtime boosting", "onnxmltools", "onnxmltools"

    def reset(self) -> None:
        super().reset()
        self.engine: Any = None

    def predict(self, X: Table) -> np.ndarray:
        self.engine = self.engine or self._session(X.shape[1])
        return np.asarray(self.engine.run(["probabilities"], {"X": X})[0])

    def _session(self, columns: int) -> Any:
        import onnxmltools
        import onnxruntime
        from onnxmltools.convert.common.data_types import FloatTensorType

        kinds = [("X", FloatTensorType([None, columns]))]
        exported = onnxmltools.convert_lightgbm(self.model, initial_types=kinds, zipmap=False)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = self.threads
        options.log_severity_level = 3
        return onnxruntime.InferenceSession(exported.SerializeToString(), options, providers=["CPUExecutionProvider"])


class CatBoostBoosting(BoostingPeer):
    title, package, module = "CatBoost boosting", "catboost", "catboost"

    def fit(self, X: Table, y: np.ndarray) -> None:
        import catboost

        kind = catboost.CatBoostRegressor if is_regression(y) else catboost.CatBoostClassifier
        model = kind(
            iterations=self.n_trees,
            learning_rate=0.1,
            depth=self.max_depth or 6,
            thread_count=self.threads,
            verbose=False,
            allow_writing_files=False,
        )
        named = columns_of_text(X)
        text = [name for name, values in named.items() if values.dtype == object]
        self.model = model.fit(self._frame(X), y, cat_features=text or None)

    def _frame(self, X: Table) -> Any:
        import pandas as pd

        return X if isinstance(X, np.ndarray) else pd.DataFrame(columns_of_text(X))

    def predict(self, X: Table) -> np.ndarray:
        asked = self.model.predict_proba if hasattr(self.model, "predict_proba") else self.model.predict
        return np.asarray(asked(self._frame(X), thread_count=self.threads))

    def one_row_predictor(self) -> Callable[[Any], Any]:
        return self.predict


class PerpetualBoosting(BoostingPeer):
    """It has no number of trees to match, only a budget: its default. Levels are categories of pandas."""

    title, package, module = "Perpetual, its own settings", "perpetual", "perpetual"

    def fit(self, X: Table, y: np.ndarray) -> None:
        import perpetual

        objective = "SquaredLoss" if is_regression(y) else "LogLoss"
        model = perpetual.PerpetualBooster(objective=objective, num_threads=self.threads)
        self.model = model.fit(self.levels.learn(X), np.asarray(y, dtype=np.float64))

    def predict(self, X: Table) -> np.ndarray:
        rows = self.levels.categories(X)
        if self.model.objective == "SquaredLoss":
            return np.asarray(self.model.predict(rows))
        return np.asarray(self.model.predict_proba(rows))


class YdfBoosting(BoostingPeer):
    title, package, module = "YDF boosting", "ydf", "ydf"

    def fit(self, X: Table, y: np.ndarray) -> None:
        import ydf

        ydf.verbose(0)
        learner = ydf.GradientBoostedTreesLearner(
            label="the target",
            task=ydf.Task.REGRESSION if is_regression(y) else ydf.Task.CLASSIFICATION,
            num_trees=self.n_trees,
            num_threads=self.threads,
            max_depth=-1 if self.max_depth is None else self.max_depth + 1,
            shrinkage=0.1,
            min_examples=self.min_samples_leaf,
            validation_ratio=0.0,
            early_stopping="NONE",
        )
        self.model = learner.train({**columns_of_text(X), "the target": y})

    def predict(self, X: Table) -> np.ndarray:
        return np.asarray(self.model.predict(columns_of_text(X), num_threads=self.threads))


def on_two_threads(contestant: type[Contestant]) -> type[Contestant]:
    """Give the same contestant with two threads."""
    title = f"{contestant.title}, 2 threads"
    ours = f"{contestant.compared_with}, 2 threads"
    return type(contestant.__name__, (contestant,), {"title": title, "threads": 2, "compared_with": ours})
