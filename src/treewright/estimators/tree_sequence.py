"""The trees of an ensemble, each made when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

from treewright import _core
from treewright.encode.schema import Schema
from treewright.tree.tree import Tree


class TreeSequence(Sequence[Tree]):
    """A sequence of ordinary trees. The ensemble keeps them in few bytes; `trees[i]` makes tree i whole.

    Parameters
    ----------
    core : _core.Ensemble
        The stored trees.
    schema : Schema
        The columns that they were grown on.
    classes : list, optional
        The class labels in order; None where the leaves hold numbers.
    criterion : str, optional
        As for `Tree`.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> whole = example_tree()
    >>> core = _core.Tree(whole.core.arrays(), 2, 2)
    >>> trees = TreeSequence(_core.Ensemble.from_trees([core, core], 2, 2), whole.schema, ["no", "yes"])
    >>> trees
    <2 trees, 10 nodes in all>
    >>> trees[-1]
    <Tree of 5 nodes, 3 leaves, depth 2>
    """

    def __init__(
        self, core: _core.Ensemble, schema: Schema, classes: list[Any] | None = None, criterion: str | None = None
    ) -> None:
        self.core = core
        self.schema = schema
        self.classes = classes if core.n_classes > 0 else None
        self.criterion = criterion

    def __len__(self) -> int:
        return self.core.n_trees

    @overload
    def __getitem__(self, index: int) -> Tree: ...
    @overload
    def __getitem__(self, index: slice) -> list[Tree]: ...
    def __getitem__(self, index: int | slice) -> Tree | list[Tree]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        return Tree(self.core.tree(index), self.schema, self.classes, criterion=self.criterion)

    def __repr__(self) -> str:
        trees = "1 tree" if len(self) == 1 else f"{len(self):,} trees"
        return f"<{trees}, {self.core.n_nodes:,} nodes in all>"
