"""What many trees ask on the way of one row: the conditions that most of them share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from treewright.explain.conditions import Condition, merge_path
from treewright.explain.row_values import RowValues
from treewright.explain.value_sets import NumberRange
from treewright.explain.walk import Step
from treewright.tree.test import cut_text
from treewright.tree.tree import Tree
from treewright.tree.wording import name_text

ABOVE, AT_MOST, LEVEL, MISSING, SUM = "above", "at most", "level", "missing", "sum"


@dataclass
class SharedCondition:
    """A kind of condition on one column, in how many trees it stands on the row's way, and its cuts in them."""

    column: int
    kind: str
    row: RowValues
    n_trees: int = 0
    cuts: list[float] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The condition in words, with the median of the cuts."""
        column = self.row.schema.columns[self.column]
        name = name_text(column.name)
        if self.kind in (ABOVE, AT_MOST):
            sign = ">" if self.kind == ABOVE else "<="
            return f"{name} {sign} {cut_text(column, float(np.median(self.cuts)), 4)}"
        if self.kind == SUM:
            return f"weighted sums with {name}"
        return f"{name} is {self.row.shown(self.column)}"

    @property
    def middle_half(self) -> str:
        """Where the middle half of the cuts lies; empty for levels."""
        if not self.cuts:
            return ""
        column = self.row.schema.columns[self.column]
        low, high = np.quantile(self.cuts, [0.25, 0.75], method="nearest").tolist()
        return cut_text(column, low, 4) if low == high else f"{cut_text(column, low, 4)} to {cut_text(column, high, 4)}"


def shared_conditions(row: RowValues, ways: Iterable[tuple[Tree, list[Step]]]) -> list[SharedCondition]:
    """Count the conditions on the ways of a row through many trees; those of most trees first.

    Conditions on the same column and side of one tree are merged first, so each tree counts once.

    Examples
    --------
    >>> from treewright.encode.table import RowEncoder
    >>> from treewright.explain.row_values import read_row
    >>> from treewright.explain.walk import walk
    >>> from treewright.tree import example_tree
    >>> tree = example_tree()
    >>> row = read_row(RowEncoder(tree.schema), ["rain", 70])
    >>> found = shared_conditions(row, [(tree, walk(tree, row.numbers)[0])] * 3)
    >>> [(shared.text, shared.n_trees) for shared in found]
    [('outlook is rain', 3), ('humidity <= 82.5', 3)]
    """
    found: dict[tuple[int, str], SharedCondition] = {}
    for tree, steps in ways:
        for column, kind, cut in _conditions(tree, steps):
            shared = found.setdefault((column, kind), SharedCondition(column, kind, row))
            shared.n_trees += 1
            shared.cuts += [] if cut is None else [cut]
    return sorted(found.values(), key=lambda shared: -shared.n_trees)


def _conditions(tree: Tree, steps: list[Step]) -> Iterator[tuple[int, str, float | None]]:
    """Give (column, kind, cut) of what one tree asks on the way of a row, each column and kind once."""
    merged = merge_path(tree, [(step.node, step.branch) for step in steps if step.by == "test"])
    asked = tree.arrays["column"]
    lacking = {int(asked[step.node]) for step in steps if step.by != "test"}
    yield from ((column, MISSING, None) for column in sorted(lacking))
    sums = {int(asked[condition.node]) for condition in merged.values() if condition.column < 0}
    yield from ((column, SUM, None) for column in sorted(sums))
    for condition in merged.values():
        if condition.column >= 0:
            yield from _sides(condition)


def _sides(condition: Condition) -> Iterator[tuple[int, str, float | None]]:
    if not isinstance(condition.allowed, NumberRange):
        yield condition.column, LEVEL, None
        return
    if condition.allowed.low is not None:
        yield condition.column, ABOVE, condition.allowed.low
    if condition.allowed.high is not None:
        yield condition.column, AT_MOST, condition.allowed.high
