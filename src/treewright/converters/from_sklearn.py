"""Trees, forests and boosters of scikit-learn as models of treewright."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from treewright.converters.float_cuts import cuts_at_most
from treewright.converters.imported_model import Origin, booster, forest, single_tree
from treewright.converters.node_table import LevelTest, NodeTable, schema_of
from treewright.errors import DataError
from treewright.learners.forest.extra_trees import ExtraTreesClassifier, ExtraTreesRegressor
from treewright.learners.forest.random_forest import RandomForestClassifier, RandomForestRegressor

Doubles = NDArray[np.float64]

_TAKEN = "DecisionTree…, ExtraTree…, RandomForest…, ExtraTrees…, GradientBoosting… and HistGradientBoosting…"
_NEARLY_WHOLE = 1e-9  # how far a weight may be from a whole number and still be one, for each unit
_BITS = 32  # in a word of a set of categories


def from_sklearn(model: Any) -> Any:
    """Give a tree, a forest or a booster of scikit-learn as a model of treewright that answers every row the same.

    Parameters
    ----------
    model : fitted estimator
        A `DecisionTree…`, `ExtraTree…`, `RandomForest…`, `ExtraTrees…`, `GradientBoosting…` or
        `HistGradientBoosting…` classifier or regressor of one target.

    Returns
    -------
    model
        A fitted `DecisionTree…`, `RandomForest…`, `ExtraTrees…` or `GradientBoosting…`.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> print(tw.from_sklearn(DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)))
    Iris-setosa 33 %, Iris-versicolor 33 %, Iris-virginica 33 %  (150 rows)
    ├─ petalwidth <= 0.8      → Iris-setosa      100 %  (50 of 50)
    └─ petalwidth > 0.8         Iris-versicolor   50 %  (50 of 100)
       ├─ petalwidth <= 1.75  → Iris-versicolor   91 %  (49 of 54)
       └─ petalwidth > 1.75   → Iris-virginica    98 %  (45 of 46)
    """
    from sklearn import ensemble, tree

    check_is_fitted(model)
    if getattr(model, "n_outputs_", 1) > 1:
        raise DataError(
            f"This {type(model).__name__} predicts {model.n_outputs_} targets, and tw.from_sklearn takes one. Train "
            "a model for each target and bring them in one by one."
        )
    if isinstance(model, ensemble.HistGradientBoostingClassifier | ensemble.HistGradientBoostingRegressor):
        return _histogram_booster(model)
    if isinstance(model, ensemble.GradientBoostingClassifier | ensemble.GradientBoostingRegressor):
        return _booster(model)
    if isinstance(model, tree.DecisionTreeClassifier | tree.DecisionTreeRegressor):  # extra trees are such ones too
        return single_tree(_tree_table(model), _origin(model), str(model.criterion))
    kinds = {
        ensemble.RandomForestClassifier: RandomForestClassifier,
        ensemble.RandomForestRegressor: RandomForestRegressor,
        ensemble.ExtraTreesClassifier: ExtraTreesClassifier,
        ensemble.ExtraTreesRegressor: ExtraTreesRegressor,
    }
    for theirs, ours in kinds.items():
        if isinstance(model, theirs):
            return forest(ours, [_tree_table(one) for one in model.estimators_], _origin(model), str(model.criterion))
    raise DataError(
        f"tw.from_sklearn takes {_TAKEN} of scikit-learn. Got {type(model).__name__} instead. Of a pipeline or a "
        "search pass the tree model inside it, such as pipeline[-1] or search.best_estimator_."
    )


def _origin(model: Any, levels: dict[int, Any] | None = None) -> Origin:
    names = getattr(model, "feature_names_in_", None)
    shown = [f"x{j}" for j in range(model.n_features_in_)] if names is None else [str(name) for name in names]
    return Origin(schema_of(shown, levels or {}), getattr(model, "classes_", None), names is not None)


# Trees of doubles that rows are rounded to single precision for.


def _tree_table(model: Any) -> NodeTable:
    tree = model.tree_
    nodes = tree.__getstate__()["nodes"]
    left, right = nodes["left_child"].astype(np.int64), nodes["right_child"].astype(np.int64)
    weight, impurity = tree.weighted_n_node_samples, tree.impurity
    values = tree.value[:, 0, :]
    inner = left >= 0
    gain = np.zeros(len(left))
    mean = weight[left[inner]] * impurity[left[inner]] + weight[right[inner]] * impurity[right[inner]]
    gain[inner] = impurity[inner] - mean / weight[inner]
    return NodeTable(
        left=left,
        right=right,
        column=nodes["feature"].astype(np.int64),
        threshold=cuts_at_most(nodes["threshold"]),
        missing_left=nodes["missing_go_to_left"].astype(bool),
        gain=gain,
        n_rows=tree.n_node_samples.astype(np.int64),
        weight=weight,
        impurity=impurity,
        answers=_class_weights(values, weight) if hasattr(model, "classes_") else values[:, 0],
    )


def _class_weights(shares: Doubles, weight: Doubles) -> Doubles:
    """The weights of the classes whose shares are exactly those of scikit-learn, wherever such weights exist.

    scikit-learn stores shares; our trees store weights and divide by their sum. Whole weights are found again by
    rounding. Of others the shares themselves are the weights, times a power of two, where they add up to 1.
    """
    plain = shares * weight[:, None]
    whole = np.rint(plain)
    powers = shares * np.exp2(np.rint(np.log2(np.maximum(weight, np.finfo(np.float64).tiny))))[:, None]
    best = plain
    for candidate in (powers, np.where(np.abs(plain - whole) <= _NEARLY_WHOLE * weight[:, None], whole, plain)):
        exact = (_shares_of(candidate) == shares).all(axis=1)
        best = np.where(exact[:, None], candidate, best)
    return best


def _shares_of(weights: Doubles) -> Doubles:
    """Divide by the sum as the core does, one class after the other."""
    total = np.zeros(len(weights))
    for column in weights.T:
        total = total + column
    return np.asarray(weights / total[:, None])


# Boosters: raw scores that start somewhere and go by small trees.


def _booster(model: Any) -> Any:
    from sklearn.dummy import DummyClassifier, DummyRegressor

    if not (isinstance(model.init_, DummyClassifier | DummyRegressor) or model.init_ == "zero"):
        raise DataError(
            f"This {type(model).__name__} starts from the answers of another model, {type(model.init_).__name__}, "
            "which are no part of its trees. Train it with init=None or init='zero'."
        )
    origin = _origin(model)
    # the exponential loss has half the log odds as its score; doubling is exact
    scale = 2.0 if model.loss == "exponential" else 1.0
    start = scale * model._raw_predict_init(np.zeros((1, model.n_features_in_), dtype=np.float32))[0]
    tables = [_scaled(_tree_table(one), model.learning_rate, scale) for one in model.estimators_.ravel()]
    return booster(tables, origin, start, _loss(model, origin), model.learning_rate)


def _scaled(table: NodeTable, learning_rate: float, scale: float) -> NodeTable:
    return NodeTable(**{**vars(table), "answers": scale * (learning_rate * table.answers)})


def _loss(model: Any, origin: Origin) -> str:
    return str(model.loss) if origin.classes is None else "log_loss"


def _histogram_booster(model: Any) -> Any:
    if not isinstance(model.loss, str):
        raise DataError("The loss of this booster is an object, so that its link is not known. Give its name.")
    categorical = model.is_categorical_
    levels: dict[int, Any] = {}
    columns = np.arange(model.n_features_in_)
    if categorical is not None:
        of_levels = np.flatnonzero(categorical)
        columns = np.concatenate([of_levels, np.flatnonzero(~categorical)])  # the order inside the booster
        found = model._preprocessor.named_transformers_["encoder"].categories_
        levels = {int(j): _known(values) for j, values in zip(of_levels, found, strict=True)}
    tables = [_histogram_table(predictor, columns, levels) for of_round in model._predictors for predictor in of_round]
    start = np.ravel(model._baseline_prediction).astype(np.float64)
    origin = _origin(model, levels)
    return booster(tables, origin, start, _loss(model, origin), model.learning_rate)


def _known(values: Any) -> list[Any]:
    return [value for value in np.asarray(values).tolist() if value is not None and value == value]


def _histogram_table(predictor: Any, columns: NDArray[np.int64], levels: dict[int, Any]) -> NodeTable:
    nodes = predictor.nodes
    leaf = nodes["is_leaf"].astype(bool)
    column = columns[np.where(leaf, 0, nodes["feature_idx"].astype(np.int64))]
    tests = {
        int(node): _level_test(
            predictor.raw_left_cat_bitsets[nodes["bitset_idx"][node]], len(levels[int(column[node])])
        )
        for node in np.flatnonzero(nodes["is_categorical"].astype(bool) & ~leaf)
    }
    count = nodes["count"].astype(np.int64)
    return NodeTable(
        left=np.where(leaf, -1, nodes["left"].astype(np.int64)),
        right=np.where(leaf, -1, nodes["right"].astype(np.int64)),
        column=column,
        threshold=nodes["num_threshold"].astype(np.float64),
        missing_left=nodes["missing_go_to_left"].astype(bool),
        gain=np.where(leaf, 0.0, nodes["gain"]) / np.maximum(count, 1),
        n_rows=count,
        weight=count.astype(np.float64),
        impurity=np.zeros(len(nodes)),
        answers=nodes["value"].astype(np.float64),
        levels=tests,
    )


def _level_test(words: NDArray[np.uint32], n_levels: int) -> LevelTest:
    codes = np.arange(n_levels)
    goes_left = (words[codes // _BITS] >> (codes % _BITS).astype(np.uint32)) & 1
    return LevelTest((codes + 1).astype(np.uint32), np.where(goes_left, 0, 1).astype(np.uint8))
