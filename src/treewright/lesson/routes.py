"""Which rows reach each node of a fitted tree, and with what part of their weight."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from treewright.lesson.sample import Sample
from treewright.lesson.sum_text import sum_split_of
from treewright.reference.split import Split, share_out
from treewright.reference.table import Cases
from treewright.tree.tree import Tree


def split_of(tree: Tree, node: int) -> Split:
    """Read the test of an inner node.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> split_of(example_tree(), 2)
    Split(column=1, cuts=(82.5,), levels={}, missing=1)
    """
    test = tree.node(node).test
    assert test is not None
    goes = test.missing_branch
    if test.kind == "hyperplane":
        return sum_split_of(tree.arrays, node)
    if test.kind == "levels":
        levels = {code: branch for branch, way in enumerate(test.branches) for code in way.codes.tolist()}
        return Split(test.column_index, levels=levels, missing=goes)
    bounds: tuple[float, ...] = getattr(test, "bounds", ())
    cuts = bounds or (math.inf if test.threshold is None else test.threshold,)  # no threshold: known or not
    return Split(test.column_index, cuts=cuts, missing=goes)


def subtree_ends(tree: Tree) -> list[int]:
    """Give for each node the number after the last node under it.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> subtree_ends(example_tree())
    [5, 2, 5, 4, 5]
    """
    ends = list(range(1, tree.n_nodes + 1))
    parents = tree.node_parent.tolist()
    for node in range(tree.n_nodes - 1, 0, -1):  # children come after their parents
        ends[parents[node]] = max(ends[parents[node]], ends[node])
    return ends


def whole_rows(tree: Tree, sample: Sample, stops_at: Sequence[int]) -> Iterator[Cases]:
    """Give the rows of each node in turn, where every row takes one way; `stops_at` is the node where it ends."""
    rows = sample.table.cases()
    ends = np.asarray([stops_at[row] for row, _ in rows])
    for node, end in enumerate(subtree_ends(tree)):
        inside = (ends >= node) & (ends < end)
        yield tuple(rows[place] for place in np.flatnonzero(inside).tolist())


def shared_rows(tree: Tree, sample: Sample) -> Iterator[Cases]:
    """Give the rows of each node in turn, where a row without a value goes every way with a part of its weight."""
    waiting: dict[int, Cases] = {0: sample.table.cases()}
    for node in range(tree.n_nodes):
        cases = waiting.pop(node)
        children = tree.child_ids(node)
        if children:
            waiting.update(
                zip(children, share_out(sample.table, cases, split_of(tree, node), len(children)), strict=True)
            )
        yield cases
