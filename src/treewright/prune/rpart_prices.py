"""rpart's own prices: which nodes it divides at a price of a leaf, and the price at which it cuts each of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright import _core

Floats = NDArray[np.float64]
_SAME_PRICE = 1e-12  # prices that differ by less, in shares of the root's risk, are the same


def rpart_leaves(tree: _core.Tree, risk: Floats, alpha: float) -> NDArray[np.uint8]:
    """1 for every node that rpart does not divide when a leaf costs alpha.

    Examples
    --------
    >>> import treewright as tw
    >>> model = tw.DecisionTreeClassifier().fit([[1], [2], [3], [4]], ["a", "b", "a", "a"])
    >>> rpart_leaves(model.tree_.core, np.array([1.0, 1.0, 0.0, 0.0, 0.0]), 0.4).tolist()
    [0, 0, 1, 1, 1]
    """
    return tree.leaves_by_price(risk, _means(tree), alpha)


def _means(tree: _core.Tree) -> Floats:
    """The mean of the target at each node, by which rpart says which son is the left one; classes count by place."""
    arrays = tree.arrays()
    if tree.n_classes == 0:
        return np.asarray(arrays["value"])
    node = np.repeat(np.arange(tree.n_nodes), np.diff(arrays["count_start"]))
    sums = np.bincount(node, arrays["count_class"] * arrays["count_weight"], minlength=tree.n_nodes)
    return np.asarray(sums / np.maximum(arrays["weight"], np.finfo(np.float64).tiny))


def rpart_complexity(tree: _core.Tree, risk: Floats, alpha: float = 0.0) -> Floats:
    """The price of every node, in the units of `risk`, never above its parent's; leaves have `alpha`.

    Examples
    --------
    >>> import treewright as tw
    >>> model = tw.DecisionTreeClassifier().fit([[1], [2], [3], [4]], ["a", "b", "a", "a"])
    >>> rpart_complexity(model.tree_.core, np.array([1.0, 1.0, 0.0, 0.0, 0.0])).tolist()
    [0.5, 0.5, 0.0, 0.0, 0.0]
    """
    start, children = tree.children_start, tree.children
    is_leaf = rpart_leaves(tree, risk, alpha)
    price, below, splits = np.full(tree.n_nodes, alpha), risk.astype(np.float64), np.zeros(tree.n_nodes, dtype=np.int64)
    for node in range(tree.n_nodes - 1, -1, -1):
        sons = children[start[node] : start[node + 1]]
        if is_leaf[node]:
            continue
        standing = price[sons] + _SAME_PRICE * risk[0], below[sons], splits[sons]
        found, leaves_below, n_splits = _link(risk[node], risk[sons], *standing)
        if found > alpha + _SAME_PRICE * risk[0]:
            price[node], below[node], splits[node] = found, leaves_below, n_splits
    for node in range(1, tree.n_nodes):
        price[node] = min(price[node], price[tree.parent[node]])
    return price


def _link(
    own: float, as_leaf: Floats, price: Floats, below: Floats, splits: NDArray[np.int64]
) -> tuple[float, float, int]:
    """The price of a node, and the risk and splits below it. The weakest son (the last of equals) goes first."""
    order = sorted(range(len(price) - 1, -1, -1), key=lambda son: price[son])
    found = (own - below.sum()) / (splits.sum() + 1)
    for son in order:
        if found <= price[son]:
            break
        below[son], splits[son] = as_leaf[son], 0
        found = (own - below.sum()) / (splits.sum() + 1)
    return float(found), float(below.sum()), int(splits.sum()) + 1
