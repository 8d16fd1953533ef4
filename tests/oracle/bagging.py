"""Bagging by its definition: rows in the order of their content, drawn one by one; trees; means; rows out of bag."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from oracle import keyed_words
from treewright.reference.cart import Recipe, grow
from treewright.reference.growing import Node
from treewright.reference.table import Table

ROWS_OF_A_TREE = 1  # the purpose of the random words


def content(table: Table, row: int) -> int:
    """A number that comes from what is in a row: its values, and its target."""
    word = 0
    for column in table.columns:
        value = column.values[row]
        cell = keyed_words.bits(value) if column.kind == "numeric" else int(value or 0)
        word = keyed_words.mixed((word + keyed_words.GOLDEN + cell) & keyed_words.MASK)
    target = table.target[row] if table.n_classes else keyed_words.bits(float(table.target[row]))
    return keyed_words.mixed((word + keyed_words.GOLDEN + target) & keyed_words.MASK)


def units(table: Table) -> list[int]:
    """Each row as often as it weighs, in the order of content; of equal rows the lightest first."""
    rows = sorted(range(len(table.target)), key=lambda row: (content(table, row), table.weights[row], row))
    return [row for row in rows for _ in range(table.weights[row])]


def draw_counts(table: Table, tree: int, seed: int, n_drawn: int, replace_drawn: bool) -> list[int]:
    """How often each row of the table is in the bag of a tree."""
    from_units = units(table)
    stream = keyed_words.key_of(seed, ROWS_OF_A_TREE, tree)
    if replace_drawn:
        drawn = [keyed_words.below(keyed_words.drawn(stream, i), len(from_units)) for i in range(n_drawn)]
    else:
        drawn = sorted(range(len(from_units)), key=lambda i: keyed_words.drawn(stream, i))[:n_drawn]
    counts = [0] * len(table.target)
    for unit in drawn:
        counts[from_units[unit]] += 1
    return counts


def bagged_trees(
    table: Table, recipe: Recipe, n_trees: int, seed: int, n_drawn: int, replace_drawn: bool
) -> list[tuple[Table, list[Node]]]:
    """The bag and the tree of every number."""
    bags = [
        replace(table, weights=tuple(draw_counts(table, tree, seed, n_drawn, replace_drawn))) for tree in range(n_trees)
    ]
    return [(bag, grow(bag, recipe)) for bag in bags]


def leaf_shares(bag: Table, leaf: Node) -> list[Fraction]:
    """The share of each class in a leaf."""
    heavy = [sum(bag.weights[row] for row in leaf.rows if bag.target[row] == k) for k in range(bag.n_classes)]
    return [Fraction(weight, sum(heavy)) for weight in heavy]
