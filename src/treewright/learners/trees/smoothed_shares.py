"""Class shares of a tree drawn towards those of the nodes above: hierarchical shrinkage.

Agarwal, Tan, Ronen, Singh, Yu (2022), Hierarchical shrinkage: improving the accuracy and interpretability of tree-based
models, equation 1. A leaf of three rows of one class is no proof that every such row is of it: each step down from the
root counts the less, the fewer rows the node has in which it is made. The root counts one row more of each class, so
that no class is impossible. The splits and the answers stay as they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core

Floats = NDArray[np.float64]


def smoothed_shares(tree: _core.Tree, smoothing: float) -> Floats:
    """Give the shares of the classes in every node: nodes × classes.

    Examples
    --------
    >>> import treewright as tw
    >>> tree = tw.DecisionTreeClassifier().fit([[1], [1], [2], [2]], list("aabb")).tree_.core
    >>> smoothed_shares(tree, 0.0)
    array([[0.5, 0.5],
           [1. , 0. ],
           [0. , 1. ]])
    >>> smoothed_shares(tree, 4.0)
    array([[0.5 , 0.5 ],
           [0.75, 0.25],
           [0.25, 0.75]])
    """
    arrays = tree.arrays()
    counts = np.zeros((tree.n_nodes, tree.n_classes))
    owner = np.repeat(np.arange(tree.n_nodes), np.diff(arrays["count_start"]))
    counts[owner, arrays["count_class"]] = arrays["count_weight"]
    weight = counts.sum(axis=1)
    parent = np.maximum(tree.parent, 0)
    raw = counts / np.where(weight > 0, weight, 1.0)[:, None]
    empty = weight <= 0
    raw[empty] = raw[parent[empty]]  # a node without rows is a leaf, and its parent has some
    step = (raw - raw[parent]) * (weight / (weight + smoothing))[parent][:, None]
    first = counts[0] + (1.0 if smoothing else 0.0)
    found = np.empty_like(raw)
    found[0] = first / first.sum()
    for nodes in _by_depth(tree.depth)[1:]:
        found[nodes] = found[parent[nodes]] + step[nodes]
    return _as_shares(found)


def _by_depth(depth: NDArray[Any]) -> list[NDArray[np.int64]]:
    order = np.argsort(depth, kind="stable")
    return np.split(order, np.searchsorted(depth[order], np.arange(1, int(depth.max()) + 1)))


def _as_shares(found: Floats) -> Floats:
    """Without what rounding, and the row more at the root, have left below 0 or beside 1."""
    found = np.maximum(found, 0.0)
    return np.asarray(found / found.sum(axis=1, keepdims=True))
