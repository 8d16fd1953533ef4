"""A column as numbers in memory: the array itself where it can be borrowed, with a mask where integers have holes."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from treewright.encode.input_frame import to_native_numbers
from treewright.encode.moments import moments_of
from treewright.errors import DataError

Numbers = tuple[NDArray[Any], NDArray[np.uint8] | None]


def numbers_of(series: nw.Series[Any], name: str, face: str = "number") -> Numbers:
    """Give a numeric column's values and, where NaN cannot say it, which of them are missing.

    Dates become days, date-times microseconds since 1970-01-01, times microseconds since midnight.

    Examples
    --------
    >>> import pandas as pd
    >>> numbers_of(nw.from_native(pd.Series([1.5, None]), series_only=True), "x")
    (array([1.5, nan]), None)
    """
    dtype = series.dtype
    if dtype == nw.Unknown and series.is_null().all():  # a column of nothing but holes has no type
        return np.full(len(series), np.nan), None
    if face != "number":
        return moments_of(series, name, face), None
    if dtype == nw.Boolean or dtype == nw.Decimal:
        return _plain(series.cast(nw.Float64))
    if dtype.is_numeric():
        return _plain(series)
    if dtype.is_temporal():
        raise DataError(
            f"Column '{name}' is numeric in the model, but holds values of type {dtype} here. "
            "Give it the numbers that it was trained on."
        )
    return _from_values(series, name), None


def _plain(series: nw.Series[Any]) -> Numbers:
    if not series.dtype.is_float() and series.is_null().any():
        mask = np.ascontiguousarray(series.is_null().to_numpy(), dtype=np.uint8)
        return to_native_numbers(series.fill_null(0).to_numpy()), mask
    return to_native_numbers(series.to_numpy()), None


def _from_values(series: nw.Series[Any], name: str) -> NDArray[np.float64]:
    """Text and Python objects, read one by one."""
    import pandas as pd

    values = pd.Series(series.to_list(), dtype=object)
    numbers = pd.to_numeric(values, errors="coerce")
    wrong = numbers.isna() & values.notna()
    if wrong.any():
        row = int(np.flatnonzero(wrong.to_numpy())[0])
        raise DataError(
            f"Column '{name}' is numeric, but row {row + 1} holds {values.iloc[row]!r}. Make it a number or leave it "
            f"empty, or train with column_kinds={{'{name}': 'nominal'}}."
        )
    return np.asarray(numbers, dtype=np.float64)
