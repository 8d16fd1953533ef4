"""The values at which a column is looked at, a table with other cells in one column, and what a model answers to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from treewright.errors import DataError, nearest
from treewright.table.column_kinds import column_kind
from treewright.table.frame import InputFrame, numbers_of, open_frame, to_table
from treewright.table.levels import find_levels
from treewright.table.schema import Level

# A table with the cells of one column taken from other rows: the one way in which effects change a table.


def with_other_cells(table: Any, column: int, rows: NDArray[np.int64]) -> Any:
    """Give the table with the cells that these rows have in a column; everything else, types included, stays as it is.

    Examples
    --------
    >>> import pandas as pd
    >>> with_other_cells(pd.DataFrame({"a": [1, 2], "b": ["x", None]}), 1, np.array([1, 0]))
       a    b
    0  1  NaN
    1  2    x
    """
    if isinstance(table, np.ndarray):
        changed = table.copy()
        changed[:, column] = table[rows, column]
        return changed
    if nw.dependencies.is_pandas_dataframe(table):
        other = table.copy(deep=False)
        other.isetitem(column, table.iloc[:, column].take(rows).array)
        return other
    frame = nw.from_native(table, eager_only=True)
    name = frame.columns[column]
    return frame.with_columns(frame[name][rows.tolist()].alias(name)).to_native()


def open_table(X: Any) -> tuple[Any, InputFrame]:
    """Give X as a table whose cells can be changed, and its columns."""
    table = to_table(X)
    frame = open_frame(table if nw.dependencies.is_into_dataframe(table) else np.asarray(table))
    if frame.n_rows == 0:
        raise DataError("The table has no rows, so there is nothing to learn about its columns. Pass some.")
    return (table if nw.dependencies.is_into_dataframe(table) else np.asarray(table)), frame


def column_number(names: tuple[str, ...], column: Any) -> int:
    """Find a column by its name, or by its place.

    Examples
    --------
    >>> column_number(("age", "job"), "job"), column_number(("age", "job"), 0)
    (1, 0)
    """
    if isinstance(column, int | np.integer) and not isinstance(column, bool) and -len(names) <= column < len(names):
        return int(column) % len(names)
    if isinstance(column, str) and column in names:
        return names.index(column)
    raise DataError(f"The table has no column {column!r}. {nearest(str(column), names)}")


# The values at which a column is looked at. Each is a cell of the table, so that every column keeps its type.


Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Grid:
    """Some values of a column.

    Attributes
    ----------
    name, kind : str
        The column and its kind: "numeric", "nominal" or "ordinal".
    values : tuple
        Ascending numbers (dates as such) or levels in order; None last where the table has missing cells.
    rows : array
        For each value a row that has it.
    shares : array
        The part of the rows that each value stands for: those nearest below it, those with this level, or without any.
    """

    name: str
    kind: str
    values: tuple[Any, ...]
    rows: Rows
    shares: NDArray[np.float64]


def find_grid(
    frame: InputFrame,
    column: int,
    kind: str | None,
    n_points: int,
    max_levels: int,
    known_levels: tuple[Level, ...] = (),
) -> Grid:
    """Give quantiles of a numeric column (all values where there are few), or the most frequent levels of another."""
    series, name = frame.column(column), frame.names[column]
    own_kind, value_type = column_kind(series)
    kind = kind or own_kind
    if kind == "numeric":
        numbers, mask = numbers_of(series, name, value_type if own_kind == "numeric" else "number")
        numbers = np.asarray(numbers, dtype=np.float64)
        missing = np.isnan(numbers) if mask is None else np.asarray(mask, dtype=bool) | np.isnan(numbers)
        places = _quantile_rows(numbers, np.flatnonzero(~missing), n_points)
        sizes = _sizes_up_to(numbers[~missing], numbers[places])
    else:
        codes, levels = find_levels(series)
        if kind == "ordinal":  # in the order of the model, levels that it never saw after them
            order = [*known_levels, *(level for level in levels if level not in known_levels)]
            codes, levels = find_levels(series, order=order)
        missing = np.asarray(codes) == 0
        places, sizes = _level_rows(np.asarray(codes), len(levels), max_levels)
    values = [_plain(series[int(row)]) for row in places]
    if missing.any():
        places, sizes = np.append(places, np.flatnonzero(missing)[0]), np.append(sizes, missing.sum())
        values.append(None)
    if len(values) == 0:
        raise DataError(f"Column '{name}' has no value at all, so answers cannot move with it. Choose another.")
    return Grid(name, kind, tuple(values), places.astype(np.int64), sizes / frame.n_rows)


def _quantile_rows(numbers: NDArray[np.float64], known: Rows, n_points: int) -> Rows:
    """Rows whose numbers are the quantiles 0, 1 / (n − 1), …, 1; each number once."""
    ordered = known[np.argsort(numbers[known], kind="stable")]
    _, first = np.unique(numbers[ordered], return_index=True)
    if len(first) <= n_points:
        return np.asarray(ordered[first])
    places = np.round(np.linspace(0, len(ordered) - 1, n_points)).astype(np.int64)
    _, once = np.unique(numbers[ordered[places]], return_index=True)
    return np.asarray(ordered[places[once]])


def _sizes_up_to(numbers: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """How many numbers lie at each point or below it, above the one before; those above the last are with it."""
    where = np.minimum(np.searchsorted(points, numbers), max(len(points) - 1, 0))
    return np.bincount(where, minlength=len(points)).astype(np.float64)


def _level_rows(codes: NDArray[Any], n_levels: int, max_levels: int) -> tuple[Rows, NDArray[np.float64]]:
    sizes = np.bincount(codes, minlength=n_levels + 1)[1:]
    kept = np.sort(np.argsort(-sizes, kind="stable")[:max_levels])
    kept = kept[sizes[kept] > 0]
    first = [int(np.argmax(codes == code + 1)) for code in kept]
    return np.array(first, dtype=np.int64), sizes[kept].astype(np.float64)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


# What a model of any library answers, as numbers.


Floats = NDArray[np.float64]

RESPONSES = ("predict_proba", "decision_function", "predict")


def answers_of(model: Any, response: str) -> Callable[[Any], Floats]:
    """Give the function that answers tables: rows × numbers (one for each class, or one).

    "auto" is `predict_proba` of a classifier that has it, else `decision_function`; of any other model `predict`.
    """
    if response == "auto":
        response = next((name for name in RESPONSES[:2] if is_classifier(model) and hasattr(model, name)), "predict")
    if response not in RESPONSES:
        raise DataError(f"response has to be 'auto' or one of {', '.join(RESPONSES)}. Got {response!r} instead.")
    if not hasattr(model, response):
        raise DataError(f"{type(model).__name__} has no {response}. Choose another response.")
    if response == "predict" and is_classifier(model):
        raise DataError("The answers of `predict` are classes, which have no mean. Choose response='predict_proba'.")

    def answers(table: Any) -> Floats:
        found = np.asarray(getattr(model, response)(table), dtype=np.float64)
        return found if found.ndim == 2 else found[:, None]

    return answers


def names_of_answers(model: Any, n_numbers: int) -> tuple[Any, ...]:
    """The classes, where there is a number for each of them; else nothing."""
    classes = getattr(model, "classes_", None)
    if classes is None or len(classes) != n_numbers:
        return ()
    return tuple(np.asarray(classes).tolist())
