"""A question about one column, and the branch that each value takes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from treewright.table.schema import Column
from treewright.tree.format import name_text, number_text


@dataclass(frozen=True)
class Split:
    """A test: by cuts (branch b holds the values up to cut b) or by levels; and where missing values go.

    `missing` is a branch, or None where they are shared out, stop at the node, or cannot occur.

    Examples
    --------
    >>> Split(0, cuts=(2.0, 5.0)).branch(3.0), Split(0, levels={1: 0, 2: 1}).branch(2), Split(0, missing=1).branch(None)
    (1, 1, 1)
    """

    column: int
    cuts: tuple[float, ...] = ()
    levels: Mapping[int, int] = field(default_factory=dict)
    missing: int | None = None

    def branch(self, value: float | None) -> int | None:
        """Give the branch of a value; a level without a branch goes the way of the missing."""
        if value is None:
            return self.missing
        if self.levels:
            return self.levels.get(int(value), self.missing)
        return bisect_left(self.cuts, value)

    def way(self, columns: Sequence[Sequence[float | None]], row: int) -> int | None:
        """Give the branch of a row of a table."""
        return self.branch(columns[self.column][row])

    def asks(self, columns: Sequence[Sequence[float | None]], row: int) -> bool:
        """Tell whether a row has what the test asks for."""
        return columns[self.column][row] is not None


def value_text(column: Column, value: float) -> str:
    """Write one value of a column, or the place of a cut.

    >>> value_text(Column("size", "ordinal", "text", ("small", "large")), 2), value_text(Column("age", "numeric"), 41.5)
    ('large', '41.5')
    """
    if column.kind != "numeric":
        return name_text(column.show(value))
    return number_text(value) if column.face == "number" else column.show(value)


def cut_labels(column: Column, cuts: tuple[float, ...]) -> list[str]:
    """Name the branches that cuts make.

    >>> cut_labels(Column("age", "numeric"), (30.0,)), cut_labels(Column("age", "numeric"), (30.0, 50.0))
    (['<= 30', '> 30'], ['<= 30', '> 30 to 50', '> 50'])
    """
    texts = [value_text(column, cut) for cut in cuts]
    middle = [f"> {low} to {high}" for low, high in pairwise(texts)]
    return [f"<= {texts[0]}", *middle, f"> {texts[-1]}"]


def level_label(column: Column, levels: list[int]) -> str:
    """Name a branch that takes some levels.

    >>> level_label(Column("c", "nominal", "text", ("red", "green", "blue")), [1, 3])
    'red, blue'
    """
    return ", ".join(value_text(column, level) for level in levels)
