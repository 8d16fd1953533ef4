"""Models without trees of every kind that has an export, on the tables of `exported.py`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

import treewright as tw
from export.exported import classes, table

NUMBERS: dict[str, Callable[[], Any]] = {
    "linear": lambda: tw.LinearRegression(),
    "linear with flags": lambda: tw.LinearRegression(missing="flag"),
    "lasso": lambda: tw.RegularizedRegression(alpha=0.05),
    "ridge": lambda: tw.RegularizedRegression(q=2, alpha=0.1, contrasts="treatment"),
    "elastic net": lambda: tw.RegularizedRegression(l1_ratio=0.5, alpha=0.05),
    "polynomials": lambda: tw.LinearRegression(basis="polynomial:3"),
    "spline": lambda: tw.LinearRegression(basis="spline:4", missing="flag"),
    "b-spline": lambda: tw.RegularizedRegression(basis="bspline:6", alpha=0.05),
    "radial": lambda: tw.LinearRegression(basis="radial:4"),
    "radial of two": lambda: tw.LinearRegression(basis={(0, 1): "radial:5"}),
    "waves": lambda: tw.LinearRegression(basis="fourier:2"),
    "network": lambda: tw.MLPRegressor((7,), max_iter=10),
    "network of sigmoid output": lambda: tw.MLPRegressor((4,), "tanh", output_activation="sigmoid", max_iter=10),
    "network without hidden units": lambda: tw.MLPRegressor((), max_iter=10),
    "networks side by side": lambda: tw.MLPRegressor((3,), n_models=2, standardize="robust", max_iter=5),
}
THREE: dict[str, Callable[[], Any]] = {
    "logistic": lambda: tw.LogisticRegression(),
    "logistic of squared loss": lambda: tw.LogisticRegression(loss="squared"),
    "bayes": lambda: tw.NaiveBayesClassifier(),
    "bayes as scikit-learn": lambda: tw.NaiveBayesClassifier(variance="population"),
    "kernel bayes": lambda: tw.NaiveBayesClassifier(numeric="kernel"),
    "perceptron": lambda: tw.Perceptron("sigmoid"),
    "network": lambda: tw.MLPClassifier((6, 5), max_iter=10),
    "network of squared loss": lambda: tw.MLPClassifier((6,), "sigmoid", loss="squared_error", max_iter=10),
    "networks side by side": lambda: tw.MLPClassifier((3, 2), n_models=2, standardize="robust", max_iter=5),
}
TWO: dict[str, Callable[[], Any]] = {
    "logistic": lambda: tw.LogisticRegression(penalty=None, contrasts="treatment"),
    "perceptron": lambda: tw.Perceptron("sigmoid"),
    "network": lambda: tw.MLPClassifier((6,), "tanh", max_iter=10),
}


def fitted_formulas(seed: int = 0) -> Iterator[tuple[str, Any]]:
    """Give every kind of model, fitted, with its name."""
    frame, score = table(seed)
    sides = np.where(score > np.median(score), "it's", "not")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for name, make in NUMBERS.items():
            target = 1 / (1 + np.exp(-score)) if "sigmoid" in name else score
            yield f"{name} of numbers", make().fit(frame, target)
        for name, make in THREE.items():
            yield f"{name} of three classes", make().fit(frame, classes(score))
        for name, make in TWO.items():
            yield f"{name} of two classes", make().fit(frame, sides)


def narrow_bayes() -> Any:
    """Give naive Bayes with a column that hardly moves in one of the classes, and holes in it."""
    rng = np.random.default_rng(4)
    two = rng.random(120) < 0.5
    X = np.column_stack([np.where(two, 1.0, rng.normal(0, 1e4, 120)), rng.normal(size=120)])
    X[:9, 0] = np.nan
    model = tw.NaiveBayesClassifier(min_sd="range").fit(X, two)
    assert len(model._densities.apart)
    return model
