"""The table of the cuts that were tried in one column: all of them, or the best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treewright.lesson.measures import MEASURES, measure_text
from treewright.lesson.split_text import division_labels
from treewright.lesson.tally_text import brief_text
from treewright.lesson.unit import Unit
from treewright.pages.blocks import Table
from treewright.reference.split import Division
from treewright.reference.tally import NumberTally
from treewright.table.schema import Column
from treewright.tree.format import name_text

SHOWN_CUTS = 12
Tried = Sequence[tuple[Division, Mapping[str, float]]]


def cut_table(column: Column, tried: Tried, best: int, unit: Unit) -> Table:
    """List the cuts of a column in their order; where there are many, the best by the last measure.

    Examples
    --------
    >>> from treewright.reference.split import Split
    >>> from treewright.reference.tally import ClassTally
    >>> cut = Division(Split(0, cuts=(30.0,)), (ClassTally(8, (1.0, 7.0)), ClassTally(8, (5.0, 3.0))))
    >>> table = cut_table(Column("age", "numeric"), [(cut, {"gain": 0.2})], 0, Unit.of(2))
    >>> table.headings, table.rows
    (('cut', 'up to it', 'above it', 'gain'), (('<= 30', '1 : 7', '5 : 3', '0.2000'),))
    """
    names = tuple(tried[0][1])
    by_worth = sorted(range(len(tried)), key=lambda i: (i != best, -tried[i][1][names[-1]], i))
    shown = sorted(by_worth[:SHOWN_CUTS])
    rows = tuple(_row(column, *tried[i], unit) for i in shown)
    rest = f", the best {len(shown)} of {len(tried)}" if len(shown) < len(tried) else ""
    headings = ("cut", "up to it", "above it", *(MEASURES[measure].heading for measure in names))
    means = "; mean (rows) on each side" if isinstance(tried[0][0].branches[0], NumberTally) else ""
    marked, caption = frozenset({shown.index(best)}), f"Cuts of {name_text(column.name)}{rest}{means}"
    return Table(headings, rows, frozenset(range(1, len(headings))), marked, caption)


def _row(column: Column, division: Division, measures: Mapping[str, float], unit: Unit) -> tuple[str, ...]:
    sides = (brief_text(tally) for tally in division.branches[:2])
    numbers = (measure_text(name, value, unit) for name, value in measures.items())
    return (division_labels(column, division)[0], *sides, *numbers)
