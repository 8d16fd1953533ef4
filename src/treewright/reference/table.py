"""The rows that a tree is grown from, the cases of a node, and one column at one node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property

from treewright.reference.arithmetic import Number
from treewright.reference.tally import ClassTally, NumberTally, Tally

Value = float | int | None
# Rows with their weights; a row may reach several nodes with a part of its weight.
Cases = Sequence[tuple[int, Number]]


@dataclass(frozen=True)
class Column:
    """One column: numbers, or level codes from 1; None is missing. `kind` is "numeric", "ordinal" or "nominal".

    `levels` is how many levels a nominal column has, where that is more than the largest code.

    >>> column = Column("ordinal", (1, 3, None))
    >>> column.missing([0, 1, 2]), list(column.codes)
    ([2], [1, 2, 3])
    """

    kind: str
    values: tuple[Value, ...]
    levels: int = 0

    @cached_property
    def codes(self) -> range:
        """The codes of all levels."""
        return range(1, max([self.levels, *(int(value) for value in self.values if value is not None)]) + 1)

    def known(self, rows: Sequence[int]) -> list[int]:
        """Those of the rows that have a value here."""
        return [row for row in rows if self.values[row] is not None]

    def missing(self, rows: Sequence[int]) -> list[int]:
        """Those of the rows that have no value here."""
        return [row for row in rows if self.values[row] is None]

    def present(self, rows: Sequence[int]) -> list[float]:
        """The distinct known values of the rows, ascending."""
        return sorted({value for row in rows if (value := self.values[row]) is not None})


@dataclass(frozen=True)
class Table:
    """Columns, the target (class numbers, or numbers to predict) and a weight for each row.

    `n_classes` is 0 where the target is a number. `keeps_values` is for medians, which need the numbers themselves.

    >>> table = Table((Column("numeric", (1.0, 2.0)),), target=(0, 1), weights=(1.0, 2.0), n_classes=2)
    >>> table.tally(table.cases()), table.weight([0, 1])
    (ClassTally(rows=2, counts=(1.0, 2.0)), 3.0)
    """

    columns: tuple[Column, ...]
    target: tuple[Number, ...]
    weights: tuple[Number, ...]
    n_classes: int
    keeps_values: bool = False

    def rows(self) -> list[int]:
        """The rows that count: a row of weight zero is as if it were not there."""
        return [row for row, weight in enumerate(self.weights) if weight > 0]

    def cases(self, rows: Sequence[int] | None = None) -> Cases:
        """Some rows, or all that count, with their whole weights."""
        return tuple((row, self.weights[row]) for row in (self.rows() if rows is None else rows))

    def weight(self, rows: Sequence[int]) -> Number:
        """The weight of some rows."""
        return sum(self.weights[row] for row in rows)

    def tally(self, cases: Cases) -> Tally:
        """Count the classes, or add up the numbers, of some cases."""
        if not self.n_classes:
            return NumberTally.of(((self.target[row], weight) for row, weight in cases), self.keeps_values)
        counts = [type(self.weights[0])(0) if self.weights else 0] * self.n_classes
        for row, weight in cases:
            counts[int(self.target[row])] += weight
        return ClassTally(len(cases), tuple(counts))

    def as_floats(self) -> Table:
        """The same table with floats for its weights."""
        return replace(self, weights=tuple(map(float, self.weights)))

    def exact(self, keeps_values: bool = False) -> Table:
        """The same table with decimals for its weights and for a target of numbers."""
        target = self.target if self.n_classes else tuple(map(Decimal, self.target))
        return replace(self, target=target, weights=tuple(map(Decimal, self.weights)), keeps_values=keeps_values)


@dataclass(frozen=True)
class ValueTable:
    """One column at one node: the tally of each value that occurs, ascending, and of the missing ones.

    Every score of a column is a function of it.
    """

    values: tuple[float, ...]
    tallies: tuple[Tally, ...]
    missing: Tally
    nothing: Tally  # the tally of no rows

    @cached_property
    def known(self) -> Tally:
        """The tally of all rows with a value."""
        return self.sum_of(range(len(self.values)))

    def sum_of(self, places: Sequence[int]) -> Tally:
        """The tally of several values together, given by their places."""
        found = self.nothing
        for place in places:
            found = found + self.tallies[place]
        return found

    def of_value(self, value: float) -> Tally:
        """The tally of one value; of nothing if it does not occur."""
        return self.tallies[self.values.index(value)] if value in self.values else self.nothing


@dataclass(frozen=True)
class Place:
    """A node as an algorithm sees it: its cases, its depth and the columns asked on the way.

    >>> table = Table((Column("numeric", (1.0, 2.0, None)),), (0, 1, 1), (1.0,) * 3, n_classes=2)
    >>> found = Place(table, table.cases()).values_of(0)
    >>> found.values, [tally.counts for tally in found.tallies], found.missing.counts
    ((1.0, 2.0), [(1.0, 0.0), (0.0, 1.0)], (0.0, 1.0))
    """

    table: Table
    cases: Cases
    depth: int = 0
    asked: tuple[int, ...] = ()

    @cached_property
    def tally(self) -> Tally:
        """What the rows of the node hold."""
        return self.table.tally(self.cases)

    def values_of(self, column: int) -> ValueTable:
        """Count a column at this node."""
        cells = self.table.columns[column].values
        parts: dict[Value, list[tuple[int, Number]]] = {}
        for row, weight in self.cases:
            parts.setdefault(cells[row], []).append((row, weight))
        missing = self.table.tally(parts.pop(None, []))
        values = sorted(value for value in parts if value is not None)
        tallies = tuple(self.table.tally(parts[value]) for value in values)
        return ValueTable(tuple(values), tallies, missing, self.table.tally([]))
