"""Who fits in a cell: ours and the best of the peers, at matched settings; each is a function of table, trees, threads.

Everything from the user's table on belongs to a fit. LightGBM and XGBoost stand here more than once: the setting that
is best for the size is the one that counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.data import Table
from benchmarks.encodings import Levels, codes
from benchmarks.grid.cells import Cell
from benchmarks.our_ensembles import columns_at_a_node, is_regression

OURS = "treewright"
LEAVES, ROWS_IN_LEAF, RATE = 31, 20, 0.1

Fit = Callable[[Table, np.ndarray], Callable[[Table], np.ndarray]]


def fits(cell: Cell) -> dict[str, Fit]:
    """Give every contestant of a cell by name, ours first; on two threads ours alone, with itself on one.

    >>> list(fits(Cell("forest", 2, 0.0, 500, "float32")))
    ['treewright', 'scikit-learn']
    """
    if cell.threads > 1:
        return {OURS: _ours(cell, cell.threads), f"{OURS}, 1 thread": _ours(cell, 1)}
    if cell.learner != "boosting":
        return {OURS: _ours(cell, 1), "scikit-learn": _scikit_learn(cell)}
    return {
        OURS: _ours(cell, 1),
        "LightGBM by columns": _lightgbm(cell, force_col_wise=True),
        "LightGBM by rows": _lightgbm(cell, force_row_wise=True),
        "XGBoost": _xgboost(cell),
    }


def _answers(model: Any) -> Callable[[Table], np.ndarray]:
    return model.predict_proba if hasattr(model, "predict_proba") else model.predict


def _ours(cell: Cell, threads: int) -> Fit:
    import treewright as tw

    kind = "Classifier" if cell.target else "Regressor"
    name = {
        "tree": "DecisionTree",
        "forest": "RandomForest",
        "extra_trees": "ExtraTrees",
        "boosting": "GradientBoosting",
    }
    estimator = getattr(tw, name[cell.learner] + kind)

    def fit(X: Table, y: np.ndarray) -> Callable[[Table], np.ndarray]:
        settings: dict[str, Any] = {"n_jobs": threads}
        if cell.learner == "boosting":
            settings |= {
                "n_estimators": cell.trees,
                "learning_rate": RATE,
                "max_leaf_nodes": LEAVES,
                "min_samples_leaf": ROWS_IN_LEAF,
                "early_stopping": False,
            }
        elif cell.learner != "tree":
            settings |= {
                "n_estimators": cell.trees,
                "max_features": columns_at_a_node(X.shape[1], y),
                "random_state": 0,
            }
        return _answers(estimator(**settings).fit(X, y))

    return fit


def _scikit_learn(cell: Cell) -> Fit:
    import sklearn.ensemble
    import sklearn.tree

    kind = "Classifier" if cell.target else "Regressor"
    name = {"tree": "DecisionTree", "forest": "RandomForest", "extra_trees": "ExtraTrees"}[cell.learner]
    estimator = getattr(sklearn.tree if cell.learner == "tree" else sklearn.ensemble, name + kind)

    def fit(X: Table, y: np.ndarray) -> Callable[[Table], np.ndarray]:
        settings: dict[str, Any] = {"random_state": 0}
        if cell.learner != "tree":
            settings |= {"n_estimators": cell.trees, "max_features": columns_at_a_node(X.shape[1], y), "n_jobs": 1}
        levels = Levels()
        model = estimator(**settings).fit(codes(levels.learn(X)), y)
        return lambda rows: np.asarray(_answers(model)(codes(levels.categories(rows))))

    return fit


def _lightgbm(cell: Cell, **how: bool) -> Fit:
    import lightgbm

    task = {0: "regression", 2: "binary"}.get(cell.target, "multiclass")
    settings = {
        "objective": task,
        "verbosity": -1,
        "num_threads": 1,
        "max_bin": 255,
        "learning_rate": RATE,
        "num_leaves": LEAVES,
        "min_data_in_leaf": ROWS_IN_LEAF,
        **({"num_class": cell.target} if task == "multiclass" else {}),
        **how,
    }

    def fit(X: Table, y: np.ndarray) -> Callable[[Table], np.ndarray]:
        levels = Levels()
        rows = lightgbm.Dataset(levels.learn(X), y, params=settings)
        model = lightgbm.train(settings, rows, num_boost_round=cell.trees)
        return lambda rows: np.asarray(model.predict(levels.categories(rows), num_threads=1))

    return fit


def _xgboost(cell: Cell) -> Fit:
    import xgboost

    task = {0: "reg:squarederror", 2: "binary:logistic"}.get(cell.target, "multi:softprob")
    settings = {
        "objective": task,
        "verbosity": 0,
        "nthread": 1,
        "tree_method": "hist",
        "max_bin": 256,
        "eta": RATE,
        "max_depth": 0,
        "max_leaves": LEAVES,
        "grow_policy": "lossguide",
        "lambda": 0,
        "min_child_weight": 1e-3,
        **({"num_class": cell.target} if task == "multi:softprob" else {}),
    }

    def fit(X: Table, y: np.ndarray) -> Callable[[Table], np.ndarray]:
        levels = Levels()
        rows = xgboost.QuantileDMatrix(levels.learn(X), y, nthread=1, enable_categorical=True)
        model = xgboost.train(settings, rows, num_boost_round=cell.trees)
        return lambda rows: np.asarray(
            model.predict(xgboost.DMatrix(levels.categories(rows), nthread=1, enable_categorical=True))
        )

    return fit


def loss(answers: np.ndarray, y: np.ndarray) -> float:
    """Give the share of wrong classes, or the root of the mean squared error.

    >>> loss(np.array([0.2, 0.9]), np.array([0, 0])), loss(np.array([1.0, 4.0]), np.array([1.0, 2.0]))
    (0.5, 1.4142135623730951)
    """
    if is_regression(y):
        return float(np.sqrt(np.mean((np.ravel(answers) - y) ** 2)))
    if answers.ndim < 2:
        answers = np.column_stack([1 - answers, answers])
    return float((answers.argmax(axis=1) != y).mean())
