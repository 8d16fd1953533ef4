"""Kinds of columns, guessed from their types."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw


def column_kind(series: nw.Series[Any]) -> tuple[str, str]:
    """The kind and face of a column, by its type alone."""
    dtype = series.dtype
    if dtype == nw.Boolean:
        return "nominal", "boolean"
    if dtype.is_numeric():
        return "numeric", "number"
    if dtype == nw.Date:
        return "numeric", "date"
    if dtype == nw.Datetime:
        return "numeric", "datetime"
    if dtype == nw.Duration:
        return "numeric", "duration"
    if dtype == nw.Time:
        return "numeric", "time"
    native = series.to_native()
    if getattr(getattr(native, "dtype", None), "ordered", False):
        return "ordinal", "text"
    return "nominal", "text"
