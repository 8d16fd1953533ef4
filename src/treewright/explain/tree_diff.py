"""Two trees beside each other: which splits are the same, which moved, which are new, which are lost."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from treewright.explain.split_name import SplitName, pair_branches, split_name
from treewright.tree.tree import Tree

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
