"""Which column a tree has to know next, given what is known so far."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from treewright.explain.walk import branch_by_test, take_step
from treewright.tree.stored import HYPERPLANE, SPREADS, STOPS
from treewright.tree.tree import Tree


def next_question(tree: Tree, values: Sequence[float], asked: Collection[int]) -> int | None:
    """Give the first column that decides the way of a row and was not asked yet; None when the answer is certain.

    Parameters
    ----------
    tree : Tree
    values : sequence of float
        What is known of the row; NaN elsewhere.
    asked : collection of int
        Columns whose value is known, or known to be missing.

    Examples
    --------
    >>> from math import nan
    >>> from treewright.tree import example_tree
    >>> next_question(example_tree(), [nan, nan], []), next_question(example_tree(), [1.0, nan], [0])
    (0, 1)
    >>> next_question(example_tree(), [2.0, nan], [0]) is None
    True
    """
    arrays, waiting = tree.arrays, [0]
    while waiting:
        node = waiting.pop()
        is_leaf = arrays["n_children"][node] == 0
        wanted = _unknown(tree, node, values, asked, is_leaf)
        if wanted is not None:
            return wanted
        if is_leaf:
            continue
        branch = take_step(arrays, node, values).branch
        below = tree.child_ids(node)
        if branch == SPREADS:
            waiting += reversed(below)
        elif branch != STOPS:
            waiting.append(below[branch])
        else:
            wanted = _first(_equation_columns(tree, node), asked)
            if wanted is not None:
                return wanted
    return None


def _unknown(tree: Tree, node: int, values: Sequence[float], asked: Collection[int], is_leaf: bool) -> int | None:
    """Give what a node needs: its column, or its surrogates where that has no value; at a leaf its equation."""
    if is_leaf:
        return _first(_equation_columns(tree, node), asked)
    arrays = tree.arrays
    if arrays["kind"][node] == HYPERPLANE:
        part = slice(int(arrays["term_start"][node]), int(arrays["term_start"][node + 1]))
        wanted = _first(arrays["term_column"][part].astype(int).tolist(), asked)
    else:
        wanted = _first([int(arrays["column"][node])], asked)
    if wanted is not None or branch_by_test(arrays, node, values) >= 0 or "surrogate_start" not in arrays:
        return wanted
    part = slice(int(arrays["surrogate_start"][node]), int(arrays["surrogate_start"][node + 1]))
    for column in arrays["surrogate_column"][part].astype(int).tolist():
        if column not in asked:
            return int(column)
        if values[column] == values[column] and take_step(arrays, node, values).by == "surrogate":
            return None
    return None


def _equation_columns(tree: Tree, node: int) -> list[int]:
    arrays = tree.arrays
    if "equation_start" not in arrays:
        return []
    part = slice(int(arrays["equation_start"][node]), int(arrays["equation_start"][node + 1]))
    columns: list[int] = arrays["equation_column"][part].astype(int).tolist()
    return columns


def _first(columns: Sequence[int], asked: Collection[int]) -> int | None:
    return next((column for column in columns if column not in asked), None)
