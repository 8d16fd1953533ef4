"""A model of many trees in a few lines: what it is, how large, how good, which columns matter."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.learners.ensemble.tree_store import TreeSequence
from treewright.learners.registry import LEARNERS
from treewright.tree.format import largest_first
from treewright.wording import on_command_line

SCORES = {"oob_score_": "out of bag", "validation_score_": "on held-out rows"}  # attribute → of which rows it is
_MOST_COLUMNS = 5


def ensemble_text(model: Any, columns: bool = True, name: str | None = None) -> str:
    """Write a fitted model of many trees for people; `print(model.trees_[0])` shows a tree.

    Parameters
    ----------
    model : a fitted ensemble
    columns : bool, default True
        Whether to name the columns that matter most.
    name : str, optional
        The name of its class, where the model at hand only stands for it.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from treewright import _core
    >>> from treewright.learners.ensemble.tree_store import TreeSequence
    >>> from treewright.tree import example_tree
    >>> whole = example_tree()
    >>> core = _core.Ensemble.from_trees([_core.Tree(whole.core.arrays(), 2, 2)], 2, 2)
    >>> trees = TreeSequence(core, whole.schema, ["no", "yes"])
    >>> print(ensemble_text(SimpleNamespace(trees_=trees, feature_importances_=np.array([0.25, 0.75]), oob_score_=0.9)))
    SimpleNamespace of 1 tree for 'play'
      leaves   3 a tree
      depth    2
      score    0.9000 out of bag
      columns  humidity 75 %, outlook 25 %
    """
    trees = model.trees_
    leaves, depths, _ = tree_sizes(trees)
    count = "1 tree" if len(trees) == 1 else f"{len(trees):,} trees"
    schema = trees[0].schema
    target = f" for '{schema.target}'" if schema.target else ""
    lines = [f"{_called(name or type(model).__name__)} of {count}{target}"]
    lines.append(f"  leaves   {_spread(leaves)} a tree")
    lines.append(f"  depth    {_spread(depths)}")
    if "init_" in getattr(model, "__dict__", {}):
        lines.append(f"  starts   from {type(model.init_).__name__}")
    lines += [f"  score    {score}" for score in _scores(model)]
    if columns:
        lines.append(f"  columns  {_columns(schema.names, model.feature_importances_)}")
    return "\n".join(lines)


def _called(class_name: str) -> str:
    """What a model is called: Python's name of its class, or plain words on the command line.

    >>> from treewright.wording import command_line_words
    >>> _called("RandomForestRegressor")
    'RandomForestRegressor'
    >>> with command_line_words():
    ...     _called("RandomForestRegressor")
    'random forest'
    """
    if not on_command_line():
        return class_name
    of_class = (record for record in LEARNERS.values() if class_name in record.classes.values())
    return next((record.in_words for record in of_class if record.in_words), class_name)


def tree_sizes(trees: Any) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Give the leaves and the depth of each tree, and the nodes of all.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> tree_sizes([example_tree(), example_tree()])
    (array([3, 3]), array([2, 2]), 10)
    """
    if isinstance(trees, TreeSequence):  # without making every tree whole
        leaves, depths = trees.core.sizes()
        return leaves, depths, trees.core.n_nodes
    leaves = np.array([tree.n_leaves for tree in trees], dtype=np.int64)
    depths = np.array([tree.depth for tree in trees], dtype=np.int64)
    return leaves, depths, sum(tree.n_nodes for tree in trees)


def _spread(numbers: Any) -> str:
    low, high = int(numbers.min()), int(numbers.max())
    return f"{low:,}" if low == high else f"{numbers.mean():,.1f} (from {low:,} to {high:,})"


def _scores(model: Any) -> list[str]:
    return [f"{getattr(model, name):.4f} {where}" for name, where in SCORES.items() if hasattr(model, name)]


def _columns(names: tuple[str, ...], importances: Any) -> str:
    used = [i for i in largest_first(importances) if importances[i] > 0]
    shown = ", ".join(f"{names[i]} {100 * importances[i]:.0f} %" for i in used[:_MOST_COLUMNS])
    more = len(used) - _MOST_COLUMNS
    return (f"{shown} and {more:,} more" if more > 0 else shown) or "none is asked for"
