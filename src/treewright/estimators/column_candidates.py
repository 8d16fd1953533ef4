"""The best split that every column offers at a node, found by the model's own algorithm on the rows of the node."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.encode.schema import Column, Schema
from treewright.encode.table import EncodedTable
from treewright.errors import DataError
from treewright.estimators.threads import thread_count
from treewright.estimators.training_data import TrainingData
from treewright.explain.column_scales import column_index
from treewright.explain.score_curve import curve_criterion, score_curve
from treewright.largest_first import largest_first
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    import pandas as pd


def column_candidates(model: Any, node: int, X: Any, y: Any, sample_weight: Any = None) -> pd.DataFrame:
    """Grow a tree of one split from each column alone, on the training rows that come to the node; best first."""
    import pandas as pd

    training, rows = _rows_at(model, node, X, y, sample_weight)
    lines = [_best_split(model, training, rows, j) for j in range(len(training.table.schema.columns))]
    frame = pd.DataFrame(lines, columns=["column", "test", "gain", "p_value"])
    best = frame["gain"].max()
    frame.insert(3, "share_of_best", frame["gain"] / best if best > 0 else 0.0)
    arrays = model.tree_.arrays
    asked = model.tree_.schema.names[int(arrays["column"][node])] if arrays["n_children"][node] else None
    frame["is_chosen"] = frame["column"] == asked
    return frame.iloc[largest_first(frame["gain"])].reset_index(drop=True)


def _best_split(model: Any, training: TrainingData, rows: NDArray[np.uint32], j: int) -> tuple[str, Any, float, float]:
    column = training.table.schema.columns[j]
    alone = EncodedTable(training.table.core.with_columns([j]), Schema((column,), training.table.schema.target))
    recipe = replace(training.recipe, max_depth=1, max_leaf_nodes=None, min_impurity_decrease=0.0)
    stump = replace(training, table=alone, recipe=recipe).grow(rows)
    labels = None if training.classes is None else training.classes.tolist()
    root = Tree(stump, alone.schema, labels, model.criterion).root
    if root.is_leaf or root.test is None:
        return column.name, None, 0.0, np.nan if root.p_value is None else root.p_value
    return column.name, root.test.text, root.gain, np.nan if root.p_value is None else root.p_value


def candidate_curve(model: Any, node: int, column: str, X: Any, y: Any, sample_weight: Any = None) -> pd.DataFrame:
    """Give the gain of every cut of a numeric column on the training rows that come to the node."""
    import pandas as pd

    training, rows = _rows_at(model, node, X, y, sample_weight)
    j = column_index(model.tree_.schema.names, column, "column")
    about: Column = model.tree_.schema.columns[j]
    if about.kind == "nominal":
        raise DataError(
            f"Column '{column}' is nominal, so it has no thresholds. Name one of numbers or ordered levels."
        )
    encoded = model._lookup.encoder.encode(model._rows(X))
    values = _numbers(encoded, j)[rows]
    n_classes = 0 if training.classes is None else len(training.classes)
    criterion = curve_criterion(model.criterion, n_classes > 0)
    found = score_curve(values, training.truth[rows], training.row_weights[rows], n_classes, criterion)
    frame = pd.DataFrame(found)
    frame.attrs["criterion"] = criterion
    return frame


def _numbers(encoded: Any, j: int) -> NDArray[np.float64]:
    if encoded.matrix is not None:
        return np.asarray(encoded.matrix[:, j], dtype=np.float64)
    kind, values, mask = encoded.parts[j]
    holes = values == 0 if kind == "levels" else np.zeros(len(values), bool) if mask is None else mask != 0
    return np.where(holes, np.nan, np.asarray(values, dtype=np.float64))


def _rows_at(model: Any, node: int, X: Any, y: Any, sample_weight: Any) -> tuple[TrainingData, NDArray[np.uint32]]:
    """Encode the rows as fit does, and find those that come to a node."""
    tree = model.tree_
    if not 0 <= node < tree.n_nodes:
        raise DataError(f"There is no node {node}. The tree has the nodes 0 to {tree.n_nodes - 1}.")
    frame = model._rows(X)
    training = model._encode(frame, y, sample_weight)
    ends = model._lookup.find_leaves(frame, thread_count(model.n_jobs))
    after = np.flatnonzero(tree.node_depth[node + 1 :] <= tree.node_depth[node])  # what is under a node follows it
    last = node + 1 + int(after[0]) if len(after) else tree.n_nodes
    here = np.flatnonzero((ends >= node) & (ends < last)).astype(np.uint32)
    rows = np.intersect1d(here, _core.rows_that_count(training.target)).astype(np.uint32)
    if not len(rows):
        raise DataError(f"None of the rows comes to node {node}. Pass the rows that the model was trained on.")
    return training, rows
