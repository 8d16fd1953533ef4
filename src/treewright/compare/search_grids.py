"""What is worth trying: for each learner its few parameters that matter most, with values from cautious to bold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from treewright.algorithms import ALGORITHMS

Grid = Mapping[str, Sequence[Any]]

# Parameters and values that an estimator does not have are passed over, so that one line serves classes and numbers.
GRIDS: dict[str, Grid] = {
    "cart": {
        "prune": [None, "cost_complexity_cv"],
        "criterion": ["gini", "entropy", "squared_error", "absolute_error"],
        "max_depth": [None, 3, 5, 8, 12],
        "min_samples_leaf": [1, 2, 5, 10, 20, 50],
    },
    "id3": {"min_gain": [0.0, 0.01, 0.03, 0.1], "missing": ["refuse", "branch"]},
    "c45": {
        "confidence": [0.01, 0.05, 0.1, 0.25, 0.5],
        "min_samples_leaf": [1, 2, 5, 10, 20],
        "subsets": [False, True],
    },
    "chaid": {
        "alpha_split": [0.001, 0.01, 0.05, 0.2],
        "max_depth": [3, 5, 8],
        "min_samples_split": [20, 100],
        "min_samples_leaf": [5, 20, 50],
    },
    "ctree": {"alpha": [0.001, 0.01, 0.05, 0.2, 0.5], "min_samples_leaf": [3, 7, 20], "max_depth": [None, 4, 8]},
    "oblique": {"penalty": [0.5, 1.0, 2.0], "ridge": [0.1, 1.0, 10.0], "min_samples_leaf": [1, 5, 20]},
    "model_tree": {
        "min_samples_leaf": [2, 5, 10, 20],
        "smoothing": [0.0, 5.0, 15.0, 50.0],
        "penalty": [1.0, 2.0, 4.0],
    },
    "forest": {
        "max_features": ["sqrt", 0.3, 0.5, 1.0],
        "min_samples_leaf": [1, 2, 5, 10],
        "n_estimators": [100, 300],
    },
    "extra_trees": {
        "max_features": ["sqrt", 0.3, 0.5, 1.0],
        "min_samples_leaf": [1, 2, 5, 10],
        "n_estimators": [100, 300],
    },
    "adaboost": {"n_estimators": [25, 50, 100, 200], "learning_rate": [0.1, 0.3, 1.0]},
    "boosting": {
        "learning_rate": [0.03, 0.1, 0.3],
        "n_estimators": [50, 100, 300],
        "max_leaf_nodes": [4, 8, 16, 31],
        "min_samples_leaf": [5, 20, 50],
        "l2_regularization": [0.0, 1.0, 10.0],
    },
    "bagging": {"n_estimators": [50, 100, 200], "max_features": [0.5, 1.0], "max_samples": [0.5, 1.0]},
    "knn": {
        "n_neighbors": [1, 3, 5, 9, 15, 25, 45],
        "weights": ["uniform", "distance"],
        "metric": ["heom", "gower"],
    },
    "naive_bayes": {"numeric": ["gaussian", "kernel"], "alpha": [0.1, 1.0, 5.0]},
    "linear": {"basis": [None, "polynomial:2", "spline:3"], "missing": ["mean", "flag"]},
    "regularized": {
        "q": [1.0, 2.0],
        "l1_ratio": [0.5, 1.0],
        "rule": ["min", "1se"],
        "basis": [None, "polynomial:2", "spline:3"],
    },
    "local": {
        "kernel": ["gaussian", "tricube", "epanechnikov"],
        "degree": [0, 1, 2],
        "metric": ["heom", "gower"],
    },
    "logistic": {"C": [0.01, 0.1, 1.0, 10.0, 100.0], "penalty": ["l1", "l2"], "standardize": [False, True]},
    "perceptron": {"neuron": ["threshold", "linear", "sigmoid"], "average": [False, True], "max_iter": [100, 1000]},
    "mlp": {
        "hidden_layer_sizes": [(10,), (30,), (100,), (30, 30)],
        "alpha": [0.0001, 0.01, 1.0],
        "learning_rate_init": [0.001, 0.01],
        "activation": ["relu", "tanh"],
    },
}


def grid_for(estimator: Any) -> dict[str, list[Any]]:
    """Give the grid of a learner of treewright, with what its parameters really take; of others there is none.

    Examples
    --------
    >>> import treewright as tw
    >>> grid_for(tw.DecisionTreeRegressor())["criterion"]
    ['squared_error', 'absolute_error']
    """
    name = type(estimator).__name__
    of_name = {kind: algorithm for algorithm, by_task in ALGORITHMS.items() for kind in by_task.values()}
    grid = GRIDS.get(of_name.get(name, ""), {}) if type(estimator).__module__.startswith("treewright.") else {}
    constraints = getattr(estimator, "_parameter_constraints", {})
    known = estimator.get_params(deep=False)
    fitting = {
        parameter: [value for value in values if _takes(constraints, parameter, value)]
        for parameter, values in grid.items()
        if parameter in known
    }
    return {parameter: values for parameter, values in fitting.items() if len(values) > 1}


def _takes(constraints: Mapping[str, Any], parameter: str, value: Any) -> bool:
    from sklearn.utils._param_validation import InvalidParameterError, validate_parameter_constraints

    if parameter not in constraints:
        return True
    try:
        validate_parameter_constraints({parameter: constraints[parameter]}, {parameter: value}, "the grid")
    except InvalidParameterError:
        return False
    return True
