"""The table of the cuts that were tried in one column: all of them, or the best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from treewright.lesson.arithmetic.tally import NumberTally, Tally
from treewright.lesson.arithmetic.unit import Unit
from treewright.lesson.measures import MEASURES, measure_text
from treewright.lesson.tally_text import brief_text
from treewright.pages.blocks import Table

SHOWN_CUTS = 12


class Side(Protocol):
    """What a table of cuts asks of each cut."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of its branches."""

    @property
    def tallies(self) -> tuple[Tally, ...]:
        """What its branches hold."""


def cut_table(name: str, cuts: Sequence[Side], measures: Sequence[Mapping[str, float]], best: int, unit: Unit) -> Table:
    """List the cuts of a column in their order; where there are many, the best by the last measure.

    Examples
    --------
    >>> from treewright.table.schema import Column
    >>> from treewright.lesson.arithmetic.binary_cuts import Cut
    >>> from treewright.lesson.arithmetic.split import Split
    >>> from treewright.lesson.arithmetic.tally import ClassTally
    >>> sides = ClassTally(8, (1.0, 7.0)), ClassTally(8, (5.0, 3.0))
    >>> cut = Cut(Split(0, cuts=(30.0,)), Column("age", "numeric"), *sides)
    >>> table = cut_table("age", [cut], [{"gain": 0.2}], 0, Unit.of(2))
    >>> table.headings, table.rows
    (('cut', 'up to it', 'above it', 'gain'), (('<= 30', '1 : 7', '5 : 3', '0.2000'),))
    """
    names = tuple(measures[0])
    by_worth = sorted(range(len(cuts)), key=lambda i: (i != best, -measures[i][names[-1]], i))
    shown = sorted(by_worth[:SHOWN_CUTS])
    rows = tuple(_row(cuts[i], measures[i], unit) for i in shown)
    rest = f", the best {len(shown)} of {len(cuts)}" if len(shown) < len(cuts) else ""
    headings = ("cut", "up to it", "above it", *(MEASURES[measure].heading for measure in names))
    means = "; mean (rows) on each side" if isinstance(cuts[0].tallies[0], NumberTally) else ""
    marked = frozenset({shown.index(best)})
    return Table(headings, rows, frozenset(range(1, len(headings))), marked, f"Cuts of {name}{rest}{means}")


def _row(cut: Side, measures: Mapping[str, float], unit: Unit) -> tuple[str, ...]:
    sides = (brief_text(tally) for tally in cut.tallies[:2])
    return (cut.labels[0], *sides, *(measure_text(name, value, unit) for name, value in measures.items()))
