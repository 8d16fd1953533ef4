"""Trees of another library as plain arrays, and the stored trees that are made of them.

A reader of a format fills a `NodeTable` for each tree, in the numbering of that format; nothing here knows any format.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import DataError
from treewright.table.schema import Column, Schema

Doubles = NDArray[np.float64]
Whole = NDArray[np.int64]
_BY_THRESHOLD, _BY_LEVELS, _MISSING_TAKES_SECOND = 1, 2, 0x80  # `test` of core/ensemble/small_tree.hpp


@dataclass(frozen=True)
class LevelTest:
    """The levels that a node names: their codes, ascending, and the branch of each. Others count as missing."""

    codes: NDArray[np.uint32]
    branches: NDArray[np.uint8]


@dataclass(frozen=True)
class NodeTable:
    """One binary tree. Node 0 is the root; the numbers of the others are those of the format that it comes from.

    Parameters
    ----------
    left, right : array of int
        The children of each node; -1 at a leaf.
    column : array of int
        What each inner node asks for.
    threshold : array
        ``x <= threshold`` goes left; NaN where a node asks for levels.
    missing_left : array of bool
        Whether rows without a value go left.
    gain : array
        How much a split lowers the impurity, for each unit of weight in the node.
    n_rows, weight, impurity : array
        What is known about the training rows of each node; only the numbers of leaves are read.
    answers : array
        What each leaf answers: nodes, or nodes × classes with the weights of the classes.
    levels : mapping
        By node: the test of a node that asks for levels.
    """

    left: Whole
    right: Whole
    column: Whole
    threshold: Doubles
    missing_left: NDArray[np.bool_]
    gain: Doubles
    n_rows: Whole
    weight: Doubles
    impurity: Doubles
    answers: Doubles
    levels: Mapping[int, LevelTest] = field(default_factory=dict)


def preorder(left: Whole, right: Whole) -> Whole:
    """Give the nodes in the order in which they are stored: a node, all below its left child, all below its right.

    A table that is no tree (a child that does not exist or has two parents) is refused with a DataError.

    Examples
    --------
    >>> preorder(np.array([2, -1, -1]), np.array([1, -1, -1])).tolist()
    [0, 2, 1]
    """
    n = len(left)
    first, second = left.tolist(), right.tolist()
    order: list[int] = []
    open_nodes = [0]
    while open_nodes:
        node = open_nodes.pop()
        if not 0 <= node < n or len(order) == n:
            raise DataError(f"a tree of {n} nodes has a branch that leads nowhere or back")
        order.append(node)
        if first[node] >= 0 or second[node] >= 0:
            open_nodes += (second[node], first[node])
    return np.array(order, dtype=np.int64)


def ensemble_of(tables: Sequence[NodeTable], n_columns: int, n_classes: int) -> _core.Ensemble:
    """Store trees; ValueError where the core does not take them.

    Examples
    --------
    >>> flat, none = np.zeros(3), np.full(3, -1)
    >>> table = NodeTable(np.array([1, -1, -1]), np.array([2, -1, -1]), np.array([0, -1, -1]), flat + 0.5,
    ...                   np.zeros(3, bool), flat, np.ones(3, int), flat + 1, flat, np.array([0.0, 10.0, 20.0]))
    >>> print(ensemble_of([table], 1, 0).tree(0).arrays()["value"])
    [15. 10. 20.]
    """
    parts = [_stored(table, n_classes > 0) for table in tables]
    arrays = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return _core.Ensemble(arrays, n_columns, n_classes)


def _stored(table: NodeTable, of_classes: bool) -> dict[str, NDArray[Any]]:
    order = preorder(table.left, table.right)
    inner = order[table.left[order] >= 0]
    leaves = order[table.left[order] < 0]
    asks_levels = np.zeros(len(table.left), dtype=bool)
    asks_levels[list(table.levels)] = True
    tests = [table.levels[node] for node in inner[asks_levels[inner]].tolist()]
    kind = np.where(asks_levels, _BY_LEVELS, _BY_THRESHOLD) + np.where(table.missing_left, 0, _MISSING_TAKES_SECOND)
    kind[table.left < 0] = 0
    stored: dict[str, NDArray[Any]] = {
        "tree_nodes": np.array([len(order)], dtype=np.uint32),
        "test": kind[order].astype(np.uint8),
        "column": table.column[inner].astype(np.int32),
        "threshold": np.where(asks_levels, np.nan, table.threshold)[inner],
        "gain": table.gain[inner].astype(np.float64),
        "n_levels": np.array([len(test.codes) for test in tests], dtype=np.uint32),
        "level": np.concatenate([np.zeros(0, np.uint32), *(test.codes for test in tests)]).astype(np.uint32),
        "level_branch": np.concatenate([np.zeros(0, np.uint8), *(test.branches for test in tests)]).astype(np.uint8),
        "n_rows": table.n_rows[leaves].astype(np.uint32),
        "weight": table.weight[leaves].astype(np.float64),
        "impurity": table.impurity[leaves].astype(np.float64),
    }
    answers = table.answers[leaves]
    return {**stored, **(_counts(answers) if of_classes else {"value": np.ascontiguousarray(answers)})}


def _counts(answers: Doubles) -> dict[str, NDArray[Any]]:
    """The classes that are present in each leaf, with their weights."""
    leaf, present = np.nonzero(answers)
    return {
        "n_counts": np.bincount(leaf, minlength=len(answers)).astype(np.uint32),
        "count_class": present.astype(np.uint16),
        "count_weight": answers[leaf, present],
    }


def nominal_column(name: str, levels: Sequence[Any]) -> Column:
    """Give a column of levels, in the order of their codes; whole numbers are written as such.

    Examples
    --------
    >>> nominal_column("zip", [1.0, 2.0]).levels, nominal_column("job", ["cook"]).value_type
    ((1, 2), 'text')
    """
    plain = [level.item() if isinstance(level, np.generic) else level for level in levels]
    plain = [int(level) if isinstance(level, float) and level.is_integer() else level for level in plain]
    kinds = {type(level) for level in plain}
    value_type = "boolean" if kinds == {bool} else "number" if kinds and str not in kinds else "text"
    return Column(name, "nominal", value_type, tuple(plain))


def schema_of(names: Sequence[str], levels: Mapping[int, Sequence[Any]]) -> Schema:
    """Give the columns of a model: numbers, but for those that have levels.

    Examples
    --------
    >>> [column.kind for column in schema_of(["age", "job"], {1: ["cook", "smith"]}).columns]
    ['numeric', 'nominal']
    """
    return Schema(
        tuple(
            nominal_column(name, levels[j]) if j in levels else Column(name, "numeric") for j, name in enumerate(names)
        )
    )
