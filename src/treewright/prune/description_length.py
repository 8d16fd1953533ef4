"""Pruning by description length: a subtree stays where the targets are told in fewer bits with it than with a leaf."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import DataError
from treewright.prune.pruner import Floats, Grown, Marks, Pruner, count_node, node_sums, training_errors

# Pruning by minimum description length: the tree and the classes of its rows, told in as few bits as possible.


_THRESHOLD, _HYPERPLANE = 1, 3


@dataclass(frozen=True)
class MinimumDescription(Pruner):
    """A node becomes a leaf where that takes no more bits to tell than the test and all that stands below.

    A leaf costs the bits that tell its rows' classes. A node that asks costs the bits that tell its test: the column,
    and the cut or the sets of levels. Each node costs one bit more, to tell which of the two it is. A cut is charged
    log2 of the number of cuts that the node's rows allow: one fewer than there are different values. `model.pruned`
    counts them if it is given the training rows as X and y, and else takes one fewer than there are rows.

    Parameters
    ----------
    code : {"rissanen", "exceptions"}, default "rissanen"
        How classes are told. "rissanen" (SLIQ, SPRINT) tells the shares of the classes and then each row's;
        "exceptions" (Quinlan and Rivest) tells which rows do not have the answer's class.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_credit_g(return_X_y=True)
    >>> full = tw.DecisionTreeClassifier().fit(X, y)
    >>> full.get_n_leaves(), full.pruned(tw.MinimumDescription()).get_n_leaves()
    (190, 4)
    """

    code: Literal["rissanen", "exceptions"] = "rissanen"
    prunes_numbers: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_word("code", ("rissanen", "exceptions"))

    @property
    def looks_at_training_rows(self) -> bool:
        """They tell how many cuts a node could have made."""
        return True

    def becomes_leaf(self, grown: Grown) -> Marks:
        """Mark the nodes that are shorter to tell as leaves."""
        tree = grown.tree
        bits = rissanen_bits(tree) if self.code == "rissanen" else exception_bits(tree)
        tests = bits_of_test(tree, n_values(grown))
        return _core.cheaper_as_leaf(tree, 1 + bits, 1 + tests, 0.0).astype(bool)


def rissanen_bits(tree: _core.Tree) -> Floats:
    """Bits that tell the classes of each node's rows as a leaf."""
    from scipy.special import gammaln

    arrays, k, node = tree.arrays(), tree.n_classes, count_node(tree)
    n, count = arrays["weight"], arrays["count_weight"]
    has_rows = count > 0
    terms = np.zeros(len(count))
    terms[has_rows] = count[has_rows] * np.log2(n[node[has_rows]] / count[has_rows])
    data = np.bincount(node, terms, minlength=tree.n_nodes)
    shares = (k - 1) / 2 * np.log2(np.where(n > 0, n, 2) / 2) + k / 2 * np.log2(np.pi) - gammaln(k / 2) / np.log(2)
    return np.where(n > 0, data + shares, 0.0)


def exception_bits(tree: _core.Tree) -> Floats:
    """Bits that tell how many of each node's rows are exceptions, which ones, and of which class."""
    from scipy.special import gammaln

    n, wrong = tree.arrays()["weight"], training_errors(tree)[0]
    choose = (gammaln(n + 1) - gammaln(wrong + 1) - gammaln(n - wrong + 1)) / np.log(2)
    which_class = wrong * np.log2(max(tree.n_classes - 1, 1))
    return np.asarray(np.log2((n + 1) // 2 + 1) + choose + which_class)


def n_values(grown: Grown) -> Floats:
    """How many different values the column of each node's cut has at the node: counted, or at most so many."""
    arrays, training = grown.tree.arrays(), grown.training
    if training is None:
        most = [len(column.levels) if column.kind == "ordinal" else np.inf for column in grown.schema.columns]
        most_here = np.array([*most, np.inf])[arrays["column"]]  # leaves have column -1
        return np.asarray(np.minimum(arrays["n_rows"], most_here))
    start, nodes, _ = _core.leaf_shares_of_table(grown.tree, training.table, training.rows)
    rows = np.repeat(training.rows, np.diff(start))
    return _core.values_at_nodes(grown.tree, training.table, rows, nodes, training.threads).astype(np.float64)


def bits_of_test(tree: _core.Tree, values: Floats) -> Floats:
    """Bits that tell each node's test: the column, and the cut or the sets of levels, or the terms of a sum."""
    arrays = tree.arrays()
    bits = np.where(arrays["n_children"] > 0, np.log2(tree.n_columns), 0.0)
    is_cut = (arrays["kind"] == _THRESHOLD) & np.isfinite(arrays["threshold"])  # an infinite one asks "known or not"
    bits[is_cut] += np.log2(np.maximum(values[is_cut] - 1, 1))
    if "term_start" in arrays:  # a weighted sum has a column and a weight for each of its terms
        n_terms = np.diff(arrays["term_start"])
        each = np.log2(tree.n_columns) + np.log2(np.maximum(arrays["n_rows"] - 1, 1))
        bits += np.where(arrays["kind"] == _HYPERPLANE, n_terms * each - np.log2(tree.n_columns), 0.0)
    by_levels = np.flatnonzero(np.diff(arrays["level_start"]))
    if len(by_levels):
        starts = arrays["level_start"][by_levels]
        groups = np.maximum.reduceat(arrays["level_branch"].astype(np.int64), starts) + 1
        bits[by_levels] += grouping_bits(np.diff(arrays["level_start"])[by_levels], groups)
    return np.asarray(bits)


def grouping_bits(levels: NDArray[np.int64], groups: NDArray[np.int64]) -> Floats:
    """Bits that tell how levels are put into groups: log2 of the number of ways.

    A branch for each level is one way, two groups are 2^(levels - 1) - 1; between these, groups^levels / groups! is the
    number but for groups that would be empty.

    Examples
    --------
    >>> grouping_bits(np.array([3, 4, 5]), np.array([2, 4, 3])).round(3).tolist()
    [1.585, 0.0, 5.34]
    """
    from scipy.special import gammaln

    two = levels - 1 + np.log2(1 - 2.0 ** np.minimum(1 - levels, -1))
    many = levels * np.log2(groups) - gammaln(groups + 1) / np.log(2)
    return np.asarray(np.where(groups >= levels, 0.0, np.where(groups == 2, two, many)))


# Pruning by the price of tests: a subtree stays where telling the targets takes fewer bits with it than with a leaf.


_FLOOR = 2.0**-40  # numbers are never told more exactly than this share of the node's spread
_EQUAL = 1e-9  # bits; a subtree must save more than this


@dataclass(frozen=True)
class DescriptionLength(Pruner):
    """A node becomes a leaf where the subtree saves fewer bits than its tests cost. Oblique trees store those prices.

    Classes are told with shares that the leaf learns as it goes, among the classes that it has. Numbers are told as
    Gauss curves around the means of the leaves, with one spread for the whole subtree, of which every leaf takes one
    degree of freedom.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_glass(return_X_y=True)
    >>> full = tw.ObliqueTreeClassifier(prune=None).fit(X, y)
    >>> full.pruned(tw.DescriptionLength()).get_n_leaves() < full.get_n_leaves()
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
