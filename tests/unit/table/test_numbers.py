"""Columns as numbers: borrowed where they can be, with a mask for holes among integers."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from treewright.errors import DataError
from treewright.table.frame import numbers_of


def column(native: Any) -> nw.Series[Any]:
    return nw.from_native(native, series_only=True)


def test_floats_are_borrowed() -> None:
    values = np.array([1.0, 2.0])
    numbers, mask = numbers_of(column(pl.Series(values)), "x")
    assert mask is None
    series = pd.Series(values)
    assert np.shares_memory(numbers_of(column(series), "x")[0], series.to_numpy())
    assert numbers.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    "native",
    [
        pd.Series([1, None, 3], dtype="Int64"),
        pd.Series([1, None, 3], dtype="int64[pyarrow]"),
        pl.Series([1, None, 3]),
        pa.chunked_array([[1, None], [3]]),
    ],
    ids=["nullable", "arrow-backed", "polars", "arrow"],
)
def test_integers_with_holes_stay_integers(native: Any) -> None:
    numbers, mask = numbers_of(column(native), "x")
    assert numbers.dtype.kind == "i"
    assert mask is not None
    assert mask.tolist() == [0, 1, 0]
    assert numbers[mask == 0].tolist() == [1, 3]


@pytest.mark.parametrize(
    "native",
    [
        pd.Series(["1.5", None, " 3 "]),
        pd.Series([Decimal("1.5"), None, 3], dtype=object),
        pl.Series([Decimal("1.5"), None, Decimal(3)]),
        pa.chunked_array([[Decimal("1.5"), None, Decimal("3.0")]]),
        pd.Series(pd.Categorical([1.5, None, 3.0])),
        pl.Series(["1.5", None, "3"], dtype=pl.Categorical),
    ],
    ids=["text", "objects", "polars decimal", "arrow decimal", "categories", "polars categories"],
)
def test_what_can_be_read_as_numbers_is(native: Any) -> None:
    numbers, mask = numbers_of(column(native), "x")
    assert mask is None
    assert np.array_equal(numbers, [1.5, np.nan, 3.0], equal_nan=True)


def test_truth_values_are_zero_and_one() -> None:
    assert np.array_equal(numbers_of(column(pl.Series([True, None, False])), "x")[0], [1, np.nan, 0], equal_nan=True)


def test_a_column_of_no_type_is_missing() -> None:
    assert np.isnan(numbers_of(column(pl.Series([None, None])), "x")[0]).all()
    assert np.isnan(numbers_of(column(pa.chunked_array([pa.nulls(2)])), "x", "date")[0]).all()


def test_what_is_no_number_is_named() -> None:
    with pytest.raises(DataError, match=r"Column 'x' is numeric, but row 2 holds 'two'\. Make it a number"):
        numbers_of(column(pd.Series(["1", "two"])), "x")
    with pytest.raises(DataError, match="holds values of type Datetime"):
        numbers_of(column(pd.Series(pd.to_datetime(["2024-01-01"]))), "x")


DAYS = [dt.date(1970, 1, 3), None, dt.date(1969, 12, 31)]


@pytest.mark.parametrize(
    "native",
    [
        pd.Series(DAYS, dtype=object),
        pd.Series(pd.to_datetime(["1970-01-03", None, "1969-12-31"])),
        pd.Series(pd.to_datetime(["1970-01-03 17:00", None, "1969-12-31 23:59"])),
        pd.Series(["1970-01-03", None, "1969-12-31"]),
        pl.Series(DAYS),
        pa.chunked_array([DAYS]),
    ],
    ids=["objects", "pandas", "with a time", "text", "polars", "arrow"],
)
def test_dates_are_days(native: Any) -> None:
    assert np.array_equal(numbers_of(column(native), "day", "date")[0], [2, np.nan, -1], equal_nan=True)


@pytest.mark.parametrize(
    "native",
    [
        pd.Series([dt.time(0, 0, 1), None], dtype=object),
        pl.Series([dt.time(0, 0, 1), None]),
        pa.chunked_array([[dt.time(0, 0, 1), None]]),
        pd.Series(["00:00:01", None]),
        pd.Series([dt.timedelta(seconds=1), None]),
        pl.Series([dt.timedelta(seconds=1), None]),
        pd.Series([dt.timedelta(seconds=1), None], dtype=object),
    ],
    ids=["objects", "polars", "arrow", "text", "duration", "polars duration", "duration objects"],
)
def test_times_are_microseconds(native: Any) -> None:
    assert np.array_equal(numbers_of(column(native), "t", "time")[0], [1e6, np.nan], equal_nan=True)


@pytest.mark.parametrize(
    ("value_type", "value"),
    [("date", "soon"), ("datetime", 17), ("time", "noon"), ("duration", 3)],
)
def test_what_is_no_date_or_time_is_named(value_type: str, value: Any) -> None:
    with pytest.raises(DataError, match=f"Column 't' holds .* in the model, but row 1 holds {value!r}"):
        numbers_of(column(pd.Series([value])), "t", value_type)
