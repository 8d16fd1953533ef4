"""The nodes on the way to given leaves, as a sparse matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from treewright.tree.tree import Tree


def node_paths(tree: Tree, leaves: NDArray[np.int32]) -> Any:
    """Give a matrix of rows × nodes with a 1 where the row passes the node.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> node_paths(example_tree(), np.array([1, 4], dtype=np.int32)).toarray()
    array([[1, 1, 0, 0, 0],
           [1, 0, 1, 0, 1]])
    """
    lengths = tree.node_depth[leaves].astype(np.int64) + 1
    starts = np.concatenate([[0], np.cumsum(lengths)])
    nodes = np.empty(starts[-1], dtype=np.int64)
    at, place = leaves.astype(np.int64), starts[1:] - 1
    alive = np.arange(len(leaves))
    while len(alive):  # one step up for all rows at once; a row drops out at the root
        nodes[place[alive]] = at[alive]
        at[alive] = tree.node_parent[at[alive]]
        place[alive] -= 1
        alive = alive[at[alive] >= 0]
    return csr_matrix((np.ones(len(nodes), dtype=np.int64), nodes, starts), shape=(len(leaves), tree.n_nodes))
