"""The table of the cuts that were tried in one column: all of them, or the best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treewright.lesson.arithmetic.unit import Unit
from treewright.lesson.measures import MEASURES, measure_text
from treewright.lesson.pages.blocks import Table

SHOWN_CUTS = 12


@dataclass(frozen=True)
class CutLine:
    """A cut in words: the label of its left side, what both sides hold, its measures."""

    label: str
    left: str
    right: str
    measures: dict[str, float]


def cut_table(name: str, lines: Sequence[CutLine], best: int | None, unit: Unit) -> Table:
    """List the cuts of a column in their order; where there are many, the best by the last measure.

    Examples
    --------
    >>> table = cut_table("age", [CutLine("<= 30", "1 : 7", "5 : 3", {"gain": 0.2})], 0, Unit.of(2))
    >>> table.headings, table.rows
    (('cut', 'up to it', 'above it', 'gain'), (('<= 30', '1 : 7', '5 : 3', '0.2000'),))
    """
    names = tuple(lines[0].measures)
    by_worth = sorted(range(len(lines)), key=lambda i: (i != best, -lines[i].measures[names[-1]], i))
    shown = sorted(by_worth[:SHOWN_CUTS])
    rows = tuple(_row(lines[i], unit) for i in shown)
    left_out = len(lines) - len(shown)
    rest = f", the best {len(shown)} of {len(lines)}" if left_out else ""
    headings = ("cut", "up to it", "above it", *(MEASURES[measure].heading for measure in names))
    marked = frozenset({shown.index(best)}) if best is not None else frozenset[int]()
    numbers = frozenset(range(1, len(headings)))
    means = "; mean (rows) on each side" if "(" in lines[0].left else ""
    return Table(headings, rows, numbers, marked, f"Cuts of {name}{rest}{means}")


def _row(line: CutLine, unit: Unit) -> tuple[str, ...]:
    return (line.label, line.left, line.right, *(measure_text(m, value, unit) for m, value in line.measures.items()))
