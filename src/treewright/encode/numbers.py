"""A column as numbers in memory: the array itself where it can be borrowed, with a mask where integers have holes."""

from __future__ import annotations

import datetime
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

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
    if face in ("date", "datetime", "time", "duration"):
        return _moments(series, face)
    if series.dtype.is_numeric():
        return _plain(series)
    if series.dtype == nw.Boolean:
        return _plain(series.cast(nw.Float64))
    return _from_text(series, name), None


def _plain(series: nw.Series[Any]) -> Numbers:
    if series.dtype == nw.Decimal:
        series = series.cast(nw.Float64)
    if not series.dtype.is_float() and series.is_null().any():
        mask = np.ascontiguousarray(series.is_null().to_numpy(), dtype=np.uint8)
        return _native(series.fill_null(0).to_numpy()), mask
    return _native(series.to_numpy()), None


def _native(array: NDArray[Any]) -> NDArray[Any]:
    if array.dtype.kind not in "fiub" or array.dtype.itemsize > 8:
        return np.asarray(array, dtype=np.float64)
    if array.dtype == np.float16:
        return array.astype(np.float32)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _moments(series: nw.Series[Any], face: str) -> Numbers:
    array = series.to_numpy()
    if face == "time":
        return np.array([_time_number(value) for value in array], dtype=np.float64), None
    if array.dtype.kind not in "mM":
        array = np.array([_without_zone(value) for value in array], dtype="datetime64[us]")
    unit = "m8[us]" if array.dtype.kind == "m" else "M8[D]" if face == "date" else "M8[us]"
    mask = np.isnat(array)
    numbers = array.astype(unit).astype(np.int64)
    return numbers, np.ascontiguousarray(mask, dtype=np.uint8) if mask.any() else None


def _time_number(value: Any) -> float:
    if not isinstance(value, datetime.time):
        return float("nan")
    seconds = (value.hour * 60 + value.minute) * 60 + value.second
    return float(seconds * 1_000_000 + value.microsecond)


def _without_zone(value: Any) -> Any:
    if value is None or value != value:
        return np.datetime64("NaT")
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        value = value.astimezone(datetime.UTC).replace(tzinfo=None)
    return np.datetime64(value, "us")


def _from_text(series: nw.Series[Any], name: str) -> NDArray[Any]:
    import pandas as pd

    values = pd.Series(series.to_numpy(), dtype=object)
    numbers = pd.to_numeric(values, errors="coerce")
    wrong = numbers.isna() & values.notna()
    if wrong.any():
        row = int(np.flatnonzero(wrong.to_numpy())[0])
        raise DataError(
            f"Column '{name}' is numeric, but row {row + 1} holds {values.iloc[row]!r}. "
            f"Make it a number or leave it empty, or declare the column with column_kinds={{'{name}': 'nominal'}}."
        )
    return np.asarray(numbers, dtype=np.float64)
