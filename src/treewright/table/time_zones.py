"""Dates with a zone are moments, dates without one what a clock shows: a model takes those that it has learnt."""

from __future__ import annotations

import datetime
import re
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from treewright.errors import DataError
from treewright.wording import on_command_line

_ZONE_OF_TEXT = re.compile(r"\d:\d\d(:\d\d([.,]\d+)?)? *(Z|[+-]\d\d(:?\d\d)?)$")


def in_utc(column: nw.Series[Any]) -> nw.Series[Any]:
    """Give moments as they are in UTC: a moment is the same in every zone. Other columns stay as they are.

    Examples
    --------
    >>> import pandas as pd
    >>> noon = nw.from_native(pd.Series(pd.to_datetime(["2024-01-02 12:00+02:00"])), series_only=True)
    >>> str(in_utc(noon).to_list()[0])
    '2024-01-02 10:00:00+00:00'
    """
    native: Any = column.to_native()
    if nw.dependencies.is_pandas_series(native):  # narwhals does not know some zones of pandas
        arrow_type = getattr(native.dtype, "pyarrow_dtype", None)
        zoned = getattr(native.dtype if arrow_type is None else arrow_type, "tz", None) is not None
        return nw.from_native(native.dt.tz_convert("UTC"), series_only=True) if zoned else column
    zone = column.dtype.time_zone if isinstance(column.dtype, nw.Datetime) else None
    return column if zone is None else column.dt.convert_time_zone("UTC")


def have_zone(series: nw.Series[Any]) -> bool | None:
    """Tell whether the dates of a column have a zone; None where none of them tells, such as text without one.

    Examples
    --------
    >>> import pandas as pd
    >>> have_zone(nw.from_native(pd.Series(["2024-01-02 10:00+02:00"]), series_only=True))
    True
    """
    if series.is_null().all():
        return None
    if isinstance(series.dtype, nw.Datetime):
        return series.dtype.time_zone is not None
    if series.dtype == nw.Date:
        return False
    known = [value for value in series.to_list() if value is not None]
    if any(isinstance(value, str) and _ZONE_OF_TEXT.search(value.strip()) for value in known):
        return True
    dates = [value for value in known if isinstance(value, datetime.date | np.datetime64)]
    return any(getattr(value, "tzinfo", None) is not None for value in dates) if dates else None


def refuse_other_clock(series: nw.Series[Any], name: str, zoned: bool | None) -> None:
    """Refuse dates with a zone where the model has learnt from dates without one, and the other way round.

    What the clock on the wall shows and a moment in UTC differ by hours that nobody can tell.
    """
    here = None if zoned is None else have_zone(series)
    if here is None or here == zoned:
        return
    if zoned:
        example = "2024-01-02T10:00+01:00" if on_command_line() else f"X['{name}'].dt.tz_localize('Europe/Vienna')"
        raise DataError(
            f"Column '{name}' holds dates with a time zone in the model, but without one here. Say which zone they are "
            f"in, for instance {example}."
        )
    code = f"X['{name}'].dt.tz_convert('Europe/Vienna').dt.tz_localize(None)"
    example = "2024-01-02T10:00 for 2024-01-02T09:00Z in Vienna" if on_command_line() else code
    raise DataError(
        f"Column '{name}' holds dates without a time zone in the model, but with one here. Turn them into what the "
        f"clock showed where the training table was made, for instance {example}."
    )
