"""Dates and times as numbers: days, or microseconds, whatever kind of frame and whichever type they come in."""

from __future__ import annotations

import datetime
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError

_DAY = 86_400_000_000  # microseconds
_WORDS = {"date": "dates", "datetime": "dates with a time", "time": "times", "duration": "lengths of time"}


def moments_of(series: nw.Series[Any], name: str, face: str) -> NDArray[np.float64]:
    """Give the dates or times of a column as numbers, NaN where there is none.

    A zone is taken into account: what counts is the moment in UTC. Text that is a date is read as one.

    Examples
    --------
    >>> import pandas as pd
    >>> moments_of(nw.from_native(pd.Series(["1970-01-02", None]), series_only=True), "day", "date")
    array([ 1., nan])
    """
    if face in ("time", "duration"):
        return _times(series, name)
    if series.dtype not in (nw.Date, nw.Datetime):
        series = _read_dates(series, name, face)
    moments = _floats(series.dt.timestamp("us"))
    return np.floor(moments / _DAY) if face == "date" else moments


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


def _read_dates(series: nw.Series[Any], name: str, face: str) -> nw.Series[Any]:
    import pandas as pd

    values = pd.Series(series.to_list(), dtype=object)
    # Bare numbers would be read as nanoseconds, which nobody means.
    is_number = np.array([isinstance(value, int | float | np.number) for value in values], dtype=bool)
    moments = pd.to_datetime(values.mask(is_number), errors="coerce", utc=True, format="ISO8601")
    wrong = np.flatnonzero(moments.isna().to_numpy() & values.notna().to_numpy())
    if len(wrong):
        raise DataError(_refusal(name, face, int(wrong[0]), values.iloc[int(wrong[0])]))
    return nw.from_native(moments, series_only=True)


def _refusal(name: str, face: str, row: int, value: Any) -> str:
    value = value.item() if isinstance(value, np.generic) else value
    return (
        f"Column '{name}' holds {_WORDS[face]} in the model, but row {row + 1} holds {value!r}. "
        "Turn the column into dates or times, or leave the cell empty."
    )


def _floats(series: nw.Series[Any]) -> NDArray[np.float64]:
    """Whole numbers with holes as floats; microseconds stay exact until the year 2255."""
    return np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)
