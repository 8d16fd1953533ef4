"""The estimators keep every promise that scikit-learn asks of an estimator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import treewright as tw

ONE_OF_A_KIND = [
    tw.DecisionTreeClassifier(),
    tw.DecisionTreeRegressor(),
    tw.C45Classifier(),
    tw.ID3Classifier(),
    tw.CHAIDClassifier(min_samples_split=20, min_samples_leaf=10),  # judged by its score too
    tw.CHAIDRegressor(min_samples_split=20, min_samples_leaf=10),
    tw.ConditionalTreeClassifier(),
    tw.ConditionalTreeRegressor(),
    tw.ObliqueTreeClassifier(),
    tw.ObliqueTreeRegressor(),
    tw.ModelTreeRegressor(),
    tw.RandomForestClassifier(n_estimators=10),
    tw.RandomForestRegressor(n_estimators=10),
    tw.ExtraTreesClassifier(n_estimators=10),
    tw.ExtraTreesRegressor(n_estimators=10),
    tw.GradientBoostingClassifier(n_estimators=20),
    tw.GradientBoostingRegressor(n_estimators=20),
    tw.BaggingTreesClassifier(n_estimators=20),
    tw.BaggingTreesRegressor(n_estimators=20),
    tw.AdaBoostClassifier(),
    tw.AdaBoostRegressor(n_estimators=10),
    tw.KNeighborsClassifier(),
    tw.KNeighborsRegressor(),
    tw.LocallyWeightedRegression(),
    tw.NaiveBayesClassifier(),
    tw.LinearRegression(),
    tw.RegularizedRegression(),
    tw.LogisticRegression(),
    tw.Perceptron(),
    tw.MLPClassifier(hidden_layer_sizes=(16,), max_iter=40, learning_rate_init=0.01),
    tw.MLPRegressor(hidden_layer_sizes=(16,), max_iter=60, learning_rate_init=0.01),
    tw.Autoencoder(max_iter=20),
]

FURTHER_TREES = [
    tw.DecisionTreeClassifier(missing="surrogates", keep_candidates=True),
    tw.DecisionTreeRegressor(missing="surrogates", keep_candidates=True),
    tw.DecisionTreeClassifier(missing="stop"),
    tw.DecisionTreeClassifier(criterion="gain_ratio"),
    tw.DecisionTreeClassifier(missing="fractional"),
    tw.DecisionTreeRegressor(missing="fractional"),
    tw.C45Classifier(variant="c45", subsets=True, laplace=True),
    tw.C45Classifier(binary=True, prune=False),
    tw.ID3Classifier(missing="branch"),
    tw.CHAIDClassifier(),
    tw.CHAIDRegressor(),
]

FURTHER_ENSEMBLES = [
    tw.RandomForestClassifier(n_estimators=10, voting="vote", balanced_sampling=True, criterion="entropy"),
    tw.ExtraTreesRegressor(n_estimators=10, bootstrap=True, max_features="third"),
    tw.RandomForestClassifier(n_estimators=10, splitter="oblique"),
    tw.RandomForestRegressor(n_estimators=10, splitter="oblique"),
    tw.GradientBoostingClassifier(n_estimators=20, min_samples_leaf=1, growth="level", max_bins=None),
    tw.GradientBoostingClassifier(n_estimators=10, min_samples_leaf=1, subsample=0.7, max_features=0.5),
    tw.GradientBoostingRegressor(n_estimators=20, min_samples_leaf=1, max_depth=3, loss="huber"),
    tw.BaggingTreesClassifier(tw.C45Classifier(), n_estimators=10, voting="vote"),
    tw.BaggingTreesRegressor(tw.ModelTreeRegressor(), n_estimators=10, bootstrap=False, max_samples=0.7),
    tw.AdaBoostClassifier(tw.ObliqueTreeClassifier(max_depth=2), n_estimators=5, algorithm="m1"),
]

FURTHER_OTHERS = [
    tw.KNeighborsClassifier(weights="distance", metric="gower"),
    tw.KNeighborsRegressor(weights="distance", metric="standardised"),
    tw.LocallyWeightedRegression(kernel="tricube", span=0.5),
    tw.NaiveBayesClassifier(numeric="kernel", variance="population"),
    tw.LinearRegression(basis="spline:4", missing="flag"),
    tw.LinearRegression(fit_intercept=False),
    tw.RegularizedRegression(alpha=0.01, contrasts="treatment"),
    tw.RegularizedRegression(q=2),
    tw.RegularizedRegression(alpha=0.01, l1_ratio=0.5, fit_intercept=False),
    tw.RegularizedRegression(q=1.5, alpha=0.1),
    tw.RegularizedRegression(q=0.5, alpha=0.1, rule="1se"),
    tw.LogisticRegression(solver="lbfgs"),
    tw.LogisticRegression("l1"),
    tw.LogisticRegression(solver="gradient_descent", standardize=True, tol=1e-4),
    tw.LogisticRegression(solver="sgd", standardize=True, tol=1e-2),
    tw.LogisticRegression(loss="squared"),
    tw.Perceptron(average=True, multi_class="one_vs_rest"),
    tw.Perceptron("linear"),
    tw.Perceptron("sigmoid"),
    tw.MLPClassifier(hidden_layer_sizes=(8,), solver="lbfgs", max_iter=60, loss="squared_error"),
    tw.MLPClassifier(hidden_layer_sizes=(8,), solver="sgd", learning_rate_init=0.1, max_iter=40, missing="flag"),
    tw.MLPRegressor(hidden_layer_sizes=(8,), solver="lbfgs", max_iter=60, precision="single"),
    tw.Autoencoder((6, 2), max_iter=10, tied=True, pretrain=True, mask=0.1, solver="sgd", learning_rate_init=0.01),
]


@pytest.fixture(autouse=True)
def array_api(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it one check would not run."""
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")


@parametrize_with_checks(ONE_OF_A_KIND)
def test_scikit_learn_finds_nothing_wrong(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


@pytest.mark.thorough
@parametrize_with_checks([*FURTHER_TREES, *FURTHER_ENSEMBLES, *FURTHER_OTHERS])
def test_scikit_learn_finds_nothing_wrong_with_other_settings(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)
