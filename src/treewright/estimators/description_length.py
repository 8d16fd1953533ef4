"""Pruning by price: a subtree stays where telling the targets with it takes fewer bits than telling them with a leaf.

The bits of a leaf's classes are those of Krichevsky and Trofimov (1981), which charge for the class shares, too. Numbers
are told as a Gauss curve around each leaf's mean, with one spread for the whole subtree: n/2·log2(spread / (n - leaves)).
What the tests of a subtree cost is stored with its nodes in the array `price`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import DataError

_FLOOR = 2.0**-40  # numbers are never told more exactly than this share of the node's spread
_EQUAL = 1e-9  # bits; a subtree must save more than this


def cut_by_price(tree: _core.Tree) -> _core.Tree:
    """Give the tree without the subtrees that are not worth their price.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> grown = tw.ObliqueTreeClassifier(prune=None).fit(X, y)
    >>> cut_by_price(grown.tree_.core).n_nodes < grown.tree_.n_nodes
    True
    """
    arrays = tree.arrays()
    if "price" not in arrays:
        raise DataError(
            "This tree stores no prices, so it cannot be pruned by price. Oblique trees store them; prune others with "
            "tw.CostComplexity(...)."
        )
    told = class_bits(tree) if tree.n_classes else arrays["impurity"] * arrays["weight"]
    keep = _kept(tree, told, arrays["price"], arrays["weight"])
    return tree.cut_at((~keep).astype(np.uint8))


def class_bits(tree: _core.Tree) -> NDArray[np.float64]:
    """Bits that tell the classes of each node as a leaf, among the classes that it has.

    Examples
    --------
    >>> import treewright as tw
    >>> model = tw.DecisionTreeClassifier().fit([[1], [2]], ["a", "b"])
    >>> class_bits(model.tree_.core).round(6).tolist()
    [3.0, 0.0, 0.0]
    """
    arrays = tree.arrays()
    present = np.diff(arrays["count_start"])
    log_gamma = np.fromiter(map(math.lgamma, arrays["count_weight"] + 0.5), np.float64) - math.lgamma(0.5)
    sums = np.concatenate([[0.0], np.cumsum(log_gamma)])
    own = sums[arrays["count_start"][1:]] - sums[arrays["count_start"][:-1]]
    whole = [
        math.lgamma(weight + k / 2) - math.lgamma(k / 2) if k else 0.0
        for weight, k in zip(arrays["weight"].tolist(), present.tolist(), strict=True)
    ]
    return np.where(present > 1, (np.array(whole) - own) / math.log(2), 0.0)


def _kept(
    tree: _core.Tree, told: NDArray[np.float64], price: NDArray[np.float64], weight: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Mark the nodes that stay open, from below. `told` is what each node takes as a leaf: bits, or spread."""
    children = tree.children.tolist()
    start = tree.children_start.tolist()
    below, tests, leaves = told.tolist(), [0.0] * tree.n_nodes, [1] * tree.n_nodes
    keep = np.zeros(tree.n_nodes, np.bool_)
    for node in reversed(range(tree.n_nodes)):
        own = children[start[node] : start[node + 1]]
        if not own:
            continue
        inside = sum(below[child] for child in own)
        cost = float(price[node]) + sum(tests[child] for child in own)
        ends = sum(leaves[child] for child in own)
        if tree.n_classes:
            saved = below[node] - inside
        else:
            saved = _number_bits_saved(below[node], inside, float(weight[node]), ends)
        if saved - cost > _EQUAL:
            keep[node] = True
            below[node], tests[node], leaves[node] = inside, cost, ends
    return keep


def _number_bits_saved(as_leaf: float, inside: float, weight: float, leaves: int) -> float:
    """Bits that a subtree saves when each leaf costs a degree of freedom.

    >>> _number_bits_saved(as_leaf=30.0, inside=8.0, weight=4.0, leaves=2) > 0
    True
    """
    if weight <= leaves or not 0 < as_leaf < math.inf:
        return -math.inf
    floor = _FLOOR * as_leaf / weight
    return weight / 2 * math.log2((as_leaf / (weight - 1) + floor) / (inside / (weight - leaves) + floor))
