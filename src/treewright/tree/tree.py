"""The read-only view of a stored tree, with the names that its columns, levels and classes have for people."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError, ModelFileError
from treewright.table.schema import Schema
from treewright.tree.node import Node
from treewright.tree.node_arrays import NodeArrays
from treewright.tree.plain import PlainTree, tree_dict
from treewright.tree.stored import StoredTree
from treewright.tree.text import TextStyle, tree_text

if TYPE_CHECKING:
    import pandas as pd

_PRINTED_NODES = 400  # print(tree) shows the top of a larger tree


class Tree(NodeArrays):
    """A tree to look at: its nodes, and the whole of it as text, dict, JSON or data frame.

    Parameters
    ----------
    core : StoredTree
        The stored tree, mostly of the C++ core.
    schema : Schema
        The columns that the tree was grown on.
    classes : sequence, optional
        The class labels in order; None for a regression.
    criterion : str, optional
        The name of the criterion. It tells the text whether a regression's impurity is a variance.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> tree = example_tree()
    >>> tree
    <Tree of 5 nodes, 3 leaves, depth 2>
    >>> print(tree)
    play: yes 64 %, no 36 %  (14 rows)
    ├─ outlook is overcast       → yes  100 %  (4 of 4)
    └─ outlook is sunny or rain    yes   50 %  (5 of 10)
       ├─ humidity <= 82.5       → yes   80 %  (4 of 5)
       └─ humidity > 82.5        → no    80 %  (4 of 5)
    """

    def __init__(
        self, core: StoredTree, schema: Schema, classes: Sequence[Any] | None = None, criterion: str | None = None
    ) -> None:
        self.core = core
        self.schema = schema
        self.classes = None if classes is None else tuple(c.item() if isinstance(c, np.generic) else c for c in classes)
        self.criterion = criterion

    @cached_property
    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """The arrays that are the tree, read-only."""
        return MappingProxyType({name: _read_only(array) for name, array in self.core.arrays().items()})

    @cached_property
    def node_parent(self) -> NDArray[Any]:
        """The parent of every node; -1 at the root."""
        return _read_only(self.core.parent)

    @cached_property
    def node_depth(self) -> NDArray[Any]:
        """The depth of every node; 0 at the root."""
        return _read_only(self.core.depth)

    @cached_property
    def node_branch(self) -> NDArray[Any]:
        """Which branch of its parent every node is, from 0; -1 at the root."""
        start, children = np.asarray(self.core.children_start), np.asarray(self.core.children)
        branch = np.full(self.n_nodes, -1, np.int64)
        branch[children] = np.arange(len(children)) - np.repeat(start[:-1], np.diff(start))
        return _read_only(branch)

    @cached_property
    def _children(self) -> tuple[NDArray[Any], NDArray[Any]]:
        return _read_only(self.core.children_start), _read_only(self.core.children)

    @cached_property
    def n_nodes(self) -> int:
        """How many nodes the tree has."""
        return len(self.arrays["n_children"])

    @cached_property
    def n_leaves(self) -> int:
        """How many of them are leaves."""
        return int(np.count_nonzero(self.arrays["n_children"] == 0))

    @cached_property
    def depth(self) -> int:
        """How many questions the longest path asks; 0 for a tree that is a leaf."""
        return int(self.node_depth.max())

    @property
    def root(self) -> Node:
        """The first node."""
        return Node(self, 0)

    def node(self, i: int) -> Node:
        """Give the node with number i; nodes are numbered from 0 at the root, each before its children.

        >>> from treewright.tree import example_tree
        >>> example_tree().node(3)
        <Node 3: humidity <= 82.5 → yes, 5 rows>
        """
        if not 0 <= i < self.n_nodes:
            raise IndexError(f"The tree has no node {i}. Its {self.n_nodes:,} nodes are numbered from 0.")
        return Node(self, int(i))

    def nodes(self) -> Iterator[Node]:
        """Give every node, parents before children.

        >>> from treewright.tree import example_tree
        >>> [node.n for node in example_tree().nodes() if node.is_leaf]
        [4, 5, 5]
        """
        return (Node(self, i) for i in range(self.n_nodes))

    def child_ids(self, i: int) -> list[int]:
        """Give the numbers of a node's children, branch by branch.

        >>> from treewright.tree import example_tree
        >>> example_tree().child_ids(0)
        [1, 2]
        """
        start, children = self._children
        ids: list[int] = children[int(start[i]) : int(start[i + 1])].tolist()
        return ids

    def child_id(self, i: int, branch: int) -> int:
        """Give the number of the node at the end of a branch.

        >>> from treewright.tree import example_tree
        >>> example_tree().child_id(0, 1)
        2
        """
        start, children = self._children
        child: int = children.item(start.item(i) + branch)
        return child

    def to_text(
        self,
        max_depth: int | None = None,
        *,
        digits: int = 6,
        width: int | None = 100,
        missing: bool | Collection[str] | None = None,
        ascii: bool = False,
    ) -> str:
        """Write the tree as text, a line a node.

        Parameters
        ----------
        max_depth : int, optional
            Leave out what lies deeper, and say how much it is. None writes everything.
        digits : int, default 6
            Significant digits of thresholds. 17 writes exactly the stored numbers.
        width : int or None, default 100
            Characters in a line; longer conditions are shortened in their middle. None never shortens.
        missing : bool or list of column names, optional
            Mark the branch that rows without a value take: always, never, or of these columns. Without a wish it is
            told of the columns that had holes in training.
        ascii : bool, default False
            Draw with ASCII strokes only.

        Examples
        --------
        >>> from treewright.tree import example_tree
        >>> print(example_tree().to_text(max_depth=1, missing=True))
        play: yes 64 %, no 36 %  (14 rows)
        ├─ outlook is overcast                  → yes  100 %  (4 of 4)
        └─ outlook is sunny or rain or missing    yes   50 %  (5 of 10)  … 2 nodes below
        """
        for name, value, least in (("max_depth", max_depth, 0), ("digits", digits, 1), ("width", width, 20)):
            if value is not None and value < least:
                raise ValueError(f"'{name}' must be at least {least}. Got {value} instead.")
        return tree_text(self, max_depth, TextStyle(digits, width, missing, ascii))

    def to_dict(self) -> dict[str, Any]:
        """Give the whole tree as plain values: a flat list of nodes, each with the numbers of its children.

        >>> from treewright.tree import example_tree
        >>> example_tree().to_dict()["nodes"][0]["children"]
        [1, 2]
        """
        return tree_dict(self)

    def to_json(self, indent: int | None = None) -> str:
        """Write the whole tree as JSON; `Tree.from_json` gives back the same tree to the last bit.

        >>> from treewright.tree import example_tree
        >>> tree = example_tree()
        >>> Tree.from_json(tree.to_json()).to_dict() == tree.to_dict()
        True
        """
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Tree:
        """Read a tree that `to_json` wrote, or one written by hand in the same form.

        >>> Tree.from_json("[]")
        Traceback (most recent call last):
        treewright.errors.ModelFileError: This JSON is not a tree: it does not say "format": "treewright tree". ...
        """
        try:
            plain = json.loads(text)
        except (ValueError, RecursionError) as problem:
            raise ModelFileError(f"This text is not JSON ({problem}). Pass text that tree.to_json() wrote.") from None
        return cls.from_dict(plain)

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Tree:
        """Make a tree of the plain values that `to_dict` gave.

        >>> from treewright.tree import example_tree
        >>> Tree.from_dict(example_tree().to_dict()).n_nodes
        5
        """
        from treewright import _core

        read = PlainTree(plain)
        try:
            core = _core.Tree(read.arrays, len(read.schema.columns), len(read.classes or ()))
        except ValueError as problem:
            raise ModelFileError(f"The tree in JSON cannot be read: {problem}") from None
        if [i for ids in read.children for i in ids] != np.asarray(core.children).tolist():
            raise ModelFileError(
                "The tree in JSON cannot be read: the children are not in preorder. "
                "Number the nodes so that each node is followed by its first child and all that lies under it."
            )
        return cls(core, read.schema, read.classes, read.criterion)

    def to_frame(self) -> pd.DataFrame:
        """Give a pandas data frame with a row a node.

        >>> from treewright.tree import example_tree
        >>> example_tree().to_frame()[["depth", "test", "count_no", "count_yes"]]
           depth                             test  count_no  count_yes
        0      0  outlook: overcast | sunny, rain       5.0        9.0
        1      1                             <NA>       0.0        4.0
        2      1                 humidity <= 82.5       5.0        5.0
        3      2                             <NA>       1.0        4.0
        4      2                             <NA>       4.0        1.0
        """
        from treewright.tree.plain import tree_frame

        return tree_frame(self)

    def _repr_html_(self) -> str:
        """Show the tree as a picture in a notebook; of a large one, the top."""
        import treewright  # the pictures are built on the trees, so they are asked for by name

        html: str = treewright.draw(self, max_depth=self._shown_depth())._repr_html_()
        return html

    def _shown_depth(self) -> int | None:
        """How deep a tree is shown that nobody asked to see in full; None where it is small enough."""
        if self.n_nodes <= _PRINTED_NODES:
            return None
        up_to_depth = np.cumsum(np.bincount(self.node_depth))
        return max(int(np.searchsorted(up_to_depth, _PRINTED_NODES, side="right")) - 1, 1)

    def __str__(self) -> str:
        return self.to_text(max_depth=self._shown_depth())

    def __repr__(self) -> str:
        nodes, leaves = ("node" if self.n_nodes == 1 else "nodes"), ("leaf" if self.n_leaves == 1 else "leaves")
        return f"<Tree of {self.n_nodes:,} {nodes}, {self.n_leaves:,} {leaves}, depth {self.depth}>"


def _read_only(array: Any) -> NDArray[Any]:
    view: NDArray[Any] = np.asarray(array).view()
    view.flags.writeable = False
    return view


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
    trees, tree = getattr(model, "trees_", None), getattr(model, "tree_", None)
    if trees is not None:
        return _one_of(trees, number)
    if not isinstance(tree, Tree):
        if hasattr(model, "fit"):
            from sklearn.utils.validation import check_is_fitted

            check_is_fitted(model)
        kind = type(model).__name__
        if hasattr(model, "targets_"):
            raise DataError(
                f"This model has learnt {len(model.targets_)} targets. Say whose tree is meant: model.targets_[0] is "
                "the model of the first of them."
            )
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
