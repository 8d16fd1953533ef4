"""A column as numbers in memory; dates and times become days or microseconds."""

from __future__ import annotations

import datetime
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.table.frame import to_native_numbers

# Dates and times as numbers: days, or microseconds, whatever kind of frame and whichever type they come in.


_DAY = 86_400_000_000  # microseconds
_WORDS = {"date": "dates", "datetime": "dates with a time", "time": "times", "duration": "lengths of time"}


def moments_of(series: nw.Series[Any], name: str, value_type: str) -> NDArray[np.float64]:
    """Give the dates or times of a column as numbers, NaN where there is none.

    A zone is taken into account: what counts is the moment in UTC. Text that is a date is read as one.

    Examples
    --------
    >>> import pandas as pd
    >>> moments_of(nw.from_native(pd.Series(["1970-01-02", None]), series_only=True), "day", "date")
    array([ 1., nan])
    """
    if value_type in ("time", "duration"):
        return _times(series, name)
    if series.dtype not in (nw.Date, nw.Datetime):
        series = _read_dates(series, name, value_type)
    moments = _floats(series.dt.timestamp("us"))
    return np.floor(moments / _DAY) if value_type == "date" else moments


def _times(series: nw.Series[Any], name: str) -> NDArray[np.float64]:
    """Times of day, since midnight; lengths of time as they are."""
    if series.dtype == nw.Duration:
        return _floats(series.dt.total_microseconds())
    times = np.full(len(series), np.nan)
    for row in np.flatnonzero(~series.is_null().to_numpy().astype(bool)).tolist():
        times[row] = _microseconds(series[row], name, row)
    return times


def _microseconds(value: Any, name: str, row: int) -> float:
    try:
        if isinstance(value, str):
            value = datetime.time.fromisoformat(value.strip())
        if isinstance(value, datetime.timedelta):
            return value / datetime.timedelta(microseconds=1)
        return float(((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond)
    except (ValueError, AttributeError):
        raise DataError(_refusal(name, "time", row, value)) from None


def _read_dates(series: nw.Series[Any], name: str, value_type: str) -> nw.Series[Any]:
    import pandas as pd

    values = pd.Series(series.to_list(), dtype=object)
    # Bare numbers would be read as nanoseconds, which nobody means.
    is_number = np.array([isinstance(value, int | float | np.number) for value in values], dtype=bool)
    moments = pd.to_datetime(values.mask(is_number), errors="coerce", utc=True, format="ISO8601")
    wrong = np.flatnonzero(moments.isna().to_numpy() & values.notna().to_numpy())
    if len(wrong):
        raise DataError(_refusal(name, value_type, int(wrong[0]), values.iloc[int(wrong[0])]))
    return nw.from_native(moments, series_only=True)


def _refusal(name: str, value_type: str, row: int, value: Any) -> str:
    value = value.item() if isinstance(value, np.generic) else value
    return (
        f"Column '{name}' holds {_WORDS[value_type]} in the model, but row {row + 1} holds {value!r}. "
        "Turn the column into dates or times, or leave the cell empty."
    )


def _floats(series: nw.Series[Any]) -> NDArray[np.float64]:
    """Whole numbers with holes as floats; microseconds stay exact until the year 2255."""
    return np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)


# A column as numbers in memory: the array itself where it can be borrowed, with a mask where integers have holes.


Numbers = tuple[NDArray[Any], NDArray[np.uint8] | None]


def numbers_of(series: nw.Series[Any], name: str, value_type: str = "number") -> Numbers:
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
    if value_type != "number":
        return moments_of(series, name, value_type), None
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
