"""A question about one column, the branch that each value takes, and what the branches hold."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf

from treewright.reference.arithmetic import Number
from treewright.reference.table import Cases, Table
from treewright.reference.tally import Tally

SMALLEST = 1e-6  # a branch with a smaller share of the known cases gets no part of the others


@dataclass(frozen=True)
class Split:
    """A test: by cuts (branch b holds the values up to cut b) or by levels; and where missing values go.

    `missing` is a branch, or None where they are shared out, stop at the node, or cannot occur.

    >>> Split(0, cuts=(2.0, 5.0)).branch(3.0), Split(0, levels={1: 0, 2: 1}).branch(2), Split(0, missing=1).branch(None)
    (1, 1, 1)
    """

    column: int
    cuts: tuple[float, ...] = ()
    levels: Mapping[int, int] = field(default_factory=dict)
    missing: int | None = None

    @property
    def asks_whether_known(self) -> bool:
        """Whether all that it asks is if there is a value."""
        return self.cuts == (inf,) or set(self.levels.values()) == {0}

    def branch(self, value: float | None) -> int | None:
        """Give the branch of a value; a level without a branch goes the way of the missing."""
        if value is None:
            return self.missing
        if self.levels:
            return self.levels.get(int(value), self.missing)
        return bisect_left(self.cuts, value)

    def way(self, table: Table, row: int) -> int | None:
        """Give the branch of a row of a table."""
        return self.branch(table.columns[self.column].values[row])

    def asks(self, table: Table, row: int) -> bool:
        """Tell whether a row has what the test asks for."""
        return table.columns[self.column].values[row] is not None

    def parts(self, table: Table, cases: Cases, n_branches: int) -> list[list[tuple[int, Number]]]:
        """The cases of each branch."""
        found: list[list[tuple[int, Number]]] = [[] for _ in range(n_branches)]
        for row, weight in cases:
            branch = self.way(table, row)
            if branch is not None:
                found[branch].append((row, weight))
        return found


@dataclass(frozen=True)
class Division:
    """A test and what its branches hold, as far as the score sees it.

    `share` is the part of the node's weight that the score sees: below 1 the rows without a value are left out.
    """

    split: Split
    branches: tuple[Tally, ...]
    share: Number = 1
    has_missing: bool = False
    between: tuple[float, float] | None = None  # the neighbouring values that a cut lies between

    @property
    def sees_all(self) -> bool:
        """Whether the score sees all rows of the node."""
        return bool(self.share == 1)


def midpoint(low: float, high: float) -> float:
    """The middle between two neighbours; the lower one if the middle rounds up to the higher.

    >>> midpoint(1.0, 2.0), midpoint(1.0, 1.0000000000000002)
    (1.5, 1.0)
    """
    middle = low + (high - low) / 2
    return middle if middle < high else low


def share_out(table: Table, cases: Cases, split: Split, n_branches: int) -> list[Cases]:
    """Divide cases among branches; one without a value goes to all, in the shares of those that have one.

    >>> from treewright.reference.table import Column
    >>> table = Table((Column("numeric", (1.0, 2.0, None)),), (0, 0, 0), (1.0,) * 3, n_classes=1)
    >>> share_out(table, table.cases(), Split(0, cuts=(1.5,)), 2)
    [[(0, 1.0), (2, 0.5)], [(1, 1.0), (2, 0.5)]]
    """
    parts: list[list[tuple[int, Number]]] = [[] for _ in range(n_branches)]
    unknown: list[tuple[int, Number]] = []
    for row, weight in cases:
        branch = split.way(table, row) if split.asks(table, row) else None
        (unknown if branch is None else parts[branch]).append((row, weight))
    sizes = [sum(weight for _, weight in part) for part in parts]
    known = sum(sizes)
    for part, size in zip(parts, sizes, strict=True):
        share = size / known if known >= SMALLEST else 1 / n_branches
        if share > SMALLEST:
            part += [(row, weight * share) for row, weight in unknown]
    return list(parts)
