"""The trees of models of many trees, out of the header and the arrays of a model file."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.learners.ensemble.tree_store import WholeTrees
from treewright.save.tree_header import check_tree_tests, count_in, refuse_tiny_trees
from treewright.table.schema import Schema

_MISSING_BIT = 0x80  # in `test`
_FEW_SMALL_TREES, _BYTES_A_SMALL_TREE = 50_000, 50


def read_trees(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> _core.Ensemble | WholeTrees:
    """The trees of a model file; ValueError where there are none."""
    n_columns, n_classes = count_in(header, "n_columns"), count_in(header, "n_classes")
    if "tree_arrays" in header:
        return WholeTrees.unpacked(header["tree_arrays"], arrays, n_columns, n_classes)
    refuse_tiny_trees(len(arrays.get("tree_nodes", ())), arrays, _FEW_SMALL_TREES, _BYTES_A_SMALL_TREE)
    core = _core.Ensemble(arrays, n_columns, n_classes)
    if core.n_trees == 0:
        raise ValueError("it has no trees")
    return core


def n_labels(header: dict[str, Any], core: _core.Ensemble | WholeTrees) -> int:
    """How many classes the header has to name; the trees of a booster hold numbers, whatever it predicts."""
    classes = header.get("classes")
    return len(classes) if core.n_classes == 0 and isinstance(classes, list) else core.n_classes


def check_tests(
    core: _core.Ensemble | WholeTrees, schema: Schema, arrays: dict[str, NDArray[Any]], source: str
) -> None:
    """Check that every test fits its column, as for a single tree. Only inner nodes have tests."""
    if isinstance(core, WholeTrees):
        core.check_tests(schema, source)
        return
    kind = arrays["test"][arrays["test"] != 0] & ~np.uint8(_MISSING_BIT)
    n_levels = np.zeros(len(kind), dtype=np.int64)
    n_levels[kind == 2] = arrays["n_levels"]
    starts = np.concatenate([[0], np.cumsum(n_levels)])
    tests = {"kind": kind, "column": arrays["column"], "threshold": arrays["threshold"]}
    check_tree_tests(schema, {**tests, "level_start": starts, "level": arrays["level"]}, source)
