"""A tree that parts rows without a value among its branches, as SQL.

First every node says which branch a row would take there (-2: all of them). The part of a row that arrives at an end of
the tree is the product along its path; what the ends say is added up by these parts, in preorder, as the model does it.
"""

from __future__ import annotations

from typing import Any

from treewright.export.program import NodeTable
from treewright.tree.stored import SPREADS, STOPS


def add_spreading_tree(statement: Any, tree: int, sums: list[str], before: list[str]) -> list[str]:
    """Add the steps of one such tree; gives the sums with what it says added."""
    table: NodeTable = statement.program.trees[tree]
    carried = [*statement.kept, *statement.cells, *before, *statement.found]
    asked = [node for node in range(table.n_nodes) if table.rules(node)]
    branches = [f"{_branch(statement, table, node)} AS b{node}" for node in asked]
    statement.step(f"branches_{len(statement.steps)}", [*carried, *branches])
    ends = [node for node in range(table.n_nodes) if table.fallback[node] == STOPS]
    parts = _parts(statement, table)
    one = statement.dialect.number(1.0)
    shares = [f"{' * '.join(parts[node]) or one} AS w{node}" for node in ends]
    statement.step(f"parts_{len(statement.steps)}", [*carried, *shares])
    if statement.program.label_by == "node":
        label = f"{_label(statement, table, ends)} AS label"  # NULL where a row is in several leaves
        statement.step(f"label_{len(statement.steps)}", [*carried, *(f"w{node}" for node in ends), label])
        statement.found.append("label")
    width = table.answers.shape[1]
    said = [_mixed(statement, table, ends, output) for output in range(width)]
    if width == 1:
        at = tree % len(sums)
        return [f"{total} + ({said[0]})" if place == at else total for place, total in enumerate(sums)]
    return [f"{total} + ({part})" for total, part in zip(sums, said, strict=True)]


def _branch(statement: Any, table: NodeTable, node: int) -> str:
    rules = [(statement.conditions.condition(table, rule), table.rule_child[rule]) for rule in table.rules(node)]
    cases = " ".join(f"WHEN {condition} THEN {child}" for condition, child in rules)
    return f"CASE {cases} ELSE {table.fallback[node]} END"


def _parts(statement: Any, table: NodeTable) -> dict[int, list[str]]:
    """For each node the factors of the part of a row that arrives there; a node stands behind its parent."""
    number = statement.dialect.number
    zero, one = number(0.0), number(1.0)
    parts: dict[int, list[str]] = {0: []}
    for node in range(table.n_nodes):
        pieces = dict(table.pieces.get(node, ()))
        children = dict.fromkeys([*(table.rule_child[rule] for rule in table.rules(node)), *pieces])
        if table.fallback[node] >= 0:
            children[table.fallback[node]] = None
        for child in children:
            whole = f"WHEN {child} THEN {one}"
            piece = f" WHEN {SPREADS} THEN {number(pieces[child])}" if child in pieces else ""
            parts[child] = [*parts[node], f"CASE b{node} {whole}{piece} ELSE {zero} END"]
        if table.fallback[node] == STOPS and table.rules(node):  # an end of rows that no rule takes on
            parts[node] = [*parts[node], f"CASE b{node} WHEN {STOPS} THEN {one} ELSE {zero} END"]
    return parts


def _mixed(statement: Any, table: NodeTable, ends: list[int], output: int) -> str:
    return " + ".join(f"w{node} * {statement.said(table, node, output)}" for node in ends)


def _label(statement: Any, table: NodeTable, ends: list[int]) -> str:
    labels, literal, one = statement.program.labels, statement.dialect.literal, statement.dialect.number(1.0)
    assert table.labels is not None
    cases = " ".join(f"WHEN w{node} = {one} THEN {literal(labels[table.labels[node]])}" for node in ends)
    return f"CASE {cases} END"
