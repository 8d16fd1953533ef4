"""The door to `Why` for a stored tree: read the row, check what was asked, put both together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from treewright.encode.table import RowEncoder
from treewright.explain.column_scales import check_scale, column_index
from treewright.explain.row_values import RowValues, read_row
from treewright.explain.support import HeldOut
from treewright.explain.walk import walk
from treewright.explain.wanted import read_wanted
from treewright.explain.way import Way
from treewright.explain.why import Question, Why
from treewright.tree.tree import Tree


@dataclass(frozen=True)
class Asked:
    """What a user asked beside the row; see `model.why`."""

    not_class: Any = None
    below: float | None = None
    above: float | None = None
    fixed: Iterable[str] = ()
    scale: Mapping[str, float] | None = field(default=None)


def why_row(tree: Tree, row: Any, asked: Asked | None = None, encoder: RowEncoder | None = None) -> Why:
    """Explain the answer of a tree to one row.

    Parameters
    ----------
    tree : Tree
        Any stored tree, such as `model.tree_` or one of `forest.trees_`.
    row : list, tuple, dict, Series or table of one row
        The row.
    asked : Asked, optional
        What is asked beside it.
    encoder : RowEncoder, optional
        Made anew where none is given.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> why_row(example_tree(), {"outlook": "rain", "humidity": 70}).sentence
    'yes, because outlook is sunny or rain and humidity <= 82.5; 4 of 5 training rows like it were yes.'
    """
    return explain(tree, read_row(encoder or RowEncoder(tree.schema), row), asked or Asked())


def explain(tree: Tree, row: RowValues, asked: Asked, held_out: Sequence[Any] | None = None) -> Why:
    """Explain the answer to a row that was read already; `held_out` are the truths of held-out rows of its node."""
    way = Way.of(tree, row.numbers)
    found = way.answer
    wanted = read_wanted(tree.classes, found, asked.not_class, asked.below, asked.above)
    fixed = frozenset(column_index(tree.schema.names, name, "fixed") for name in asked.fixed)
    question = Question(wanted, fixed, check_scale(tree, asked.scale))
    others = None if held_out is None else HeldOut.of(held_out, found, tree.classes is not None)
    return Why(tree, row, way, question, others)


def end_of(tree: Tree, row: RowValues) -> int:
    """Give the node where a row ends, to find others that end there."""
    return walk(tree, row.numbers)[1]
