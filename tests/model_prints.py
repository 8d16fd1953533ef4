"""A small model of every kind: its bytes, what it answers, and how it reads. One line of JSON a model, on the screen.

Run as a script it tells what this environment makes of the models; tests compare environments.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import treewright as tw

# Their numbers are whole, or come from plain operations in one order: they have the same bytes everywhere.
EXACT_CLASSES: dict[str, Callable[[], Any]] = {
    "cart": lambda: tw.DecisionTreeClassifier(),
    "cart_pruned": lambda: tw.DecisionTreeClassifier(prune="cost_complexity_cv"),
    "cart_surrogates": lambda: tw.DecisionTreeClassifier(missing="surrogates", max_depth=5),
    "cart_twoing": lambda: tw.DecisionTreeClassifier(criterion="twoing"),
    "cart_hellinger": lambda: tw.DecisionTreeClassifier(criterion="hellinger"),
    "forest": lambda: tw.RandomForestClassifier(10, random_state=0),
    "extra_trees": lambda: tw.ExtraTreesClassifier(10, random_state=0),
    "bagging": lambda: tw.BaggingTreesClassifier(n_estimators=5, random_state=0),
    "knn": lambda: tw.KNeighborsClassifier(n_neighbors="cv"),
}
EXACT_NUMBERS: dict[str, Callable[[], Any]] = {
    "cart": lambda: tw.DecisionTreeRegressor(prune="cost_complexity_cv"),
    "cart_absolute": lambda: tw.DecisionTreeRegressor(criterion="absolute_error"),
    "forest": lambda: tw.RandomForestRegressor(10, random_state=0),
    "extra_trees": lambda: tw.ExtraTreesRegressor(10, random_state=0),
    "boosting": lambda: tw.GradientBoostingRegressor(n_estimators=20),
    "boosting_absolute": lambda: tw.GradientBoostingRegressor(loss="absolute_error", n_estimators=20),
    "model_tree": lambda: tw.ModelTreeRegressor(),
    "knn": lambda: tw.KNeighborsRegressor(n_neighbors="cv"),
}
# They take logarithms: trees ask the same questions everywhere, and the last digits of what nodes store may differ.
LOGARITHMS_OF_CLASSES: dict[str, Callable[[], Any]] = {
    "cart_entropy": lambda: tw.DecisionTreeClassifier(criterion="entropy"),
    "cart_gain_ratio": lambda: tw.DecisionTreeClassifier(criterion="gain_ratio"),
    "forest_entropy": lambda: tw.RandomForestClassifier(10, criterion="entropy", random_state=0),
    "c45": lambda: tw.C45Classifier(),
    "chaid": lambda: tw.CHAIDClassifier(min_samples_split=20, min_samples_leaf=5),
    "ctree": lambda: tw.ConditionalTreeClassifier(),
    "ctree_monte_carlo": lambda: tw.ConditionalTreeClassifier(
        test="monte_carlo", n_permutations=999, missing="surrogates", random_state=0
    ),
    "oblique": lambda: tw.ObliqueTreeClassifier(),
    "adaboost": lambda: tw.AdaBoostClassifier(n_estimators=10, random_state=0),
    "boosting": lambda: tw.GradientBoostingClassifier(n_estimators=20),
}
LOGARITHMS_OF_NUMBERS: dict[str, Callable[[], Any]] = {
    "adaboost": lambda: tw.AdaBoostRegressor(n_estimators=10, random_state=0),
    "cart_poisson": lambda: tw.DecisionTreeRegressor(criterion="poisson", max_depth=8),
    "chaid": lambda: tw.CHAIDRegressor(min_samples_split=20, min_samples_leaf=5),
    "ctree": lambda: tw.ConditionalTreeRegressor(),
    "oblique": lambda: tw.ObliqueTreeRegressor(),
    "boosting_poisson": lambda: tw.GradientBoostingRegressor(loss="poisson", n_estimators=20),
}
# They multiply matrices: their numbers are the same but for the last digits.
PRODUCTS_OF_CLASSES: dict[str, Callable[[], Any]] = {
    "naive_bayes": lambda: tw.NaiveBayesClassifier(),
    "logistic": lambda: tw.LogisticRegression(),
    "logistic_lasso": lambda: tw.LogisticRegression("l1"),
    "logistic_folds": lambda: tw.LogisticRegression(C="cv", random_state=0),
    "perceptron": lambda: tw.Perceptron(random_state=0, max_iter=20),
    "mlp": lambda: tw.MLPClassifier((5,), max_iter=10, random_state=0),
}
PRODUCTS_OF_NUMBERS: dict[str, Callable[[], Any]] = {
    "linear": lambda: tw.LinearRegression(),
    "lasso": lambda: tw.RegularizedRegression(random_state=0),
    "ridge": lambda: tw.RegularizedRegression(q=2.0, random_state=0),
    "local": lambda: tw.LocallyWeightedRegression(),
    "local_span": lambda: tw.LocallyWeightedRegression(kernel="tricube", bandwidth=1.0, span=0.3),
    "mlp": lambda: tw.MLPRegressor((5,), max_iter=10, random_state=0),
}


# Two targets: the table's, and the same the other way round.
SEVERAL_CLASSES: dict[str, Callable[[], Any]] = {
    "cart": lambda: tw.DecisionTreeClassifier(max_depth=6),
    "forest": lambda: tw.RandomForestClassifier(5, random_state=0),
    "extra_trees": lambda: tw.ExtraTreesClassifier(5, random_state=0),
}
SEVERAL_NUMBERS: dict[str, Callable[[], Any]] = {
    "cart": lambda: tw.DecisionTreeRegressor(max_depth=6),
    "forest": lambda: tw.RandomForestRegressor(5, random_state=0),
    "extra_trees": lambda: tw.ExtraTreesRegressor(5, random_state=0),
    "bagging": lambda: tw.BaggingTreesRegressor(n_estimators=3, random_state=0),
}


def several_prints(models: dict[str, Callable[[], Any]], tables: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """The same for models of two targets."""
    for table in tables:
        X, y = getattr(tw.datasets, f"load_{table}")(return_X_y=True)
        for name, make in models.items():
            model = make().fit(X, np.column_stack([y, y[::-1]]))
            answers = np.asarray(model.predict(X)).tolist()
            shares = model.predict_proba(X)[1][:, 0].tolist() if hasattr(model, "predict_proba") else []
            yield {
                "model": f"{name} of {table} twice", "bytes": model.fingerprint(), "answers": answers,
                "shares": shares, "text": str(model),
            }  # fmt: skip


def prints(models: dict[str, Callable[[], Any]], tables: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Fit every model to every table, and tell of each what it is."""
    for table in tables:
        X, y = getattr(tw.datasets, f"load_{table}")(return_X_y=True)
        for name, make in models.items():
            model = make().fit(X, y)
            answers = np.asarray(model.predict(X)).tolist()
            shares = model.predict_proba(X)[:, 0].tolist() if hasattr(model, "predict_proba") else []
            text = model.tree_.to_text(digits=4) if hasattr(model, "tree_") else str(model)
            yield {
                "model": f"{name} of {table}", "bytes": model.fingerprint(), "answers": answers, "shares": shares,
                "text": text,
            }  # fmt: skip


def main() -> None:
    """Print the models of each group; the words before them name it."""
    warnings.simplefilter("ignore")  # a solver that stops early stops early everywhere
    classes, numbers = ("titanic", "glass", "heart_c", "car"), ("auto_mpg", "airquality", "car_test_frame")
    groups = {
        "exact": ((EXACT_CLASSES, classes), (EXACT_NUMBERS, numbers)),
        "logarithms": ((LOGARITHMS_OF_CLASSES, classes), (LOGARITHMS_OF_NUMBERS, numbers)),
        "products": ((PRODUCTS_OF_CLASSES, classes), (PRODUCTS_OF_NUMBERS, numbers)),
    }
    for group, parts in groups.items():
        for models, tables in parts:
            for found in prints(models, tables):
                print(json.dumps({"group": group, **found}))
    for models, tables in ((SEVERAL_CLASSES, classes), (SEVERAL_NUMBERS, numbers)):
        for found in several_prints(models, tables):
            print(json.dumps({"group": "exact", **found}))


if __name__ == "__main__":
    main()
