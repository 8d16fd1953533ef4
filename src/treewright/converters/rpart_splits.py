"""The splits of an rpart object as tests: ``x < cut`` to the side that `ncat` tells, or a side for each level."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from treewright.table.schema import Column

LEFT, RIGHT = 0, 1
_LEFT_IN_R, _RIGHT_IN_R = 1, 3  # in csplit; 2 where a node has no such level


@dataclass(frozen=True)
class RpartTree:
    """What rpart stores of a tree, as it is read."""

    frame: dict[str, list[Any]]
    splits: dict[str, list[Any]]
    csplit: list[list[int]]
    columns: tuple[Column, ...]
    usesurrogate: int

    def place(self, name: str) -> int:
        """The number of a column."""
        return next(at for at, column in enumerate(self.columns) if column.name == name)


@dataclass(frozen=True)
class Split:
    """A test: a cut with the side of ``x <= cut``, or the side of each level by its code.

    `worth` is what rpart calls improve: of a surrogate the share of rows that it sends as the primary split does.
    """

    column: int
    worth: float
    adjusted: float
    cut: float = math.nan
    low_side: int = LEFT
    sides: dict[int, int] = field(default_factory=dict)


def read_split(tree: RpartTree, at: int) -> Split:
    """Give the split in row `at` of rpart's table; ValueError where it is none.

    Examples
    --------
    >>> table = {"var": ["age"], "ncat": [-1], "improve": [0.75], "index": [41.5], "adj": [0]}
    >>> split = read_split(RpartTree({}, table, [], (Column("age", "numeric"),), 2), 0)
    >>> split.cut < 41.5 == math.nextafter(split.cut, 99), split.low_side == LEFT
    (True, True)
    """
    splits = tree.splits
    place = tree.place(splits["var"][at])
    column, ncat, index = tree.columns[place], int(splits["ncat"][at]), splits["index"][at]
    worth = place, float(splits["improve"][at]), float(splits["adj"][at])
    if ncat in (-1, 1):
        low_side = LEFT if ncat == -1 else RIGHT
        if column.value_type == "boolean":
            return Split(*worth, sides={code: low_side if code - 1 < index else 1 - low_side for code in (1, 2)})
        if column.kind != "numeric":
            raise ValueError(f"column '{column.name}' has levels and is cut like a number")
        return Split(*worth, math.nextafter(index, -math.inf), low_side)  # x < cut, where ours is x <= cut
    told = tree.csplit[int(index) - 1][:ncat]
    sides = {code: side // 2 for code, side in enumerate(told, start=1) if side in (_LEFT_IN_R, _RIGHT_IN_R)}
    if not sides or ncat != len(column.levels):
        raise ValueError(f"a split of column '{column.name}' names no levels of it")
    return Split(*worth, sides=sides) if column.kind == "nominal" else Split(*worth, *_ordered_cut(sides))


def _ordered_cut(sides: dict[int, int]) -> tuple[float, int]:
    """Levels in order: all up to one level go to one side."""
    low_side = sides[1]
    cut = max(code for code, side in sides.items() if side == low_side)
    if any((code <= cut) != (side == low_side) for code, side in sides.items()):
        raise ValueError("a split of ordered levels is not in their order")
    return float(cut), low_side
