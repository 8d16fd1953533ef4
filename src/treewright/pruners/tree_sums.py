"""Numbers of a stored tree that several pruners weigh: training errors, and the shape of what lies below a node."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import DataError

Floats = NDArray[np.float64]
_LARGEST = np.finfo(np.float64).max / 8  # the core stores an impurity beyond the range of doubles as a quarter of it
_ROUNDING = 1e-9  # shares of a row less than this are rounding


def refuse_overflow(losses: Floats) -> None:
    """Refuse losses that are beyond the largest number, or would be if they were added up."""
    if not (losses < _LARGEST).all():
        raise DataError(
            "The numbers of the target are too large for their squares to be numbers, so no pruner can weigh them. "
            "Multiply the target by a constant and train again."
        )


def is_leaf(tree: _core.Tree) -> NDArray[np.bool_]:
    """Tell which nodes are leaves."""
    return np.asarray(tree.arrays()["n_children"] == 0)


def sums_below(tree: _core.Tree, values: Floats | NDArray[np.bool_]) -> Floats:
    """The sum of one number a node over each node and all that lies below it."""
    return _core.subtree_sums(tree, np.ascontiguousarray(values, dtype=np.float64))


def sums_of_children(tree: _core.Tree, values: Floats) -> Floats:
    """The sum of one number a node over each node's branches."""
    return node_sums(tree, np.asarray(tree.parent)[1:], values[1:])


def node_sums(tree: _core.Tree, nodes: NDArray[Any], values: Floats) -> Floats:
    """The sum of the values that are said to belong to each node."""
    return np.bincount(nodes, weights=values, minlength=tree.n_nodes).astype(np.float64)


def training_errors(tree: _core.Tree) -> tuple[Floats, Floats]:
    """The training weight that each node gets wrong: of all its rows if it were a leaf, and of those that end there.

    All rows of a leaf end there; at an inner node only those do that have nowhere to go without a value.
    """
    arrays = tree.arrays()
    node = count_node(tree)
    is_answer = arrays["count_class"] == arrays["prediction"][node]
    right = node_sums(tree, node, arrays["count_weight"] * is_answer)
    as_leaf = np.maximum(arrays["weight"] - right, 0.0)
    passed = sums_of_children(tree, arrays["weight"])
    above = np.asarray(tree.parent)[node]
    counts_above = (above >= 0) & (arrays["count_class"] == arrays["prediction"][above])
    right_passed = node_sums(tree, above[counts_above], arrays["count_weight"][counts_above])
    ends = (arrays["weight"] - passed) - (right - right_passed)
    ends[ends < _ROUNDING * arrays["weight"]] = 0.0
    return as_leaf, np.where(is_leaf(tree), as_leaf, ends)


def count_node(tree: _core.Tree) -> NDArray[np.int64]:
    """The node that each entry of the stored class counts belongs to."""
    return np.repeat(np.arange(tree.n_nodes), np.diff(tree.arrays()["count_start"]))
