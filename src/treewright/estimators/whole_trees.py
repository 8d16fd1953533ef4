"""Ordinary trees as the store of a model of many: what `_core.Ensemble` is for small trees."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from treewright import _core


class WholeTrees:
    """Trees of any kind, kept as they were grown; it answers the questions that `TreeSequence` has.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> core = _core.Tree(example_tree().core.arrays(), 2, 2)
    >>> trees = WholeTrees([core, core])
    >>> trees.n_trees, trees.n_nodes, [numbers.tolist() for numbers in trees.sizes()]
    (2, 10, [[3, 3], [2, 2]])
    """

    def __init__(self, trees: Sequence[_core.Tree]) -> None:
        self.trees = tuple(trees)
        self.n_trees = len(self.trees)
        self.n_columns, self.n_classes = self.trees[0].n_columns, self.trees[0].n_classes

    @property
    def n_nodes(self) -> int:
        """The nodes of all trees."""
        return sum(tree.n_nodes for tree in self.trees)

    def tree(self, i: int) -> _core.Tree:
        """Tree i; from the end where i is negative."""
        return self.trees[i]

    def sizes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The number of leaves and the depth of each tree."""
        leaves = [int((np.diff(tree.children_start) == 0).sum()) for tree in self.trees]
        return np.array(leaves), np.array([int(tree.depth.max()) for tree in self.trees])
