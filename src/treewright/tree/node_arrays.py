"""The arrays of a tree under the names that scikit-learn's `tree_` has, for code that reads these."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from treewright.table.encode import RowEncoder
from treewright.table.frame import open_frame, to_table

NO_NODE = -1
NO_TEST = -2


class NodeArrays:
    """What `Tree` has beside its nodes: one number a node, in the numbering of the nodes.

    Examples
    --------
    >>> import treewright as tw
    >>> tree = tw.DecisionTreeRegressor().fit([[1], [2]], [10, 20]).tree_
    >>> tree.children_left.tolist(), tree.feature.tolist(), tree.threshold.tolist(), tree.value.ravel().tolist()
    ([1, -1, -1], [0, -2, -2], [1.5, -2.0, -2.0], [15.0, 10.0, 20.0])
    """

    core: Any
    schema: Any

    if TYPE_CHECKING:  # what `Tree` has

        @property
        def arrays(self) -> Mapping[str, NDArray[Any]]: ...
        @property
        def n_nodes(self) -> int: ...
        @property
        def depth(self) -> int: ...
        @property
        def _children(self) -> tuple[NDArray[Any], NDArray[Any]]: ...

    @property
    def node_count(self) -> int:
        """How many nodes the tree has."""
        return self.n_nodes

    @property
    def max_depth(self) -> int:
        """How many questions the longest path asks."""
        return self.depth

    @property
    def n_features(self) -> int:
        """How many columns the tree was grown on."""
        return len(self.schema.columns)

    @property
    def n_outputs(self) -> int:
        """How many targets there are."""
        return 1

    @property
    def n_classes(self) -> NDArray[np.int64]:
        """The number of classes of each target; 1 for numbers."""
        return np.array([max(1, self.core.n_classes)])

    @cached_property
    def children_left(self) -> NDArray[np.int64]:
        """The first child of every node; -1 at a leaf."""
        return self._child(0)

    @cached_property
    def children_right(self) -> NDArray[np.int64]:
        """The second child of every node; -1 at a leaf."""
        return self._child(1)

    def _child(self, branch: int) -> NDArray[np.int64]:
        start, children = self._children
        n_children = np.diff(start)
        if (n_children > 2).any():
            node = int(np.argmax(n_children > 2))
            raise AttributeError(
                f"Node {node} has {n_children[node]} branches, so left and right do not tell them. Walk the tree by "
                "tree.root and node.children."
            )
        places = np.where(n_children > branch, start[:-1] + branch, 0)
        found = children[places] if len(children) else places
        return np.where(n_children > branch, found, NO_NODE).astype(np.int64)

    @property
    def feature(self) -> NDArray[np.int64]:
        """The column that every node asks; -2 at a leaf."""
        column = self.arrays["column"].astype(np.int64)
        return np.where(column < 0, NO_TEST, column)

    @property
    def threshold(self) -> NDArray[np.float64]:
        """What numbers are compared with; NaN where a node asks for levels, -2 at a leaf."""
        return np.where(self.arrays["column"] < 0, float(NO_TEST), self.arrays["threshold"])

    @property
    def impurity(self) -> NDArray[np.float64]:
        """The impurity of every node by the tree's criterion."""
        return cast(NDArray[np.float64], self.arrays["impurity"])

    @property
    def n_node_samples(self) -> NDArray[np.int64]:
        """The training rows of every node."""
        return cast(NDArray[np.int64], self.arrays["n_rows"])

    @property
    def weighted_n_node_samples(self) -> NDArray[np.float64]:
        """Their weight."""
        return cast(NDArray[np.float64], self.arrays["weight"])

    @cached_property
    def value(self) -> NDArray[np.float64]:
        """What every node says: nodes × 1 × 1 for numbers, nodes × 1 × classes with the shares of the classes."""
        arrays, n_classes = self.arrays, self.core.n_classes
        if not n_classes:
            return np.asarray(arrays["value"], dtype=np.float64)[:, None, None]
        shares = np.zeros((self.n_nodes, 1, n_classes))
        node = np.repeat(np.arange(self.n_nodes), np.diff(arrays["count_start"]))
        shares[node, 0, arrays["count_class"]] = arrays["count_weight"]
        whole = shares.sum(axis=2, keepdims=True)
        return np.asarray(np.divide(shares, whole, out=np.zeros_like(shares), where=whole > 0))

    def apply(self, X: Any) -> NDArray[np.int64]:
        """The node in which each row of a table ends.

        Examples
        --------
        >>> import treewright as tw
        >>> tw.DecisionTreeRegressor().fit([[1], [2]], [10, 20]).tree_.apply([[0], [7]])
        array([1, 2])
        """
        rows = RowEncoder(self.schema).encode(open_frame(to_table(X)))
        return rows.find_leaves(self.core, 1).astype(np.int64)
