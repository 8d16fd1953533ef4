"""Pruning by the price of tests: a subtree stays where telling the targets takes fewer bits with it than with a leaf.

R. Krichevsky and V. Trofimov (1981), "The performance of universal encoding", IEEE Transactions on Information Theory
27, 199-207, for the bits of classes whose shares are not known beforehand.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from treewright import _core
from treewright.errors import DataError
from treewright.pruners.pruner import Grown, Marks, Pruner
from treewright.pruners.tree_sums import Floats, count_node, node_sums

_FLOOR = 2.0**-40  # numbers are never told more exactly than this share of the node's spread
_EQUAL = 1e-9  # bits; a subtree must save more than this


@dataclass(frozen=True)
class PriceOfTests(Pruner):
    """A node becomes a leaf where the subtree saves fewer bits than its tests cost. Oblique trees store those prices.

    Classes are told with shares that the leaf learns as it goes, among the classes that it has. Numbers are told as
    Gauss curves around the means of the leaves, with one spread for the whole subtree, of which every leaf takes one
    degree of freedom.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_glass(return_X_y=True)
    >>> full = tw.ObliqueTreeClassifier(prune=None).fit(X, y)
    >>> full.prune(tw.PriceOfTests()).get_n_leaves() < full.get_n_leaves()
    True
    """

    def becomes_leaf(self, grown: Grown) -> Marks:
        """Mark the nodes that are shorter to tell as leaves."""
        arrays = grown.tree.arrays()
        if "price" not in arrays:
            raise DataError(
                "The nodes of this tree store no price, so it cannot be pruned by price. Oblique trees do; for others "
                "use tw.MinimumDescription() or tw.CostComplexity(cv=10)."
            )
        price = np.nan_to_num(arrays["price"])
        if grown.tree.n_classes:
            return _core.cheaper_as_leaf(grown.tree, class_bits(grown.tree), price, _EQUAL).astype(bool)
        return _numbers_cheaper_as_leaf(grown.tree, price)


def class_bits(tree: _core.Tree) -> Floats:
    """Bits that tell the classes of each node's rows as a leaf.

    Examples
    --------
    >>> import treewright as tw
    >>> model = tw.DecisionTreeClassifier().fit([[1], [2]], ["a", "b"])
    >>> class_bits(model.tree_.core).round(6).tolist()
    [3.0, 0.0, 0.0]
    """
    from scipy.special import gammaln  # takes its time to import

    arrays, node = tree.arrays(), count_node(tree)
    half = np.diff(arrays["count_start"]) / 2
    own = node_sums(tree, node, gammaln(arrays["count_weight"] + 0.5) - gammaln(0.5))
    whole = gammaln(arrays["weight"] + half) - gammaln(np.maximum(half, 0.5))
    return np.where(half > 0.5, (whole - own) / math.log(2), 0.0)


def _numbers_cheaper_as_leaf(tree: _core.Tree, price: Floats) -> Marks:
    """Go from the leaves up; of every subtree the spread inside its leaves, the price of its tests and the leaves."""
    arrays = tree.arrays()
    weight = arrays["weight"].tolist()
    spread = (arrays["weight"] * arrays["impurity"]).tolist()
    tests, leaves = [0.0] * tree.n_nodes, [1] * tree.n_nodes
    start, children = tree.children_start.tolist(), tree.children.tolist()
    marks = np.zeros(tree.n_nodes, np.bool_)
    for node in reversed(range(tree.n_nodes)):
        below = children[start[node] : start[node + 1]]
        if not below:
            continue
        inside = sum(spread[child] for child in below)
        cost = float(price[node]) + sum(tests[child] for child in below)
        ends = sum(leaves[child] for child in below)
        if number_bits_saved(spread[node], inside, weight[node], ends) - cost > _EQUAL:
            spread[node], tests[node], leaves[node] = inside, cost, ends
        else:
            marks[node] = True
    return marks


def number_bits_saved(as_leaf: float, inside: float, weight: float, leaves: int) -> float:
    """Bits that a subtree saves over a leaf: n/2·log2 of the ratio of the two variances.

    >>> round(number_bits_saved(as_leaf=24.0, inside=4.0, weight=4.0, leaves=2), 6)
    4.0
    """
    if weight <= leaves or not 0 < as_leaf < math.inf:
        return -math.inf
    floor = _FLOOR * as_leaf / weight
    return weight / 2 * math.log2((as_leaf / (weight - 1) + floor) / (inside / (weight - leaves) + floor))
