"""The SQL of the questions: who is at which node, in which cell, with which whole numbers. It only ever selects.

Weights and targets become the integers that the core would make of them: the same products and roundings of doubles,
written out; so sums of them are the core's sums. Names and texts are quoted by the dialect.
"""
# ruff: noqa: S608

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.sources.even_cells import even_cells_of
from treewright.sources.questions import Plan, Routing, Stretches
from treewright.table.schema import Column
from treewright.table.sql_dialects import Dialect

_FARTHEST_SHIFT = 1000  # powers of two that a literal holds
_MOST_RANGES = 100  # cells to open that rows are compared with one by one
_INTERVALS = 4  # a test with more than two branches of an ordered column


@dataclass(frozen=True)
class Engine:
    """What differs between engines beyond how they write things."""

    dialect: Dialect
    wide: str  # the type of sums that never overflow
    round_away: str  # to the nearest whole number, halves away from zero
    sample: str  # some rows of a relation; {relation}, {columns}, {rows}, {share} of all rows
    cell: Callable[[str, Sequence[float]], str] | None = None  # the place of a number among bounds, from 1; or by CASE
    fence: str = ""  # behind a query whose columns are not to be computed twice


@dataclass(frozen=True)
class Statements:
    """The statements of one plan on one relation."""

    engine: Engine
    relation: str
    plan: Plan

    # ---------------------------------------------------------------- columns
    def name(self, name: str) -> str:
        return self.engine.dialect.identifier(name)

    def value(self, column: Column) -> str:
        """A column as a double, NULL where it has no value; of an ordinal one the code of its level."""
        if column.kind == "ordinal":
            literal = self.engine.dialect.literal
            cases = " ".join(f"WHEN {literal(level)} THEN {code}" for code, level in enumerate(column.levels, start=1))
            return f"CAST(CASE {self.name(column.name)} {cases} END AS {self.engine.dialect.double})"
        return self.engine.dialect.as_number(column, self.name(column.name))

    def level(self, column: Column) -> str:
        """A level as text."""
        return f"CAST({self.name(column.name)} AS {self.engine.dialect.text})"

    def cell(self, column: int) -> str:
        """The number of the stretch that a value is in: by a product where all have one width, else by halves."""
        edges = self.edges(column)
        if self.engine.cell is not None:
            return f"COALESCE({self.engine.cell(f'x{column}', edges[:-1].tolist())}, 0)"
        even = even_cells_of(edges)
        if even is not None:
            place = f"ceil(x{column} * {self._power(even.shift)}) - {even.first}"
            inside = f"CAST(least(greatest({place}, 0), {even.count - 1}) AS INTEGER) + 1"
            return f"CASE WHEN x{column} IS NULL THEN 0 ELSE {inside} END"
        bounds = [self._double(edge) for edge in edges[:-1].tolist()]
        return f"CASE WHEN x{column} IS NULL THEN 0 ELSE {_by_halves(f'x{column}', bounds, 1)} END"

    def edges(self, column: int) -> NDArray[np.float64]:
        """The upper ends of the cells of an ordered column."""
        edges = self.plan.edges[column]
        return np.arange(1.0, self.plan.n_cells(column)) if edges is None else edges

    def _double(self, number: float) -> str:
        if np.isinf(number):
            return f"CAST('{'-' if number < 0 else ''}infinity' AS {self.engine.dialect.double})"
        return self.engine.dialect.number(number)

    # ---------------------------------------------------------------- integers
    def _power(self, shift: int) -> str:
        if abs(shift) > _FARTHEST_SHIFT:
            raise DataError(
                f"The target or the weights are of a size that SQL cannot hold (2^{-shift}). Multiply by a constant."
            )
        return self.engine.dialect.number(2.0**shift)

    def _rounded(self, number: str) -> str:
        return self.engine.round_away.format(number)

    @cached_property
    def given_weight(self) -> str | None:
        """The weight of a row as a double, with that of its class; None where every row counts 1."""
        plan, dialect = self.plan, self.engine.dialect
        parts = []
        if plan.weight is not None:
            parts.append(f"CAST({self.name(plan.weight)} AS {dialect.double})")
        if plan.class_weights is not None and plan.classes is not None:
            cases = " ".join(
                f"WHEN {self.is_class(k)} THEN {dialect.number(weight)}"
                for k, weight in enumerate(plan.class_weights.tolist())
            )
            parts.append(f"(CASE {cases} END)")
        return " * ".join(parts) or None

    @cached_property
    def weight(self) -> str:
        """The weight of a row in its unit."""
        units = self.plan.units
        if units.unit_weights or self.given_weight is None:
            return "CAST(1 AS BIGINT)"
        scaled = self._rounded(f"({self.given_weight}) * {self._power(units.weight_shift)}")
        return f"GREATEST(CAST(1 AS BIGINT), {scaled})"

    @property
    def y(self) -> str:
        return f"CAST({self.name(self.plan.target)} AS {self.engine.dialect.double})"

    @property
    def distance(self) -> str:
        return f"({self.y} - {self.engine.dialect.number(self.plan.units.offset)})"

    def is_class(self, k: int) -> str:
        assert self.plan.classes is not None
        return f"{self.name(self.plan.target)} = {self.engine.dialect.literal(self.plan.classes.tolist()[k])}"

    def target_columns(self) -> list[str]:
        """What every row carries: its weight w, and v and l of numbers, or the number of its class."""
        units = self.plan.units
        if self.plan.classes is not None:
            cases = " ".join(f"WHEN {self.is_class(k)} THEN {k}" for k in range(1, self.plan.n_classes))
            return [f"{self.weight} AS w", f"CASE {cases} ELSE 0 END AS k" if cases else "0 AS k"]
        level = self._rounded(f"{self.distance} * {self._power(units.level_shift)}")
        if units.exact_weights:
            value = level if units.unit_weights else f"{self.weight} * {level}"
        else:
            value = self._rounded(f"(({self.given_weight}) * {self.distance}) * {self._power(units.value_shift)}")
        return [f"{self.weight} AS w", f"{value} AS v", f"{level} AS l", f"{self.y} AS y"]

    def sums(self) -> str:
        """The sums of a cell or node, n0, n1 … in the order of the core."""
        plan = self.plan
        alike = plan.units.unit_weights or self.given_weight is None
        weight = "count(*)" if alike else "CAST(sum(w) AS BIGINT)"
        if plan.classes is None:
            chosen = ["count(*)", weight, "CAST(sum(v) AS BIGINT)"]
        else:
            of_class = "CAST(sum(CASE WHEN k = {0} THEN w ELSE 0 END) AS BIGINT)"
            of_class = "count(*) FILTER (WHERE k = {0})" if alike else of_class
            by_class = [of_class.format(k) for k in range(plan.n_classes)]
            chosen = ["count(*)", *by_class] if plan.n_classes > 2 else ["count(*)", weight, of_class.format(1)]
        return ", ".join(f"{each} AS n{i}" for i, each in enumerate(chosen))

    # ---------------------------------------------------------------- nodes
    def node(self, routing: Routing) -> str:
        """The number of the node that a row is at, among those asked about; -1 elsewhere."""
        return self._route(routing, {place: str(i) for i, place in enumerate(routing.places)}, "-1")

    def _route(self, routing: Routing, at: Mapping[int, str], elsewhere: str) -> str:
        """What is written for the place of the tree that a row passes."""
        arrays, children = routing.arrays, children_of(routing)
        text: dict[int, str] = {}
        for place in range(len(arrays["n_children"]) - 1, -1, -1):  # children stand behind their parents
            branches = [text.pop(child) for child in children[place]]
            if place in at or not branches or set(branches) == {elsewhere}:
                text[place] = at.get(place, elsewhere)
            else:
                text[place] = self._branch(routing, place, branches, elsewhere)
        return text[0]

    def _branch(self, routing: Routing, place: int, branches: list[str], elsewhere: str) -> str:
        arrays = routing.arrays
        column = self.plan.schema.columns[int(arrays["column"][place])]
        missing = int(arrays["missing_branch"][place])
        if missing < 0 or len(branches) > 2 + (missing == 2) or int(arrays["kind"][place]) == _INTERVALS:
            return self._many_branches(routing, place, column, branches, elsewhere)
        left, null = self._goes_left(routing, place, column)
        first = f"WHEN {null} THEN {branches[missing]} " if missing != 1 else ""
        return f"CASE {first}WHEN {left} THEN {branches[0]} ELSE {branches[1]} END"

    def _many_branches(self, routing: Routing, place: int, column: Column, branches: list[str], elsewhere: str) -> str:
        """A test with any number of branches, or whose rows without a value stay at the node."""
        arrays = routing.arrays
        missing, kind = int(arrays["missing_branch"][place]), int(arrays["kind"][place])
        value = self.name(column.name) if column.kind == "nominal" else self.value(column)
        others = branches[missing] if missing >= 0 else elsewhere
        cases = [f"WHEN {value} IS NULL THEN {others}"]
        if column.kind == "nominal":
            begin, end = arrays["level_start"][place : place + 2].tolist()
            for branch, text in enumerate(branches):
                own = arrays["level"][begin:end][arrays["level_branch"][begin:end] == branch].tolist()
                levels = ", ".join(self.engine.dialect.literal(column.levels[code - 1]) for code in own)
                cases += [f"WHEN {value} IN ({levels}) THEN {text}"] if own else []
            return f"CASE {' '.join(cases)} ELSE {others} END"
        if kind == _INTERVALS:
            begin, end = arrays["interval_start"][place : place + 2].tolist()
            uppers = arrays["interval_upper"][begin:end].tolist()
        else:
            uppers = [float(arrays["threshold"][place])]
        known = branches[: len(uppers) + 1]
        for upper, text in zip(uppers, known, strict=False):
            inside = "IS NOT NULL" if np.isposinf(upper) else f"<= {self._double(upper)}"
            cases.append(f"WHEN {value} {inside} THEN {text}")
        return f"CASE {' '.join(cases)} ELSE {known[-1]} END"

    def _goes_left(self, routing: Routing, place: int, column: Column) -> tuple[str, str]:
        arrays, dialect = routing.arrays, self.engine.dialect
        if column.kind == "nominal":
            begin, end = arrays["level_start"][place : place + 2].tolist()
            left = arrays["level"][begin:end][arrays["level_branch"][begin:end] == 0].tolist()
            levels = ", ".join(dialect.literal(column.levels[code - 1]) for code in left)
            return f"{self.name(column.name)} IN ({levels})", f"{self.name(column.name)} IS NULL"
        value, threshold = self.value(column), float(arrays["threshold"][place])
        if np.isposinf(threshold):
            return f"{value} IS NOT NULL", f"{value} IS NULL"
        return f"{value} <= {self._double(threshold)}", f"{value} IS NULL"

    # ---------------------------------------------------------------- statements
    def rows(self, routing: Routing, columns: Sequence[str]) -> str:
        """The rows of the nodes that are asked about, with their integers."""
        chosen = ", ".join([f"{self.node(routing)} AS node", *self.target_columns(), *columns])
        inside = f"SELECT {chosen} FROM {self.relation}{self._counted()}{self.engine.fence}"
        return f"SELECT * FROM ({inside}) AS r WHERE node >= 0"

    def _counted(self, condition: str = "") -> str:
        """Which rows are looked at: those of a weight."""
        weight = "" if self.given_weight is None else f"{self.given_weight} > 0"
        found = " AND ".join(filter(None, [weight, condition]))
        return f" WHERE {found}" if found else ""

    def count(self, routing: Routing, counted: Sequence[int], nodes: bool, ends: bool) -> str:
        """What nodes hold (as column -1), and every column's cells at some of them.

        Column, node, cell or level, smallest and largest value if they are wanted, sums; of numbers also what is told
        of nodes alone.
        """
        text, double = self.engine.dialect.text, self.engine.dialect.double
        no_level, no_end = f"CAST(NULL AS {text}) AS s", f"CAST(NULL AS {double})"
        no_ends = f"{no_end} AS low, {no_end} AS high"
        parts = []
        if nodes:
            found = f"SELECT -1 AS j, node, 0 AS c, {no_level}, {no_ends}, {self.sums()}{self._facts(True)}"
            parts.append(f"{found} FROM r GROUP BY node")
        some = "" if len(counted) == len(routing.places) else f" WHERE node IN ({', '.join(map(str, counted))})"
        for j, column in enumerate(self.plan.schema.columns if counted else ()):
            sums = f"{self.sums()}{self._facts(False)}"
            if column.kind == "nominal":
                found = f"SELECT {j} AS j, node, 0 AS c, s{j} AS s, {no_ends}, {sums}"
                parts.append(f"{found} FROM r{some} GROUP BY node, s{j}")
            else:
                cells = f"SELECT *, {self.cell(j)} AS c FROM r{some}"
                told = f"min(x{j}) AS low, max(x{j}) AS high" if ends else no_ends
                found = f"SELECT {j} AS j, node, c, {no_level}, {told}, {sums}"
                parts.append(f"{found} FROM ({cells}) AS u GROUP BY node, c")
        columns = range(len(self.plan.features)) if counted else ()
        return f"WITH r AS MATERIALIZED ({self.rows(routing, self._columns(columns))})\n" + "\nUNION ALL\n".join(parts)

    def _facts(self, known: bool) -> str:
        """What is told of the numbers of a node: the range of levels, the smallest, the sum of squares as text."""
        if self.plan.classes is not None:
            return ""
        wide, text = self.engine.wide, self.engine.dialect.text
        if not known:
            whole, number = "CAST(NULL AS BIGINT)", f"CAST(NULL AS {self.engine.dialect.double})"
            return f", {whole} AS l0, {whole} AS l1, {number} AS y0, CAST(NULL AS {text}) AS q"
        squares = f"CAST(sum(CAST(v AS {wide}) * CAST(l AS {wide})) AS {text})"
        if not self.plan.units.exact_weights:
            squares = f"CAST('0' AS {text})"  # not asked for, and too large
        return f", min(l) AS l0, max(l) AS l1, min(y) AS y0, {squares} AS q"

    def open(self, routing: Routing, stretches: Sequence[Stretches]) -> str:
        """The values inside stretches: number of the stretch, value, sums."""
        columns = sorted({one.column for one in stretches})
        parts = []
        for j in columns:
            asked = [(i, one.node, c) for i, one in enumerate(stretches) if one.column == j for c in one.cells]
            wanted = f"(VALUES {', '.join(map(str, asked))}) AS o(i, node, c)"
            cells = f"SELECT *, {self.cell(j)} AS c FROM r"
            joined = f"({cells}) AS u JOIN {wanted} ON u.node = o.node AND u.c = o.c"
            parts.append(f"SELECT o.i AS i, x{j} AS x, {self.sums()} FROM {joined} GROUP BY o.i, x{j}")
        rows = self._rows_inside(routing, stretches, self._columns(columns))
        return f"WITH r AS MATERIALIZED ({rows})\n" + "\nUNION ALL\n".join(parts)

    def _rows_inside(self, routing: Routing, stretches: Sequence[Stretches], columns: Sequence[str]) -> str:
        """The rows of the nodes that have stretches; where these are few, only rows with a value in one of them.

        An engine without a search of its own compares a row with every end in turn, which for many of them takes longer
        than to join all rows of the nodes by their cells.
        """
        asked = {routing.places[one.node]: str(one.node) for one in stretches}
        if self.engine.cell is None and sum(len(one.cells) for one in stretches) > _MOST_RANGES:
            chosen = ", ".join([f"{self._route(routing, asked, '-1')} AS node", *self.target_columns(), *columns])
            return f"SELECT * FROM (SELECT {chosen} FROM {self.relation}{self._counted()}) AS r WHERE node >= 0"
        inside: dict[int, list[str]] = {}
        for one in stretches:
            inside.setdefault(routing.places[one.node], []).append(self._inside(one))
        here = self._route(routing, {place: f"({' OR '.join(found)})" for place, found in inside.items()}, "FALSE")
        chosen = ", ".join([f"{self.node(routing)} AS node", *self.target_columns(), *columns])
        return f"SELECT {chosen} FROM {self.relation}{self._counted(here)}"

    def _inside(self, one: Stretches) -> str:
        """Whether a value is in one of the cells."""
        value, edges = self.value(self.plan.schema.columns[one.column]), self.edges(one.column)
        ranges = []
        for cell in one.cells:
            ends = [f"{value} > {self._double(edges[cell - 2])}"] if cell > 1 else []
            ends += [f"{value} <= {self._double(edges[cell - 1])}"] if cell < len(edges) else []
            ranges.append(" AND ".join(ends) or f"{value} IS NOT NULL")
        return " OR ".join(ranges)

    def _columns(self, columns: Iterable[int]) -> list[str]:
        """Some columns as levels or numbers."""
        kinds = self.plan.schema.columns
        return [
            f"{self.level(kinds[j])} AS s{j}" if kinds[j].kind == "nominal" else f"{self.value(kinds[j])} AS x{j}"
            for j in columns
        ]

    def equal_rows(self, routing: Routing) -> str:
        """How many rows of a node have the same level and weight."""
        return f"SELECT node, l, w, count(*) AS n FROM ({self.rows(routing, [])}) AS t GROUP BY node, l, w"

    def fetch(self, routing: Routing, in_order: bool = False) -> str:
        """The rows of the nodes as they are, perhaps one node after the other."""
        plan = self.plan
        names = dict.fromkeys([*plan.features, plan.target, *([plan.weight] if plan.weight else [])])
        chosen = ", ".join([f"{self.node(routing)} AS tw_node", *map(self.name, names)])
        rows = f"SELECT * FROM (SELECT {chosen} FROM {self.relation}{self.engine.fence}) AS r WHERE tw_node >= 0"
        return f"{rows} ORDER BY tw_node" if in_order else rows


def _by_halves(x: str, bounds: Sequence[str], first: int) -> str:
    """The place of x among bounds, by a search that halves them: as deep as their number has digits."""
    if not bounds:
        return str(first)
    middle = len(bounds) // 2
    left, right = _by_halves(x, bounds[:middle], first), _by_halves(x, bounds[middle + 1 :], first + middle + 1)
    return f"CASE WHEN {x} <= {bounds[middle]} THEN {left} ELSE {right} END"


def children_of(routing: Routing) -> list[list[int]]:
    """The places of the children of every node: the first stands behind its parent, the next behind its subtree."""
    tree = routing.tree
    start, children = tree.children_start.tolist(), tree.children.tolist()
    return [children[start[i] : start[i + 1]] for i in range(tree.n_nodes)]
