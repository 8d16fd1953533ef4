"""The libraries that are compared: one small class each.

Everything from the user's table on belongs to `fit`: codes, bins and copies are part of the price of a library.
`predict` gives the probability of class 1 or of every class. Imports are inside, so that a library that is not
installed costs only its own lines.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, cast

import numpy as np

from benchmarks.data import Table
from benchmarks.encodings import Levels, codes, columns_of_text


class Contestant:
    """A single tree of one library."""

    title: ClassVar[str]
    package: ClassVar[str]
    threads: ClassVar[int] = 1
    # The level of vectors that ours is asked for; None for the common one (levels.py).
    vectors: ClassVar[str | None] = None
    # Which of our trees has the same criterion.
    compared_with: ClassVar[str] = "treewright"
    # Peers take minutes to fit the largest table, so their model may be kept for the lines on prediction.
    keeps_model: ClassVar[bool] = False
    # What fits the tree: with the version, the name of a kept model.
    learner: ClassVar[str] = ""
    method: ClassVar[str] = ""
    # The module that must be there.
    module: ClassVar[str] = ""
    is_ensemble: ClassVar[bool] = False
    n_trees: int = 1
    max_leaves: int | None = None

    def __init__(self, max_depth: int | None, min_samples_leaf: int) -> None:
        self.max_depth, self.min_samples_leaf = max_depth, min_samples_leaf
        self.reset()

    def reset(self) -> None:
        """Forget everything that was fitted."""
        self.model: Any = None
        self.levels = Levels()

    @classmethod
    def why_missing(cls) -> str | None:
        """Say in a sentence why this contestant cannot run here; None if it can."""
        if cls.module and importlib.util.find_spec(cls.module) is None:
            return f"{cls.package} is not installed"
        return None

    def fit(self, X: Table, y: np.ndarray) -> None:
        raise NotImplementedError

    def predict(self, X: Table) -> np.ndarray:
        raise NotImplementedError

    def explain(self, X: Table) -> np.ndarray:
        """Give the SHAP values of rows, by the weights of the training rows."""
        raise NotImplementedError

    def size_on_disk(self) -> dict[str, float]:
        """Say how large the saved model is, where that is asked for."""
        return {}

    def one_row(self, row: np.ndarray) -> Any:
        """Give a row in the form that `one_row_predictor` takes; this is not part of its time."""
        return np.ascontiguousarray(row.reshape(1, -1))

    def one_row_predictor(self) -> Callable[[Any], Any]:
        """Give the function that predicts one such row."""
        return self.predict


class Treewright(Contestant):
    title, package = "treewright", "treewright"
    criterion: ClassVar[str] = "gini"

    def fit(self, X: Table, y: np.ndarray) -> None:
        import treewright as tw

        tree = tw.DecisionTreeClassifier(
            criterion=self.criterion,
            max_depth=self.max_depth,
            min_samples_leaf=self.min_samples_leaf,
            n_jobs=self.threads,
        )
        self.model = tree.fit(X, y)

    def predict(self, X: Table) -> np.ndarray:
        return np.asarray(self.model.predict_proba(X))

    def one_row(self, row: np.ndarray) -> Sequence[float]:
        return [float(value) for value in row]

    def one_row_predictor(self) -> Callable[[Any], Any]:
        return cast("Callable[[Any], Any]", self.model.predict_one)


class TreewrightEntropy(Treewright):
    title, criterion = "treewright, entropy", "entropy"


class TreewrightTwoThreads(Treewright):
    title, threads = "treewright, 2 threads", 2


class ScikitLearn(Contestant):
    title, package, keeps_model = "scikit-learn", "scikit-learn", True
    learner = "scikit-learn"

    def fit(self, X: Table, y: np.ndarray) -> None:
        from sklearn.tree import DecisionTreeClassifier

        tree = DecisionTreeClassifier(max_depth=self.max_depth, min_samples_leaf=self.min_samples_leaf, random_state=0)
        self.model = tree.fit(codes(self.levels.learn(X)), y)

    def predict(self, X: Table) -> np.ndarray:
        return np.asarray(self.model.predict_proba(codes(self.levels.categories(X))))


class OnnxRuntime(ScikitLearn):
    """scikit-learn's tree, run by ONNX runtime."""

    title, package = "ONNX runtime", "onnxruntime"

    def reset(self) -> None:
        super().reset()
        self.engine: Any = None

    def predict(self, X: Table) -> np.ndarray:
        self.engine = self.engine or onnx_session(self.model, X.shape[1], self.threads)
        return np.asarray(self.engine.run(["probabilities"], {"X": X})[0])


