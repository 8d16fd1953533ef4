"""The rows that a model of neighbours keeps, as arrays of a model file and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.learners.base.design_matrix import Columns
from treewright.learners.base.learnt import LearntArray, reals, wholes
from treewright.table.schema import Schema

ROWS_KEPT: dict[str, LearntArray] = {
    "fit_numbers_": reals("rows", "numeric columns", unknown=True),
    "fit_codes_": wholes("rows", "levelled columns", dtype="i4", lowest=0),
    "fit_target_": LearntArray("f8|i4", ("rows",)),
    "fit_weights_": reals("rows", lowest=0.0, needed=False),
}


def stored_columns(schema: Schema, fitted: dict[str, Any]) -> Columns:
    """The rows as they were learnt.

    Examples
    --------
    >>> from treewright.table.schema import Column
    >>> kept = {"fit_numbers_": np.ones((2, 1)), "fit_codes_": np.empty((2, 0), dtype=np.int32)}
    >>> stored_columns(Schema((Column("age", "numeric"),)), kept).n_rows
    2
    """
    numeric = tuple(j for j, column in enumerate(schema.columns) if column.kind == "numeric")
    levelled = tuple(j for j, column in enumerate(schema.columns) if column.kind != "numeric")
    return Columns(schema, fitted["fit_numbers_"], fitted["fit_codes_"], numeric, levelled)


def check_rows(schema: Schema, classes: NDArray[Any] | None, fitted: dict[str, Any]) -> float:
    """Refuse with a ValueError rows that were not learnt from such a table; give their weight.

    Examples
    --------
    >>> check_rows(Schema(()), None, {"n_samples_fit_": 1, "fit_target_": np.zeros(0)})
    Traceback (most recent call last):
    ValueError: it has no rows
    """
    n_rows = fitted.get("n_samples_fit_")
    if n_rows is None or len(fitted["fit_target_"]) != n_rows:
        raise ValueError("it has no rows")
    _check_levels(schema, fitted)
    _check_target(classes, fitted["fit_target_"])
    rows = fitted.get("fit_rows_")
    if rows is not None and not _are_row_numbers(rows):
        raise ValueError("the numbers of its rows do not fit its rows")
    return _check_weights(n_rows, fitted.get("fit_weights_"))


def check_neighbours(fitted: dict[str, Any], total: float) -> None:
    """Refuse with a ValueError more neighbours than rows of so much weight have.

    Examples
    --------
    >>> check_neighbours({"n_neighbors_": 3}, 2.0)
    Traceback (most recent call last):
    ValueError: it has fewer rows than neighbours
    """
    k = fitted["n_neighbors_"]
    if not 1 <= k <= total:
        raise ValueError("it has fewer rows than neighbours")
    if "cv_curve_" in fitted and not len(fitted["cv_curve_"]):
        raise ValueError("its curve of errors is empty")


def _are_row_numbers(rows: NDArray[Any]) -> bool:
    """Whether they are different numbers of rows; the rows stand in the order of their content."""
    return bool((np.diff(np.sort(rows), prepend=-1) > 0).all())


def _check_weights(n_rows: int, weights: NDArray[Any] | None) -> float:
    """The weight of all rows."""
    if weights is None:
        return float(n_rows)
    if not (weights > 0).all() or not np.isfinite(weights.sum()):
        raise ValueError("its weights do not fit its rows")
    return float(weights.sum())


def _check_levels(schema: Schema, fitted: dict[str, Any]) -> None:
    codes = fitted["fit_codes_"]
    levels = [len(column.levels) for column in schema.columns if column.kind != "numeric"]
    if codes.size and (codes.max(axis=0) > np.array(levels)).any():
        raise ValueError("one of its levels is none of its column")


def _check_target(classes: NDArray[Any] | None, target: NDArray[Any]) -> None:
    if target.dtype != (np.float64 if classes is None else np.int32):
        raise ValueError("its target does not fit its rows")
    if classes is not None and (target.min() < 0 or target.max() >= len(classes)):
        raise ValueError("one of its rows has a class that it does not know")
