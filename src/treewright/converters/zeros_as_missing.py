"""LightGBM's zeros: the numbers that it reads as 0, and the columns whose zeros are missing values.

LightGBM reads a number of a row whose size is at most 1e-35 as 0. A node of a column whose zeros are missing values
sends zeros and missing values one way, whatever its cut says. Where zero lies on that side anyway, a plain cut does it.
Otherwise the column is first asked whether it is below, at or above zero, and what follows is copied for each answer;
there every later test of the column is a plain one, or none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.converters.node_table import LevelTest, NodeTable
from treewright.converters.reading import refuse

LARGEST_ZERO = float(np.float32(1e-35))  # LightGBM writes the constant in single precision
_BELOW = float(np.nextafter(-LARGEST_ZERO, -np.inf))  # the last number before the zeros
_MOST_NODES = 1_000_000
_BELOW_ZERO, _AT_ZERO, _ABOVE_ZERO = range(3)

Signs = dict[int, int]  # what is known about columns on the way to a node


@dataclass
class _Copy:
    """A table that grows node by node; `old` is the node that a new one is a copy of."""

    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    column: list[int] = field(default_factory=list)
    threshold: list[float] = field(default_factory=list)
    missing_left: list[bool] = field(default_factory=list)
    old: list[int] = field(default_factory=list)
    levels: dict[int, LevelTest] = field(default_factory=dict)

    def add(self, old: int, column: int, threshold: float, missing_left: bool) -> int:
        self.left.append(-1)
        self.right.append(-1)
        self.column.append(column)
        self.threshold.append(threshold)
        self.missing_left.append(missing_left)
        self.old.append(old)
        return len(self.old) - 1


def cuts_clear_of_zero(threshold: NDArray[np.float64]) -> NDArray[np.float64]:
    """Move cuts that lie among the numbers that count as 0 to the end of these where they act.

    Examples
    --------
    >>> cuts_clear_of_zero(np.array([-1e-36, 0.0, 0.5]))
    array([-1.00000002e-35,  1.00000002e-35,  5.00000000e-01])
    """
    among_zeros = (threshold >= -LARGEST_ZERO) & (threshold < LARGEST_ZERO)
    return np.where(among_zeros, np.where(threshold >= 0, LARGEST_ZERO, _BELOW), threshold)


def without_zero_tests(table: NodeTable, zero_is_missing: NDArray[np.bool_], source: str) -> NodeTable:
    """Give a table that says the same by plain cuts; one that would become too large is refused."""
    copy = _Copy()
    waiting: list[tuple[int, Signs, Any, int]] = [(0, {}, None, 0)]  # node, signs, the list and place that point at it
    while waiting:
        node, signs, pointers, place = waiting.pop()
        while table.left[node] >= 0 and zero_is_missing[node] and (way := _known_way(table, node, signs)) is not None:
            node = int(table.left[node] if way else table.right[node])
        new, branches = _copied(copy, table, node, signs, bool(zero_is_missing[node]))
        if pointers is not None:
            pointers[place] = new
        waiting += branches
        if len(copy.old) > _MOST_NODES:
            refuse(
                source,
                f"its columns treat zeros as missing values, and without that a tree would have more than "
                f"{_MOST_NODES:,} nodes",
                "Train it with zero_as_missing=false on a table whose zeros are missing values.",
            )
    return _table(copy, table)


def _known_way(table: NodeTable, node: int, signs: Signs) -> bool | None:
    """Whether a row goes left for all that is known of the sign of its column; None where it has to be asked."""
    sign, cut = signs.get(int(table.column[node])), float(table.threshold[node])
    if sign == _AT_ZERO:
        return bool(table.missing_left[node])
    if sign == _BELOW_ZERO and cut >= _BELOW:
        return True
    return False if sign == _ABOVE_ZERO and cut <= LARGEST_ZERO else None


def _copied(copy: _Copy, table: NodeTable, node: int, signs: Signs, of_zeros: bool) -> tuple[int, list[Any]]:
    """Copy a node; give its number and what waits below it."""
    column, cut, to_left = int(table.column[node]), float(table.threshold[node]), bool(table.missing_left[node])
    below = int(table.left[node]), int(table.right[node])
    if below[0] < 0:
        return copy.add(node, -1, 0.0, False), []
    if of_zeros and column not in signs:
        if cut in (_BELOW, LARGEST_ZERO):
            cut = LARGEST_ZERO if to_left else _BELOW
        elif (cut > 0) != to_left:
            first = copy.add(node, column, _BELOW, False)
            second = copy.right[first] = copy.add(node, column, LARGEST_ZERO, True)
            known = [{**signs, column: sign} for sign in (_BELOW_ZERO, _AT_ZERO, _ABOVE_ZERO)]
            pointers = [(copy.left, first), (copy.left, second), (copy.right, second)]
            return first, [(node, one, *pointer) for one, pointer in zip(known, pointers, strict=True)]
    new = copy.add(node, column, cut, to_left)
    if node in table.levels:
        copy.levels[new] = table.levels[node]
    return new, [(below[0], signs, copy.left, new), (below[1], signs, copy.right, new)]


def _table(copy: _Copy, table: NodeTable) -> NodeTable:
    """The numbers of the nodes: the rows of a leaf are divided among its copies."""
    old = np.array(copy.old)
    leaf = np.array(copy.left) < 0
    copies = np.bincount(old[leaf], minlength=len(table.left))
    earlier = np.zeros(len(old), dtype=np.int64)  # how many copies of the same leaf came before
    place = np.argsort(old[leaf], kind="stable")
    ordered = old[leaf][place]
    rank = np.arange(len(ordered)) - np.searchsorted(ordered, ordered)
    earlier[np.flatnonzero(leaf)[place]] = rank
    shared = np.maximum(copies[old], 1)
    rows = table.n_rows[old] // shared + (earlier < table.n_rows[old] % shared)
    return NodeTable(
        left=np.array(copy.left),
        right=np.array(copy.right),
        column=np.array(copy.column),
        threshold=np.array(copy.threshold),
        missing_left=np.array(copy.missing_left),
        gain=table.gain[old],
        n_rows=rows,
        weight=table.weight[old] / shared,
        impurity=table.impurity[old],
        answers=table.answers[old],
        levels=copy.levels,
    )
