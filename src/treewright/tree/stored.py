"""What the view asks of a stored tree: the arrays of the C++ core, or of anything that looks like it."""

from __future__ import annotations

from typing import Any, Protocol

from numpy.typing import NDArray

# The arrays that every stored tree may have. Others ride along under their own names.
NODE_ARRAYS = (
    "n_children",
    "kind",
    "column",
    "threshold",
    "missing_branch",
    "level_start",
    "level",
    "level_branch",
    "n_rows",
    "weight",
    "impurity",
    "gain",
    "count_start",
    "count_class",
    "count_weight",
    "prediction",
    "value",
)

LEAF, THRESHOLD, LEVELS, HYPERPLANE, INTERVALS = 0, 1, 2, 3, 4
STOPS, SPREADS = -1, -2  # in missing_branch: the row ends at the node; it goes down every branch in pieces


class StoredTree(Protocol):
    """A tree as arrays, nodes in preorder; `treewright._core.Tree` is one.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> example_tree().core.children.tolist()
    [1, 2, 3, 4]
    """

    @property
    def n_columns(self) -> int:
        """How many columns the tree was made for."""

    @property
    def n_classes(self) -> int:
        """How many classes; 0 for a regression."""

    @property
    def children_start(self) -> NDArray[Any]:
        """Where each node's slice of `children` begins; one more number than nodes."""

    @property
    def children(self) -> NDArray[Any]:
        """The children of all nodes, node by node, branch by branch."""

    @property
    def parent(self) -> NDArray[Any]:
        """The parent of each node; -1 at the root."""

    @property
    def depth(self) -> NDArray[Any]:
        """How far each node is from the root."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Give the arrays that are the tree."""
