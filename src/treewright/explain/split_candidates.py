"""The splits that a node had to choose from: its own, those of other columns, and those that stand in for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.tree.test import read_test
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    import pandas as pd

Arrays = Mapping[str, NDArray[Any]]
_COLUMNS = ("role", "column", "threshold", "left", "right", "improvement", "agreement", "adjusted")


def node_candidates(tree: Tree, node: int) -> pd.DataFrame:
    """The candidates of one node, a row each: primary, competitors (best first), surrogates (most alike first)."""
    import pandas as pd

    if not 0 <= node < tree.n_nodes:
        raise DataError(f"There is no node {node}. The tree has the nodes 0 to {tree.n_nodes - 1}.")
    arrays = tree.arrays
    if arrays["n_children"][node] == 0:
        return pd.DataFrame(columns=_COLUMNS)
    weight = float(arrays["weight"][node])
    rows = [("primary", arrays, node, weight * float(arrays["improvement"][node]), np.nan, np.nan)]
    for k in entries(arrays, "candidate", node):
        worth = weight * float(arrays["candidate_improvement"][k])
        rows.append(("competitor", one_test(arrays, "candidate", node, k), 0, worth, np.nan, np.nan))
    for k in entries(arrays, "surrogate", node):
        numbers = float(arrays["surrogate_agreement"][k]), float(arrays["surrogate_adjusted"][k])
        rows.append(("surrogate", one_test(arrays, "surrogate", node, k), 0, np.nan, *numbers))
    return pd.DataFrame([_line(tree, *row) for row in rows], columns=_COLUMNS)


def _line(tree: Tree, role: str, arrays: Arrays, node: int, *numbers: float) -> tuple[Any, ...]:
    test = read_test(arrays, node, tree.schema.columns)
    left, right = (branch.label for branch in test.branches[:2])
    if "flip" in arrays and arrays["flip"][0]:
        left, right = right, left
    return (role, test.column, np.nan if test.threshold is None else test.threshold, left, right, *numbers)


def entries(arrays: Arrays, name: str, node: int) -> range:
    """The places of a node's entries in a list beside the tree; none where the tree has no such list."""
    if f"{name}_start" not in arrays:
        return range(0)
    start = arrays[f"{name}_start"]
    return range(int(start[node]), int(start[node + 1]))


def one_test(arrays: Arrays, name: str, node: int, k: int) -> Arrays:
    """The test number k of a list, in the form of a tree with one inner node."""
    threshold = float(arrays[f"{name}_threshold"][k])
    codes, branches = np.empty(0, dtype=np.uint32), np.empty(0, dtype=np.uint16)
    flip = bool(arrays["surrogate_flip"][k]) if name == "surrogate" else False
    if np.isnan(threshold):
        span = entries(arrays, f"{name}_level", node)
        which = arrays[f"{name}_level_which"][span.start : span.stop] == k - arrays[f"{name}_start"][node]
        codes = arrays[f"{name}_level_level"][span.start : span.stop][which].astype(np.uint32)
        branches = arrays[f"{name}_level_branch"][span.start : span.stop][which].astype(np.uint16)
    return {
        "n_children": np.array([2], dtype=np.uint16),
        "kind": np.array([2 if np.isnan(threshold) else 1], dtype=np.uint8),
        "column": np.array([arrays[f"{name}_column"][k]], dtype=np.int32),
        "threshold": np.array([threshold]),
        "missing_branch": np.array([-1], dtype=np.int32),
        "level_start": np.array([0, len(codes)], dtype=np.int64),
        "level": codes,
        "level_branch": branches,
        "flip": np.array([flip]),
    }
