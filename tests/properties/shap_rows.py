"""Rows and trees as the oracle of SHAP values reads them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracle.shap import StoredTree, expected_value, shapley_values
from treewright.table.frame import open_frame


def coded_rows(model: Any, frame: Any) -> list[list[float]]:
    """A number or a level code for every cell, NaN where there is none."""
    rows = model._lookup.encode(open_frame(frame))
    if rows.matrix is not None:
        return [[float(x) for x in row] for row in rows.matrix]
    columns = []
    for kind, values, mask in rows.parts:
        numbers = [float(x) for x in values]
        holes = [x == 0 for x in values] if kind == "levels" else [] if mask is None else [bool(hole) for hole in mask]
        columns.append(
            [math.nan if hole else x for x, hole in zip(numbers, holes or [False] * len(values), strict=True)]
        )
    return [list(row) for row in zip(*columns, strict=True)]


def by_definition(
    trees: list[tuple[Any, NDArray[np.float64]]], rows: list[list[float]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The values of all rows (rows × columns × numbers) and the expected answer, added up over trees."""
    stored = [StoredTree(core.arrays(), answers.tolist()) for core, answers in trees]
    n_columns = trees[0][0].n_columns
    values = [sum(np.array(shapley_values(tree, row, n_columns)) for tree in stored) for row in rows]
    expected = sum(np.array(expected_value(tree, rows[0])) for tree in stored)
    return np.array(values), np.array(expected)
