"""What a source is, slowly: rows in a list, walked one by one, and exact fractions in place of every rounding.

An engine is right if it answers as this one does.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from treewright.sources.batches import encode_columns, truth_of
from treewright.sources.profile import Profile, WeightProfile, profile_batch
from treewright.sources.questions import (
    Counts,
    EqualRows,
    FetchedRows,
    NodeSums,
    Plan,
    Routing,
    Stretches,
    Wishes,
)
from treewright.sources.source import Source


def to_nearest(number: Fraction) -> int:
    """The nearest whole number; halves go away from zero."""
    whole = math.floor(abs(number) + Fraction(1, 2))
    return whole if number >= 0 else -whole


class SlowSource(Source):
    """A table of Arrow, asked row by row."""

    engine = "slow"

    def __init__(self, table: pa.Table, fetch_rows: int) -> None:
        self.table, self.fetch_rows = table, fetch_rows

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.table.column_names)

    def empty_table(self) -> pa.Table:
        return self.table.schema.empty_table()

    def batches(self, names: Sequence[str]) -> Iterator[pa.Table]:
        yield self.table.select(list(names))

    def profile(self, wishes: Wishes) -> Profile:
        return profile_batch(self.table, wishes, "the rows")

    def weight_facts(self, plan: Plan) -> Mapping[str, Any]:
        found = WeightProfile()
        found.see(truth_of(self.table, plan, "the rows")[1], "the rows")
        return found.facts()

    # ---------------------------------------------------------------- row by row
    def _rows(self, plan: Plan, routing: Routing) -> Iterator[tuple[int, int, list[float], list[int]]]:
        """Of every row that counts: its number, its node, its values (None is missing) and its integers."""
        columns = encode_columns(self.table, plan)
        truth, weights = truth_of(self.table, plan, "the rows")
        for row in range(self.table.num_rows):
            if weights is not None and not weights[row] > 0:
                continue
            values = [_value(column[row], kind.kind) for column, kind in zip(columns, plan.schema.columns, strict=True)]
            node = _walk(routing, values)
            if node >= 0:
                yield row, node, values, _integers(plan, truth[row], None if weights is None else weights[row])

    def count(self, plan: Plan, routing: Routing, counted: Sequence[int], ends: bool) -> Counts:
        nodes = NodeSums.none(len(routing.places), plan.width)
        counts = Counts(nodes)
        for node in counted:
            counts.tables[node] = [_empty(plan, j, ends) for j in range(len(plan.features))]
        truth = truth_of(self.table, plan, "the rows")[0]
        for row, node, values, integers in self._rows(plan, routing):
            sums = _sums(plan, integers)
            nodes.sums[node] += sums
            if plan.classes is None:
                _, value, level = integers
                nodes.low[node], nodes.high[node] = min(nodes.low[node], level), max(nodes.high[node], level)
                nodes.lowest[node] = min(nodes.lowest[node], truth[row])
                nodes.squares[node] += value * level if plan.units.exact_weights else 0
            for j, value in enumerate(values) if node in counts.tables else ():
                cells, low, high = counts.tables[node][j]
                cell = _cell(plan, j, value)
                cells[cell] += sums
                if low is not None and cell:
                    low[cell], high[cell] = min(low[cell], value), max(high[cell], value)
        return counts

    def open(self, plan: Plan, routing: Routing, stretches: Sequence[Stretches]) -> list[Any]:
        found: list[dict[float, Any]] = [{} for _ in stretches]
        for _, node, values, integers in self._rows(plan, routing):
            for one, own in zip(stretches, found, strict=True):
                value = values[one.column]
                if one.node == node and _cell(plan, one.column, value) in one.cells:
                    own[value] = own.get(value, 0) + _sums(plan, integers)
        return [(np.array(sorted(own)), np.array([own[x] for x in sorted(own)])) for own in found]

    def equal_rows(self, plan: Plan, routing: Routing) -> EqualRows:
        rows = Counter((node, integers[2], integers[0]) for _, node, _, integers in self._rows(plan, routing))
        keys = np.array([[*key, count] for key, count in rows.items()], dtype=np.int64).reshape(-1, 4)
        return EqualRows(*np.ascontiguousarray(keys.T))

    def fetch(self, plan: Plan, routing: Routing) -> FetchedRows:
        found = [(row, node) for row, node, _, _ in self._rows(plan, routing)]
        rows = np.array([row for row, _ in found], dtype=np.int64)
        truth, weights = truth_of(self.table, plan, "the rows")
        columns = [column[rows] for column in encode_columns(self.table, plan)]
        node = np.array([node for _, node in found], dtype=np.int32)
        return FetchedRows(columns, truth[rows], None if weights is None else weights[rows], node)


def _value(value: Any, kind: str) -> Any:
    if kind == "numeric":
        return None if np.isnan(value) else float(value) + 0.0  # −0 is 0
    return int(value) or None


def _walk(routing: Routing, values: list[Any]) -> int:
    """The number of the node among those asked about that a row passes or ends at; -1 where it passes none."""
    arrays, place = routing.arrays, 0
    children = routing.tree.children
    while True:
        if place in routing.places:
            return routing.places.index(place)
        if arrays["n_children"][place] == 0:
            return -1
        value = values[arrays["column"][place]]
        if value is None:
            branch = int(arrays["missing_branch"][place])
            if branch < 0:  # the row stays here
                return -1
        elif arrays["kind"][place] == 1:
            branch = 0 if value <= arrays["threshold"][place] else 1
        elif arrays["kind"][place] == 4:
            begin, end = arrays["interval_start"][place : place + 2]
            uppers = arrays["interval_upper"][begin:end].tolist()
            branch = next((b for b, upper in enumerate(uppers) if value <= upper), len(uppers))
        else:
            begin, end = arrays["level_start"][place : place + 2]
            levels = arrays["level"][begin:end].tolist()
            branch = int(arrays["level_branch"][begin + levels.index(value)])
        place = int(children[routing.tree.children_start[place] + branch])


def _integers(plan: Plan, truth: Any, weight: Any) -> list[int]:
    """Weight, value and level of numbers; weight and class number of classes."""
    units = plan.units
    w = 1 if units.unit_weights else max(1, to_nearest(Fraction(float(weight)) * Fraction(2) ** units.weight_shift))
    if plan.classes is not None:
        return [w, int(truth)]
    distance = float(truth) - units.offset
    level = to_nearest(Fraction(distance) * Fraction(2) ** units.level_shift)
    if units.exact_weights:
        return [w, w * level, level]
    return [w, to_nearest(Fraction(float(weight) * distance) * Fraction(2) ** units.value_shift), level]


def _sums(plan: Plan, integers: list[int]) -> Any:
    if plan.classes is None:
        return np.array([1, integers[0], integers[1]])
    w, k = integers
    if plan.n_classes <= 2:
        return np.array([1, w, w if k else 0])
    return np.array([1, *(w if k == each else 0 for each in range(plan.n_classes))])


def _cell(plan: Plan, column: int, value: Any) -> int:
    if value is None:
        return 0
    edges = plan.edges[column]
    return int(value) if edges is None else 1 + next(i for i, edge in enumerate(edges) if value <= edge)


def _empty(plan: Plan, column: int, ends: bool) -> Any:
    n = plan.n_cells(column)
    sums = np.zeros((n, plan.width), dtype=np.int64)
    if plan.schema.columns[column].kind == "nominal" or not ends:
        return sums, None, None
    return sums, np.full(n, np.inf), np.full(n, -np.inf)


Opener = Callable[[pa.Table, int], Source]
