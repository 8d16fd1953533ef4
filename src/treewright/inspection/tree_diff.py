"""Two trees beside each other: which splits are the same, which moved, which are new, which are lost."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright.inspection.conditions import branch_values
from treewright.tree.stored import HYPERPLANE, INTERVALS, LEVELS
from treewright.tree.test import bounds_of, codes_by_branch, read_test
from treewright.tree.tree import Tree

# Tests of two trees beside each other: are they the same, and which branches belong together.


@dataclass(frozen=True)
class SplitName:
    """A test in names and values, so that tests of trees with other columns or level codes can be compared.

    `columns` is what is asked; `detail` is how.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> split_name(example_tree(), 2)
    SplitName(columns=('humidity',), detail=('threshold', 82.5))
    """

    columns: tuple[str, ...]
    detail: tuple[Any, ...]


def split_name(tree: Tree, node: int) -> SplitName:
    """Give the test of an inner node in names and values."""
    arrays, columns = tree.arrays, tree.schema.columns
    kind = arrays["kind"][node]
    if kind == HYPERPLANE:
        (places, levels, weights, _, _), _ = branch_values(tree, node, 0)  # type: ignore[misc]
        asked = [columns[int(place)] for place in places]
        named = [
            (column.name, column.levels[int(level) - 1] if level else None)
            for column, level in zip(asked, levels, strict=True)
        ]
        detail = ("hyperplane", tuple(zip(named, weights, strict=True)), float(arrays["threshold"][node]))
        return SplitName(tuple(sorted({column.name for column in asked})), detail)
    column = columns[int(arrays["column"][node])]
    if kind == LEVELS:
        groups = tuple(
            frozenset(column.levels[code - 1] for code in codes.tolist()) for codes in codes_by_branch(arrays, node)
        )
        return SplitName((column.name,), ("levels", frozenset(groups)))
    if kind == INTERVALS:
        return SplitName((column.name,), ("intervals", bounds_of(arrays, node)))
    return SplitName((column.name,), ("threshold", float(arrays["threshold"][node])))


def split_text(tree: Tree, node: int) -> str:
    """Write the test of an inner node on one line.

    >>> from treewright.tree import example_tree
    >>> split_text(example_tree(), 0)
    'outlook: overcast | sunny, rain'
    """
    return read_test(tree.arrays, node, tree.schema.columns).text


def pair_branches(a: Tree, i: int, b: Tree, j: int) -> list[tuple[int, int]]:
    """Say which branches of two nodes that ask for the same column belong together.

    Branches of cuts go by their order, those of levels by the levels that they share.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> pair_branches(example_tree(), 0, example_tree(), 0)
    [(0, 0), (1, 1)]
    """
    n, m = int(a.arrays["n_children"][i]), int(b.arrays["n_children"][j])
    if LEVELS not in (a.arrays["kind"][i], b.arrays["kind"][j]):
        return list(zip(range(n), range(m), strict=False))
    left, right = _level_groups(a, i), _level_groups(b, j)
    shared = sorted(
        ((-len(x & y), p, q) for p, x in enumerate(left) for q, y in enumerate(right) if x & y),
    )
    pairs: list[tuple[int, int]] = []
    for _, p, q in shared:
        if all(p != known_p and q != known_q for known_p, known_q in pairs):
            pairs.append((p, q))
    # A branch for missing values alone names no level.
    alone = zip([p for p, x in enumerate(left) if not x], [q for q, y in enumerate(right) if not y], strict=False)
    return sorted([*pairs, *alone])


def _level_groups(tree: Tree, node: int) -> list[frozenset[Any]]:
    column = tree.schema.columns[int(tree.arrays["column"][node])]
    groups = []
    for branch in range(int(tree.arrays["n_children"][node])):
        _, allowed = branch_values(tree, node, branch)
        codes = [c for c in getattr(allowed, "codes", []) if allowed.listed >> c & 1]  # type: ignore[union-attr]
        groups.append(frozenset(column.levels[code - 1] for code in codes))
    return groups


Pair = tuple[int, int]


@dataclass(frozen=True)
class TreeDiff:
    """Nodes of two trees that belong together, and those that have no partner.

    Attributes
    ----------
    same : list of (node of a, node of b)
        Splits at the same place with the same test.
    moved_cut : list of pairs
        Splits at the same place that ask for the same column, with another cut or other groups of levels.
    moved_place : list of pairs
        The same test, asked at another place.
    lost, new : list of int
        Splits of a that b has not, and of b that a has not.
    leaves : list of pairs
        Leaves at the same place.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> found = compare_trees(example_tree(), example_tree())
    >>> found.same, found.lost, found.leaves
    ([(0, 0), (2, 2)], [], [(1, 1), (3, 3), (4, 4)])
    """

    same: list[Pair] = field(default_factory=list)
    moved_cut: list[Pair] = field(default_factory=list)
    moved_place: list[Pair] = field(default_factory=list)
    lost: list[int] = field(default_factory=list)
    new: list[int] = field(default_factory=list)
    leaves: list[Pair] = field(default_factory=list)


def compare_trees(a: Tree, b: Tree) -> TreeDiff:
    """Walk down both trees at once, as long as they ask for the same column."""
    found = TreeDiff()
    waiting: list[Pair] = [(0, 0)]
    while waiting:
        i, j = waiting.pop()
        is_leaf = a.arrays["n_children"][i] == 0, b.arrays["n_children"][j] == 0
        if all(is_leaf):
            found.leaves.append((i, j))
        if any(is_leaf):
            continue
        left, right = split_name(a, i), split_name(b, j)
        if left.columns != right.columns:
            continue
        (found.same if left == right else found.moved_cut).append((i, j))
        below_a, below_b = a.child_ids(i), b.child_ids(j)
        waiting += [(below_a[p], below_b[q]) for p, q in reversed(pair_branches(a, i, b, j))]
    _match_places(a, b, found)
    return found


def _match_places(a: Tree, b: Tree, found: TreeDiff) -> None:
    """Of the splits without a partner, those with the same test have moved; the others are lost or new."""
    here = {i for i, _ in found.same + found.moved_cut}
    there = {j for _, j in found.same + found.moved_cut}
    open_tests: dict[SplitName, list[int]] = defaultdict(list)
    for j in np.flatnonzero(b.arrays["n_children"] > 0).tolist():
        if j not in there:
            open_tests[split_name(b, j)].append(j)
    for i in np.flatnonzero(a.arrays["n_children"] > 0).tolist():
        if i in here:
            continue
        partners = open_tests.get(split_name(a, i))
        if partners:
            found.moved_place.append((i, partners.pop(0)))
        else:
            found.lost.append(i)
    found.new.extend(sorted(j for left in open_tests.values() for j in left))
