"""What is counted among a part of the rows, as it travels: only cells that have rows, a few arrays for all nodes.

A part has few rows, and a level of a tree may have many nodes: tables with all their cells would be mostly zeros.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from treewright.sources.questions import CellTable, Counts, Integers, NodeSums, Numbers, Opened


@dataclass(frozen=True)
class ColumnCells:
    """One column at all counted nodes: the cells that have rows, their sums, their smallest and largest values."""

    place: Integers  # node · cells + cell, ascending
    sums: Integers
    low: Numbers | None
    high: Numbers | None

    @classmethod
    def of(cls, n_cells: int, all_sums: Integers, low: Numbers, high: Numbers) -> ColumnCells:
        """Of all cells of all nodes, as the core counts them; levels have no values."""
        sums = all_sums.reshape(n_cells, -1)
        place = np.flatnonzero(sums[:, 0])
        if not len(low):
            return cls(place, sums[place], None, None)
        return cls(place, sums[place], low[place], high[place])

    @classmethod
    def together(cls, parts: Sequence[ColumnCells], n_cells: int) -> ColumnCells:
        """Of parts of the rows."""
        return cls.of(n_cells, *_spread(parts, n_cells))

    def tables(self, n_nodes: int, n_cells: int) -> list[CellTable]:
        """The table of each node."""
        sums, low, high = _spread([self], n_nodes * n_cells)
        each = sums.reshape(n_nodes, n_cells, -1)
        if not len(low):
            return [(own, None, None) for own in each]
        return list(zip(each, low.reshape(n_nodes, -1), high.reshape(n_nodes, -1), strict=True))


def _spread(parts: Sequence[ColumnCells], n_cells: int) -> tuple[Integers, Numbers, Numbers]:
    """All cells, those without rows too."""
    sums = np.zeros((n_cells, parts[0].sums.shape[1]), dtype=np.int64)
    has_values = parts[0].low is not None
    low, high = np.full(n_cells if has_values else 0, np.inf), np.full(n_cells if has_values else 0, -np.inf)
    for part in parts:
        sums[part.place] += part.sums  # no place is there twice
        if part.low is not None and part.high is not None:
            low[part.place] = np.minimum(low[part.place], part.low)
            high[part.place] = np.maximum(high[part.place], part.high)
    return sums, low, high


@dataclass(frozen=True)
class PartialCounts:
    """The answer of a part of the rows to a count: what nodes hold, and the cells of each column."""

    nodes: NodeSums
    columns: list[ColumnCells]
    counted: tuple[int, ...]  # nodes whose columns were counted
    n_cells: tuple[int, ...]  # of each column

    @classmethod
    def together(cls, parts: Sequence[PartialCounts]) -> PartialCounts:
        """Of parts of the rows."""
        first = parts[0]
        nodes = NodeSums.none(*first.nodes.sums.shape)
        for part in parts:
            nodes.add(part.nodes)
        columns = [
            ColumnCells.together([part.columns[j] for part in parts], len(first.counted) * n_cells)
            for j, n_cells in enumerate(first.n_cells)
            if first.counted
        ]
        return cls(nodes, columns, first.counted, first.n_cells)

    def whole(self) -> Counts:
        """The answer of the source, with a table for each node and column."""
        counts = Counts(self.nodes, {node: [] for node in self.counted})
        for cells, n_cells in zip(self.columns, self.n_cells if self.counted else (), strict=True):
            for node, table in zip(self.counted, cells.tables(len(self.counted), n_cells), strict=True):
                counts.tables[node].append(table)
        return counts


@dataclass(frozen=True)
class PartialValues:
    """The values inside stretches: the number of the stretch, the value, its sums; ascending by the two."""

    stretch: Integers
    value: Numbers
    sums: Integers

    @classmethod
    def together(cls, parts: Sequence[PartialValues]) -> PartialValues:
        """Of parts of the rows.

        Examples
        --------
        >>> one = PartialValues(np.array([0, 1]), np.array([2.5, 0.5]), np.array([[1, 1, 0], [3, 3, 2]]))
        >>> PartialValues.together([one, one]).sums.tolist()
        [[2, 2, 0], [6, 6, 4]]
        """
        stretch = np.concatenate([part.stretch for part in parts])
        value = np.concatenate([part.value for part in parts])
        sums = np.concatenate([part.sums for part in parts])
        order, first = equal_in_order(stretch, value)
        if not len(order):
            return cls(stretch, value, sums)
        return cls(stretch[order][first], value[order][first], np.add.reduceat(sums[order], first))

    def whole(self, n_stretches: int) -> list[Opened]:
        """The answer of the source: the values and sums of each stretch."""
        ends = np.searchsorted(self.stretch, np.arange(n_stretches + 1))
        return [(self.value[a:b], self.sums[a:b]) for a, b in pairwise(ends)]


def equal_in_order(stretch: Integers, value: Numbers) -> tuple[Integers, Integers]:
    """An order of pairs of numbers, and where in it each different pair begins.

    Examples
    --------
    >>> equal_in_order(np.array([1, 0, 1]), np.array([5.0, 7.0, 5.0]))
    (array([1, 0, 2]), array([0, 1]))
    """
    order = np.lexsort((value, stretch))
    ordered, values = stretch[order], value[order]
    differs = np.ones(len(order), dtype=bool)
    differs[1:] = (ordered[1:] != ordered[:-1]) | (values[1:] != values[:-1])
    return order, np.flatnonzero(differs)
