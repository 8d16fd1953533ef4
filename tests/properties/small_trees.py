"""Random ensembles, as definitions and as the core stores them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import strategies as st

from oracle.ensembles import Inner, Leaf, Node, preorder
from treewright import _core

# Columns 0, 1 and 2 hold numbers, columns 3 and 4 levels.
N_NUMBERS, N_COLUMNS, MOST_LEVELS = 3, 5, 70
NUMBERS = (-math.inf, -2.5, -1.0, 0.0, 0.5, 1.0, 3.25, 1e300, math.inf)


def leaves(n_classes: int) -> st.SearchStrategy[Leaf]:
    weights = st.integers(0, 4).map(lambda k: k / 2)
    counts = st.dictionaries(st.integers(0, max(0, n_classes - 1)), weights, min_size=1 if n_classes else 0, max_size=3)

    def make(n_rows: int, by_class: dict[int, float], weight: float, value: int, impurity: int) -> Leaf:
        by_class = dict(sorted(by_class.items())) if n_classes else {}
        own = sum(by_class.values()) if n_classes else weight
        return Leaf(n_rows, own, by_class, value / 8 if not n_classes else 0.0, impurity / 16)

    numbers = st.integers(-100, 100)
    if n_classes:  # a leaf of an ensemble shares out what its rows weigh, so they weigh something
        counts = counts.filter(lambda by_class: sum(by_class.values()) > 0)
    return st.builds(make, st.integers(0, 9), counts, st.sampled_from([0.5, 1.0, 3.0]), numbers, st.integers(0, 8))


@st.composite
def inner_nodes(draw: st.DrawFn, below: st.SearchStrategy[Node]) -> Inner:
    column = draw(st.integers(0, N_COLUMNS - 1))
    missing, gain = draw(st.integers(0, 1)), draw(st.integers(0, 8)) / 32
    children = (draw(below), draw(below))
    if column < N_NUMBERS:
        threshold = draw(st.sampled_from([x for x in NUMBERS if x > -math.inf]))
        return Inner(column, threshold, None, missing, gain, children)
    if draw(st.booleans()) and draw(st.booleans()):  # "known": every known value takes the first branch
        return Inner(column, math.inf, None, missing, gain, children)
    codes = draw(st.sets(st.sampled_from([1, 2, 3, 33, 34, 64, 65, MOST_LEVELS]), min_size=1, max_size=5))
    levels = {code: draw(st.integers(0, 1)) for code in sorted(codes)}
    return Inner(column, math.nan, levels, missing, gain, children)


def trees(n_classes: int) -> st.SearchStrategy[Node]:
    return st.recursive(leaves(n_classes), inner_nodes, max_leaves=12)


def tables() -> st.SearchStrategy[list[list[float]]]:
    number = st.sampled_from([*NUMBERS, math.nan, 0.25, -7.0])
    level = st.sampled_from([math.nan, 1.0, 2.0, 3.0, 32.0, 33.0, 34.0, 64.0, 65.0, float(MOST_LEVELS)])
    row = st.tuples(*[number] * N_NUMBERS, *[level] * (N_COLUMNS - N_NUMBERS)).map(list)
    return st.lists(row, min_size=1, max_size=30)


def rows_for_core(table: list[list[float]]) -> tuple[int, list[Any]]:
    columns = [np.array(column) for column in zip(*table, strict=True)]
    numbers = [("numeric", column, None) for column in columns[:N_NUMBERS]]
    levels = [("levels", np.nan_to_num(column).astype(np.int32), None) for column in columns[N_NUMBERS:]]
    return len(table), [*numbers, *levels]


def joined_arrays(roots: list[Node], n_classes: int) -> dict[str, Any]:
    nodes = [list(preorder(root)) for root in roots]
    every = [node for tree in nodes for node in tree]
    inner = [node for node in every if isinstance(node, Inner)]
    ends = [node for node in every if isinstance(node, Leaf)]
    by_levels = [node.levels for node in inner if node.levels is not None]
    arrays = {
        "tree_nodes": np.array([len(tree) for tree in nodes], dtype=np.uint32),
        "test": np.array([_test(node) for node in every], dtype=np.uint8),
        "column": np.array([node.column for node in inner], dtype=np.int32),
        "threshold": np.array([node.threshold for node in inner], dtype=np.float64),
        "gain": np.array([node.gain for node in inner], dtype=np.float64),
        "n_levels": np.array([len(levels) for levels in by_levels], dtype=np.uint32),
        "level": np.array([code for levels in by_levels for code in levels], dtype=np.uint32),
        "level_branch": np.array([b for levels in by_levels for b in levels.values()], dtype=np.uint8),
        "n_rows": np.array([leaf.n_rows for leaf in ends], dtype=np.uint32),
        "weight": np.array([leaf.weight for leaf in ends], dtype=np.float64),
        "impurity": np.array([leaf.impurity for leaf in ends], dtype=np.float64),
    }
    if n_classes == 0:
        return {**arrays, "value": np.array([leaf.value for leaf in ends], dtype=np.float64)}
    return {
        **arrays,
        "n_counts": np.array([len(leaf.counts) for leaf in ends], dtype=np.uint32),
        "count_class": np.array([c for leaf in ends for c in leaf.counts], dtype=np.uint16),
        "count_weight": np.array([w for leaf in ends for w in leaf.counts.values()], dtype=np.float64),
    }


def _test(node: Node) -> int:
    if isinstance(node, Leaf):
        return 0
    return (1 if node.levels is None else 2) | (0x80 if node.missing_branch else 0)


def ensemble_of(roots: list[Node], n_classes: int) -> _core.Ensemble:
    return _core.Ensemble(joined_arrays(roots, n_classes), N_COLUMNS, n_classes)
