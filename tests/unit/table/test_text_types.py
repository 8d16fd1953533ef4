"""Which cells are numbers, truth values, dates and times, which are missing, and which stay text."""

import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from thorough import examples
from treewright.errors import DataError
from treewright.table.reading.read import read


def column(folder: Path, *cells: str, **options: Any) -> "pd.Series[Any]":
    (folder / "t.csv").write_text("n,x\n" + "".join(f'{i},"{cell}"\n' for i, cell in enumerate(cells)), "utf-8")
    return read(folder / "t.csv", **options)["x"]


@pytest.mark.parametrize(
    ("cells", "dtype"),
    [
        (["1", "-2", "+3", "0"], "int64"),
        (["9223372036854775807", "-9223372036854775808"], "int64"),
        (["1", "9223372036854775808"], "float64"),
        (["1", "NA"], "float64"),
        (["1", "2.5"], "float64"),
        (["1e5", ".5", "5.", "-inf", "Infinity"], "float64"),
        ([" 1", "2 "], "int64"),
        (["007", "008"], "str"),
        (["1", "-01"], "str"),
        (["007", "9223372036854775808"], "str"),
        (["99999999999999999999", "NA"], "float64"),
        (["99999999999999999999", "-1"], "float64"),
        (["9223372036854775808", "-1", " ? "], "float64"),
        (["1_000", "5"], "str"),
        (["0x1F", "5"], "str"),
        (["+-5", "5"], "str"),
        (["NAN", "5"], "str"),
        (["１２", "5"], "str"),
        (["true", "FALSE", "True"], "bool"),
        (["true", ""], "boolean"),
        (["true", "1"], "str"),
        (["yes", "no"], "str"),
        (["2024-01-02", "1999-12-31"], "datetime64[us]"),
        (["2024-01-02", "?"], "datetime64[us]"),
        (["2024-01-02T10:00", "2024-01-02 10:00:01.5"], "datetime64[us]"),
        (["2024-01-02", "2024-01-02 10:00"], "datetime64[us]"),
        (["2024-01-02T10:00:00+02:00", "2024-01-02T10:00:00Z"], "datetime64[us, UTC]"),
        (["2024-01-02 9:30", "2024-01-02T10:00"], "datetime64[us]"),
        (["2024-01-02 9:30Z", "2024-01-02T10:00+0530"], "datetime64[us, UTC]"),
        (["2024-02-30", "2024-01-01"], "str"),
        (["tRuE", "false", " NA"], "boolean"),
        (["2024/01/02", "2024/01/03"], "datetime64[us]"),
        (["1-2-2024", "3-4-2024"], "str"),
        (["10:00", "23:59:59.5"], "object"),
        (["10:00", "24:00"], "str"),
        (["", "?"], "float64"),
        (["None", "Some"], "str"),
    ],
)
def test_the_type_is_decided_by_all_cells(tmp_path: Path, cells: list[str], dtype: str) -> None:
    assert column(tmp_path, *cells).dtype == dtype


def test_values_are_exact(tmp_path: Path) -> None:
    assert column(tmp_path, "9223372036854775807").tolist() == [2**63 - 1]
    assert column(tmp_path, "0.1", "5e-324", "1.7976931348623157e308").tolist() == [0.1, 5e-324, 1.7976931348623157e308]
    assert column(tmp_path, "99999999999999999999").tolist() == [1e20]
    assert column(tmp_path, "10:00", "23:59:59.5").tolist() == [datetime.time(10), datetime.time(23, 59, 59, 500_000)]
    zoned = column(tmp_path, "2024-01-02T10:00:00+02:00", "2024-01-02T10:00:00Z")
    assert zoned.dt.hour.tolist() == [8, 10]
    assert column(tmp_path, "0001-01-01", "9999-12-31").dt.year.tolist() == [1, 9999]


