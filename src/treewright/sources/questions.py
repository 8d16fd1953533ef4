"""What a source is asked and what it answers: the one border between those who have rows and those who decide.

Every answer is made of whole numbers that add up, smallest and largest values, or rows as they are. So it cannot depend
on how the rows are divided, in which order they come, or who counts them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.table.schema import Schema

Integers = NDArray[np.int64]
Numbers = NDArray[np.float64]
# one column at one node: sums of each cell, and where they are asked for, for ordered columns the smallest and the
# largest value in it
CellTable = tuple[Integers, Numbers | None, Numbers | None]


@dataclass(frozen=True)
class Wishes:
    """What the first look at a source has to find out."""

    features: tuple[str, ...]
    target: str
    weight: str | None
    levels: frozenset[str]  # columns whose values are all wanted, since they are levels
    value_types: Mapping[str, str]  # of the others
    classifies: bool
    # with more values a column of numbers is cut into stretches; 0: as the engine likes; below 0: it is not cut
    few_values: int = 0


@dataclass(frozen=True)
class Plan:
    """All that is known of a table before the first count, as everybody who counts needs it.

    `edges` has the upper ends of the cells of each numeric column: its values where there are few, else stretches.
    """

    schema: Schema
    target: str
    weight: str | None
    classes: NDArray[Any] | None
    class_weights: Numbers | None
    facts: Mapping[str, Any]  # see TargetFacts in core/table/target.hpp
    edges: tuple[Numbers | None, ...]

    @property
    def features(self) -> tuple[str, ...]:
        """The columns to learn from."""
        return tuple(column.name for column in self.schema.columns)

    @property
    def n_classes(self) -> int:
        """How many classes there are; 0 for numbers."""
        return 0 if self.classes is None else len(self.classes)

    @property
    def heaviest(self) -> float:
        """The largest weight; 1 where every row counts the same."""
        return 1.0 if self.weight is None else float(self.facts["largest"])

    @cached_property
    def units(self) -> _core.TargetUnits:
        """How weights and numbers become integers."""
        return _core.TargetUnits(dict(self.facts))

    @property
    def width(self) -> int:
        """How many numbers a cell has: rows, weight and weighted target; or rows and the weight of each class."""
        return 1 + self.n_classes if self.n_classes > 2 else 3

    def n_cells(self, column: int) -> int:
        """How many cells a column has, that of missing values among them."""
        edges = self.edges[column]
        return 1 + (len(self.schema.columns[column].levels) if edges is None else len(edges))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "units"}


@dataclass(frozen=True)
class Routing:
    """Which node each row is at: the tree so far, as the arrays of a stored tree, and the nodes that are asked about.

    `places[i]` is where the i-th of them stands in that tree.
    """

    arrays: Mapping[str, NDArray[Any]]
    n_columns: int
    n_classes: int
    places: tuple[int, ...]

    @cached_property
    def tree(self) -> _core.Tree:
        """The tree so far."""
        return _core.Tree(dict(self.arrays), self.n_columns, self.n_classes)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "tree"}

    def only(self, chosen: Sequence[int]) -> Routing:
        """The same for some of the nodes."""
        return Routing(self.arrays, self.n_columns, self.n_classes, tuple(self.places[i] for i in chosen))


@dataclass
class NodeSums:
    """What nodes hold: sums as in a cell; of numbers also the range of the levels, the smallest y, Σ weight·level²."""

    sums: Integers  # nodes × width
    low: Integers
    high: Integers
    lowest: Numbers
    squares: list[int]

    @classmethod
    def none(cls, n_nodes: int, width: int) -> NodeSums:
        """Of no rows."""
        limits = np.iinfo(np.int64)
        return cls(
            np.zeros((n_nodes, width), dtype=np.int64),
            np.full(n_nodes, limits.max),
            np.full(n_nodes, limits.min),
            np.full(n_nodes, np.inf),
            [0] * n_nodes,
        )

    def add(self, other: NodeSums) -> None:
        """Add what other rows of the same nodes hold."""
        self.sums += other.sums
        self.low = np.minimum(self.low, other.low)
        self.high = np.maximum(self.high, other.high)
        self.lowest = np.minimum(self.lowest, other.lowest)
        self.squares = [a + b for a, b in zip(self.squares, other.squares, strict=True)]


@dataclass
class Counts:
    """The answer to a count: what nodes hold, and tables[node][column] of those whose columns were asked for."""

    nodes: NodeSums
    tables: dict[int, list[CellTable]] = field(default_factory=dict)

    def add(self, other: Counts) -> None:
        """Add what was counted among other rows."""
        self.nodes.add(other.nodes)
        for node, tables in other.tables.items():
            mine = self.tables.setdefault(node, [])
            if not mine:
                mine.extend(tables)
                continue
            for column, (sums, low, high) in enumerate(tables):
                own, own_low, own_high = mine[column]
                if low is None or high is None or own_low is None or own_high is None:
                    mine[column] = own + sums, None, None
                else:
                    mine[column] = own + sums, np.minimum(own_low, low), np.maximum(own_high, high)


@dataclass(frozen=True)
class Stretches:
    """Cells of one column at one node whose values are wanted one by one; `node` counts those of the routing."""

    node: int
    column: int
    cells: tuple[int, ...]


# the different values in such stretches, ascending, and the sums of each
Opened = tuple[Numbers, Integers]


@dataclass(frozen=True)
class EqualRows:
    """How many rows of a node have the same level and weight, in integers."""

    node: Integers
    level: Integers
    weight: Integers
    rows: Integers

    @classmethod
    def together(cls, parts: Sequence[EqualRows]) -> EqualRows:
        """Of parts of the rows.

        Examples
        --------
        >>> one = EqualRows(*(np.array([x]) for x in (0, 7, 1, 2)))
        >>> EqualRows.together([one, one]).rows
        array([4])
        """
        if not parts:
            return cls(*(np.empty(0, dtype=np.int64) for _ in range(4)))
        keys = np.stack([np.concatenate([getattr(p, name) for p in parts]) for name in ("node", "level", "weight")])
        found, where = np.unique(keys, axis=1, return_inverse=True)
        rows = np.zeros(found.shape[1], dtype=np.int64)
        np.add.at(rows, where.ravel(), np.concatenate([p.rows for p in parts]))
        node, level, weight = np.ascontiguousarray(found)
        return cls(node, level, weight, rows)


@dataclass(frozen=True)
class FetchedRows:
    """Rows as they are, encoded: each column, the target, the weights, and the node that each row is at."""

    columns: list[NDArray[Any]]  # numbers with NaN, or codes of levels
    truth: NDArray[Any]
    weights: Numbers | None
    node: NDArray[np.int32]

    def only(self, chosen: NDArray[np.bool_]) -> FetchedRows:
        """Some of the rows."""
        weights = None if self.weights is None else self.weights[chosen]
        return FetchedRows([column[chosen] for column in self.columns], self.truth[chosen], weights, self.node[chosen])


def joined_rows(parts: Sequence[FetchedRows]) -> FetchedRows:
    """Rows that came in parts, of which there is at least one."""
    if len(parts) == 1:
        return parts[0]
    together = np.concatenate
    return FetchedRows(
        [together(columns) for columns in zip(*(part.columns for part in parts), strict=True)],
        together([part.truth for part in parts]),
        None if parts[0].weights is None else together([part.weights for part in parts]),
        together([part.node for part in parts]),
    )
