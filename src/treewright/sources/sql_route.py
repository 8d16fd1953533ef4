"""Which node of a tree on its way a row is at, as SQL: a CASE in a CASE for every test on the way.

A row without a value goes where its test says: what is written is the comparison that fails for NULL on that side, so
that no branch is written twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.sources.questions import Plan, Routing
from treewright.table.sql_dialects import Dialect

_INTERVALS = 4  # a test with more than two branches of an ordered column


@dataclass(frozen=True)
class Route:
    """The tree so far; `column` is what is written for one: a number, or a level as it is in the table."""

    dialect: Dialect
    plan: Plan
    routing: Routing
    column: Callable[[int], str]

    def node(self) -> str:
        """The number of the node that a row is at, among those asked about; -1 elsewhere."""
        return self.at({place: str(i) for i, place in enumerate(self.routing.places)}, "-1")

    def at(self, wanted: Mapping[int, str], elsewhere: str) -> str:
        """What is written for the place of the tree that a row passes."""
        children = children_of(self.routing)
        text: dict[int, str] = {}
        for place in range(len(children) - 1, -1, -1):  # children stand behind their parents
            branches = [text.pop(child) for child in children[place]]
            if place in wanted or not branches or set(branches) == {elsewhere}:
                text[place] = wanted.get(place, elsewhere)
            else:
                text[place] = self._branch(place, branches, elsewhere)
        return text[0]

    def columns(self) -> list[int]:
        """The columns that are asked on the way to some node."""
        asked = self.routing.arrays["column"]
        return sorted({int(column) for column in asked.tolist() if column >= 0})

    def _branch(self, place: int, branches: list[str], elsewhere: str) -> str:
        arrays = self.routing.arrays
        missing = int(arrays["missing_branch"][place])
        if missing < 0 or len(branches) > 2 + (missing == 2) or int(arrays["kind"][place]) == _INTERVALS:
            return self._many_branches(place, branches, elsewhere)
        left, right, null = self._sides(place)
        if missing == 0:
            return f"CASE WHEN {right} THEN {branches[1]} ELSE {branches[0]} END"
        first = f"WHEN {null} THEN {branches[2]} " if missing == 2 else ""
        return f"CASE {first}WHEN {left} THEN {branches[0]} ELSE {branches[1]} END"

    def _sides(self, place: int) -> tuple[str, str, str]:
        """When a row goes left, when it goes right, and when it has no value."""
        arrays, column = self.routing.arrays, int(self.routing.arrays["column"][place])
        value = self.column(column)
        null = f"{value} IS NULL"
        if self.plan.schema.columns[column].kind == "nominal":
            levels = self._levels(place, 0)
            return f"{value} IN ({levels})", f"{value} NOT IN ({levels})", null
        threshold = float(arrays["threshold"][place])
        if np.isposinf(threshold):
            return f"{value} IS NOT NULL", "FALSE", null
        end = self._double(threshold)
        return f"{value} <= {end}", f"{value} > {end}", null

    def _levels(self, place: int, branch: int) -> str:
        """The levels that go to a branch; nothing where there are none."""
        arrays = self.routing.arrays
        levels = self.plan.schema.columns[int(arrays["column"][place])].levels
        begin, end = arrays["level_start"][place : place + 2].tolist()
        own = arrays["level"][begin:end][arrays["level_branch"][begin:end] == branch].tolist()
        return ", ".join(self.dialect.literal(levels[code - 1]) for code in own)

    def _many_branches(self, place: int, branches: list[str], elsewhere: str) -> str:
        """A test with any number of branches, or whose rows without a value stay at the node."""
        arrays, column = self.routing.arrays, int(self.routing.arrays["column"][place])
        missing, value = int(arrays["missing_branch"][place]), self.column(column)
        others = branches[missing] if missing >= 0 else elsewhere
        cases = [f"WHEN {value} IS NULL THEN {others}"]
        if self.plan.schema.columns[column].kind == "nominal":
            for branch, text in enumerate(branches):
                levels = self._levels(place, branch)
                cases += [f"WHEN {value} IN ({levels}) THEN {text}"] if levels else []
            return f"CASE {' '.join(cases)} ELSE {others} END"
        uppers = self._uppers(arrays, place)
        known = branches[: len(uppers) + 1]
        for upper, text in zip(uppers, known, strict=False):
            inside = "IS NOT NULL" if np.isposinf(upper) else f"<= {self._double(upper)}"
            cases.append(f"WHEN {value} {inside} THEN {text}")
        return f"CASE {' '.join(cases)} ELSE {known[-1]} END"

    def _uppers(self, arrays: Mapping[str, Any], place: int) -> list[float]:
        if int(arrays["kind"][place]) != _INTERVALS:
            return [float(arrays["threshold"][place])]
        begin, end = arrays["interval_start"][place : place + 2].tolist()
        uppers: list[float] = arrays["interval_upper"][begin:end].tolist()
        return uppers

    def _double(self, number: float) -> str:
        return double(self.dialect, number)


def double(dialect: Dialect, number: float) -> str:
    """A number, or an infinity."""
    if np.isinf(number):
        return f"CAST('{'-' if number < 0 else ''}infinity' AS {dialect.double})"
    return dialect.number(number)


def children_of(routing: Routing) -> list[list[int]]:
    """The places of the children of every node: the first stands behind its parent, the next behind its subtree."""
    tree = routing.tree
    start, children = tree.children_start.tolist(), tree.children.tolist()
    return [children[start[i] : start[i + 1]] for i in range(tree.n_nodes)]
