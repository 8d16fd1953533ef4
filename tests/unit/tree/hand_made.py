"""Trees written by hand: leaves and tests put together, counts summed from the leaves up."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.table.schema import Column, Schema
from treewright.tree import Tree
from unit.tree.stand_in import StandIn

CREDIT_COLUMNS = (
    Column("age", "numeric"),
    Column("job", "nominal", "text", ("clerk", "cook", "manager", "pilot")),
    Column("grade", "ordinal", "text", ("low", "middle", "high")),
    Column("signed", "numeric", "date"),
)
CREDIT = Schema(CREDIT_COLUMNS, "risk")


@dataclass
class Made:
    """One node by hand: a leaf has counts (or a value), an inner node a test and children."""

    counts: dict[int, float] = field(default_factory=dict)
    value: float = 0.0
    n: int | None = None
    column: int = -1
    threshold: float = np.nan
    levels: list[list[int]] | None = None
    missing: int = -1
    children: list[Made] = field(default_factory=list)


def leaf(*counts: float, value: float = 0.0, n: int | None = None) -> Made:
    return Made(counts={i: float(c) for i, c in enumerate(counts) if c}, value=value, n=n)


def cut(column: int, threshold: float, *children: Made, missing: int = -1) -> Made:
    return _summed(Made(column=column, threshold=threshold, missing=missing, children=list(children)))


def split_levels(column: int, levels: list[list[int]], *children: Made, missing: int = -1) -> Made:
    return _summed(Made(column=column, levels=levels, missing=missing, children=list(children)))


def _summed(made: Made) -> Made:
    made.n = 0
    for child in made.children:
        n = _rows(child)
        made.value = (made.value * made.n + child.value * n) / max(made.n + n, 1)
        made.n += n
        for index, weight in child.counts.items():
            made.counts[index] = made.counts.get(index, 0.0) + weight
    return made


def _rows(made: Made) -> int:
    return int(sum(made.counts.values())) if made.n is None else made.n


def preorder(root: Made) -> list[Made]:
    order, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting.extend(reversed(node.children))
    return order


def arrays_of(root: Made, regression: bool = False) -> dict[str, NDArray[Any]]:
    nodes = preorder(root)
    pairs = [sorted((c, b) for b, codes in enumerate(n.levels or []) for c in codes) for n in nodes]
    counts = [sorted(n.counts.items()) for n in nodes]
    arrays = {
        "n_children": np.array([len(n.children) for n in nodes], np.uint16),
        "kind": np.array([0 if not n.children else 1 if n.levels is None else 2 for n in nodes], np.uint8),
        "column": np.array([n.column for n in nodes], np.int32),
        "threshold": np.array([n.threshold for n in nodes], np.float64),
        "missing_branch": np.array([n.missing for n in nodes], np.int32),
        "level_start": np.cumsum([0, *map(len, pairs)]).astype(np.int64),
        "level": np.array([c for p in pairs for c, _ in p], np.uint32),
        "level_branch": np.array([b for p in pairs for _, b in p], np.uint16),
        "n_rows": np.array([_rows(n) for n in nodes], np.int64),
        "weight": np.array([sum(n.counts.values()) or _rows(n) for n in nodes], np.float64),
        "impurity": np.linspace(0.5, 0.1, len(nodes)),
        "gain": np.array([0.1 if n.children else 0.0 for n in nodes]),
    }
    if regression:
        return {**arrays, "value": np.array([n.value for n in nodes], np.float64)}
    return {
        **arrays,
        "count_start": np.cumsum([0, *map(len, counts)]).astype(np.int64),
        "count_class": np.array([i for c in counts for i, _ in c], np.uint32),
        "count_weight": np.array([w for c in counts for _, w in c], np.float64),
        "prediction": np.array([max(n.counts, key=n.counts.__getitem__, default=0) for n in nodes], np.int32),
    }


def tree_of(root: Made, schema: Schema = CREDIT, classes: list[Any] | None = None, core: Any = StandIn) -> Tree:
    """Make a classification (classes "good" and "bad" unless told) of a hand-made root."""
    classes = ["good", "bad"] if classes is None else classes
    return Tree(core(arrays_of(root), len(schema.columns), len(classes)), schema, classes, "gini")


def regression_of(root: Made, criterion: str = "squared_error") -> Tree:
    return Tree(StandIn(arrays_of(root, regression=True), len(CREDIT.columns), 0), CREDIT, None, criterion)


def credit_root() -> Made:
    """Every kind of test once: levels, threshold, ordinal cut, date, and a branch for missing values."""
    inner = cut(0, 41.5, leaf(3, 9), cut(3, 19000.5, leaf(8), leaf(1, 2), missing=0), leaf(2, 2), missing=2)
    return split_levels(1, [[2, 4], [1, 3]], cut(2, 1.5, leaf(30, 10), leaf(20), missing=1), inner, missing=0)


def chain_arrays(depth: int) -> dict[str, NDArray[Any]]:
    """A chain: every inner node has a leaf on its left and the rest of the tree on its right."""
    n = 2 * depth + 1
    inner = np.arange(n) % 2 == 0
    inner[-1] = False
    rows = (n + 1 - np.arange(n)) // 2  # an inner node holds one row for each leaf under it
    rows[~inner] = 1
    two = np.zeros((n, 2))
    two[:, 0], two[:, 1] = rows - rows // 2, rows // 2
    present = two > 0
    return {
        "n_children": np.where(inner, 2, 0).astype(np.uint16),
        "kind": inner.astype(np.uint8),
        "column": np.where(inner, 0, -1).astype(np.int32),
        "threshold": np.where(inner, np.arange(n) + 0.5, np.nan),
        "missing_branch": np.where(inner, 0, -1).astype(np.int32),
        "level_start": np.zeros(n + 1, np.int64),
        "level": np.zeros(0, np.uint32),
        "level_branch": np.zeros(0, np.uint16),
        "n_rows": rows.astype(np.int64),
        "weight": rows.astype(np.float64),
        "impurity": np.full(n, 0.5),
        "gain": np.where(inner, 0.01, 0.0),
        "count_start": np.concatenate([[0], np.cumsum(present.sum(axis=1))]).astype(np.int64),
        "count_class": np.nonzero(present)[1].astype(np.uint32),
        "count_weight": two[present],
        "prediction": np.zeros(n, np.int32),
    }
