"""The splits that a node had to choose from, and the score of every cut of a numeric column: how narrow the win was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.tree.test import read_test
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    import pandas as pd


# The splits that a node had to choose from: its own, those of other columns, and those that stand in for it.


Arrays = Mapping[str, NDArray[Any]]
_COLUMNS = ("role", "column", "threshold", "left", "right", "improvement", "agreement", "adjusted")


def node_candidates(tree: Tree, node: int) -> pd.DataFrame:
    """The candidates of one node, a row each: primary, competitors (best first), surrogates (most alike first)."""
    import pandas as pd

    if not 0 <= node < tree.n_nodes:
        raise DataError(f"There is no node {node}. The tree has the nodes 0 to {tree.n_nodes - 1}.")
    arrays = tree.arrays
    if arrays["n_children"][node] == 0:
        return pd.DataFrame(columns=_COLUMNS)
    weight = float(arrays["weight"][node])
    rows = [("primary", arrays, node, weight * float(arrays["improvement"][node]), np.nan, np.nan)]
    for k in entries(arrays, "candidate", node):
        worth = weight * float(arrays["candidate_improvement"][k])
        rows.append(("competitor", one_test(arrays, "candidate", node, k), 0, worth, np.nan, np.nan))
    for k in entries(arrays, "surrogate", node):
        numbers = float(arrays["surrogate_agreement"][k]), float(arrays["surrogate_adjusted"][k])
        rows.append(("surrogate", one_test(arrays, "surrogate", node, k), 0, np.nan, *numbers))
    return pd.DataFrame([_line(tree, *row) for row in rows], columns=_COLUMNS)


def _line(tree: Tree, role: str, arrays: Arrays, node: int, *numbers: float) -> tuple[Any, ...]:
    test = read_test(arrays, node, tree.schema.columns)
    left, right = (branch.label for branch in test.branches[:2])
    if "flip" in arrays and arrays["flip"][0]:
        left, right = right, left
    return (role, test.column, np.nan if test.threshold is None else test.threshold, left, right, *numbers)


def entries(arrays: Arrays, name: str, node: int) -> range:
    """The places of a node's entries in a list beside the tree; none where the tree has no such list."""
    if f"{name}_start" not in arrays:
        return range(0)
    start = arrays[f"{name}_start"]
    return range(int(start[node]), int(start[node + 1]))


def one_test(arrays: Arrays, name: str, node: int, k: int) -> Arrays:
    """The test number k of a list, in the form of a tree with one inner node."""
    threshold = float(arrays[f"{name}_threshold"][k])
    codes, branches = np.empty(0, dtype=np.uint32), np.empty(0, dtype=np.uint16)
    flip = bool(arrays["surrogate_flip"][k]) if name == "surrogate" else False
    if np.isnan(threshold):
        span = entries(arrays, f"{name}_level", node)
        which = arrays[f"{name}_level_which"][span.start : span.stop] == k - arrays[f"{name}_start"][node]
        codes = arrays[f"{name}_level_level"][span.start : span.stop][which].astype(np.uint32)
        branches = arrays[f"{name}_level_branch"][span.start : span.stop][which].astype(np.uint16)
    return {
        "n_children": np.array([2], dtype=np.uint16),
        "kind": np.array([2 if np.isnan(threshold) else 1], dtype=np.uint8),
        "column": np.array([arrays[f"{name}_column"][k]], dtype=np.int32),
        "threshold": np.array([threshold]),
        "missing_branch": np.array([-1], dtype=np.int32),
        "level_start": np.array([0, len(codes)], dtype=np.int64),
        "level": codes,
        "level_branch": branches,
        "flip": np.array([flip]),
    }


# The score of every cut of a numeric column at a node: how narrow the win was.


Floats = NDArray[np.float64]


def impurity(sums: Floats, criterion: str) -> Floats:
    """Give the impurity of sets of rows: columns of `sums` are class weights, or weight, Σwy and Σwy² for numbers.

    Entropy is in bits, as in stored trees.

    Examples
    --------
    >>> impurity(np.array([[2.0, 2.0], [4.0, 0.0]]), "gini").tolist()
    [0.5, 0.0]
    >>> impurity(np.array([[2.0, 2.0]]), "entropy").tolist()
    [1.0]
    """
    if criterion == "squared_error":
        weight = np.where(sums[:, 0] > 0, sums[:, 0], 1.0)
        return np.asarray(np.maximum(sums[:, 2] / weight - (sums[:, 1] / weight) ** 2, 0.0))
    total = sums.sum(axis=1, keepdims=True)
    share = np.divide(sums, total, out=np.zeros_like(sums), where=total > 0)
    if criterion == "entropy":
        logs = np.log2(share, out=np.zeros_like(share), where=share > 0)
        return np.asarray(-(share * logs).sum(axis=1) + 0.0)
    if criterion == "error":
        return np.asarray(np.where(total[:, 0] > 0, 1.0 - share.max(axis=1), 0.0))
    return np.asarray(np.where(total[:, 0] > 0, 1.0 - (share**2).sum(axis=1), 0.0))


def curve_criterion(criterion: str | None, is_class: bool) -> str:
    """Say by which criterion a curve is drawn: the tree's own where it is one of the usual ones.

    >>> curve_criterion("gain_ratio", True), curve_criterion("hellinger", True), curve_criterion(None, False)
    ('entropy', 'gini', 'squared_error')
    """
    if not is_class:
        return "squared_error"
    own = {"gain_ratio": "entropy"}.get(criterion or "", criterion or "")
    return own if own in ("gini", "entropy", "error") else "gini"


def score_curve(
    values: Floats, truth: NDArray[Any], weights: Floats, n_classes: int, criterion: str
) -> dict[str, Floats]:
    """Give the gain of every cut between two neighbouring values, counted on the rows that have a value.

    Parameters
    ----------
    values : array
        The column; NaN where there is no value.
    truth : array
        Class numbers, or numbers when `n_classes` is 0.
    weights : array
    n_classes : int
    criterion : {"gini", "entropy", "error", "squared_error"}

    Examples
    --------
    >>> found = score_curve(np.array([1.0, 2.0, 3.0]), np.array([0, 0, 1]), np.ones(3), 2, "gini")
    >>> found["threshold"].tolist(), found["gain"].round(3).tolist()
    ([1.5, 2.5], [0.111, 0.444])
    """
    kept = np.isfinite(values) & (weights > 0)
    order = np.argsort(values[kept], kind="stable")
    x, y, w = values[kept][order], truth[kept][order], weights[kept][order]
    if n_classes:
        each = np.zeros((len(x), n_classes))
        each[np.arange(len(x)), y.astype(int)] = w
    else:
        each = np.column_stack([w, w * y, w * y * y])
    below = np.cumsum(each, axis=0)
    cuts = np.flatnonzero(x[1:] > x[:-1])
    if not len(cuts):
        return {name: np.empty(0) for name in ("threshold", "gain", "weight_below")}
    left, whole = below[cuts], below[-1:]
    right = whole - left
    left_weight, right_weight = _weight(left, n_classes), _weight(right, n_classes)
    mean = (left_weight * impurity(left, criterion) + right_weight * impurity(right, criterion)) / _weight(
        whole, n_classes
    )
    return {
        "threshold": (x[cuts] + x[cuts + 1]) / 2,
        "gain": impurity(whole, criterion) - mean,
        "weight_below": left_weight,
    }


def _weight(sums: Floats, n_classes: int) -> Floats:
    return np.asarray(sums.sum(axis=1) if n_classes else sums[:, 0])
