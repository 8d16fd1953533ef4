"""A stored tree in plain numpy, for tests of the view that should not depend on the C++ core, and hand-made trees."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unit.tree.array_rules import problem_of


class StandIn:
    """Looks like `treewright._core.Tree`: keeps the arrays and derives the structure from `n_children`."""

    def __init__(self, arrays: dict[str, NDArray[Any]], n_columns: int, n_classes: int) -> None:
        problem = problem_of(arrays, n_columns, n_classes)
        if problem is not None:
            raise ValueError(f"The arrays are not a tree: {problem}.")
        self._arrays = dict(arrays)
        self.n_columns = n_columns
        self.n_classes = n_classes
        n_children = arrays["n_children"].astype(np.int64)
        self.children_start = np.concatenate([[0], np.cumsum(n_children)])
        self.parent, self.depth = _derive(n_children)
        # A stable sort by parent lists every node's children in the order of their branches.
        self.children = (np.argsort(self.parent[1:], kind="stable") + 1).astype(np.int32)

    def arrays(self) -> dict[str, NDArray[Any]]:
        return dict(self._arrays)


def _derive(n_children: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    n = len(n_children)
    parent, depth = np.full(n, -1, np.int32), np.zeros(n, np.int32)
    open_nodes: list[list[int]] = []  # nodes that still wait for children, with how many
    for node in range(n):
        if open_nodes:
            parent[node] = open_nodes[-1][0]
            depth[node] = depth[parent[node]] + 1
            open_nodes[-1][1] -= 1
        open_nodes.append([node, int(n_children[node])])
        while open_nodes and open_nodes[-1][1] == 0:
            open_nodes.pop()
    return parent, depth
