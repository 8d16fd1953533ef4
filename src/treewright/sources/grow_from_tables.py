"""A tree of ID3, CHAID or conditional tests grown from the answers of a source: the same as from the rows in memory.

A level takes one question: how many rows of each class every value has, in every column at every node. The core
decides (`core/grow/counted/table_growth.cpp`). Columns of numbers are counted by bins, or by their values where they
are few; which these are is asked once, before the first level. Where a learner takes columns of more numbers, a second
question asks for those that the nodes have.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from treewright import _core
from treewright.sources.grow_from_counts import single_node, without_sums
from treewright.sources.questions import Counts, Integers, Numbers, Opened, Plan, Routing, Stretches
from treewright.sources.sisters import Sisters, families_of
from treewright.sources.source import Source

Tell = Callable[[int, int], None]  # of the level and of how many nodes it has


def numbers_of_columns(source: Source, plan: Plan) -> dict[int, Opened]:
    """The different numbers of every column of numbers, ascending, with the sums of each."""
    columns = [j for j, column in enumerate(plan.schema.columns) if column.kind == "numeric"]
    asked = [Stretches(0, j, tuple(range(1, plan.n_cells(j)))) for j in columns if plan.n_cells(j) > 1]
    found: dict[int, Opened] = dict.fromkeys(columns, (np.empty(0), np.empty((0, plan.width), dtype=np.int64)))
    if asked:
        opened = source.open(plan, Routing(*single_node(plan), (0,)), asked)
        found |= {one.column: own for one, own in zip(asked, opened, strict=True)}
    return found


def in_bins(plan: Plan, numbers: Mapping[int, Opened], bins: int) -> dict[int, Numbers]:
    """The largest number of each bin of CHAID, by column."""
    return {j: _core.bins_of(values, _weights(plan, sums), bins) for j, (values, sums) in numbers.items()}


def _weights(plan: Plan, sums: Integers) -> Integers:
    """Of two classes the second number is the weight of both; of more every class has its own."""
    weights: Integers = sums[:, 1] if plan.n_classes <= 2 else sums[:, 1:].sum(axis=1)
    return np.ascontiguousarray(weights)


def with_codes(plan: Plan, values: Mapping[int, Numbers]) -> Plan:
    """The plan whose cells of numbers end at these values; the last one is open, for rows of no weight."""
    edges = tuple(
        np.append(values[j][:-1], np.inf) if j in values and len(values[j]) else own for j, own in enumerate(plan.edges)
    )
    return replace(plan, edges=edges)


def grow_from_tables(
    source: Source,
    plan: Plan,
    values: Mapping[int, Numbers],
    with_holes: Collection[str],
    recipe: dict[str, Any],
    tell: Tell,
) -> _core.Tree:
    """Grow a tree by asking a source; `values` are those that the cells of numbers stand for."""
    return TablesGrowing(source, plan, values, with_holes, recipe, tell).grow().finish()


@dataclass
class TablesGrowing:
    """A tree on its way. Nodes of at most `few_rows` are not split, but kept in `small`."""

    source: Source
    plan: Plan
    values: Mapping[int, Numbers]
    with_holes: Collection[str]
    recipe: dict[str, Any]
    tell: Tell
    few_rows: int = 0
    opened: Collection[int] = ()  # columns of numbers whose cells are stretches: their values are asked for
    small: list[int] = field(default_factory=list)
    sisters: Sisters = field(default_factory=Sisters)

    def grow(self) -> _core.TableGrowth:
        """Ask level by level until no node is open."""
        plan = self.plan
        columns = [
            _core_column(column, self.values.get(j), column.name in self.with_holes)
            for j, column in enumerate(plan.schema.columns)
        ]
        growth = _core.TableGrowth(columns, plan.units, plan.n_classes, self.recipe)
        self.tell(0, 1)
        counts = self.source.count(plan, Routing(*single_node(plan), (0,)), [0], False)
        growth.set_root(np.ascontiguousarray(counts.nodes.sums[0]))
        tables = {node: _sums(counts, 0) for node in self._large(growth)}
        level = 1
        while True:
            numbers = self._open(growth, tables)
            for node, own in tables.items():
                growth.split(node, self._number_by_number(own, numbers[node]))
            nodes = self._large(growth)
            if not nodes:
                return growth
            self.tell(level, len(nodes))
            parents = [node for node in tables if growth.node(node)[2]]
            self.sisters.keep({node: tables[node] for node in parents})
            tables = _tables(self.source, plan, growth, self.sisters, parents, nodes)
            level += 1

    def _large(self, growth: _core.TableGrowth) -> list[int]:
        """The open nodes that are counted."""
        nodes = growth.open_nodes()
        self.small += [node for node in nodes if growth.node(node)[0] <= self.few_rows]
        return [node for node in nodes if growth.node(node)[0] > self.few_rows]

    def _open(
        self, growth: _core.TableGrowth, tables: Mapping[int, Sequence[Integers]]
    ) -> dict[int, dict[int, Opened]]:
        """The numbers that nodes have in columns whose cells are stretches, by node and column."""
        nodes = list(tables)
        cells = {
            (i, j): np.flatnonzero(tables[node][j][1:, 0]) + 1 for i, node in enumerate(nodes) for j in self.opened
        }
        asked = [Stretches(i, j, tuple(own.tolist())) for (i, j), own in cells.items() if len(own)]
        found: dict[int, dict[int, Opened]] = {node: {} for node in nodes}
        if asked:
            for one, own in zip(asked, self.source.open(self.plan, routing_of(growth, nodes), asked), strict=True):
                found[nodes[one.node]][one.column] = own
        return found

    def _number_by_number(self, tables: Sequence[Integers], numbers: Mapping[int, Opened]) -> list[Integers]:
        """The tables of a node with a cell for every number in place of those of stretches."""
        whole = list(tables)
        for j, (values, sums) in numbers.items():
            whole[j] = np.zeros((1 + len(self.values[j]), self.plan.width), dtype=np.int64)
            whole[j][1 + np.searchsorted(self.values[j], values)] = sums
        return whole


def _tables(
    source: Source, plan: Plan, growth: _core.TableGrowth, sisters: Sisters, parents: list[int], nodes: list[int]
) -> dict[int, list[Integers]]:
    """The tables of nodes: counted, or what their sisters leave of their parents."""

    def children(parent: int) -> range:
        _, first, count = growth.node(parent)
        return range(first, first + count)

    places = {child: i for i, child in enumerate(child for parent in parents for child in children(parent))}
    families = families_of(parents, children, lambda child: growth.node(child)[0], places)
    wanted = {places[node]: node for node in nodes}
    counted = sisters.to_count(families, wanted)
    own = list(places)
    counts = source.count(plan, routing_of(growth, [own[i] for i in counted]), range(len(counted)), False)
    found = sisters.tables(wanted, {place: _sums(counts, i) for i, place in enumerate(counted)})
    return {wanted[place]: tables for place, tables in found.items()}


def _sums(counts: Counts, node: int) -> list[Integers]:
    return [np.ascontiguousarray(sums) for sums, _, _ in counts.tables[node]]


def _core_column(column: Any, values: Numbers | None, has_missing: bool) -> tuple[str, int, Numbers | None, bool]:
    if column.kind == "numeric":
        assert values is not None
        return column.kind, len(values), np.ascontiguousarray(values), has_missing
    n_levels = len(column.levels)
    codes = np.arange(1.0, n_levels + 1) if column.kind == "ordinal" else None
    return column.kind, n_levels, codes, has_missing


def routing_of(growth: _core.TableGrowth, nodes: list[int]) -> Routing:
    """The way of rows to some nodes of a tree that grows."""
    tree, order = growth.tree()
    place = {int(node): i for i, node in enumerate(order)}
    return Routing(without_sums(tree), tree.n_columns, tree.n_classes, tuple(place[node] for node in nodes))
