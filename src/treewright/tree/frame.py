"""A tree as a data frame: a row a node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from treewright.tree.stored import NODE_ARRAYS

if TYPE_CHECKING:
    from treewright.tree.tree import Tree


def tree_frame(tree: Tree) -> pd.DataFrame:
    """Put every node of a tree into a row.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> tree_frame(example_tree())[["id", "parent", "branch", "n_rows", "prediction"]]
       id  parent                    branch  n_rows prediction
    0   0    <NA>                      <NA>      14        yes
    1   1       0       outlook is overcast       4        yes
    2   2       0  outlook is sunny or rain      10        yes
    3   3       2          humidity <= 82.5       5        yes
    4   4       2           humidity > 82.5       5         no
    """
    arrays = tree.arrays
    tests = [node.test for node in tree.nodes()]
    parents = tree.node_parent
    branches = [test.branches if test else () for test in tests]
    labels = [None, *(branches[p][b].label for p, b in zip(parents[1:], tree.node_branch[1:], strict=True))]
    columns: dict[str, Any] = {
        "id": np.arange(tree.n_nodes),
        "parent": pd.array([None, *parents[1:].tolist()], dtype="Int64"),
        "depth": tree.node_depth.astype(np.int64),
        "branch": pd.array(labels, dtype="string"),
        "test": pd.array([test.text if test else None for test in tests], dtype="string"),
        "is_leaf": arrays["n_children"] == 0,
        "n_rows": arrays["n_rows"],
        "weight": arrays["weight"],
        "impurity": arrays["impurity"],
        "gain": arrays["gain"],
        **_of_the_target(tree),
    }
    columns.update(_of_the_algorithm(tree))
    return pd.DataFrame(columns)


def _of_the_target(tree: Tree) -> dict[str, Any]:
    arrays = tree.arrays
    if tree.classes is None:
        return {"mean": arrays["value"]}
    prediction = [tree.classes[index] for index in arrays["prediction"].tolist()]
    weights = np.zeros((tree.n_nodes, len(tree.classes)))
    rows = np.repeat(np.arange(tree.n_nodes), np.diff(arrays["count_start"]))
    weights[rows, arrays["count_class"]] = arrays["count_weight"]
    counts = {f"count_{label}": weights[:, index] for index, label in enumerate(tree.classes)}
    return {"prediction": pd.Series(prediction), **counts}


def _of_the_algorithm(tree: Tree) -> dict[str, Any]:
    """Give the arrays that only some algorithms keep, such as the p-value of a test."""
    return {
        name: array for name, array in tree.arrays.items() if name not in NODE_ARRAYS and array.shape == (tree.n_nodes,)
    }
