"""Models of LightGBM as models of treewright."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.converters.imported_model import Origin, booster, forest
from treewright.converters.lightgbm_text import TextModel, TextTree, read_text
from treewright.converters.node_table import LevelTest, NodeTable, schema_of
from treewright.converters.reading import file_bytes, refuse, source_of
from treewright.converters.zeros_as_missing import cuts_clear_of_zero, without_zero_tests
from treewright.errors import DataError
from treewright.learners.forest.random_forest import RandomForestRegressor
from treewright.save.refusing_damage import refusing_damage

Doubles = NDArray[np.float64]

# `decision_type` of a node
_CATEGORICAL, _DEFAULT_LEFT = 1, 2
_NO_MISSING, _ZERO_IS_MISSING = 0, 1  # bits 2 and 3; 2 is NaN

_MOST_LISTED = 20_000_000  # levels in all nodes

_LOSSES = {
    **dict.fromkeys(("regression", "fair", "mape", "lambdarank", "rank_xendcg", "custom"), "squared_error"),
    "regression_l1": "absolute_error",
    "huber": "huber",
    "quantile": "quantile",
    "poisson": "poisson",
    "tweedie": "poisson",  # the logarithm is added up, as there
    "gamma": "gamma",
    "binary": "log_loss",
    "multiclass": "log_loss",
}


def from_lightgbm(model: Any) -> Any:
    """Give a model of LightGBM as a model of treewright that answers every row the same.

    Parameters
    ----------
    model : Booster, LGBMModel or path
        A booster, an estimator, or the text file that `Booster.save_model` writes. LightGBM need not be installed to
        read a file. Of a booster that stopped early the best rounds are taken, as in `predict`.

    Returns
    -------
    model
        A fitted `GradientBoosting…`; with ``boosting="rf"`` a `RandomForestRegressor`.

    Examples
    --------
    >>> import lightgbm
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_auto_mpg(return_X_y=True)
    >>> X = X.select_dtypes("number")
    >>> theirs = lightgbm.train({"verbose": -1}, lightgbm.Dataset(X, y), num_boost_round=5)
    >>> ours = tw.from_lightgbm(theirs)
    >>> bool((ours.predict(X) == theirs.predict(X)).all())
    True
    """
    text, source, classes = _text_of(model)
    with refusing_damage({}, source):
        return _model(read_text(text), source, classes)


def _text_of(model: Any) -> tuple[str, str, NDArray[Any] | None]:
    """The text of a model, what messages call it, and its class labels where it has some."""
    if isinstance(model, str | Path) or hasattr(model, "__fspath__"):
        source = source_of(model)
        with refusing_damage({}, source):
            return file_bytes(model).decode("utf-8"), source, None
    core = getattr(model, "booster_", model)
    if not hasattr(core, "model_to_string"):
        raise DataError(
            f"tw.from_lightgbm takes a Booster, a fitted LGBMModel or the path of a model file. Got "
            f"{type(model).__name__} instead."
        )
    labels = getattr(model, "classes_", None) if model is not core else None
    return core.model_to_string(), f"the {type(model).__name__}", labels


def _model(text: TextModel, source: str, classes: NDArray[Any] | None) -> Any:
    objective, options = _objective(text, source)
    n_outputs = text.whole("num_tree_per_iteration")
    if not 1 <= n_outputs <= len(text.trees) or len(text.trees) % n_outputs:
        raise ValueError(f"{len(text.trees)} trees are no rounds of {n_outputs}")
    by_levels = [_level_nodes(tree) for tree in text.trees]
    levels = _levels(text, by_levels, source)
    codes = _level_codes(levels, bool(text.categories))
    lists_all = sum(len(levels[one.column]) for of_tree in by_levels for one in of_tree) <= _MOST_LISTED
    tables = [
        _table(tree, {one.node: _level_test(one, codes[one.column], lists_all) for one in of_tree}, source)
        for tree, of_tree in zip(text.trees, by_levels, strict=True)
    ]
    if objective in ("binary", "multiclass") and classes is None:
        classes = np.arange(max(2, n_outputs))
    has_names = text.names() != [f"Column_{j}" for j in range(len(text.names()))]
    names = text.names() if has_names else [f"x{j}" for j in range(len(text.names()))]
    origin = Origin(schema_of(names, levels), classes if objective in ("binary", "multiclass") else None, has_names)
    if (1 if origin.n_classes == 2 else max(1, origin.n_classes)) != n_outputs:
        raise ValueError(f"{n_outputs} scores of a row are no scores for {origin.n_classes} classes")
    averaged = "average_output" in text.fields
    if averaged and _LOSSES[objective] not in ("log_loss", "poisson", "gamma"):
        return forest(RandomForestRegressor, tables, origin, "squared_error")
    scale = float(options.get("sigmoid", "1")) / (len(tables) // n_outputs if averaged else 1)
    if scale != 1:
        tables = [NodeTable(**{**vars(table), "answers": table.answers * scale}) for table in tables]
    return booster(tables, origin, np.zeros(n_outputs), _LOSSES[objective], _learning_rate(text))


def _objective(text: TextModel, source: str) -> tuple[str, dict[str, str]]:
    """The name of the objective, and what stands behind it, such as sigmoid:1."""
    name, *others = text.fields.get("objective", "custom").split()
    options = dict(other.partition(":")[::2] for other in others)
    if name not in _LOSSES or "sqrt" in options:
        said = " ".join([name, *(["sqrt"] if "sqrt" in options else [])])
        refuse(
            source,
            f"it was trained with the objective {said!r}, whose scores no model of treewright turns into answers the "
            "same way",
            f"Train it with one of: {', '.join(_LOSSES)}.",
        )
    if name == "custom" and text.whole("num_tree_per_iteration") > 1:
        refuse(source, "it has an objective of its own and several scores of a row", "Train it with 'multiclass'.")
    return name, options


def _learning_rate(text: TextModel) -> float:
    rate = float(text.trees[-1].fields.get("shrinkage", "1"))
    return rate if 0 < rate < np.inf else 1.0


# Columns of levels.


@dataclass(frozen=True)
class _LevelNode:
    """A node that asks for categories, and those that it sends left."""

    node: int
    column: int
    members: NDArray[np.int64]


def _level_nodes(tree: TextTree) -> list[_LevelNode]:
    inner, n_sets = tree.n_leaves - 1, int(tree.fields.get("num_cat", "0"))
    if n_sets == 0 or inner < 1:
        return []
    bounds = tree.whole("cat_boundaries", n_sets + 1)
    words = tree.fields["cat_threshold"].split()
    if bounds[0] != 0 or bounds[-1] != len(words) or (np.diff(bounds) < 0).any():
        raise ValueError("a set of categories is outside of its list")
    bits = np.array([int(word) for word in words], dtype=np.uint32)
    nodes = np.flatnonzero(tree.whole("decision_type", inner) & _CATEGORICAL)
    place = tree.real("threshold", inner)[nodes].astype(np.int64)  # stands where others have their cut
    if len(np.unique(place)) != len(place) or not ((place >= 0) & (place < n_sets)).all():
        raise ValueError("two nodes have one set of categories, or a node has none")
    column = tree.whole("split_feature", inner)
    return [
        _LevelNode(int(node), int(column[node]), _members(bits[bounds[at] : bounds[at + 1]]))
        for node, at in zip(nodes, place, strict=True)
    ]


def _members(words: NDArray[np.uint32]) -> NDArray[np.int64]:
    """The numbers of the bits that are set."""
    return np.flatnonzero(np.unpackbits(words.astype("<u4").view(np.uint8), bitorder="little"))


def _levels(text: TextModel, by_levels: list[list[_LevelNode]], source: str) -> dict[int, list[Any]]:
    """The levels of each column of categories, in the order of their codes."""
    infos = text.fields.get("feature_infos", "").split()
    if len(infos) != len(text.names()) or len(infos) != text.whole("max_feature_idx") + 1:
        raise ValueError("its columns, their names and what is said of them differ in number")
    numbers = {
        j: {int(word) for word in info.split(":") if int(word) >= 0}
        for j, info in enumerate(infos)
        if info != "none" and not info.startswith("[")
    }
    for one in (one for of_tree in by_levels for one in of_tree):
        if not 0 <= one.column < len(infos):
            raise ValueError("a node asks for a column that does not exist")
        numbers.setdefault(one.column, set()).update(one.members.tolist())
    found: dict[int, list[Any]] = {j: sorted(found) for j, found in sorted(numbers.items())}
    if not text.categories:
        return found
    if len(text.categories) != len(found):
        refuse(
            source,
            f"it was trained on {len(text.categories)} category columns of pandas, and {len(found)} columns are split "
            "by levels: which are which is not in the model",
            "Turn ordered categories and those with one value into numbers before training.",
        )
    return dict(zip(found, text.categories, strict=True))


def _level_codes(levels: dict[int, list[Any]], named: bool) -> dict[int, dict[int, int]]:
    """For each column of levels: by the category's number in the model the code of its level."""
    return {
        column: {(place if named else level): place + 1 for place, level in enumerate(found)}
        for column, found in levels.items()
    }


