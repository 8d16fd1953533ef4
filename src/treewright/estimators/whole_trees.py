"""Ordinary trees as the store of a model of many: what `_core.Ensemble` is for small trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.encode.schema import Schema
from treewright.estimators.importance import importance_with_sums
from treewright.save.many_trees import pack_trees, unpack_trees
from treewright.save.tree_header import check_tree_tests


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

    def packed(self) -> tuple[list[str], dict[str, NDArray[Any]]]:
        """The names of the arrays of a tree, and the arrays of all trees, for a file."""
        return pack_trees([tree.arrays() for tree in self.trees])

    @classmethod
    def unpacked(cls, names: Any, arrays: Mapping[str, NDArray[Any]], n_columns: int, n_classes: int) -> WholeTrees:
        """Read trees from the arrays of a file; ValueError if these are none."""
        return cls([_core.Tree(part, n_columns, n_classes) for part in unpack_trees(names, arrays)])

    def check_tests(self, schema: Schema, source: str) -> None:
        """Check that every test of trees from a file fits its column."""
        for tree in self.trees:
            check_tree_tests(schema, tree.arrays(), source)

    def extended(self, more: WholeTrees) -> WholeTrees:
        """These trees and more of them."""
        return WholeTrees([*self.trees, *more.trees])

    def column_worth(self, each_tree_counts_same: bool) -> NDArray[np.float64]:
        """How much the splits of each column are worth, added up over the trees; every tree counts the same."""
        assert each_tree_counts_same
        worth = [importance_with_sums(tree.arrays(), self.n_columns) for tree in self.trees]
        return np.asarray(np.sum(worth, axis=0))
