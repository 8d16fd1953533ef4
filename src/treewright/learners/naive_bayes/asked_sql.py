"""The sums of naive Bayes asked of a database: the same whole numbers, made by the same products of doubles in SQL."""
# ruff: noqa: S608

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treewright.learners.base.sums_by_class import Units
from treewright.learners.base.tallies import Tallies
from treewright.learners.base.whole_sums import BITS, Floats, Whole
from treewright.sources.grow_from_counts import single_node
from treewright.sources.questions import CellTable, Integers, Plan, Routing
from treewright.sources.sql_route import double
from treewright.sources.sql_source import SqlSource
from treewright.sources.sql_text import Statements

_COLUMNS = 200  # that one statement adds up
_FAR = 700  # powers of two that make numbers larger by so much
_NOTHING = 2.0**-200  # beside the largest number: PostgreSQL refuses products too small for a double


@dataclass(frozen=True)
class AskedSql:
    """A table, view or query of a database. Weights are halves, quarters …, as `exact_weights` of the plan's units."""

    source: SqlSource
    plan: Plan

    @cached_property
    def _tables(self) -> list[CellTable]:
        return self.source.count(self.plan, Routing(*single_node(self.plan), (0,)), [0], True).tables[0]

    @cached_property
    def _numeric(self) -> list[int]:
        return [j for j, column in enumerate(self.plan.schema.columns) if column.kind == "numeric"]

    @property
    def _statements(self) -> Statements:
        return Statements(self.source.sql, self.source.relation, self.plan)

    # ---------------------------------------------------------------- the questions
    def tallies(self) -> Tallies:
        """Weights, levels, ends: by one statement that counts cells."""
        tables, n_classes = self._tables, self.plan.n_classes
        unit = 2 ** (2 * BITS + Units(np.empty(0), np.empty(0), self.plan.heaviest).for_weights - self._weight_shift)
        whole = [_by_class(self.plan, sums).astype(object) * unit for sums, _, _ in tables]
        known = [whole[j][1:].sum(axis=0) for j in self._numeric]
        levels = [own[1:].T for j, own in enumerate(whole) if j not in self._numeric]
        none = np.empty((n_classes, 0), dtype=object)
        return Tallies(
            np.array([_end(tables[j], 1) for j in self._numeric]),
            np.array([_end(tables[j], 2) for j in self._numeric]),
            whole[0].sum(axis=0),
            np.hstack([none, *(own[:, None] for own in known)]),
            np.hstack([none, *levels]),
        )

    def sums(self, units: Units) -> Whole:
        """Sums of numbers: by one statement, or a few where columns are many."""
        return self._added([lambda place: self._times(f"x{place}", int(units.for_numbers[place]))], units)

    def square_sums(self, units: Units, means: Floats) -> Whole:
        """Sums of squares around the means, in the same way."""

        def gap(place: int) -> str:
            cases = " ".join(f"WHEN {k} THEN {self._double(mean)}" for k, mean in enumerate(means[:, place].tolist()))
            return f"x{place} - CASE k {cases} END"

        def scaled(place: int) -> str:
            return self._times(f"x{place}", int(units.for_gaps[place]))

        def squared(place: int) -> str:
            return f"CASE WHEN abs(x{place}) < {self._double(_NOTHING)} THEN 0 ELSE x{place} * x{place} END"

        return self._added([gap, scaled, squared], units)

    def value_counts(self, most: Floats) -> Floats:
        """How many different values numeric columns have: mostly as many cells tell enough."""
        found = np.zeros(len(most))
        for place, (j, asked) in enumerate(zip(self._numeric, most, strict=True)):
            edges, (sums, _, _) = self.plan.edges[j], self._tables[j]
            found[place] = min(np.count_nonzero(sums[1:, 0]), asked)
            if found[place] < asked and edges is not None and len(edges) and np.isinf(edges[-1]):
                found[place] = min(self._count_values(j, asked), asked)
        return found

    # ---------------------------------------------------------------- SQL
    @property
    def _weight_shift(self) -> int:
        return 0 if self.plan.units.unit_weights else self.plan.units.weight_shift

    def _times(self, number: str, shift: int) -> str:
        """A number times a power of two; what is nothing beside the largest is 0."""
        product = f"{number} * {self._double(2.0**shift)}"
        if shift > _FAR:  # no product is too small
            return product
        return f"CASE WHEN abs({number}) < {self._double(_NOTHING * 2.0**-shift)} THEN 0 ELSE {product} END"

    def _double(self, number: float) -> str:
        return double(self.source.sql.dialect, float(number))

    def _added(self, steps: Sequence[Callable[[int], str]], units: Units) -> Whole:
        """Sums by class of what the steps make of a column, one after the other, each of what is named x and a place.

        Every number is taken apart into an upper and a lower part, as `whole_sums` does.
        """
        found = np.zeros((self.plan.n_classes, len(self._numeric)), dtype=object)
        for first in range(0, len(self._numeric), _COLUMNS):
            places = range(first, min(first + _COLUMNS, len(self._numeric)))
            answer = self.source.ask(self._statement(steps, places, units), _types(places))
            columns = [answer.column(i).to_pylist() for i in range(answer.num_columns)]
            for row, k in enumerate(columns[0]):
                for at, place in enumerate(places):
                    upper, lower = (int(columns[1 + 2 * at + part][row] or 0) for part in range(2))
                    found[k, place] = upper * 2**BITS + lower
        return found

    def _statement(self, steps: Sequence[Callable[[int], str]], places: range, units: Units) -> str:
        statements, text = self._statements, self.source.sql.dialect.text
        columns = self.plan.schema.columns
        weight = statements.given_weight
        values = [f"{statements.value(columns[self._numeric[place]])} AS x{place}" for place in places]
        if weight is not None:
            values.append(f"({weight}) * {self._double(2.0**units.for_weights)} AS w")
        rows, carried = statements.class_rows(values), "k" if weight is None else "k, w"
        for step in steps if weight is None else (*steps, _weighed):
            made = ", ".join(f"{step(place)} AS x{place}" for place in places)
            rows = f"SELECT {carried}, {made} FROM ({rows}) AS r"
        sums = []
        for place in places:
            upper = f"floor(x{place})"
            lower = f"floor((x{place} - {upper}) * {self._double(2.0**BITS)})"
            parts = zip(("a", "b"), (upper, lower), strict=True)
            sums += [f"CAST(sum(CAST({part} AS BIGINT)) AS {text}) AS {name}{place}" for name, part in parts]
        return f"SELECT k, {', '.join(sums)} FROM ({rows}) AS r GROUP BY k"

    def _count_values(self, j: int, most: float) -> int:
        value, statements = self._statements.value(self.plan.schema.columns[j]), self._statements
        limit = f" LIMIT {int(most)}" if most < 2**62 else ""
        rows = (
            f"SELECT DISTINCT x FROM ({statements.class_rows([f'{value} + 0 AS x'])}) AS r WHERE x IS NOT NULL{limit}"
        )
        return int(self.source.ask(f"SELECT count(*) AS n FROM ({rows}) AS v", {"n": "int64"}).column(0)[0].as_py())


def _by_class(plan: Plan, sums: Integers) -> Integers:
    """The weight of each class in each cell. Of two classes a cell holds both together, and the second."""
    whole = sums[:, 1:] if plan.n_classes > 2 else np.column_stack([sums[:, 1] - sums[:, 2], sums[:, 2]])
    return whole[:, : plan.n_classes]


def _end(table: CellTable, which: int) -> float:
    """The smallest or the largest number in any cell; no number where there is none."""
    ends = table[which]
    assert ends is not None
    if not table[0][1:, 0].any():
        return float("nan")
    return float(ends[1:].min() if which == 1 else ends[1:].max()) + 0.0


def _weighed(place: int) -> str:
    return f"x{place} * w"


def _types(places: range) -> dict[str, str]:
    return {"k": "int64"} | {f"{part}{place}": "string" for place in places for part in "ab"}
