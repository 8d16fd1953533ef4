"""A small model of every kind and of every option that puts other arrays or other words into a model file."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import is_classifier

import treewright as tw
from compat.make_version_1 import small_table

_LOOSE: dict[str, Any] = {"alpha_merge": 0.9, "alpha_split": 0.9, "min_samples_split": 4, "min_samples_leaf": 2}
_LOOSE_TESTS: dict[str, Any] = {"alpha": 0.9, "min_samples_split": 4, "min_samples_leaf": 2}
_SMALL: dict[str, Any] = {"n_estimators": 3, "max_depth": 3, "random_state": 0}
_BOOST: dict[str, Any] = {"n_estimators": 3, "max_leaf_nodes": 4, "min_samples_leaf": 5}
_NET: dict[str, Any] = {"max_iter": 3, "random_state": 0}
_COSTS = [[0, 5], [1, 0]]


def _cart(**options: Any) -> Any:
    return tw.DecisionTreeClassifier(**{"max_depth": 4, **options})


def _cart_numbers(**options: Any) -> Any:
    return tw.DecisionTreeRegressor(**{"max_depth": 4, **options})


TREES: dict[str, Callable[[], Any]] = {
    "cart": _cart,
    "cart of three classes": _cart,
    "cart of numbers as classes": lambda: _cart(max_depth=2),
    "cart of truth values": lambda: _cart(max_depth=2),
    "cart, entropy": lambda: _cart(criterion="entropy", missing="branch"),
    "cart, refuses holes": lambda: _cart(missing="refuse"),
    "cart, surrogates": lambda: _cart(missing="surrogates", keep_candidates=True),
    "cart, priors and costs": lambda: _cart(priors=[0.5, 0.5], costs=_COSTS, keep_candidates=True),
    "cart, class weights": lambda: _cart(class_weight={"bad": 2.0, "good": 1.0}),
    "cart, cross-validated": lambda: _cart(prune=tw.CostComplexity(cv=3)),
    "cart, pruner": lambda: _cart(prune=tw.PessimisticError()),
    "cart, kinds": lambda: _cart(column_kinds={"age": "ordinal"}),
    "cart, one leaf": lambda: _cart(min_impurity_decrease=5.0),
    "cart numbers": _cart_numbers,
    "cart numbers, surrogates": lambda: _cart_numbers(missing="surrogates", keep_candidates=True),
    "cart numbers, absolute": lambda: _cart_numbers(criterion="absolute_error"),
    "cart numbers, poisson": lambda: _cart_numbers(criterion="poisson", shrink=1.0),
    "cart numbers, cross-validated": lambda: _cart_numbers(prune=tw.CostComplexity(cv=3)),
    "cart of several targets": lambda: _cart(max_depth=3),
    "cart numbers of several targets": lambda: _cart_numbers(max_depth=3),
    "id3": lambda: tw.ID3Classifier(missing="branch"),
    "c45": tw.C45Classifier,
    "c45, subsets": lambda: tw.C45Classifier(subsets=True, binary=True, laplace=True),
    "chaid": lambda: tw.CHAIDClassifier(**_LOOSE),
    "chaid, order": lambda: tw.CHAIDClassifier(target_order=["good", "bad"], exhaustive=True, **_LOOSE),
    "chaid numbers": lambda: tw.CHAIDRegressor(**_LOOSE),
    "ctree": lambda: tw.ConditionalTreeClassifier(**_LOOSE_TESTS),
    "ctree, surrogates": lambda: tw.ConditionalTreeClassifier(missing="surrogates", **_LOOSE_TESTS),
    "ctree numbers": lambda: tw.ConditionalTreeRegressor(**_LOOSE_TESTS),
    "oblique": lambda: tw.ObliqueTreeClassifier(max_depth=3, prune=None),
    "oblique numbers": lambda: tw.ObliqueTreeRegressor(max_depth=3, prune=None, nominal_scores=True),
    "model tree": lambda: tw.ModelTreeRegressor(max_depth=3),
    "model tree, unpruned": lambda: tw.ModelTreeRegressor(max_depth=3, prune=False, clip=False, smoothing=0.0),
}
ENSEMBLES: dict[str, Callable[[], Any]] = {
    "forest": lambda: tw.RandomForestClassifier(oob_score=True, **_SMALL),
    "forest of three classes": lambda: tw.RandomForestClassifier(**_SMALL),
    "forest, votes": lambda: tw.RandomForestClassifier(voting="vote", class_weight="balanced", **_SMALL),
    "forest, oblique": lambda: tw.RandomForestClassifier(splitter="oblique", **_SMALL),
    "forest numbers": lambda: tw.RandomForestRegressor(oob_score=True, **_SMALL),
    "forest numbers, quantiles": lambda: tw.RandomForestRegressor(quantiles=True, **_SMALL),
    "forest numbers, oblique": lambda: tw.RandomForestRegressor(splitter="oblique", **_SMALL),
    "forest of several targets": lambda: tw.RandomForestClassifier(oob_score=True, **_SMALL),
    "forest numbers of several targets": lambda: tw.RandomForestRegressor(**_SMALL),
    "extra trees": lambda: tw.ExtraTreesClassifier(**_SMALL),
    "extra trees numbers": lambda: tw.ExtraTreesRegressor(quantiles=True, **_SMALL),
    "bagging": lambda: tw.BaggingTreesClassifier(_cart(max_depth=2), n_estimators=2, oob_score=True, random_state=0),
    "bagging, surrogates": lambda: tw.BaggingTreesClassifier(
        _cart(max_depth=2, missing="surrogates"), n_estimators=2, bootstrap=False, voting="vote"
    ),
    "bagging numbers": lambda: tw.BaggingTreesRegressor(tw.ModelTreeRegressor(), n_estimators=2, oob_score=True),
    "adaboost": lambda: tw.AdaBoostClassifier(n_estimators=3),
    "adaboost of c45": lambda: tw.AdaBoostClassifier(tw.C45Classifier(), n_estimators=3),
    "adaboost numbers": lambda: tw.AdaBoostRegressor(n_estimators=3),
    "boosting": lambda: tw.GradientBoostingClassifier(**_BOOST),
    "boosting of three classes": lambda: tw.GradientBoostingClassifier(**_BOOST),
    "boosting, early stopping": lambda: tw.GradientBoostingClassifier(early_stopping=True, **_BOOST),
    "boosting numbers": lambda: tw.GradientBoostingRegressor(**_BOOST),
    "boosting numbers from a tree": lambda: tw.GradientBoostingRegressor(
        init=tw.DecisionTreeRegressor(max_depth=2), **_BOOST
    ),
    "boosting numbers, poisson": lambda: tw.GradientBoostingRegressor(loss="poisson", early_stopping=True, **_BOOST),
    "boosting numbers, quantile": lambda: tw.GradientBoostingRegressor(
        loss="quantile", monotonic_cst={"age": 1}, **_BOOST
    ),
}
WITHOUT_TREES: dict[str, Callable[[], Any]] = {
    "neighbours": lambda: tw.KNeighborsClassifier("cv", max_neighbors=4),
    "neighbours, by classes": lambda: tw.KNeighborsClassifier(3, metric="hvdm", weights="distance"),
    "neighbours numbers": lambda: tw.KNeighborsRegressor(3, metric="gower", factors={"age": 2.0}),
    "neighbours numbers, plain": lambda: tw.KNeighborsRegressor(2, algorithm="brute"),
    "neighbours of several targets": lambda: tw.KNeighborsClassifier(3),
    "linear of several targets": tw.LinearRegression,
    "local": tw.LocallyWeightedRegression,
    "local, span": lambda: tw.LocallyWeightedRegression(kernel="tricube", bandwidth=1.0, span=0.5),
    "naive bayes": tw.NaiveBayesClassifier,
    "naive bayes, kernels": lambda: tw.NaiveBayesClassifier(numeric="kernel", priors=[0.5, 0.5]),
    "linear": tw.LinearRegression,
    "linear, flags": lambda: tw.LinearRegression(missing="flag", basis={"age": "spline:3"}),
    "linear, polynomial": lambda: tw.LinearRegression(basis={"age": "polynomial:2"}, fit_intercept=False),
    "regularized": lambda: tw.RegularizedRegression(alphas=4, cv=3, random_state=0),
    "regularized, one": lambda: tw.RegularizedRegression(alpha=0.1, q=2.0, standardize=False),
    "logistic": tw.LogisticRegression,
    "logistic, no penalty": lambda: tw.LogisticRegression(None, standardize=True),
    "logistic of three classes": lambda: tw.LogisticRegression("l1"),
    "logistic, folds": lambda: tw.LogisticRegression(C="cv", Cs=3, cv=3, random_state=0),
    "perceptron": lambda: tw.Perceptron(max_iter=4, keep_trace=True),
    "perceptron of three classes": lambda: tw.Perceptron(max_iter=4, average=True, pocket=False),
    "network": lambda: tw.MLPClassifier((3,), **_NET),
    "network of three classes": lambda: tw.MLPClassifier((3, 2), activation="tanh", early_stopping=True, **_NET),
    "network numbers": lambda: tw.MLPRegressor((3,), solver="lbfgs", precision="single", **_NET),
    "autoencoder": lambda: tw.Autoencoder((2,), **_NET),
    "autoencoder, tied": lambda: tw.Autoencoder((3, 2), tied=True, code_activation="sigmoid", sparsity=0.1, **_NET),
}
PROMISING: dict[str, Callable[[], Any]] = {
    "calibrated cart": lambda: _cart(max_depth=2),
    "calibrated forest of three classes, isotonic": lambda: tw.RandomForestClassifier(**_SMALL),
    "calibrated perceptron, sigmoid": lambda: tw.Perceptron(max_iter=4),
    "conformal cart": lambda: _cart(max_depth=2),
    "conformal cart numbers": lambda: _cart_numbers(max_depth=2),
    "conformal boosting numbers": lambda: tw.GradientBoostingRegressor(**_BOOST),
    "conformal linear": tw.LinearRegression,
}
MODELS: dict[str, Callable[[], Any]] = {**TREES, **ENSEMBLES, **WITHOUT_TREES, **PROMISING}


def _target(name: str, model: Any, X: pd.DataFrame, risk: pd.Series, income: pd.Series) -> Any:
    if "several targets" in name:
        other = pd.Series(np.arange(len(X)) * 7 % 3, name="answer")
        return pd.DataFrame(
            {"income": income, "answer": other * 1.5} if not is_classifier(model) else {"risk": risk, "answer": other}
        )
    if not is_classifier(model):
        return income
    if "three classes" in name:
        return pd.Series(np.array(["no", "perhaps", "yes"])[np.arange(len(X)) * 7 % 5 % 3], name="answer")
    if "numbers as classes" in name:
        return pd.Series(np.arange(len(X)) * 7 % 3, name="answer")
    if "truth values" in name:
        return pd.Series(risk == "bad", name="is_bad")
    return risk


def _with_promises(name: str, model: Any, X: pd.DataFrame, y: pd.Series) -> Any:
    if name.startswith("calibrated"):
        method = next((word for word in ("isotonic", "sigmoid") if word in name), "temperature")
        return tw.calibrate(model, X, y, method=method, cv=2)
    return tw.conformal(model, X, y, cv=2) if name.startswith("conformal") else model.fit(X, y)


@cache
def model_bytes(name: str) -> bytes:
    """The model file of one of `MODELS`."""
    X, risk, income = small_table()
    if name == "id3":
        X = X[["job", "grade", "member"]]
    if "refuses holes" in name:
        X = X[["grade", "signed", "member"]]
    if name == "autoencoder, tied":
        X = X[["age"]]
    model = MODELS[name]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a solver that stops early
        if isinstance(model, tw.Autoencoder):
            fitted = model.fit(X)
        else:
            fitted = _with_promises(name, model, X, _target(name, model, X, risk, income))
    data: bytes = fitted._tw_bytes()
    return data
