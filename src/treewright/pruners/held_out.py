"""Held-out rows on a grown tree: what they lose at each node if it were a leaf.

The order of the rows changes nothing. Weights of classes become whole multiples of one small power of two, so that
their sums are exact; rows with numbers are put into an order of their own before they are added up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.pruners.tree_sums import node_sums, refuse_overflow, sums_below

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class HeldOut:
    """What the held-out rows tell about each node of a tree.

    Attributes
    ----------
    as_leaf : array
        What the rows that come to a node lose if the node answers them all.
    ends : array
        What the rows that end at a node lose there; at an inner node these are the rows that go no further.
    weight : array
        The weight of the rows that come to a node.
    """

    as_leaf: Floats
    ends: Floats
    weight: Floats


@dataclass(frozen=True)
class Judges:
    """The held-out rows: where each ends in the tree, what is true of it, and its weight.

    A row may be there in pieces that end at different nodes. Classes that the tree does not know are -1.
    """

    nodes: NDArray[np.int32]
    truth: NDArray[np.float64] | NDArray[np.int32]
    weights: Floats

    @classmethod
    def in_pieces(
        cls,
        start: NDArray[np.int64],
        nodes: NDArray[np.int32],
        shares: Floats,
        truth: NDArray[Any],
        weights: Floats,
    ) -> Judges:
        """Take rows that may end at several nodes: row i has the nodes and shares from start[i] to start[i + 1].

        Examples
        --------
        >>> pieces = np.array([0, 2], dtype=np.int64), np.array([1, 2], dtype=np.int32), np.array([0.25, 0.75])
        >>> Judges.in_pieces(*pieces, truth=np.array([0], dtype=np.int32), weights=np.array([2.0])).weights
        array([0.5, 1.5])
        """
        row = np.repeat(np.arange(len(truth)), np.diff(start))
        return cls(nodes, truth[row], weights[row] * shares)

    def of(self, tree: _core.Tree, loss: str) -> HeldOut:
        """Let the rows judge every node by a loss: "classes", or a regression's criterion.

        Examples
        --------
        >>> import treewright as tw
        >>> model = tw.DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "a", "b"])
        >>> rows = Judges(np.array([1, 2], dtype=np.int32), np.array([1, 1], dtype=np.int32), np.ones(2))
        >>> rows.of(model.tree_.core, "classes").as_leaf
        array([2., 1., 0.])
        """
        if loss == "classes":
            return self._by_classes(tree)
        order = np.lexsort((self.weights, self.truth, self.nodes))
        nodes, weights = self.nodes[order], np.ascontiguousarray(self.weights[order])
        truth = np.ascontiguousarray(self.truth[order], dtype=np.float64)
        as_leaf, ends = _core.held_out_losses(tree, nodes, truth, weights, loss)
        refuse_overflow(as_leaf)
        return HeldOut(as_leaf, ends, sums_below(tree, node_sums(tree, nodes, weights)))

    def _by_classes(self, tree: _core.Tree) -> HeldOut:
        """Below a node in preorder lies a run of nodes, so the rows of its class that come to it are found by counting.

        Sorted by class and node, they are one run of rows for each node.
        """
        n, answers = tree.n_nodes, tree.arrays()["prediction"].astype(np.int64)
        weights = whole_parts(self.weights)
        key = self.truth.astype(np.int64) * n + self.nodes
        order = np.argsort(key, kind="stable")
        so_far = np.concatenate([[0.0], np.cumsum(weights[order])])
        first = np.arange(n)
        last = first + sums_below(tree, np.ones(n)).astype(np.int64)
        from_row, to_row = np.searchsorted(key[order], [answers * n + first, answers * n + last])
        right = so_far[to_row] - so_far[from_row]
        weight = sums_below(tree, node_sums(tree, self.nodes, weights))
        wrong = self.truth != answers[self.nodes]
        return HeldOut(weight - right, node_sums(tree, self.nodes, weights * wrong), weight)


def whole_parts(weights: Floats) -> Floats:
    """Round weights to multiples of one power of two, so small that whole numbers stay as they are and sums are exact.

    Examples
    --------
    >>> whole_parts(np.array([1.0, 2.0, 0.1])).round(12).tolist()
    [1.0, 2.0, 0.1]
    """
    total = float(np.sort(weights).sum())  # sorted, so that the order of the rows cannot change the unit
    if total == 0:
        return weights
    unit = 2.0 ** (np.ceil(np.log2(total)) - 52)
    return np.asarray(np.round(weights / unit) * unit)
