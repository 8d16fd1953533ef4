"""A tree grown from the answers of a source, level by level: the same tree as from the rows in memory.

A level takes two questions: a count of every column's cells at the nodes that are too large to be fetched, and then the
values inside those stretches where a better cut may still be. The core decides (`core/grow/counted`). Nodes that are
small enough are fetched at the end, and their subtrees are grown from their rows as ever.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright import _core
from treewright.sources.questions import CellTable, Counts, FetchedRows, Opened, Plan, Routing, Stretches
from treewright.sources.sisters import Sisters, families_of, with_ends
from treewright.sources.source import Source

_NO_ROWS = np.empty(0, dtype=np.int64)
Tell = Callable[[int, int], None]


@dataclass
class _Growing:
    """A tree on its way."""

    source: Source
    plan: Plan
    growth: _core.CountedGrowth
    recipe: dict[str, Any]
    threads: int
    tell: Tell  # of the level and of how many nodes it has
    to_fetch: list[int] = field(default_factory=list)
    sisters: Sisters = field(default_factory=Sisters)
    root: list[CellTable] = field(default_factory=list)  # of the root, whose cells tell the ends of all others

    def rows(self, node: int) -> int:
        return self.growth.node(node)[0]

    def children(self, node: int) -> range:
        _, _, first, count, _ = self.growth.node(node)
        return range(first, first + count)

    def may_split(self, node: int) -> bool:
        return bool(self.growth.node(node)[4])

    def is_counted(self, node: int) -> bool:
        """Whether the columns of a node are counted, which may be too large to be fetched: before it is described."""
        rows, depth, _, _, may_split = self.growth.node(node)
        if rows <= self.source.fetch_rows:
            return False
        if self.plan.classes is not None:
            return bool(may_split)
        deepest, fewest = self.recipe["max_depth"], self.recipe["min_samples_split"]
        return bool((deepest is None or depth < deepest) and rows >= max(fewest, 2 * self.recipe["min_samples_leaf"]))

    def routing(self, nodes: Sequence[int]) -> Routing:
        tree, order = self.growth.tree()
        place = {int(node): i for i, node in enumerate(order)}
        return Routing(without_sums(tree), tree.n_columns, tree.n_classes, tuple(place[node] for node in nodes))


def without_sums(tree: _core.Tree) -> dict[str, Any]:
    """The arrays of a tree on its way: what is not known yet of the last level is not needed to send rows."""
    arrays = {**tree.arrays()}
    for name in {"value", "impurity", "gain"} & arrays.keys():
        arrays[name] = np.zeros_like(arrays[name])
    return arrays


def grow_from_counts(source: Source, plan: Plan, recipe: dict[str, Any], threads: int, tell: Tell) -> _core.Tree:
    """Grow a tree by asking a source.

    `tell` is called with the number of each level and of its nodes.
    """
    columns = [(column.kind, len(column.levels)) for column in plan.schema.columns]
    growth = _core.CountedGrowth(columns, plan.units, plan.n_classes, recipe)
    growing = _Growing(source, plan, growth, recipe, threads, tell)
    splits = _start(growing)
    level = 1
    while splits:
        splits = _next_level(growing, splits, level)
        level += 1
    _fetch(growing)
    return growth.finish()


def _start(growing: _Growing) -> list[int]:
    """Count the root, and split it unless it is fetched."""
    plan, growth = growing.plan, growing.growth
    growing.tell(0, 1)
    large = plan.facts["n_counted"] > growing.source.fetch_rows
    whole = Routing(*single_node(plan), (0,))
    counts = growing.source.count(plan, whole, [0] if large else [], True)
    growth.set_root(np.ascontiguousarray(counts.nodes.sums[0]))
    _describe(growing, [0], whole, counts)
    if not growing.may_split(0):
        return []
    if not large:
        growing.to_fetch.append(0)
        return []
    growing.root = list(counts.tables[0])
    return _split(growing, {0: list(growing.root)}, whole, [0])


def single_node(plan: Plan) -> tuple[dict[str, Any], int, int]:
    """The arrays of a tree of one node, which every row is at."""
    zero, one = np.zeros(1), np.zeros(1, dtype=np.int64)
    arrays: dict[str, Any] = {
        "n_children": np.zeros(1, dtype=np.uint16),
        "kind": np.zeros(1, dtype=np.uint8),
        "column": np.full(1, -1, dtype=np.int32),
        "threshold": np.full(1, np.nan),
        "missing_branch": np.full(1, -1, dtype=np.int32),
        "level_start": np.zeros(2, dtype=np.int64),
        "level": np.empty(0, dtype=np.uint32),
        "level_branch": np.empty(0, dtype=np.uint16),
        "n_rows": one + 1,
        "weight": zero + 1,
        "impurity": zero,
        "gain": zero,
    }
    if plan.n_classes:
        arrays |= {
            "count_start": np.array([0, 1], dtype=np.int64),
            "count_class": np.zeros(1, dtype=np.uint32),
            "count_weight": zero + 1,
            "prediction": np.zeros(1, dtype=np.int32),
        }
    else:
        arrays["value"] = zero
    return arrays, len(plan.schema.columns), plan.n_classes


def _next_level(growing: _Growing, parents: list[int], level: int) -> list[int]:
    """Count the children of nodes that were split, and split those that are to be split in their turn."""
    children = [child for parent in parents for child in growing.children(parent)]
    growing.tell(level, len(children))
    large = [i for i, child in enumerate(children) if growing.is_counted(child)]
    routing = growing.routing(children)
    tables: dict[int, list[CellTable]] = {}
    if large or growing.plan.classes is None:
        tables = _count(growing, parents, children, routing, large)
    kept = {child for parent in parents if growing.growth.keeps_split(parent) for child in growing.children(parent)}
    live = [i for i, child in enumerate(children) if child in kept and growing.may_split(child)]
    growing.to_fetch += [children[i] for i in live if i not in set(large)]
    return _split(growing, {i: tables[i] for i in live if i in tables}, routing, children)


def _count(
    growing: _Growing, parents: Sequence[int], children: Sequence[int], routing: Routing, wanted: Sequence[int]
) -> dict[int, list[CellTable]]:
    """Describe children, and give the tables of those whose columns are wanted."""
    places = {child: i for i, child in enumerate(children)}
    families = families_of(parents, growing.children, growing.rows, places)
    counted = growing.sisters.to_count(families, set(wanted))
    counts = growing.source.count(growing.plan, routing, counted, False)
    _describe(growing, children, routing, counts)
    sums = {i: [own for own, _, _ in tables] for i, tables in counts.tables.items()}
    return {i: with_ends(own, growing.root) for i, own in growing.sisters.tables(wanted, sums).items()}


def _describe(growing: _Growing, nodes: Sequence[int], routing: Routing, counts: Counts) -> None:
    """Tell the core what nodes hold of a numeric target."""
    if growing.plan.classes is not None:
        return
    equal = growing.source.equal_rows(growing.plan, routing) if growing.growth.needs_equal_rows() else None
    held = counts.nodes
    for i, node in enumerate(nodes):
        squares = held.squares[i]
        facts = int(held.low[i]), int(held.high[i]), float(held.lowest[i]), squares >> 64, squares % 2**64
        rows = (_NO_ROWS, _NO_ROWS, _NO_ROWS)
        if equal is not None:
            own = equal.node == i
            rows = (equal.level[own], equal.weight[own], equal.rows[own])
        growing.growth.describe(node, facts, *rows)


def _split(growing: _Growing, tables: dict[int, list[CellTable]], routing: Routing, nodes: Sequence[int]) -> list[int]:
    """Open what has to be opened and split the nodes; gives those that were."""
    counted = {nodes[i]: [sums for sums, _, _ in own] for i, own in tables.items()}
    waiting = {i: growing.growth.open_cells(nodes[i], tables[i]) for i in tables}
    while any(waiting.values()):
        asked = [Stretches(i, column, tuple(cells)) for i, open_ in waiting.items() for column, cells in open_]
        for one, opened in zip(asked, growing.source.open(growing.plan, routing, asked), strict=True):
            tables[one.node][one.column] = with_values(tables[one.node][one.column], one.cells, opened)
        waiting = {i: growing.growth.open_cells(nodes[i], tables[i]) for i, open_ in waiting.items() if open_}
    split = [nodes[i] for i in tables if growing.growth.split(nodes[i], tables[i])]
    growing.sisters.keep(
        {node: counted[node] for node in split if any(map(growing.is_counted, growing.children(node)))}
    )
    return split


def with_values(table: CellTable, cells: Sequence[int], opened: Opened) -> CellTable:
    """A column's table with some stretches replaced by the values in them.

    Examples
    --------
    >>> sums = np.array([[0, 0, 0], [3, 3, 1], [1, 1, 0]])
    >>> table = (sums, np.array([np.inf, 1.0, 9.0]), np.array([-np.inf, 5.0, 9.0]))
    >>> with_values(table, [1], (np.array([1.0, 5.0]), np.array([[1, 1, 1], [2, 2, 0]])))[1]
    array([inf,  1.,  5.,  9.])
    """
    sums, low, high = table
    assert low is not None
    assert high is not None
    values, found = opened
    kept = np.ones(len(sums), dtype=bool)
    kept[list(cells)] = False
    kept[1:] &= sums[1:, 0] > 0  # empty cells have no place in the order of values
    lows, highs = np.concatenate([low[kept], values]), np.concatenate([high[kept], values])
    all_sums = np.concatenate([sums[kept], found])
    order = np.concatenate([[0], 1 + np.argsort(lows[1:], kind="stable")])
    return np.ascontiguousarray(all_sums[order]), lows[order], highs[order]


def _fetch(growing: _Growing) -> None:
    """Fetch the small nodes, as many at a time as fit, and grow them."""
    if not growing.to_fetch:
        return
    routing = growing.routing(growing.to_fetch)  # of the tree without what is grown below them
    rows = [growing.rows(node) for node in growing.to_fetch]
    for group, fetched in growing.source.fetch_nodes(growing.plan, routing, rows):
        _grow_fetched(growing, [growing.to_fetch[i] for i in group], fetched)


def _grow_fetched(growing: _Growing, nodes: list[int], fetched: FetchedRows) -> None:
    plan = growing.plan
    parts = [
        (column.kind, values, None if column.kind == "numeric" else len(column.levels))
        for column, values in zip(plan.schema.columns, fetched.columns, strict=True)
    ]
    table = _core.Table(len(fetched.truth), parts, growing.threads)
    if plan.classes is None:
        target = plan.units.numbers(fetched.truth, fetched.weights)
    else:
        target = plan.units.classes(fetched.truth, plan.n_classes, fetched.weights)
    counted = np.ones(len(fetched.node), dtype=bool) if fetched.weights is None else fetched.weights > 0
    for i, node in enumerate(nodes):
        rows = np.flatnonzero((fetched.node == i) & counted).astype(np.uint32)
        growing.growth.grow_fetched(node, table, target, rows, growing.threads)
