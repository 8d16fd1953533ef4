"""One column at one node: what the rows of each value hold, and what those without a value do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from treewright.lesson.arithmetic.sample import Portion, Sample
from treewright.lesson.arithmetic.tally import Tally


@dataclass(frozen=True)
class ValueTable:
    """The tally of each value that occurs, ascending, and of the missing ones. Every score is a function of it."""

    values: tuple[float, ...]
    tallies: tuple[Tally, ...]
    missing: Tally
    nothing: Tally  # the tally of no rows

    @cached_property
    def known(self) -> Tally:
        """The tally of all rows with a value."""
        return self.sum_of(range(len(self.values)))

    def sum_of(self, places: Sequence[int] | range) -> Tally:
        """The tally of several values together, given by their places."""
        total = self.nothing
        for place in places:
            total = total + self.tallies[place]
        return total

    def of_value(self, value: float) -> Tally:
        """The tally of one value; of nothing if it does not occur."""
        return self.tallies[self.values.index(value)] if value in self.values else self.nothing


def value_table(sample: Sample, column: int, portion: Portion) -> ValueTable:
    """Count a column at a node.

    Examples
    --------
    >>> from treewright.table.schema import Column, Schema
    >>> sample = Sample(Schema((Column("x", "numeric"),)), ((1.0, 2.0, None),), (0, 1, 1), ("a", "b"), (1.0,) * 3)
    >>> table = value_table(sample, 0, sample.portion())
    >>> table.values, [tally.counts for tally in table.tallies], table.missing.counts
    ((1.0, 2.0), [(1.0, 0.0), (0.0, 1.0)], (0.0, 1.0))
    """
    cells = sample.columns[column]
    parts: dict[float | None, list[tuple[int, float]]] = {}
    for row, weight in portion:
        parts.setdefault(cells[row], []).append((row, weight))
    missing = sample.tally(parts.pop(None, []))
    values = sorted(value for value in parts if value is not None)
    return ValueTable(tuple(values), tuple(sample.tally(parts[v]) for v in values), missing, sample.tally([]))
