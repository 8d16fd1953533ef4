"""The training rows again, at the nodes that they pass: what the pictures inside the nodes are made of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.encode.input_frame import InputFrame, open_frame, to_table
from treewright.encode.table import EncodedRows
from treewright.errors import DataError, nearest
from treewright.estimators.row_lookup import RowLookup
from treewright.tree.tree import Tree

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Target:
    """What is true of the rows: class numbers with their names, numbers, or nothing that is known."""

    classes: tuple[Any, ...] | None = None
    codes: NDArray[np.int64] | None = None
    numbers: Floats | None = None


class NodeRows:
    """Which rows come to which node, with their values and targets.

    Parameters
    ----------
    tree : Tree
    X : table
        The rows, with the columns of the tree.
    y : column, optional
        Their targets.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> tree = tw.DecisionTreeClassifier(max_depth=1).fit(X, y).tree_
    >>> [len(NodeRows(tree, X, y).at(node)[0]) for node in range(3)]
    [150, 50, 100]
    """

    def __init__(self, tree: Tree, X: Any, y: Any = None) -> None:
        self.tree = tree
        frame = frame_for(tree, X)
        self.n_rows = frame.n_rows
        self._numbers: dict[int, Floats] = {}
        self.target = _target(tree, y, frame.n_rows)
        lookup = RowLookup(tree, np.zeros(tree.n_nodes), refuse_missing=False)
        self._rows: EncodedRows = lookup.encode(frame)
        start, nodes, shares = lookup.find_leaf_shares(self._rows, 1)
        order = np.argsort(nodes, kind="stable")
        self._ends, self._shares = nodes[order], shares[order]
        self._order = np.repeat(np.arange(frame.n_rows), np.diff(start))[order]

    @cached_property
    def _behind(self) -> NDArray[np.int64]:
        """The number behind the last node of each subtree: nodes are in preorder, so a subtree is a run of them."""
        behind = np.arange(1, self.tree.n_nodes + 1)
        parent = self.tree.node_parent
        for node in range(self.tree.n_nodes - 1, 0, -1):
            behind[parent[node]] = max(behind[parent[node]], behind[node])
        return behind

    def at(self, node: int) -> tuple[NDArray[np.int64], Floats]:
        """Give the rows that come to a node, and the part of each that does (1, unless rows are spread)."""
        part = slice(*np.searchsorted(self._ends, [node, self._behind[node]]).tolist())
        return self._order[part], self._shares[part]

    def path(self, row: int = 0) -> set[int]:
        """Give the nodes that a row passes."""
        parent = self.tree.node_parent
        passed: set[int] = set()
        for node in self._ends[self._order == row].tolist():
            while node >= 0 and node not in passed:
                passed.add(int(node))
                node = int(parent[node])
        return passed

    def numbers(self, column: int) -> Floats:
        """Give a column as numbers, or its level codes as numbers; NaN is missing."""
        if column not in self._numbers:
            self._numbers[column] = self._as_numbers(column)
        return self._numbers[column]

    def n_missing(self, node: int, column: int) -> int:
        """Count the rows at a node that have no value in a column."""
        return int(np.isnan(self.numbers(column)[self.at(node)[0]]).sum())

    def _as_numbers(self, column: int) -> Floats:
        if self._rows.matrix is not None:
            return np.asarray(self._rows.matrix[:, column], dtype=np.float64)
        kind, values, mask = self._rows.parts[column]
        numbers = np.array(values, dtype=np.float64)
        if kind == "levels":
            numbers[numbers == 0] = np.nan
        elif mask is not None:
            numbers[np.asarray(mask) != 0] = np.nan
        return numbers

    def sums(self, node: int) -> Floats:
        """Give the weighted sum that a node with a leaning cut asks for; NaN where a row has no value."""
        arrays = self.tree.arrays
        part = slice(int(arrays["term_start"][node]), int(arrays["term_start"][node + 1]))
        total = np.zeros(self.n_rows)
        fields = (arrays[f"term_{name}"][part].tolist() for name in ("column", "level", "weight", "filler"))
        for column, level, weight, filler in zip(*fields, strict=True):
            values = self.numbers(int(column))
            worth = weight * (values == level) if level else weight * values
            total += np.where(np.isnan(values), filler, worth)
        return total


def frame_for(tree: Tree, X: Any) -> InputFrame:
    """Open a table and put its columns in the order of the tree's; columns that the tree does not have are left out."""
    frame = open_frame(_as_table(X))
    names = tree.schema.names
    if frame.names == names:
        return frame
    if isinstance(_as_table(X), np.ndarray):
        if frame.n_columns != len(names):
            raise DataError(f"The table has {frame.n_columns} columns, but the tree was grown on {len(names)}.")
        return InputFrame(frame.n_rows, names, frame.matrix, frame.columns)
    places = {name: j for j, name in enumerate(frame.names)}
    for name in names:
        if name not in places:
            raise DataError(f"The table has no column '{name}', which the tree was grown on. {nearest(name, places)}")
    return InputFrame(frame.n_rows, names, columns=tuple(frame.column(places[name]) for name in names))


def _as_table(X: Any) -> Any:
    table = to_table(X)
    if isinstance(table, np.ndarray) and table.ndim != 2:
        raise DataError(f"A table has two dimensions, rows and columns. Got {table.ndim}.")
    return table


def _target(tree: Tree, y: Any, n_rows: int) -> Target:
    if y is None:
        return Target(classes=tree.classes)
    truth = np.asarray(y)
    if truth.shape != (n_rows,):
        raise DataError(f"y must have one value for each of the {n_rows:,} rows of X. It has the shape {truth.shape}.")
    if tree.classes is None and truth.dtype.kind in "iufb":
        return Target(numbers=truth.astype(np.float64))
    labels = truth.tolist()
    classes = tree.classes if tree.classes is not None else tuple(sorted(set(labels), key=str))
    number = {label: index for index, label in enumerate(classes)}
    unknown = next((label for label in labels if label not in number), None)
    if unknown is not None or None in labels:
        raise DataError(
            f"y holds {unknown!r}, which is none of the classes of the tree. {nearest(str(unknown), map(str, classes))}"
        )
    return Target(classes=classes, codes=np.array([number[label] for label in labels], dtype=np.int64))
