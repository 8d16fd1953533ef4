"""What is to be drawn: one tree, taken from whatever was given."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from treewright.errors import DataError
from treewright.tree.tree import Tree


def tree_of(model: Any, number: int | None = None) -> Tree:
    """Give the tree of a model; of an ensemble the one with this number.

    >>> from treewright.tree import example_tree
    >>> tree_of(example_tree())
    <Tree of 5 nodes, 3 leaves, depth 2>
    >>> tree_of("a model")
    Traceback (most recent call last):
    treewright.errors.DataError: tw.draw takes a tree or a fitted model of treewright. Got a str instead.
    """
    if isinstance(model, Tree):
        return model
    if hasattr(model, "fit"):
        check_is_fitted(model)
    trees, tree = getattr(model, "trees_", None), getattr(model, "tree_", None)
    if trees is not None:
        return _one_of(trees, number)
    if not isinstance(tree, Tree):
        kind = type(model).__name__
        raise DataError(f"tw.draw takes a tree or a fitted model of treewright. Got a {kind} instead.")
    if number is not None:
        raise DataError("This model is a single tree. Leave out tree=, which picks one of many.")
    return tree


def _one_of(trees: Any, number: int | None) -> Tree:
    n = len(trees)
    if number is None:
        raise DataError(f"This model has {n:,} trees. Say which one to draw: tree=0 to tree={n - 1}.")
    if not 0 <= number < n:
        raise DataError(f"tree={number}: this model has the trees 0 to {n - 1}.")
    tree: Tree = trees[number]
    return tree
