"""The rows that a model of neighbours keeps, as arrays of a model file and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.learners.base.design_matrix import Columns
from treewright.table.schema import Schema


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
    >>> check_rows(Schema(()), None, {})
    Traceback (most recent call last):
    ValueError: it has no rows
    """
    n_rows = fitted.get("n_samples_fit_")
    if not isinstance(n_rows, int) or n_rows < 1 or "fit_target_" not in fitted:
        raise ValueError("it has no rows")
    _check_table(schema, n_rows, fitted)
    _check_target(n_rows, classes, fitted["fit_target_"])
    rows = fitted.get("fit_rows_")
    if rows is not None and not _are_row_numbers(rows, n_rows):
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
    k, curve = fitted.get("n_neighbors_"), fitted.get("cv_curve_")
    if not isinstance(k, int) or not 1 <= k <= total:
        raise ValueError("it has fewer rows than neighbours")
    if curve is not None and (curve.ndim != 1 or curve.dtype != np.float64):
        raise ValueError("its curve of errors is no list of numbers")


def _are_row_numbers(rows: NDArray[Any], n_rows: int) -> bool:
    """Whether they are different numbers of rows; the rows stand in the order of their content."""
    fits = rows.shape == (n_rows,) and rows.dtype == np.int64
    return fits and bool((np.diff(np.sort(rows), prepend=-1) > 0).all())


def _check_weights(n_rows: int, weights: NDArray[Any] | None) -> float:
    """The weight of all rows."""
    if weights is None:
        return float(n_rows)
    fits = weights.shape == (n_rows,) and weights.dtype == np.float64
    if not fits or not np.isfinite(weights).all() or not (weights > 0).all():
        raise ValueError("its weights do not fit its rows")
    return float(weights.sum())


def _check_table(schema: Schema, n_rows: int, fitted: dict[str, Any]) -> None:
    numbers, codes = fitted.get("fit_numbers_"), fitted.get("fit_codes_")
    levels = [len(column.levels) for column in schema.columns if column.kind != "numeric"]
    if numbers is None or numbers.shape != (n_rows, len(schema.columns) - len(levels)) or numbers.dtype != np.float64:
        raise ValueError("its numbers do not fit its columns")
    if np.isinf(numbers).any():
        raise ValueError("one of its numbers is infinite")
    if codes is None or codes.shape != (n_rows, len(levels)) or codes.dtype != np.int32:
        raise ValueError("its levels do not fit its columns")
    if codes.size and ((codes < 0).any() or (codes.max(axis=0) > np.array(levels)).any()):
        raise ValueError("one of its levels is none of its column")


def _check_target(n_rows: int, classes: NDArray[Any] | None, target: NDArray[Any]) -> None:
    wanted = np.float64 if classes is None else np.int32
    if target.shape != (n_rows,) or target.dtype != wanted or not np.isfinite(target).all():
        raise ValueError("its target does not fit its rows")
    if classes is not None and (target.min() < 0 or target.max() >= len(classes)):
        raise ValueError("one of its rows has a class that it does not know")
