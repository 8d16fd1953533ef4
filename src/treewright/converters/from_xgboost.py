"""Models of XGBoost as models of treewright."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.converters.float_cuts import cuts_below
from treewright.converters.imported_model import Origin, booster
from treewright.converters.node_table import LevelTest, NodeTable, schema_of
from treewright.converters.reading import file_bytes, refuse, source_of
from treewright.converters.ubjson import read_ubjson
from treewright.errors import DataError
from treewright.save.refusing_damage import refusing_damage

Doubles = NDArray[np.float64]
Document = Mapping[str, Any]

_MOST_LISTED = 20_000_000  # levels in all nodes
_LAST_OF_ASCII = 127

# The loss of ours that has the same link, and where the scores start for a given base_score.
_IDENTITY, _LOG, _LOG_ODDS = (lambda p: p), (lambda p: math.log(p)), (lambda p: -math.log(1 / p - 1))
_OBJECTIVES: dict[str, tuple[str, Any]] = {
    "reg:squarederror": ("squared_error", _IDENTITY),
    "reg:linear": ("squared_error", _IDENTITY),
    "reg:squaredlogerror": ("squared_error", _IDENTITY),
    "reg:pseudohubererror": ("huber", _IDENTITY),
    "reg:absoluteerror": ("absolute_error", _IDENTITY),
    "reg:quantileerror": ("quantile", _IDENTITY),
    "rank:pairwise": ("squared_error", _IDENTITY),
    "rank:ndcg": ("squared_error", _IDENTITY),
    "rank:map": ("squared_error", _IDENTITY),
    "count:poisson": ("poisson", _LOG),
    "reg:tweedie": ("poisson", _LOG),  # the logarithm is added up, as there
    "reg:gamma": ("gamma", _LOG),
    "binary:logistic": ("log_loss", _LOG_ODDS),
    "multi:softprob": ("log_loss", _IDENTITY),
    "multi:softmax": ("log_loss", _IDENTITY),
}


def from_xgboost(model: Any, *, rounds: int | None = None) -> Any:
    """Give a model of XGBoost as a model of treewright: every row ends in the same leaves.

    XGBoost adds up what the leaves say in single precision, treewright in double precision, so answers differ by
    rounding, about 1e-7 of their size.

    Parameters
    ----------
    model : Booster, XGBModel or path
        A booster, an estimator, or a `.json` or `.ubj` file that `save_model` writes. XGBoost need not be installed to
        read a file.
    rounds : int, optional
        How many rounds are taken. By default all of a booster or a file, as `Booster.predict` does; of an estimator
        that stopped early those up to the best, as its `predict` does.

    Returns
    -------
    model
        A fitted `GradientBoostingClassifier` or `GradientBoostingRegressor`.

    Examples
    --------
    >>> import numpy as np, xgboost
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_auto_mpg(return_X_y=True)
    >>> X = X.select_dtypes("number")
    >>> theirs = xgboost.XGBRegressor(n_estimators=5).fit(X, y)
    >>> np.allclose(tw.from_xgboost(theirs).predict(X), theirs.predict(X), rtol=1e-6)
    True
    """
    if isinstance(model, str | Path) or hasattr(model, "__fspath__"):
        source = source_of(model)
        with refusing_damage({}, source):
            return _model(_document(file_bytes(model)), source, None, rounds)
    core = model.get_booster() if hasattr(model, "get_booster") else model
    if not hasattr(core, "save_raw"):
        raise DataError(
            "tw.from_xgboost takes a Booster, a fitted XGBModel or the path of a .json or .ubj file. Got "
            f"{type(model).__name__} instead."
        )
    source = f"the {type(model).__name__}"
    best = core.attr("best_iteration") if core is not model else None
    rounds = int(best) + 1 if rounds is None and best is not None else rounds
    with refusing_damage({}, source):
        return _model(read_ubjson(bytes(core.save_raw("ubj"))), source, _labels(model), rounds)


def _labels(model: Any) -> NDArray[Any] | None:
    return np.asarray(model.classes_) if hasattr(model, "n_classes_") else None


def _document(data: bytes) -> Any:
    is_text = data[:20].lstrip(b" \t\r\n{")[:1] == b'"'
    return json.loads(data) if is_text else read_ubjson(data)


def _model(document: Any, source: str, classes: NDArray[Any] | None, rounds: int | None) -> Any:
    learner = document["learner"]
    booster_of = learner["gradient_booster"]
    objective = learner["objective"]["name"]
    if objective not in _OBJECTIVES:
        refuse(
            source,
            f"it was trained with the objective {objective!r}, whose scores no model of treewright turns into answers "
            "the same way",
            f"Train it with one of: {', '.join(_OBJECTIVES)}.",
        )
    trees = _trees(booster_of, learner, source)
    loss, margin = _OBJECTIVES[objective]
    columns = _columns(learner, trees, source)
    tables = [_table(tree, columns) for tree in _in_rounds(trees, rounds)]
    n_outputs = trees.n_groups
    if loss != "log_loss":
        classes = None
    elif classes is None or len(classes) != max(2, n_outputs):
        classes = np.arange(max(2, n_outputs))
    if classes is None and n_outputs > 1:
        refuse(source, f"it predicts {n_outputs} numbers for a row", "Train a model for each of them.")
    start = np.array([np.float32(margin(score)) for score in _base_scores(learner, n_outputs)], dtype=np.float64)
    origin = Origin(schema_of(columns.names, columns.levels), classes, columns.has_names)
    return booster(tables, origin, start, loss, 0.3)


def _base_scores(learner: Document, n_outputs: int) -> list[float]:
    """The scores to start from, written as "5E-1" or, since version 3.1, as "[5E-1]" with one for each class."""
    said = str(learner["learner_model_param"]["base_score"]).strip("[] ")
    scores = [float(np.float32(word)) for word in said.split(",")]
    if len(scores) not in (1, n_outputs):
        raise ValueError(f"it has {len(scores)} base scores for {n_outputs} outputs")
    return scores * n_outputs if len(scores) == 1 else scores


# The trees in the order in which ours are stored.


@dataclass(frozen=True)
class _Trees:
    trees: list[Document]
    groups: list[int]
    weights: list[float]
    ends: list[int]
    n_groups: int
    categories: Any


def _trees(booster_of: Document, learner: Document, source: str) -> _Trees:
    name = booster_of["name"]
    if name not in ("gbtree", "dart"):
        refuse(source, f"its booster is {name!r}, which has no trees", "Train it with booster='gbtree'.")
    inner = booster_of["gbtree"] if name == "dart" else booster_of
    model = inner["model"]
    trees, groups = list(model["trees"]), [int(group) for group in model["tree_info"]]
    if any(int(tree["tree_param"].get("size_leaf_vector", "1")) > 1 for tree in trees):
        refuse(source, "its leaves hold several numbers (multi_output_tree)", "Train with one_output_per_tree.")
    param = learner["learner_model_param"]
    n_groups = max(1, int(param.get("num_class", "0")), int(param.get("num_target", "1")))
    weights = [float(w) for w in booster_of["weight_drop"]] if name == "dart" else [1.0] * len(trees)
    if not len(trees) == len(groups) == len(weights) or not trees:
        raise ValueError(f"it has {len(trees)} trees, {len(groups)} groups and {len(weights)} weights of trees")
    parallel = max(1, int(model["gbtree_model_param"].get("num_parallel_tree", "1")))
    ends = model.get("iteration_indptr")
    step = parallel * n_groups
    ends = list(range(0, len(trees) + 1, step)) if ends is None else [int(end) for end in ends]
    return _Trees(trees, groups, weights, ends, n_groups, model.get("cats"))


def _in_rounds(all_trees: _Trees, rounds: int | None) -> list[tuple[Document, float]]:
    """The trees of the first rounds with their weights, those of the groups by turns; a group keeps its order."""
    n_rounds = len(all_trees.ends) - 1
    if rounds is not None and not 1 <= rounds <= n_rounds:
        raise DataError(f"rounds must be from 1 to {n_rounds}, the rounds of the model. Got {rounds} instead.")
    end = len(all_trees.trees) if rounds is None else all_trees.ends[rounds]
    of_group: list[list[tuple[Document, float]]] = [[] for _ in range(all_trees.n_groups)]
    for tree, group, weight in zip(all_trees.trees[:end], all_trees.groups, all_trees.weights, strict=False):
        if not 0 <= group < all_trees.n_groups:
            raise ValueError(f"a tree is of class {group} of {all_trees.n_groups}")
        of_group[group].append((tree, weight))
    return [one for by_turns in zip(*of_group, strict=True) for one in by_turns]


# Columns of levels.


@dataclass(frozen=True)
class _Columns:
    names: list[str]
    has_names: bool
    levels: dict[int, list[Any]]
    lists_all: bool


def _columns(learner: Document, trees: _Trees, source: str) -> _Columns:
    n = int(learner["learner_model_param"]["num_feature"])
    names = [str(name) for name in learner.get("feature_names", [])]
    if names and len(names) != n:
        raise ValueError(f"it has {len(names)} names of {n} columns")
    if n > sum(len(tree["left_children"]) for tree in trees.trees) + len(names) + 1_000_000:
        raise ValueError(f"it has {n} columns without names")
    levels = _named_levels(trees.categories, source) if trees.categories else {}
    asked = 0
    highest: dict[int, int] = {}
    for tree in trees.trees:
        column = np.asarray(tree["split_indices"], dtype=np.int64)
        for node, members in _sets(tree):
            j, asked = int(column[node]), asked + 1
            highest[j] = max(highest.get(j, 0), int(members.max(initial=0)))
    for j, kind in enumerate(learner.get("feature_types", [])):
        if kind == "c" and j not in levels:
            highest.setdefault(j, 0)
    for j, last in highest.items():
        if j not in levels:
            if last > _MOST_LISTED:
                raise ValueError(f"column {j} has the category {last}")
            levels[j] = list(range(last + 1))
    lists_all = asked * max((len(found) for found in levels.values()), default=0) <= _MOST_LISTED
    return _Columns(names or [f"x{j}" for j in range(n)], bool(names), levels, lists_all)


def _named_levels(categories: Document, source: str) -> dict[int, list[Any]]:
    """The categories of each column that has some: numbers, or texts one after the other with their ends."""
    levels: dict[int, list[Any]] = {}
    for j, encoded in enumerate(categories["enc"]):
        values = np.asarray(encoded["values"])
        if "offsets" not in encoded:
            levels[j] = values.tolist()
            continue
        ends = np.asarray(encoded["offsets"], dtype=np.int64)
        letters = (values.astype(np.int64) & 0xFF).astype(np.uint8)
        if (letters > _LAST_OF_ASCII).any():
            refuse(
                source,
                f"the categories of column {j} have letters beyond a-z, and XGBoost cuts the ends off such texts, so "
                "that it is not known what they were",
                "Train it on categories that are written in plain letters.",
            )
        if len(ends) > 1:
            text = letters.tobytes().decode("ascii")
            levels[j] = [text[a:b] for a, b in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)]
    return levels


def _sets(tree: Document) -> list[tuple[int, NDArray[np.int64]]]:
    """The nodes that ask for categories, and those that each sends right."""
    nodes = np.asarray(tree.get("categories_nodes", []), dtype=np.int64).tolist()
    if not nodes:
        return []
    members = np.asarray(tree["categories"], dtype=np.int64)
    starts = np.asarray(tree["categories_segments"], dtype=np.int64)
    sizes = np.asarray(tree["categories_sizes"], dtype=np.int64)
    n_nodes = len(tree["split_indices"])
    in_order = len(nodes) == len(starts) == len(sizes) and len({*nodes}) == len(nodes)
    if not in_order or (starts != np.concatenate([[0], np.cumsum(sizes)[:-1]])).any() or sizes.min() < 0:
        raise ValueError("its sets of categories are not one after the other")
    if sizes.sum() != len(members) or (members < 0).any() or not all(0 <= node < n_nodes for node in nodes):
        raise ValueError("a set of categories is outside of its list")
    return [(node, members[a : a + n]) for node, a, n in zip(nodes, starts.tolist(), sizes.tolist(), strict=True)]


def _level_test(members: NDArray[np.int64], n_levels: int, missing_left: bool, lists_all: bool) -> LevelTest:
    """Members go right and every other known level left; what is not listed goes where missing values go."""
    goes_right = np.zeros(n_levels, dtype=np.uint8)
    goes_right[members[members < n_levels]] = 1
    if not lists_all and not missing_left:
        raise ValueError("its columns have too many categories")
    codes = np.arange(n_levels) if lists_all or not goes_right.any() else np.flatnonzero(goes_right)
    return LevelTest((codes + 1).astype(np.uint32), goes_right[codes])


# Nodes.


def _table(tree_and_weight: tuple[Document, float], columns: _Columns) -> NodeTable:
    tree, weight = tree_and_weight
    left = np.asarray(tree["left_children"], dtype=np.int64)
    n = len(left)
    right, column = _numbers(tree, "right_children", n, np.int64), _numbers(tree, "split_indices", n, np.int64)
    condition = _numbers(tree, "split_conditions", n, np.float32)
    missing_left = _numbers(tree, "default_left", n, np.int64) != 0
    cover = _numbers(tree, "sum_hessian", n, np.float32).astype(np.float64)
    gain = _numbers(tree, "loss_changes", n, np.float32).astype(np.float64)
    leaf = left < 0
    tests = {
        node: _level_test(members, len(columns.levels[int(column[node])]), bool(missing_left[node]), columns.lists_all)
        for node, members in _sets(tree)
        if not leaf[node]
    }
    if not (condition[~leaf] > -np.inf).all() or not ((cover >= 0) & (cover < 2**31)).all():
        raise ValueError("a node has a number that none can be")
    return NodeTable(
        left=left,
        right=np.where(leaf, -1, right),
        column=column,
        threshold=cuts_below(condition),
        missing_left=missing_left,
        gain=np.where(leaf, 0.0, gain) / np.maximum(cover, np.finfo(np.float32).tiny),
        n_rows=np.rint(cover).astype(np.int64),
        weight=cover,
        impurity=np.zeros(n),
        answers=(np.float32(weight) * condition).astype(np.float64),
        levels=tests,
    )


def _numbers(tree: Document, name: str, n: int, dtype: Any) -> NDArray[Any]:
    found = np.asarray(tree[name], dtype=dtype)
    if found.shape != (n,):
        raise ValueError(f"a tree of {n} nodes has {name} of the shape {found.shape}")
    return found
