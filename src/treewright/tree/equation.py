"""The equations of a tree whose nodes have them, in words; which levels can come to a node."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from treewright.tree.format import cells, name_text, number_text
from treewright.tree.stored import LEVELS
from treewright.tree.test import branch_of_unseen, codes_by_branch, level_list

if TYPE_CHECKING:
    from treewright.tree.tree import Tree

_NARROWEST = 40  # an equation is not broken into shorter lines than this


def has_equations(tree: Tree) -> bool:
    """Whether the nodes of a tree answer with equations.

    >>> from treewright.tree import example_tree
    >>> has_equations(example_tree())
    False
    """
    return "equation_start" in tree.arrays


def equation_numbers(tree: Tree) -> dict[int, int]:
    """Number the leaves that have equations from 1, in the order of the nodes.

    >>> from treewright.tree import example_tree
    >>> equation_numbers(example_tree())
    {}
    """
    if not has_equations(tree):
        return {}
    return {leaf: k for k, leaf in enumerate(np.flatnonzero(tree.arrays["n_children"] == 0).tolist(), start=1)}


def equation_text(tree: Tree, node: int, digits: int = 4, times: str = "·") -> str:
    """Write the equation of a node. An indicator such as ``[sex is male]`` is 1 where it holds and 0 elsewhere.

    >>> import treewright as tw
    >>> model = tw.ModelTreeRegressor().fit([[1, "a"], [2, "a"], [3, "b"], [4, "b"]], [3, 5, 7, 9])
    >>> equation_text(model.tree_, 0)
    '1 + 2·x0'
    """
    return "".join(_pieces(tree, node, digits, times))


def equation_lines(tree: Tree, nodes: Iterable[int], digits: int, width: int | None, times: str) -> Iterator[str]:
    """Write the equations of some leaves under each other, long ones on several lines.

    >>> import treewright as tw
    >>> model = tw.ModelTreeRegressor().fit([[1], [2], [3], [4]], [3, 5, 7, 9])
    >>> print(*equation_lines(model.tree_, [0], 4, 80, "*"))
    equation 1: 1 + 2*x0
    """
    numbers = equation_numbers(tree)
    for node in nodes:
        head = f"equation {numbers[node]}: "
        line = head
        for piece in _pieces(tree, node, digits, times):
            if width is not None and cells(line + piece) > max(width, _NARROWEST) and line.strip():
                yield line.rstrip()
                line, piece = " " * len(head), piece.lstrip()
            line += piece
        yield line


def _pieces(tree: Tree, node: int, digits: int, times: str) -> Iterator[str]:
    """Give the summands of an equation, each with its sign; a line may be broken before any of them."""
    constant, terms = _constant_and_terms(tree, node)
    yield number_text(constant, digits)
    for weight, what in terms:
        yield f" {'-' if weight < 0 else '+'} {number_text(abs(weight), digits)}{times}{what}"


def _constant_and_terms(tree: Tree, node: int) -> tuple[float, list[tuple[float, str]]]:
    """Give the constant, and the weight and the words of each term; levels that have the same weight are one term.

    What the path to the node has settled already is no term: an indicator that is 1 for every level that can come here
    is part of the constant, and one that is 0 for all of them is left out.
    """
    arrays, columns = tree.arrays, tree.schema.columns
    part = slice(int(arrays["equation_start"][node]), int(arrays["equation_start"][node + 1]))
    by_level: dict[tuple[int, float], list[int]] = {}
    fields = (arrays[f"equation_{field}"][part].tolist() for field in ("column", "level", "weight"))
    for column, level, weight in zip(*fields, strict=True):
        by_level.setdefault((int(column), weight), []).append(int(level))
    possible = levels_possible(tree, node)
    constant, terms = float(arrays["intercept"][node]), []
    for (column, weight), levels in by_level.items():
        name = name_text(columns[column].name)
        if levels == [0]:
            terms.append((weight, name))
            continue
        here = possible.get(column, frozenset(range(1, len(columns[column].levels) + 1)))
        held = [level for level in levels if level in here]
        if here and here <= set(held):
            constant += weight
        elif held:
            terms.append((weight, f"[{name} is {level_list(columns[column], held, last=' or ')}]"))
    return constant, terms


def levels_possible(tree: Tree, node: int) -> dict[int, frozenset[int]]:
    """Give the level codes that can come to a node, of each column that a test for levels on its path asks.

    >>> from treewright.tree import example_tree
    >>> levels_possible(example_tree(), 1), levels_possible(example_tree(), 0)
    ({0: frozenset({2})}, {})
    """
    arrays, found = tree.arrays, dict[int, frozenset[int]]()
    while node > 0:
        branch, node = int(tree.node_branch[node]), int(tree.node_parent[node])
        if arrays["kind"][node] != LEVELS:
            continue
        column, codes = int(arrays["column"][node]), codes_by_branch(arrays, node)
        taken = frozenset(codes[branch].tolist())
        if branch_of_unseen(arrays, node) in (branch, -1):  # those that the node never saw may come here too
            seen = {code for own in codes for code in own.tolist()}
            taken |= frozenset(range(1, len(tree.schema.columns[column].levels) + 1)) - seen
        found[column] = found.get(column, taken) & taken
    return found