def onnx_session(model: Any, columns: int, threads: int) -> Any:
    """Give a fitted classifier of scikit-learn to ONNX runtime."""
    import onnxruntime
    from skl2onnx import to_onnx

    exported = to_onnx(model, np.zeros((1, columns), np.float32), options={"zipmap": False})
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = threads
    return onnxruntime.InferenceSession(exported.SerializeToString(), options, providers=["CPUExecutionProvider"])


class LightGBM(Contestant):
    """One boosting step with learning rate 1: 255 bins, leaf by leaf, native categories. Not an exact tree."""

    title, package, keeps_model = "LightGBM", "lightgbm", True
    learner = "lightgbm"
    MOST_LEAVES = 131_072

    def fit(self, X: Table, y: np.ndarray) -> None:
        import lightgbm

        settings = self._settings(len(y))
        rows = lightgbm.Dataset(self.levels.learn(X), y, params=settings)
        self.model = lightgbm.train(settings, rows, num_boost_round=1)

    def _settings(self, rows: int) -> dict[str, Any]:
        leaves = min(self.MOST_LEAVES, rows // self.min_samples_leaf + 1, 2 ** (self.max_depth or 30))
        return {
            "objective": "binary",
            "verbosity": -1,
            "num_threads": self.threads,
            "max_bin": 255,
            "learning_rate": 1.0,
            "max_depth": self.max_depth or -1,
            "num_leaves": leaves,
            "min_data_in_leaf": self.min_samples_leaf,
            "min_sum_hessian_in_leaf": 0.0,
            # Without a bound it keeps the histograms of every leaf: 10 GiB for the fully grown tree of a million rows.
            "histogram_pool_size": 512,
        }

    def predict(self, X: Table) -> np.ndarray:
        return np.asarray(self.model.predict(self.levels.categories(X), num_threads=self.threads))


class XGBoost(Contestant):
    """One boosting step with learning rate 1 and no regularisation: 256 bins, native categories."""

    title, package, keeps_model = "XGBoost", "xgboost", True
    learner, method = "xgboost", "hist"

    def fit(self, X: Table, y: np.ndarray) -> None:
        import xgboost

        settings = {
            "objective": "binary:logistic",
            "verbosity": 0,
            "nthread": self.threads,
            "tree_method": self.method,
            "max_depth": self.max_depth or 0,
            "eta": 1.0,
            "lambda": 0,
            # Its leaf size is counted in hessians, a quarter a row at the start.
            "min_child_weight": self.min_samples_leaf * 0.25,
        }
        self.model = xgboost.train(settings, self._rows(self.levels.learn(X), y), num_boost_round=1)

    def _rows(self, X: Table, y: np.ndarray | None = None) -> Any:
        import xgboost

        kind = xgboost.DMatrix if y is None else xgboost.QuantileDMatrix
        return kind(X, y, nthread=self.threads, enable_categorical=True)

    def predict(self, X: Table) -> np.ndarray:
        # A matrix can be predicted as it lies in memory; a frame has to be taken over first.
        share = (
            self.model.inplace_predict(X)
            if isinstance(X, np.ndarray)
            else self.model.predict(self._rows(self.levels.categories(X)))
        )
        return np.asarray(share)


class XGBoostExact(XGBoost):
    """The same with its exact splits, which know no categories: level numbers."""

    title, method = "XGBoost exact", "exact"

    def _rows(self, X: Table, y: np.ndarray | None = None) -> Any:
        import xgboost

        return xgboost.DMatrix(codes(X), y, nthread=self.threads)


class YggdrasilForests(Contestant):
    """CART by information gain, which makes other trees than Gini: its like is our tree by entropy."""

    title, package, compared_with = "YDF", "ydf", "treewright, entropy"

    def fit(self, X: Table, y: np.ndarray) -> None:
        import ydf

        ydf.verbose(0)
        learner = ydf.CartLearner(
            label="the class",
            # It would keep a tenth of the rows back to prune with; nobody prunes here.
            validation_ratio=0.0,
            num_threads=self.threads,
            # It counts the root as depth 1.
            max_depth=-1 if self.max_depth is None else self.max_depth + 1,
            min_examples=self.min_samples_leaf,
        )
        self.model = learner.train({**columns_of_text(X), "the class": y})

    def predict(self, X: Table) -> np.ndarray:
        return np.asarray(self.model.predict(columns_of_text(X), num_threads=self.threads))
