"""The names of algorithms and pruning methods, and the classes that they stand for: one table for all."""

from __future__ import annotations

import inspect
from typing import Any

# algorithm → task → class in treewright
ALGORITHMS = {
    "cart": {"classification": "DecisionTreeClassifier", "regression": "DecisionTreeRegressor"},
    "id3": {"classification": "ID3Classifier"},
    "c45": {"classification": "C45Classifier"},
    "chaid": {"classification": "CHAIDClassifier", "regression": "CHAIDRegressor"},
    "ctree": {"classification": "ConditionalTreeClassifier", "regression": "ConditionalTreeRegressor"},
    "oblique": {"classification": "ObliqueTreeClassifier", "regression": "ObliqueTreeRegressor"},
    "model_tree": {"regression": "ModelTreeRegressor"},
    "forest": {"classification": "RandomForestClassifier", "regression": "RandomForestRegressor"},
    "extra_trees": {"classification": "ExtraTreesClassifier", "regression": "ExtraTreesRegressor"},
    "adaboost": {"classification": "AdaBoostClassifier"},
    "boosting": {"classification": "GradientBoostingClassifier", "regression": "GradientBoostingRegressor"},
    "knn": {"classification": "KNeighborsClassifier", "regression": "KNeighborsRegressor"},
    "local": {"regression": "LocallyWeightedRegression"},
    "naive_bayes": {"classification": "NaiveBayesClassifier"},
    "linear": {"regression": "LinearRegression"},
    "regularized": {"regression": "RegularizedRegression"},
    "bagging": {"classification": "BaggingTreesClassifier", "regression": "BaggingTreesRegressor"},
    "mlp": {"classification": "MLPClassifier", "regression": "MLPRegressor"},
    "logistic": {"classification": "LogisticRegression"},
    "perceptron": {"classification": "Perceptron"},
}

# A reader wants a tree that fits on a page and is no worse for it; the library's own default is the full tree.
READABLE: dict[str, dict[str, Any]] = {"cart": {"prune": "cost_complexity_cv"}}

# method → class in treewright, and the numbers that the name stands for; the names are those of `prune=`
PRUNERS: dict[str, tuple[str, dict[str, Any]]] = {
    "cost_complexity": ("CostComplexity", {}),
    "cost_complexity_cv": ("CostComplexity", {"cv": 10}),
    "reduced_error": ("ReducedError", {}),
    "reduced_error_greedy": ("ReducedError", {"greedy": True}),
    "validation_gain": ("ValidationGain", {}),
    "pessimistic": ("PessimisticError", {}),
    "chi_square": ("ChiSquare", {}),
    "minimum_error": ("MinimumError", {}),
    "mdl": ("MinimumDescription", {}),
    "critical_value": ("CriticalValue", {}),
    "merge_equal_leaves": ("MergeEqualLeaves", {}),
    "price": ("PriceOfTests", {}),
}


def parameters_of(kind: type[Any]) -> list[str]:
    """List the names that can be set on an estimator or a pruner.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> "max_depth" in parameters_of(DecisionTreeClassifier)
    True
    """
    return [name for name in inspect.signature(kind).parameters if name not in ("self", "column_kinds")]
