"""Random small stored trees of any number of branches, each as plain objects for the oracle and as arrays for the core.

Rows may stop at inner nodes, leaves may be empty, and ties are common.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
from hypothesis import strategies as st

from oracle.pruning_menu import Node
from treewright import _core
from treewright.prune.pruner import ValidationRows
from treewright.table.schema import Column, Schema

N_COLUMNS = 3
N_LEVELS = 4
SCHEMA = Schema(
    (
        Column("number", "numeric"),
        Column("grade", "ordinal", "text", ("low", "middle", "high")),
        Column("colour", "nominal", "text", ("red", "green", "blue", "grey")),
    ),
    "answer",
)


@dataclass(frozen=True)
class Stored:
    """One tree in both forms, with its held-out rows."""

    root: Node
    tree: _core.Tree
    judges: ValidationRows


@dataclass
class _Sprout:
    """A node while the tree is being drawn: its own training rows are those that end here."""

    own: list[tuple[float, int]]  # (class or number, weight)
    held: list[tuple[float, int]]
    children: list[_Sprout]
    column: int = -1
    gain: float = 0.0

    def rows(self) -> list[tuple[float, int]]:
        return [*self.own, *(row for child in self.children for row in child.rows())]


@st.composite
def stored_trees(draw: st.DrawFn, classes: int) -> Stored:
    """A tree for up to so many classes, or for numbers if there are none, with held-out rows at its nodes."""
    cells = Random(draw(st.integers(0, 2**32)))
    depth, stops = draw(st.integers(1, 4)), draw(st.booleans())
    holds = draw(st.sampled_from([0, 2, 4]))  # held-out rows at a leaf, at most
    root = _grow(cells, depth, _Choices(classes, stops, holds))
    if not root.rows():
        root.own.append((0, 1))
    return _both_forms(root, classes)


@dataclass(frozen=True)
class _Choices:
    classes: int
    stops: bool
    holds: int

    def some(self, cells: Random, most: int) -> list[tuple[float, int]]:
        top = self.classes - 1 if self.classes else 6
        return [(cells.randint(0, top), cells.choice([1, 1, 2])) for _ in range(cells.randint(0, most))]


def _grow(cells: Random, depth: int, choices: _Choices) -> _Sprout:
    if depth == 0 or cells.random() < 0.2:
        return _Sprout(choices.some(cells, 5), choices.some(cells, choices.holds), [])
    column = cells.randrange(N_COLUMNS)
    branches = cells.choice([2, 2, 3, 4]) if column == N_COLUMNS - 1 else 2
    return _Sprout(
        own=choices.some(cells, 2) if choices.stops else [],
        held=choices.some(cells, 2) if choices.stops else [],
        children=[_grow(cells, depth - 1, choices) for _ in range(branches)],
        column=column,
        gain=cells.randint(0, 4) / 8,
    )


def _both_forms(root: _Sprout, classes: int) -> Stored:
    order = _preorder(root)
    nodes: list[Node] = []
    for sprout in reversed(order):  # children first
        children = tuple(nodes.pop() for _ in sprout.children)
        nodes.append(_oracle_node(sprout, children, classes))
    held = [(i, truth, weight) for i, sprout in enumerate(order) for truth, weight in sprout.held]
    at, truth, weights = (list(column) for column in zip(*held, strict=True)) if held else ([], [], [])
    truths = np.array(truth, dtype=np.int32 if classes else np.float64)
    judges = ValidationRows(np.array(at, dtype=np.int32), truths, np.array(weights, dtype=np.float64))
    tree = _core.Tree(_arrays(order, classes), N_COLUMNS, classes)
    return Stored(nodes[0], tree, judges)


def _preorder(root: _Sprout) -> list[_Sprout]:
    order, waiting = [], [root]
    while waiting:
        order.append(waiting.pop())
        waiting.extend(reversed(order[-1].children))
    return order


def _counts(sprout: _Sprout, classes: int) -> tuple[float, ...]:
    return tuple(float(sum(w for k, w in sprout.rows() if k == wanted)) for wanted in range(classes))


def _mean(sprout: _Sprout) -> float:
    total = sum(w for _, w in sprout.rows())
    return sum(y * w for y, w in sprout.rows()) / total if total else 0.0


def _spread(sprout: _Sprout) -> float:
    total = sum(w for _, w in sprout.rows())
    return sum(w * (y - _mean(sprout)) ** 2 for y, w in sprout.rows()) / total if total else 0.0


def _oracle_node(sprout: _Sprout, children: tuple[Node, ...], classes: int) -> Node:
    counts = _counts(sprout, classes)
    return Node(
        counts=counts,
        answer=counts.index(max(counts)) if classes else _mean(sprout),
        children=children,
        held=tuple(sprout.held),
        gain=sprout.gain,
        test_bits=_test_bits(sprout),
        spread=0.0 if classes else _spread(sprout),
        rows_weight=float(sum(w for _, w in sprout.rows())),
    )


def _test_bits(sprout: _Sprout) -> float:
    """log2 of the number of tests that could have been asked: columns, times cuts or groupings of levels."""
    if not sprout.children:
        return 0.0
    groups = len(sprout.children)
    if sprout.column == N_COLUMNS - 1:  # four levels in two, three or four groups
        ways = {2: 7.0, 3: 3.0**4 / 6, 4: 1.0}[groups]
    else:
        values = len(sprout.rows()) if sprout.column == 0 else min(3, len(sprout.rows()))
        ways = max(values - 1, 1)
    return float(np.log2(N_COLUMNS) + np.log2(ways))


def _arrays(order: list[_Sprout], classes: int) -> dict[str, Any]:
    by_levels = [bool(s.children) and s.column == N_COLUMNS - 1 for s in order]
    levels = [
        [min(code, len(s.children) - 1) for code in range(N_LEVELS)] if by else []
        for s, by in zip(order, by_levels, strict=True)
    ]
    weight = np.array([sum(w for _, w in s.rows()) for s in order], dtype=np.float64)
    arrays: dict[str, Any] = {
        "n_children": np.array([len(s.children) for s in order], dtype=np.uint16),
        "kind": np.array(
            [0 if not s.children else 2 if by else 1 for s, by in zip(order, by_levels, strict=True)], dtype=np.uint8
        ),
        "column": np.array([s.column for s in order], dtype=np.int32),
        "threshold": np.array(
            [1.5 if s.children and not by else np.nan for s, by in zip(order, by_levels, strict=True)]
        ),
        "missing_branch": np.full(len(order), -1, dtype=np.int32),
        "level_start": np.cumsum([0, *map(len, levels)]).astype(np.int64),
        "level": np.array([code for slot in levels for code in range(1, len(slot) + 1)], dtype=np.uint32),
        "level_branch": np.array([branch for slot in levels for branch in slot], dtype=np.uint16),
        "n_rows": np.array([len(s.rows()) for s in order], dtype=np.int64),
        "weight": weight,
        "impurity": np.array([_spread(s) if not classes else 0.5 for s in order]),
        "gain": np.array([s.gain for s in order]),
    }
    if not classes:
        return {**arrays, "value": np.array([_mean(s) for s in order])}
    counts = [_counts(s, classes) for s in order]
    entries = [[(k, c) for k, c in enumerate(each) if c] for each in counts]
    return {
        **arrays,
        "count_start": np.cumsum([0, *map(len, entries)]).astype(np.int64),
        "count_class": np.array([k for each in entries for k, _ in each], dtype=np.uint32),
        "count_weight": np.array([c for each in entries for _, c in each], dtype=np.float64),
        "prediction": np.array([each.index(max(each)) for each in counts], dtype=np.int32),
    }


def shape_of(tree: _core.Tree) -> tuple[Any, ...]:
    """The shape of a stored tree as the oracle writes it: a leaf is (), a node the tuple of its branches."""
    start, children = np.asarray(tree.children_start), np.asarray(tree.children)
    shapes: list[tuple[Any, ...]] = [()] * tree.n_nodes
    for i in reversed(range(tree.n_nodes)):
        shapes[i] = tuple(shapes[child] for child in children[start[i] : start[i + 1]])
    return shapes[0]