def _level_test(one: _LevelNode, codes: dict[int, int], lists_all: bool) -> LevelTest:
    """Members go left. The others go right, where a level that is not listed goes too."""
    left = {codes[member] for member in one.members.tolist() if member in codes}
    listed = np.array(sorted(codes.values() if lists_all or not left else left), dtype=np.uint32)
    return LevelTest(listed, (~np.isin(listed, list(left))).astype(np.uint8))


# Nodes.


def _table(tree: TextTree, tests: dict[int, LevelTest], source: str) -> NodeTable:
    if tree.fields.get("is_linear", "0") != "0":
        refuse(
            source, "its leaves hold linear models (linear_tree=true), and those of a booster hold numbers here",
            "Train it with linear_tree=false.",
        )  # fmt: skip
    n, inner = tree.n_leaves, tree.n_leaves - 1
    if n < 1:
        raise ValueError(f"a tree has {n} leaves")
    kind = tree.whole("decision_type", inner)
    column = tree.whole("split_feature", inner)
    threshold = cuts_clear_of_zero(tree.real("threshold", inner))
    by_levels = (kind & _CATEGORICAL) != 0
    missing = kind >> 2 & 3
    default_left = np.where(missing == _NO_MISSING, threshold >= 0, (kind & _DEFAULT_LEFT) != 0) & ~by_levels
    rows = tree.whole("leaf_count", n) if "leaf_count" in tree.fields else np.zeros(n, dtype=np.int64)
    counts = tree.real("internal_count", inner)
    table = NodeTable(
        left=_children(tree, "left_child", n),
        right=_children(tree, "right_child", n),
        column=np.concatenate([column, np.full(n, -1)]),
        threshold=np.concatenate([threshold, np.zeros(n)]),
        missing_left=np.concatenate([default_left, np.zeros(n, bool)]),
        gain=np.concatenate([tree.real("split_gain", inner) / np.maximum(counts, 1), np.zeros(n)]),
        n_rows=np.concatenate([np.zeros(inner, np.int64), rows]),
        weight=np.concatenate([np.zeros(inner), rows.astype(np.float64)]),
        impurity=np.zeros(inner + n),
        answers=np.concatenate([np.zeros(inner), tree.real("leaf_value", n)]),
        levels=tests,
    )
    zero_is_missing = np.concatenate([(missing == _ZERO_IS_MISSING) & ~by_levels, np.zeros(n, bool)])
    return without_zero_tests(table, zero_is_missing, source) if zero_is_missing.any() else table


def _children(tree: TextTree, name: str, n: int) -> NDArray[np.int64]:
    """Leaves are numbered after the inner nodes; LightGBM writes leaf i as -i - 1."""
    child = tree.whole(name, n - 1)
    if len(child) and (child.min() < -n or child.max() > n - 2 or (child == 0).any()):
        raise ValueError(f"a tree has a {name} that does not exist")
    return np.concatenate([np.where(child < 0, n - 2 - child, child), np.full(n, -1)])
