"""Levels and their codes, from every kind of column."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from treewright.errors import DataError
from treewright.table.levels import (
    code_levels,
    distinct_values,
    find_levels,
    has_declared_order,
    level_codes,
    plain_level,
)

CELLS = ["b", None, "a", "b", "c"]
DECLARED = ["z", "c", "b", "a"]


def column(native: Any) -> nw.Series[Any]:
    return nw.from_native(native, series_only=True)


TEXT = {
    "pandas text": pd.Series(CELLS),
    "pandas objects": pd.Series(CELLS, dtype=object),
    "pandas categories": pd.Series(pd.Categorical(CELLS, categories=DECLARED)),
    "pandas arrow": pd.Series(CELLS, dtype=pd.ArrowDtype(pa.string())),
    "pandas arrow dictionary": pa.table({"a": pa.array(CELLS).dictionary_encode()}).to_pandas(
        types_mapper=pd.ArrowDtype
    )["a"],
    "polars text": pl.Series(CELLS),
    "polars categories": pl.Series(CELLS, dtype=pl.Categorical),
    "polars enum": pl.Series(CELLS, dtype=pl.Enum(DECLARED)),
    "arrow text": pa.chunked_array([CELLS[:2], CELLS[2:]]),
    "arrow large text": pa.chunked_array([pa.array(CELLS, pa.large_string())]),
    "arrow dictionaries": pa.chunked_array(
        [pa.array(CELLS[:2]).dictionary_encode(), pa.array(CELLS[2:]).dictionary_encode()]
    ),
    "arrow dictionary with a hole": pa.chunked_array(
        [pa.DictionaryArray.from_arrays(pa.array([1, 0, 2, 3, 4]), pa.array([None, "b", "a", "b", "c"]))]
    ),
}


@pytest.mark.parametrize("kind", TEXT)
def test_levels_that_occur_are_sorted_whatever_the_column(kind: str) -> None:
    codes, levels = find_levels(column(TEXT[kind]))
    assert levels == ("a", "b", "c")
    assert codes.tolist() == [2, 0, 1, 2, 3]
    assert codes.dtype == np.int32


@pytest.mark.parametrize("kind", TEXT)
def test_known_levels_are_found_whatever_the_column(kind: str) -> None:
    assert code_levels(column(TEXT[kind]), {"c": 1, "b": 2}).tolist() == [2, 0, 0, 2, 1]


@pytest.mark.parametrize("kind", ["pandas categories", "polars enum"])
def test_declared_levels_keep_their_order_where_it_counts(kind: str) -> None:
    assert has_declared_order(column(TEXT[kind]))
    codes, levels = find_levels(column(TEXT[kind]), ordered=True)
    assert levels == tuple(DECLARED)
    assert codes.tolist() == [3, 0, 4, 3, 2]


def test_the_order_in_a_polars_categorical_is_an_accident() -> None:
    assert not has_declared_order(column(TEXT["polars categories"]))


NUMBERS = [
    pd.Series([3.0, np.nan, 1.0]),
    pd.Series([3, None, 1], dtype="Int64"),
    pl.Series([3, None, 1]),
    pl.Series([3.0, float("nan"), 1.0]),
    pa.chunked_array([[3, None, 1]]),
    pa.chunked_array([[3.0, float("nan"), 1.0]]),
]


@pytest.mark.parametrize("native", NUMBERS)
def test_numbers_are_the_same_levels_in_every_type(native: Any) -> None:
    codes, levels = find_levels(column(native))
    assert levels == (1, 3)
    assert all(type(level) is int for level in levels)
    assert codes.tolist() == [2, 0, 1]


@pytest.mark.parametrize("native", [pd.Series([True, None], dtype="boolean"), pl.Series([True, None])])
def test_both_truth_values_are_levels(native: Any) -> None:
    codes, levels = find_levels(column(native))
    assert levels == (False, True)
    assert codes.tolist() == [2, 0]


def test_texts_that_are_numbers_are_sorted_by_size() -> None:
    assert find_levels(column(pd.Series(["10", "9", "-1.5"])))[1] == ("-1.5", "9", "10")
    assert find_levels(column(pd.Series(["10", "9", "x"])))[1] == ("10", "9", "x")


def test_a_column_without_values_has_no_levels() -> None:
    for native in (
        pd.Series([None, None], dtype="str"),
        pl.Series([None, None], dtype=pl.String),
        pa.chunked_array([pa.nulls(2)]),
    ):
        codes, levels = find_levels(column(native))
        assert (codes.tolist(), levels) == ([0, 0], ())
    assert find_levels(column(pl.Series([], dtype=pl.String)))[1] == ()


def test_values_without_a_hash_are_refused() -> None:
    with pytest.raises(DataError, match="neither numbers nor text"):
        distinct_values(column(pd.Series([[1], [2]], name="b")))


@pytest.mark.parametrize(
    ("value", "level"),
    [(np.str_("a"), "a"), (np.int8(3), 3), (3.0, 3), (2.5, 2.5), (2.0**60, 2.0**60), (b"\xff", "\\xff"), (None, None)],
)
def test_a_level_is_a_plain_value(value: Any, level: Any) -> None:
    assert plain_level(value) == level
    assert type(plain_level(value)) is type(level)


def test_other_writings_never_hide_a_level() -> None:
    codes = level_codes(("1", "01", "true", 2, 2.5, "x"))
    assert [codes[value] for value in ("1", "01", "true", 2, 2.5, "x")] == [1, 2, 3, 4, 5, 6]
    assert (codes[1], codes["2"], codes["2.5"]) == (1, 4, 5)
    truth = level_codes((False, True))
    assert [truth[value] for value in (0, 1, "true", "False")] == [1, 2, 2, 1]
