"""Grow a tree with the engine from an oracle's table, and lay the two trees side by side."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.reference.cart import Recipe
from treewright.reference.growing import Node
from treewright.reference.table import Column, Table

CLOSE = 1e-9


def level_name(code: float) -> str:
    """The text of a level: code 1 is 'a'.

    >>> level_name(3)
    'c'
    """
    return chr(ord("a") + int(code) - 1)


def frame_column(column: Column) -> pd.Series:
    """The column as a user would hold it."""
    if column.kind == "numeric":
        return pd.Series([np.nan if value is None else value for value in column.values], dtype="float64")
    names = [None if value is None else level_name(value) for value in column.values]
    seen = sorted({name for name in names if name is not None})
    return pd.Series(pd.Categorical(names, categories=seen, ordered=column.kind == "ordinal"))


def frame_of(table: Table) -> pd.DataFrame:
    """The columns of an oracle table as a data frame with columns x0, x1, ..."""
    return pd.DataFrame({f"x{i}": frame_column(column) for i, column in enumerate(table.columns)})


def grow_with_engine(table: Table, recipe: Recipe, **more: Any) -> Any:
    """Fit the engine's estimator with the same numbers as the oracle."""
    estimator = tw.DecisionTreeClassifier if table.n_classes else tw.DecisionTreeRegressor
    kinds = {f"x{i}": column.kind for i, column in enumerate(table.columns)}
    numbers = asdict(recipe)
    if table.n_classes:
        del numbers["min_variance_share"]  # classes have no variance
    model = estimator(**numbers, column_kinds=kinds, n_jobs=1, **more)
    return model.fit(frame_of(table), np.array(table.target), sample_weight=np.array(table.weights, dtype="float64"))


def engine_tests(model: Any) -> list[dict[str, Any]]:
    """What each node of the engine's tree asks and where it sends missing rows, in preorder."""
    a = model.tree_.arrays
    return [
        {
            "branches": int(a["n_children"][i]),
            "column": int(a["column"][i]),
            "threshold": None if np.isnan(a["threshold"][i]) else float(a["threshold"][i]),
            "levels": {int(a["level"][j]): int(a["level_branch"][j]) for j in range(*a["level_start"][i : i + 2])},
            "missing_branch": int(a["missing_branch"][i]) if a["n_children"][i] else None,
            "n_rows": int(a["n_rows"][i]),
        }
        for i in range(len(a["n_children"]))
    ]


def oracle_tests(nodes: list[Node]) -> list[dict[str, Any]]:
    """The same of the oracle's tree."""
    found = []
    for node in nodes:
        split = node.split
        found.append(
            {
                "branches": len(node.children),
                "column": split.column if split else -1,
                "threshold": split.cuts[0] if split and split.cuts else None,
                "levels": dict(split.levels) if split else {},
                "missing_branch": split.missing if split else None,
                "n_rows": len(node.rows),
            }
        )
    return found


def class_weights(table: Table, node: Node) -> dict[int, float]:
    """The weight of each class at an oracle's node."""
    present = sorted({table.target[row] for row in node.rows})
    return {k: float(sum(table.weights[r] for r in node.rows if table.target[r] == k)) for k in present}


def assert_same_tree(model: Any, table: Table, nodes: list[Node]) -> None:
    """Same shape, same tests, same rows, weights, counts and answers at every node."""
    assert engine_tests(model) == oracle_tests(nodes)
    a = model.tree_.arrays
    assert list(a["weight"]) == [node.weight for node in nodes]
    assert list(a["impurity"]) == pytest.approx([float(node.impurity) for node in nodes], rel=CLOSE, abs=CLOSE)
    assert list(a["gain"]) == pytest.approx([float(node.gain) for node in nodes], rel=CLOSE, abs=CLOSE)
    if not table.n_classes:
        assert list(a["value"]) == pytest.approx([float(node.answer) for node in nodes], rel=CLOSE, abs=CLOSE)
        return
    assert list(a["prediction"]) == [node.answer for node in nodes]
    for i, node in enumerate(nodes):
        at = slice(*a["count_start"][i : i + 2])
        weights = dict(zip(a["count_class"][at].tolist(), a["count_weight"][at].tolist(), strict=True))
        assert weights == class_weights(table, node)
