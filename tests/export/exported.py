"""Models of every kind that has an export, on tables with levels, holes, dates and strange names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

import treewright as tw

STRANGE = ["it's", 'say "no"', "back\\slash", "*/ ?> -- end", "Ünïcode 🌳", " blank ", "new\nline"]

CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "cart": lambda: tw.DecisionTreeClassifier(max_depth=5),
    "surrogates": lambda: tw.DecisionTreeClassifier(max_depth=4, missing="surrogates"),
    "larger": lambda: tw.DecisionTreeClassifier(max_depth=4, missing="larger"),
    "branch": lambda: tw.DecisionTreeClassifier(max_depth=4, missing="branch"),
    "fractional": lambda: tw.DecisionTreeClassifier(max_depth=4, missing="fractional"),
    "c45": lambda: tw.C45Classifier(),
    "laplace": lambda: tw.C45Classifier(laplace=True),
    "chaid": lambda: tw.CHAIDClassifier(min_samples_split=20, min_samples_leaf=8, alpha_split=0.5),
    "ctree": lambda: tw.ConditionalTreeClassifier(alpha=0.5),
    "oblique": lambda: tw.ObliqueTreeClassifier(max_depth=3),
    "forest": lambda: tw.RandomForestClassifier(5, max_depth=4, random_state=0),
    "votes": lambda: tw.RandomForestClassifier(5, max_depth=4, voting="vote", random_state=0),
    "extra": lambda: tw.ExtraTreesClassifier(4, max_depth=4, random_state=0),
    "bagged": lambda: tw.BaggingTreesClassifier(tw.C45Classifier(), n_estimators=3, random_state=0),
    "adaboost": lambda: tw.AdaBoostClassifier(n_estimators=4),
    "boosting": lambda: tw.GradientBoostingClassifier(
        n_estimators=4, max_leaf_nodes=5, min_samples_leaf=5, learning_rate=0.3, early_stopping=False
    ),
}
REGRESSORS: dict[str, Callable[[], Any]] = {
    "cart": lambda: tw.DecisionTreeRegressor(max_depth=4),
    "model tree": lambda: tw.ModelTreeRegressor(),
    "oblique": lambda: tw.ObliqueTreeRegressor(max_depth=3),
    "chaid": lambda: tw.CHAIDRegressor(min_samples_split=20, min_samples_leaf=8, alpha_split=0.5),
    "forest": lambda: tw.RandomForestRegressor(4, max_depth=4, random_state=0),
    "bagged": lambda: tw.BaggingTreesRegressor(tw.ModelTreeRegressor(), n_estimators=2, random_state=0),
    "boosting": lambda: tw.GradientBoostingRegressor(
        n_estimators=4, max_leaf_nodes=5, min_samples_leaf=5, learning_rate=0.3, early_stopping=False
    ),
    "poisson": lambda: tw.GradientBoostingRegressor(
        loss="poisson", n_estimators=4, max_leaf_nodes=5, min_samples_leaf=5, learning_rate=0.3, early_stopping=False
    ),
}


def table(seed: int, rows: int = 160) -> tuple[pd.DataFrame, np.ndarray]:
    """Give a table with numbers, levels and holes, and a target of three classes that depends on them."""
    rng = np.random.default_rng(seed)
    number, count = rng.normal(size=rows).round(3), rng.integers(0, 6, rows).astype(float)
    level, flag = rng.integers(0, len(STRANGE), rows), rng.random(rows) < 0.5
    score = number + 0.4 * count - 0.5 * (level % 3) + flag + rng.normal(scale=0.4, size=rows)
    frame = pd.DataFrame(
        {
            'odd "name" */': np.where(rng.random(rows) < 0.15, np.nan, number),
            "count": np.where(rng.random(rows) < 0.1, np.nan, count),
            "level's": pd.Series([STRANGE[i] for i in level], dtype=object).where(rng.random(rows) > 0.1, None),
            "select": pd.Series(flag.tolist(), dtype=object),
        }
    )
    return frame, score


def classes(score: np.ndarray) -> np.ndarray:
    """Cut a score into three classes with names that need care."""
    names = np.array(["it's low", "middle", "high 🌳"], dtype=object)
    return names[np.digitize(score, np.quantile(score, [0.4, 0.7]))]


def fitted_models(seed: int = 0) -> Iterator[tuple[str, Any]]:
    """Give every kind of model, fitted, with its name."""
    frame, score = table(seed)
    for name, make in CLASSIFIERS.items():
        yield f"{name} of classes", make().fit(frame, classes(score))
    for name, make in REGRESSORS.items():
        yield f"{name} of numbers", make().fit(frame, np.exp(score / 4).round(4))