@pytest.mark.parametrize("cell", ["", "?", "NA", "N/A", "nan", "NaN", "NULL", "null", " ? ", "  "])
def test_the_usual_words_for_missing_are_missing(tmp_path: Path, cell: str) -> None:
    assert column(tmp_path, "x", cell).isna().tolist() == [False, True]
    assert column(tmp_path, "1", cell).isna().tolist() == [False, True]


def test_a_word_for_missing_is_missing_beside_huge_integers_too(tmp_path: Path) -> None:
    assert column(tmp_path, "99999999999999999999", "?", "x").isna().tolist() == [False, True, False]
    assert column(tmp_path, "007", "NA", "99999999999999999999").isna().tolist() == [False, True, False]


def test_the_users_words_for_missing_are_added(tmp_path: Path) -> None:
    numbers = column(tmp_path, "1", "n/a", "-999", "?", missing_values=["n/a", -999])
    assert numbers.dtype == "float64"
    assert numbers.isna().tolist() == [False, True, True, True]


def test_missing_values_must_be_a_list(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"for example missing_values=\['n/a'\]"):
        column(tmp_path, "1", missing_values="n/a")


def test_text_keeps_its_blanks(tmp_path: Path) -> None:
    assert column(tmp_path, " a", "b ").tolist() == [" a", "b "]


@pytest.mark.parametrize(
    ("late", "dtype"),
    [("5 kg", "str"), ("2.5", "float64"), ("007", "str"), ("NA", "float64")],
)
def test_a_late_cell_counts_as_much_as_an_early_one(tmp_path: Path, late: str, dtype: str) -> None:
    series = column(tmp_path, *["1"] * 3000, late)
    assert series.dtype == dtype


def test_a_column_whose_first_value_comes_late_gets_its_type(tmp_path: Path) -> None:
    assert column(tmp_path, *["NA"] * 3000, "2024-01-02").dtype == "datetime64[us]"
    assert column(tmp_path, *["NA"] * 3000, "true").dtype == "boolean"


def test_a_nominal_column_keeps_its_cells_as_they_are_written(tmp_path: Path) -> None:
    assert column(tmp_path, "12345", "1e5", column_kinds={"x": "nominal"}).tolist() == ["12345", "1e5"]


def test_a_numeric_column_may_have_leading_zeros(tmp_path: Path) -> None:
    assert column(tmp_path, "007", "10", column_kinds={"x": "numeric"}).tolist() == [7.0, 10.0]


def test_text_in_a_numeric_column_is_named_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"t\.csv:4: column 'x' is asked to be numeric, but holds text here \('n/a'\)"):
        column(tmp_path, "two\nlines", "n/a", missing_values=["two\nlines"], column_kinds={"x": "numeric"})


def test_column_kinds_must_name_columns_and_kinds_that_exist(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="'xx' that the table does not have"):
        column(tmp_path, "1", column_kinds={"xx": "numeric"})
    with pytest.raises(DataError, match="asks for 'number' of column 'x', but the kinds are 'numeric', 'nominal'"):
        column(tmp_path, "1", column_kinds={"x": "number"})


@given(st.lists(st.floats(allow_nan=False) | st.none(), min_size=1, max_size=50))
@settings(max_examples=examples(50), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_float_comes_back_bit_by_bit(tmp_path: Path, values: list[float | None]) -> None:
    read_back = column(tmp_path, *["" if value is None else repr(value) for value in values])
    expected = np.array([np.nan if value is None else value for value in values])
    np.testing.assert_array_equal(read_back.to_numpy(dtype=np.float64), expected)


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0\r")), min_size=1, max_size=20))
@settings(max_examples=examples(50), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_text_comes_back_letter_by_letter(tmp_path: Path, values: list[str]) -> None:
    cells = [value.replace('"', '""') for value in values]
    read_back = column(tmp_path, *cells, column_kinds={"x": "nominal"})
    for value, cell in zip(values, read_back, strict=True):
        missing = value.strip(" \t") in ("", "?", "NA", "N/A", "nan", "NaN", "NULL", "null")
        assert pd.isna(cell) if missing else cell == value
