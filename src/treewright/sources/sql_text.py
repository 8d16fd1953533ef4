"""The SQL of the questions: who is at which node, in which cell, with which whole numbers. It only ever selects.

Weights and targets become the integers that the core would make of them: the same products and roundings of doubles,
written out; so sums of them are the core's sums. Names and texts are quoted by the dialect.
"""
# ruff: noqa: S608

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.sources.even_cells import even_cells_of
from treewright.sources.questions import Plan, Routing, Stretches
from treewright.sources.sql_route import Route, double
from treewright.table.schema import Column
from treewright.table.sql_dialects import Dialect

_FARTHEST_SHIFT = 1000  # powers of two that a literal holds
_MOST_RANGES = 100  # cells to open that rows are compared with one by one


@dataclass(frozen=True)
class Engine:
    """What differs between engines beyond how they write things."""

    dialect: Dialect
    wide: str  # the type of sums that never overflow
    round_away: str  # to the nearest whole number, halves away from zero
    sample: str  # some rows of a relation; {relation}, {columns}, {rows}, {share} of all rows
    cell: Callable[[str, Sequence[float]], str] | None = None  # the place of a number among bounds, from 1; or by CASE
    each_of: str = "unnest(CAST('[{}]' AS BIGINT[]))"  # a row for each of some whole numbers
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
        return double(self.engine.dialect, number)

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

    def class_rows(self, columns: Sequence[str]) -> str:
        """The class number k of every row of some weight, with some columns more."""
        cases = " ".join(f"WHEN {self.is_class(k)} THEN {k}" for k in range(1, self.plan.n_classes))
        number = f"CASE {cases} ELSE 0 END" if cases else "0"
        return f"SELECT {', '.join([f'{number} AS k', *columns])} FROM {self.relation}{self._counted()}"

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
    def route(self, routing: Routing) -> Route:
        """The way of a row among columns that have their names here: x3, or r3 with a level as it is in the table."""
        kinds = self.plan.schema.columns
        return Route(
            self.engine.dialect, self.plan, routing, lambda j: f"{'r' if kinds[j].kind == 'nominal' else 'x'}{j}"
        )

    # ---------------------------------------------------------------- statements
    def rows(self, routing: Routing, columns: Sequence[int]) -> str:
        """The rows of the nodes that are asked about, with their integers and some columns."""
        return self._rows(routing, columns, self.route(routing).node())

    def _rows(self, routing: Routing, columns: Sequence[int], node: str, inside: str = "") -> str:
        """The rows whose node is not -1, and which are inside of something."""
        target = self.target_columns()
        names = [one.rpartition(" AS ")[2] for one in target] + [self._alias(j) for j in columns]
        asked = self.route(routing).columns()
        kinds = self.plan.schema.columns
        values = [f"{self._column(j)} AS {self._alias(j)}" for j in sorted({*asked, *columns})]
        levels = [f"{self.name(kinds[j].name)} AS r{j}" for j in asked if kinds[j].kind == "nominal"]
        given = f"SELECT {', '.join([*target, *values, *levels])} FROM {self.relation}{self._counted()}"
        here = f"SELECT {', '.join([f'{node} AS node', *names])} FROM ({given}) AS g"
        if inside:
            return f"{here} WHERE {inside}"
        return f"SELECT * FROM ({here}{self.engine.fence}) AS r WHERE node >= 0"

    def _column(self, j: int) -> str:
        column = self.plan.schema.columns[j]
        return self.level(column) if column.kind == "nominal" else self.value(column)

    def _alias(self, j: int) -> str:
        return f"{'s' if self.plan.schema.columns[j].kind == 'nominal' else 'x'}{j}"

    def _counted(self) -> str:
        """Which rows are looked at: those of a weight."""
        return "" if self.given_weight is None else f" WHERE {self.given_weight} > 0"

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
        columns = list(range(len(self.plan.features))) if counted else []
        return f"WITH r AS MATERIALIZED ({self.rows(routing, columns)})\n" + "\nUNION ALL\n".join(parts)

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
        """The values inside stretches: the number of the cell among all of all nodes, value, sums."""
        columns = sorted({one.column for one in stretches})
        asked = self.opened_cells(stretches)
        parts = []
        for j in columns:
            begin, n_cells = self._first_cell(stretches, j), self.plan.n_cells(j)
            own = [str(number) for number, i in asked.items() if stretches[i].column == j]
            cells = f"SELECT *, CAST(node * {n_cells} + {begin} + {self.cell(j)} AS BIGINT) AS i FROM r"
            wanted = f"(SELECT {self.engine.each_of.format(','.join(own))} AS i)"
            joined = f"({cells}) AS u JOIN {wanted} AS o ON u.i = o.i"
            parts.append(f"SELECT u.i AS i, x{j} AS x, {self.sums()} FROM {joined} GROUP BY u.i, x{j}")
        rows = self._rows_inside(routing, stretches, columns)
        return f"WITH r AS MATERIALIZED ({rows})\n" + "\nUNION ALL\n".join(parts)

    def opened_cells(self, stretches: Sequence[Stretches]) -> dict[int, int]:
        """The numbers that `open` gives to cells, ascending, and the place of the stretches that each is one of."""
        first = {j: self._first_cell(stretches, j) for j in {one.column for one in stretches}}
        numbers = {
            first[one.column] + one.node * self.plan.n_cells(one.column) + cell: i
            for i, one in enumerate(stretches)
            for cell in one.cells
        }
        return dict(sorted(numbers.items()))

    def _first_cell(self, stretches: Sequence[Stretches], column: int) -> int:
        nodes = 1 + max(one.node for one in stretches)
        return nodes * sum(self.plan.n_cells(j) for j in range(column))

    def _rows_inside(self, routing: Routing, stretches: Sequence[Stretches], columns: Sequence[int]) -> str:
        """The rows of the nodes that have stretches; where these are few, only rows with a value in one of them.

        An engine without a search of its own compares a row with every end in turn, which for many of them takes longer
        than to join all rows of the nodes by their cells.
        """
        asked = {routing.places[one.node]: str(one.node) for one in stretches}
        route = self.route(routing)
        if self.engine.cell is None and sum(len(one.cells) for one in stretches) > _MOST_RANGES:
            return self._rows(routing, columns, route.at(asked, "-1"))
        inside: dict[int, list[str]] = {}
        for one in stretches:
            inside.setdefault(routing.places[one.node], []).append(self._inside(one))
        here = route.at({place: f"({' OR '.join(found)})" for place, found in inside.items()}, "FALSE")
        return self._rows(routing, columns, route.node(), here)

    def _inside(self, one: Stretches) -> str:
        """Whether a value is in one of the cells."""
        value, edges = f"x{one.column}", self.edges(one.column)
        ranges = []
        for cell in one.cells:
            ends = [f"{value} > {self._double(edges[cell - 2])}"] if cell > 1 else []
            ends += [f"{value} <= {self._double(edges[cell - 1])}"] if cell < len(edges) else []
            ranges.append(" AND ".join(ends) or f"{value} IS NOT NULL")
        return " OR ".join(ranges)

    def equal_rows(self, routing: Routing) -> str:
        """How many rows of a node have the same level and weight."""
        return f"SELECT node, l, w, count(*) AS n FROM ({self.rows(routing, [])}) AS t GROUP BY node, l, w"

    def _as_given(self, j: int) -> str:
        column = self.plan.schema.columns[j]
        return self.name(column.name) if column.kind == "nominal" else self.value(column)

    def fetch(self, routing: Routing, in_order: bool = False) -> str:
        """The rows of the nodes as they are, perhaps one node after the other."""
        plan = self.plan
        names = dict.fromkeys([*plan.features, plan.target, *([plan.weight] if plan.weight else [])])
        node = Route(self.engine.dialect, plan, routing, self._as_given).node()
        chosen = ", ".join([f"{node} AS tw_node", *map(self.name, names)])
        rows = f"SELECT * FROM (SELECT {chosen} FROM {self.relation}{self.engine.fence}) AS r WHERE tw_node >= 0"
        return f"{rows} ORDER BY tw_node" if in_order else rows


def _by_halves(x: str, bounds: Sequence[str], first: int) -> str:
    """The place of x among bounds, by a search that halves them: as deep as their number has digits."""
    if not bounds:
        return str(first)
    middle = len(bounds) // 2
    left, right = _by_halves(x, bounds[:middle], first), _by_halves(x, bounds[middle + 1 :], first + middle + 1)
    return f"CASE WHEN {x} <= {bounds[middle]} THEN {left} ELSE {right} END"
