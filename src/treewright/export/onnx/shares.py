"""Rows that go down several branches in parts, in ONNX: the part of each row that ends in each node of a tree."""

from __future__ import annotations

import math

import numpy as np

from treewright.export.onnx.graph import Graph
from treewright.export.program import ABOVE, BELOW, KNOWN, MEMBER, NodeTable
from treewright.tree.stored import SPREADS, STOPS


def add_shares(graph: Graph, tree: NodeTable, matrix: str, place: dict[int, int], most_levels: int) -> str:
    """Give rows × nodes: the part of the row that ends there."""
    after = _next_nodes(graph, tree, matrix, place, most_levels)
    parent = _parents(tree)
    n_rows = graph.put("Slice", graph.put("Shape", matrix), graph.whole(0), graph.whole(1))
    share = graph.put("Expand", graph.number(1.0), graph.put("Concat", n_rows, graph.whole(1), axis=0))
    level, shares, order = [0], [share], [0]
    while below := [node for node in range(tree.n_nodes) if parent[node] in set(level)]:
        places = graph.whole(*(level.index(parent[node]) for node in below))
        taken = graph.put("Gather", after, graph.whole(*(parent[node] for node in below)), axis=1)
        part = np.array([[dict(tree.pieces.get(parent[node], ())).get(node, 0.0) for node in below]])
        spread = graph.put("Equal", taken, graph.whole(SPREADS))
        in_parts = graph.put("Where", spread, graph.constant(part), graph.number(0.0))
        arrives = graph.put("Equal", taken, graph.constant(np.array([below], np.int64)))
        factor = graph.put("Where", arrives, graph.number(1.0), in_parts)
        share = graph.put("Mul", graph.put("Gather", share, places, axis=1), factor)
        shares.append(share)
        order += below
        level = below
    all_shares = graph.put("Concat", *shares, axis=1)
    in_order = graph.put("Gather", all_shares, graph.whole(*np.argsort(order).tolist()), axis=1)
    return graph.put("Where", graph.put("Equal", after, graph.whole(STOPS)), in_order, graph.number(0.0))


def _parents(tree: NodeTable) -> list[int]:
    parent = [-1] * tree.n_nodes
    for node in range(tree.n_nodes):
        ways = [tree.rule_child[rule] for rule in tree.rules(node)] + [tree.fallback[node]]
        for child in [*ways, *(child for child, _ in tree.pieces.get(node, ()))]:
            if child >= 0:
                parent[child] = node
    return parent


def _next_nodes(graph: Graph, tree: NodeTable, matrix: str, place: dict[int, int], most_levels: int) -> str:
    """Rows × nodes: where a row that is at the node goes next; the rules of all nodes at once, the last ones first."""
    n_rules = [len(tree.rules(node)) for node in range(tree.n_nodes)]
    after = graph.constant(np.array([tree.fallback], np.int64))
    for number in reversed(range(max(n_rules))):
        rules = [tree.rule_start[node] + number if number < n_rules[node] else None for node in range(tree.n_nodes)]
        children = [[-1 if rule is None else tree.rule_child[rule] for rule in rules]]
        holds = _holds(graph, tree, rules, matrix, place, most_levels)
        after = graph.put("Where", holds, graph.constant(np.array(children, np.int64)), after)
    return after


def _holds(
    graph: Graph, tree: NodeTable, rules: list[int | None], matrix: str, place: dict[int, int], most_levels: int
) -> str:
    kinds = [-1 if rule is None else tree.rule_kind[rule] for rule in rules]
    columns = [0 if rule is None else place[tree.rule_column[rule]] for rule in rules]
    numbers = [math.nan if rule is None else tree.rule_number[rule] for rule in rules]
    x = graph.put("Gather", matrix, graph.whole(*columns), axis=1)

    def cuts(kind: int, other: float = math.nan) -> str:
        return graph.constant(np.array([[n if k == kind else other for k, n in zip(kinds, numbers, strict=True)]]))

    holds = graph.put("LessOrEqual", x, cuts(BELOW))
    holds = graph.put("Or", holds, graph.put("Greater", x, cuts(ABOVE)))
    if KNOWN in kinds:
        known = graph.put("Not", graph.put("IsNaN", x))
        holds = graph.put("Or", holds, graph.put("And", known, graph.constant(np.array([[k == KNOWN for k in kinds]]))))
    if MEMBER in kinds:
        sets = [set(tree.sets[int(n)]) if k == MEMBER else set() for k, n in zip(kinds, numbers, strict=True)]
        table = np.array([[code in one for code in range(most_levels + 1)] for one in sets])
        by_level = graph.constant(np.array([[k == MEMBER for k in kinds]]))
        has_code = graph.put("And", by_level, graph.put("Not", graph.put("IsNaN", x)))
        code = graph.put("Cast", graph.put("Where", has_code, x, graph.number(0.0)), to=7)
        starts = graph.constant((np.arange(len(sets)) * (most_levels + 1))[None, :])
        member = graph.put("Gather", graph.constant(table.ravel()), graph.put("Add", code, starts))
        holds = graph.put("Or", holds, graph.put("And", member, has_code))
    return holds
