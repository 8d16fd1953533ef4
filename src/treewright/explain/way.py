"""The way of one row through a tree: its steps, where it ends, and what it is answered with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from treewright.explain.walk import Step, answer_of_pieces, pieces, walk
from treewright.tree.stored import SPREADS
from treewright.tree.tree import Tree


@dataclass(frozen=True, slots=True)
class Way:
    """Where a row went. `ends` has more than one node only where missing values spread the row.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> way = Way.of(example_tree(), [1.0, 70.0])
    >>> way.answer, way.node, way.ends
    ('yes', 3, [(3, 1.0)])
    """

    steps: list[Step]
    node: int
    ends: list[tuple[int, float]]
    answer: Any

    @classmethod
    def of(cls, tree: Tree, values: Sequence[float]) -> Way:
        """Follow a row."""
        steps, node = walk(tree, values)
        is_spread = any(step.branch == SPREADS for step in steps)
        ends = pieces(tree, values) if is_spread else [(node, 1.0)]
        return cls(steps, node, ends, answer_of_pieces(tree, values, ends))
