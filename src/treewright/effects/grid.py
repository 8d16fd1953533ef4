"""The values at which a column is looked at. Each is a cell of the table, so that every column keeps its type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.encode.column_kinds import column_kind
from treewright.encode.input_frame import InputFrame
from treewright.encode.levels import find_levels
from treewright.encode.numbers import numbers_of
from treewright.errors import DataError

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


def find_grid(frame: InputFrame, column: int, kind: str | None, n_points: int, max_levels: int) -> Grid:
    """Give quantiles of a numeric column (all values where there are few), or the most frequent levels of another."""
    series, name = frame.column(column), frame.names[column]
    own_kind, face = column_kind(series)
    kind = kind or own_kind
    if kind == "numeric":
        numbers, mask = numbers_of(series, name, face if own_kind == "numeric" else "number")
        numbers = np.asarray(numbers, dtype=np.float64)
        missing = np.isnan(numbers) if mask is None else np.asarray(mask, dtype=bool) | np.isnan(numbers)
        places = _quantile_rows(numbers, np.flatnonzero(~missing), n_points)
        sizes = _sizes_up_to(numbers[~missing], numbers[places])
    else:
        codes, levels = find_levels(series, ordered=kind == "ordinal")
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
