"""Columns of a pandas frame that can be learnt from as they lie there: numbers of numpy, and categories of text.

Any frame is asked through narwhals what its columns are. That takes longer than to grow a tree from a small table, and
the common types leave no question open. The answers are the same (`tests/properties/test_plain_columns.py`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.table.column_remarks import FIRST, MOSTLY
from treewright.table.frame import InputFrame, to_native_numbers
from treewright.table.levels import shifted_codes, sorted_levels
from treewright.table.ordinary_columns import are_plain_whole_numbers, codes_are_ordinary
from treewright.table.pandas_columns import PandasColumns
from treewright.table.schema import Level
from treewright.table.value_range import range_of


@dataclass(frozen=True, slots=True)
class LearntColumn:
    """A column as it is learnt from: its numbers with the mask of its holes, or its codes with their levels."""

    kind: str
    value_type: str
    values: NDArray[Any]
    beside: NDArray[np.uint8] | tuple[Level, ...] | None
    range: tuple[float, float] | None = None
    zoned: bool | None = None
    ordinary: bool = False  # it surely deserves no remark

    @property
    def has_holes(self) -> bool:
        """Whether some row has no value."""
        if self.kind != "numeric":
            return bool(len(self.values) and self.values.min() == 0)
        if self.beside is not None:
            return bool(np.any(self.beside))
        return self.values.dtype.kind == "f" and bool(np.isnan(self.values).any())


def plain_column(frame: InputFrame, j: int) -> LearntColumn | None:
    """Give a column of a pandas frame by the short way; None where it has to be asked through narwhals.

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright.table.frame import open_frame
    >>> frame = open_frame(pd.DataFrame({"age": [20, 30, 20], "job": ["cook", None, "king"]}))
    >>> plain_column(frame, 0).range, plain_column(frame, 1)
    ((20.0, 30.0), None)
    """
    if not isinstance(frame.columns, PandasColumns):
        return None
    native = frame.columns.natives[j]
    dtype = native.dtype
    if isinstance(dtype, np.dtype):
        return _plain_numbers(native.to_numpy()) if dtype.kind in "fiu" and dtype.isnative else None
    categories: Any = getattr(dtype, "categories", None)
    if getattr(categories, "inferred_type", None) == "string" and not dtype.ordered and hasattr(native.array, "codes"):
        return _plain_levels(native.array.codes, categories.tolist())
    return None


def _plain_numbers(cells: NDArray[Any]) -> LearntColumn | None:
    values = to_native_numbers(cells)
    if not len(values):
        return None
    if values.dtype.kind == "f":
        return _plain_floats(values)
    low, high = values.min(), values.max()
    first = values[:FIRST]
    ordinary = bool(low != high) and are_plain_whole_numbers(first)
    return LearntColumn("numeric", "number", values, None, (float(low), float(high)), None, ordinary)


def _plain_floats(values: NDArray[Any]) -> LearntColumn | None:
    low, high = float(np.fmin.reduce(values)), float(np.fmax.reduce(values))
    if not (math.isfinite(low) and math.isfinite(high)):
        found = range_of(values, None)  # infinite numbers among them, or nothing but holes
        return LearntColumn("numeric", "number", values, None, found)
    first = values[:FIRST]
    differ = low != high and (len(first) == len(values) or bool(np.fmin.reduce(first) < np.fmax.reduce(first)))
    n_missing = int(np.count_nonzero(np.isnan(values)))
    ordinary = differ and n_missing <= MOSTLY * len(values)
    return LearntColumn("numeric", "number", values, None, (low + 0.0, high + 0.0), None, ordinary)


def _plain_levels(numbers: NDArray[Any], texts: list[Any]) -> LearntColumn:
    codes, levels = sorted_levels(shifted_codes(numbers), texts)
    return LearntColumn("nominal", "text", codes, levels, ordinary=codes_are_ordinary(codes))
