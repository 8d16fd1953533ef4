"""Minimum-error pruning: the expected error of a leaf; and leaves that say the same become one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from treewright import _core
from treewright.errors import DataError
from treewright.prune.pruner import (
    Floats,
    Grown,
    Marks,
    Pruner,
    count_node,
    is_leaf,
    refuse_overflow,
    sums_below,
    sums_of_children,
)

# Minimum-error pruning: the error that a leaf is expected to make, when a few rows of the whole table are added to
# it.


@dataclass(frozen=True)
class MinimumError(Pruner):
    """A node becomes a leaf where its expected error is no larger than that of its branches.

    The expected error is that of the node's own training rows with m rows of the prior added: 1 − (n_k + m·π_k)/(n + m)
    for the best class k. A small leaf is thus believed less than a large one. For numbers the squared error is
    estimated in the same way, with m rows that have the mean and the variance of the root.

    Parameters
    ----------
    m : float, default 2.0
        How many rows are added. Raising it mostly gives a smaller tree. Two are few for a fully grown tree: choose by
        cross-validation.
    prior : {"root", "uniform"}, default "root"
        The shares π of the classes in the added rows: those of the root, or all alike. With m equal to the number of
        classes, "uniform" is Laplace's law of succession. Numbers have the root's prior only.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_credit_g(return_X_y=True)
    >>> full = tw.DecisionTreeClassifier().fit(X, y)
    >>> [full.pruned(tw.MinimumError(m)).get_n_leaves() for m in (2, 10, 50)]
    [187, 113, 102]
    """

    m: float = 2.0
    prior: Literal["root", "uniform"] = "root"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_number("m", "a number of 0 or more", 0, np.inf, open_ends=False)
        self._check_word("prior", ("root", "uniform"))

    def becomes_leaf(self, grown: Grown) -> Marks:
        """Mark the nodes that are expected to do as well as their branches."""
        tree = grown.tree
        if tree.n_classes:
            error = _class_errors(tree, float(self.m), self.prior)
        elif grown.criterion == "squared_error":
            error = _squared_errors(tree, float(self.m))
        else:
            raise DataError(
                f"MinimumError can weigh classes and squared errors, but this tree was grown by '{grown.criterion}'. "
                "Use ReducedError or CostComplexity."
            )
        weight = tree.arrays()["weight"]
        stay = np.maximum(weight - sums_of_children(tree, weight), 0.0)  # rows that stop at the node
        return _core.cheaper_as_leaf(tree, weight * error, stay * error, 0.0).astype(bool)


def _class_errors(tree: _core.Tree, m: float, prior: str) -> Floats:
    """The expected share of errors of each node as a leaf."""
    arrays, node = tree.arrays(), count_node(tree)
    shares = np.full(tree.n_classes, 1 / tree.n_classes)
    if prior == "root":
        root = slice(0, int(arrays["count_start"][1]))
        shares = np.bincount(arrays["count_class"][root], arrays["count_weight"][root], minlength=tree.n_classes)
        shares = shares / shares.sum()
    best = np.full(tree.n_nodes, m * shares.max())  # a class that the node has no rows of may still be the best
    np.maximum.at(best, node, arrays["count_weight"] + m * shares[arrays["count_class"]])
    return np.asarray(1 - best / np.maximum(arrays["weight"] + m, 1e-300))


def _squared_errors(tree: _core.Tree, m: float) -> Floats:
    """The expected squared error of each node as a leaf: variance of its rows and the added ones together."""
    arrays = tree.arrays()
    n = arrays["weight"]
    total = np.maximum(n + m, 1e-300)
    with np.errstate(over="ignore", invalid="ignore"):
        apart = arrays["value"] - arrays["value"][0]
        within = (n * arrays["impurity"] + m * arrays["impurity"][0]) / total
        error = np.asarray(within + (n / total) * (m / total) * apart**2)
        refuse_overflow(n * error)
    return error


# Leaves that say the same become one.


@dataclass(frozen=True)
class MergeEqualLeaves(Pruner):
    """A node whose branches all end in its own answer becomes a leaf.

    No predicted class changes, and no predicted number; the probabilities of classes do.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_titanic(return_X_y=True)
    >>> full = tw.DecisionTreeClassifier(max_depth=4).fit(X, y)
    >>> small = full.pruned(tw.MergeEqualLeaves())
    >>> full.get_n_leaves(), small.get_n_leaves(), bool((full.predict(X) == small.predict(X)).all())
    (15, 11, True)
    """

    def becomes_leaf(self, grown: Grown) -> Marks:
        """Mark the nodes below which nothing is answered otherwise."""
        arrays, parent = grown.tree.arrays(), np.asarray(grown.tree.parent)
        answers: Floats = arrays["prediction"] if grown.tree.n_classes else arrays["value"]
        differs = (parent >= 0) & (answers != answers[parent])
        below = sums_below(grown.tree, differs) - differs
        return np.asarray(~is_leaf(grown.tree) & (below == 0))
