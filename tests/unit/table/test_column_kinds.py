"""The kind of a column is told by its type, and what is odd about its values is remarked."""

import datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from treewright.errors import DataError
from treewright.table.column_kinds import ColumnReport, column_kind, guess_kinds

DAY, MOMENT, TIME = datetime.date(2024, 1, 2), datetime.datetime(2024, 1, 2, 10), datetime.time(10)
SPAN = datetime.timedelta(hours=2)


@pytest.mark.parametrize("make", [pd.Series, pl.Series, lambda values: pa.chunked_array([values])])
@pytest.mark.parametrize(
    ("values", "kind", "value_type"),
    [
        ([1, 2], "numeric", "number"),
        ([1.5, None], "numeric", "number"),
        ([True, False], "nominal", "boolean"),
        (["a", None], "nominal", "text"),
        ([DAY, None], "numeric", "date"),
        ([MOMENT, None], "numeric", "datetime"),
        ([TIME, None], "numeric", "time"),
        ([SPAN, None], "numeric", "duration"),
        ([Decimal("1.5"), None], "numeric", "number"),
    ],
)
def test_the_kind_is_the_same_in_every_library(make: Any, values: list[Any], kind: str, value_type: str) -> None:
    assert column_kind(make(values)) == (kind, value_type)


def test_moments_that_are_all_at_midnight_are_days() -> None:
    assert column_kind(pd.Series(pd.to_datetime(["2024-01-02", None]))) == ("numeric", "date")
    assert column_kind(pl.Series([datetime.datetime(2024, 1, 2)])) == ("numeric", "date")


def test_ordered_categories_are_ordinal_and_others_nominal() -> None:
    assert column_kind(pd.Series(pd.Categorical(["a"], ordered=True))) == ("ordinal", "text")
    assert column_kind(pd.Series(pd.Categorical(["a"]))) == ("nominal", "text")
    assert column_kind(pl.Series(["a"], dtype=pl.Enum(["b", "a"]))) == ("nominal", "text")
    assert column_kind(pl.Series(["a"], dtype=pl.Categorical)) == ("nominal", "text")
    codes = pa.array([0, 1], pa.int32())
    assert (
        column_kind(pa.chunked_array([pa.DictionaryArray.from_arrays(codes, ["a", "b"], ordered=True)]))[0] == "ordinal"
    )


def test_objects_are_looked_into() -> None:
    assert column_kind(pd.Series([1, "a"], dtype=object)) == ("nominal", "text")
    assert column_kind(pd.Series([1, None, 2.5], dtype=object)) == ("numeric", "number")
    assert column_kind(pd.Series([True, None], dtype=object)) == ("nominal", "boolean")
    assert column_kind(np.array(["a", "b"], dtype=object)) == ("nominal", "text")


@pytest.mark.parametrize("values", [pl.Series("x", [[1], [2]]), pd.Series([b"a"], name="x"), pd.Series([1j], name="x")])
def test_values_that_cannot_be_used_are_refused_by_name(values: Any) -> None:
    with pytest.raises(DataError, match=r"Column 'x' holds .* cannot be used"):
        column_kind(values)


def report_of(values: Any, wish: str | None = None) -> ColumnReport:
    return guess_kinds(pd.DataFrame({"x": values}), {"x": wish} if wish else None)[0]


def test_a_report_counts_missing_and_distinct_values() -> None:
    report = report_of([1.0, 1.0, np.nan, 2.0])
    assert (report.n_missing, report.n_distinct, report.decided_by) == (1, 2, "guess")


def test_who_decided_is_told() -> None:
    assert report_of(["a", "b"]).decided_by == "guess"
    assert report_of([True, False]).decided_by == "type"
    assert report_of([1, 2], "nominal").decided_by == "user"


@pytest.mark.parametrize(
    ("values", "remark"),
    [
        ([f"name {i}" for i in range(20)], "identifier"),
        (list(range(20)), "identifier"),
        (["a"] * 5, "the same value in every row"),
        ([None] * 5, "no value at all"),
        ([1.5, 2.5, None, None, None], "60 % of the values are missing"),
        ([str(i % 7) for i in range(30)], "numbers written as text"),
        (["1,5", "2,75", "3"], "numbers written as '1,5'"),
        (
            [str(i % 7) for i in range(30)] + ["n/a"],
            "row 31 holds the text 'n/a': tw.read(file, missing_values=['n/a'])",
        ),
    ],
)
def test_what_is_odd_is_remarked(values: list[Any], remark: str) -> None:
    assert any(remark in line for line in report_of(values).remarks)


@pytest.mark.parametrize(
    "values",
    [[f"name {i}" for i in range(19)], [i / 7 for i in range(50)], ["a", "b"] * 20, [*range(20), 0], ["1", "b"] * 20],
)
def test_what_is_not_odd_is_not_remarked(values: list[Any]) -> None:
    assert report_of(values).remarks == ()


def test_the_users_kind_wins() -> None:
    assert report_of([1, 2], "ordinal").kind == "ordinal"
    numbers = report_of(["1", "2.5", None], "numeric")
    assert (numbers.kind, numbers.value_type) == ("numeric", "number")


def test_text_that_is_asked_to_be_numeric_is_named_with_its_row() -> None:
    with pytest.raises(DataError, match=r"Column 'x' is asked to be numeric, but holds text in row 3 \('n/a'\)"):
        report_of(["1", None, "n/a"], "numeric")


def test_a_kind_or_a_column_that_does_not_exist_is_refused() -> None:
    with pytest.raises(DataError, match="'y' that the table does not have"):
        guess_kinds(pd.DataFrame({"x": [1]}), {"y": "nominal"})
    with pytest.raises(DataError, match="the kinds are 'numeric', 'nominal', 'ordinal'"):
        report_of([1], "text")


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_of_every_library_are_reported_alike(make: Any) -> None:
    reports = guess_kinds(make({"n": [1, 2, 2], "t": ["a", None, "b"]}))
    assert [(r.name, r.kind, r.n_missing, r.n_distinct) for r in reports] == [
        ("n", "numeric", 0, 2),
        ("t", "nominal", 1, 2),
    ]


def test_the_columns_of_an_array_are_numbered() -> None:
    assert [r.name for r in guess_kinds(np.zeros((3, 2)))] == ["x0", "x1"]
    with pytest.raises(DataError, match="1 dimension"):
        guess_kinds(np.zeros(3))
    with pytest.raises(DataError, match="not a str"):
        guess_kinds("table")
