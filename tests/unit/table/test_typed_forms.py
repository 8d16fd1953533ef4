"""Parquet, JSON lines and databases bring types of their own."""

import datetime
import json
import sqlite3
import sys
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest

from treewright.errors import DataError, ReadingWarning
from treewright.table.reading.read import read


def lines(folder: Path, *rows: str, name: str = "t.jsonl") -> Path:
    (folder / name).write_text("".join(row + "\n" for row in rows), "utf-8")
    return folder / name


def test_a_parquet_file_keeps_its_names_and_types(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "A": [1, 2],
            "a": [1.5, None],
            "text": ["x", None],
            "day": pd.to_datetime(["2024-01-02", None]).astype("datetime64[us]"),
            "moment": pd.to_datetime(["2024-01-02 10:00", None], utc=True).astype("datetime64[us, UTC]"),
            "truth": [True, False],
        }
    )
    frame.to_parquet(tmp_path / "t.parquet")
    pd.testing.assert_frame_equal(read(tmp_path / "t.parquet"), frame)


def test_a_parquet_file_keeps_the_levels_of_categories_and_their_order(tmp_path: Path) -> None:
    sizes = pd.Categorical(["S", None, "XL"] * 40, ["S", "M", "L", "XL"], ordered=True)
    frame = pd.DataFrame({"size": sizes, "k": pd.Categorical(["b", "a", "b"] * 40, ["b", "a", "unused"])})
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=50)
    pd.testing.assert_frame_equal(read(tmp_path / "t.parquet"), frame)


def test_an_enum_of_polars_keeps_its_levels_in_a_parquet_file_and_its_categorical_is_text(tmp_path: Path) -> None:
    levels = pl.Series("enum", ["b", "a"], dtype=pl.Enum(["b", "a", "unused"]))
    pl.DataFrame([levels, pl.Series("text", ["x", "y"], dtype=pl.Categorical)]).write_parquet(tmp_path / "t.parquet")
    frame = read(tmp_path / "t.parquet")
    assert frame["enum"].dtype == pd.CategoricalDtype(["b", "a", "unused"], ordered=False)
    assert frame["text"].dtype == "str"


def test_without_pyarrow_a_note_tells_of_an_order_that_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pd.DataFrame({"s": pd.Categorical(["b", "a"], ["b", "a"], ordered=True)}).to_parquet(tmp_path / "t.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.warns(ReadingWarning, match="'s' had an order of levels, .* pip install pyarrow"):
        assert read(tmp_path / "t.parquet")["s"].tolist() == ["b", "a"]


def test_integers_with_holes_become_floats(tmp_path: Path) -> None:
    pd.DataFrame({"n": pd.array([1, None], dtype="Int32")}).to_parquet(tmp_path / "t.parquet")
    assert read(tmp_path / "t.parquet")["n"].dtype == "float64"


def test_a_column_of_lists_is_refused_by_name(tmp_path: Path) -> None:
    pd.DataFrame({"ok": [1], "tags": [["a", "b"]]}).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(DataError, match="column 'tags' holds lists or records"):
        read(tmp_path / "t.parquet")


def test_what_is_no_parquet_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.parquet").write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match="not a Parquet file, or it is cut short"):
        read(tmp_path / "t.parquet")


def test_json_lines_are_rows_and_absent_keys_are_missing(tmp_path: Path) -> None:
    frame = read(lines(tmp_path, '{"a": 1, "d": "2024-01-02", "z": "007"}', '{"a": 2.5, "new": true}'))
    assert list(frame.columns) == ["a", "d", "z", "new"]
    assert [str(dtype) for dtype in frame.dtypes] == ["float64", "datetime64[us]", "str", "boolean"]
    assert frame["new"].isna().tolist() == [True, False]


def test_a_list_of_objects_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text('[{"a": 1},\n {"a": 2}]')
    assert read(path)["a"].tolist() == [1, 2]


def test_keys_that_differ_in_case_only_are_two_columns(tmp_path: Path) -> None:
    assert read(lines(tmp_path, '{"a": 1, "A": 2}')).to_dict("list") == {"a": [1], "A": [2]}


def test_dates_in_json_are_iso_dates_only(tmp_path: Path) -> None:
    frame = read(lines(tmp_path, '{"iso": "2024-01-02T10:00:00Z", "other": "1-2-2024"}'))
    assert [str(dtype) for dtype in frame.dtypes] == ["datetime64[us, UTC]", "str"]


def test_nan_as_python_writes_it_is_missing(tmp_path: Path) -> None:
    rows = [json.dumps({"a": value, "d": "2024-01-02"}) for value in (1.5, float("nan"))]
    frame = read(lines(tmp_path, *rows))
    assert frame["a"].isna().tolist() == [False, True]
    assert frame["d"].dtype == "datetime64[us]"


def test_numbers_and_text_in_one_json_column_are_text(tmp_path: Path) -> None:
    assert read(lines(tmp_path, '{"a": 1}', '{"a": "x"}'))["a"].tolist() == ["1", "x"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (['{"a": 1}', '{"a": }'], r"t\.jsonl:2:7: this is not JSON"),
        (['{"a": 1}', "[1]"], r"t\.jsonl:2: a row must be a JSON object"),
        (["3"], r"t\.jsonl:1: a row must be a JSON object"),
        (['{"a": 1, "a": 2}'], r"t\.jsonl:1: the key 'a' is given twice"),
        (['{"a": [1]}'], r"t\.jsonl: column 'a' holds lists or records"),
        ([], r"t\.jsonl: there are no rows"),
    ],
)
def test_wrong_json_is_told_with_its_place(tmp_path: Path, rows: list[str], message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(lines(tmp_path, *rows))


def test_the_users_missing_values_hold_for_typed_forms(tmp_path: Path) -> None:
    frame = read(lines(tmp_path, '{"a": -999, "b": "n/a"}', '{"a": 1, "b": "NA"}'), missing_values=[-999, "n/a"])
    assert frame.isna().to_dict("list") == {"a": [True, False], "b": [True, False]}


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "shop %20.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute('CREATE TABLE "my sales" (n INTEGER, price REAL, day TEXT, code TEXT, mixed)')
        rows: list[tuple[Any, ...]] = [(1, 2.5, "2024-01-02", "007", 5), (None, 3, None, "12", "x")]
        connection.executemany('INSERT INTO "my sales" VALUES (?, ?, ?, ?, ?)', rows)
    return path


def test_a_table_of_an_sqlite_file_is_read_with_its_dates(database: Path) -> None:
    frame = read("my sales", db=database)
    assert [str(dtype) for dtype in frame.dtypes] == ["float64", "float64", "datetime64[us]", "str", "str"]
    assert frame["code"].tolist() == ["007", "12"]
    assert frame["mixed"].tolist() == ["5", "x"]


def test_a_query_is_answered(database: Path) -> None:
    frame = read('SELECT sum(price) AS total FROM "my sales"', db=f"sqlite:///{database}")
    assert frame.to_dict("list") == {"total": [5.5]}


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("my sale", "there is no table 'my sale'. Did you mean 'my sales'?"),
        ("SELECT x FROM nowhere", "the query failed: no such table"),
        ("SELECT 1 AS a, 2 AS a", "the result has 2 columns named 'a'"),
        ("SELECT x'00' AS blob", "column 'blob' holds a bytes in row 1"),
    ],
)
def test_what_the_database_cannot_answer_is_told(database: Path, source: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        read(source, db=database)
    assert message in str(caught.value)


def test_a_look_at_a_database_never_changes_it(database: Path) -> None:
    before = database.read_bytes()
    with pytest.raises(DataError, match="there is no table"):
        read("DROP TABLE sales", db=database)
    with pytest.raises(DataError, match="readonly"):
        read('WITH x AS (SELECT 1) DELETE FROM "my sales" RETURNING n', db=database)
    assert database.read_bytes() == before


def test_a_database_file_must_exist_and_be_one(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no such database file"):
        read("t", db=tmp_path / "none.sqlite")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "t.csv").write_text("a,b\n1,2\nand so on\n")
    with pytest.raises(DataError, match="not an SQLite or DuckDB database"):
        read("t", db=tmp_path / "t.csv")
    with pytest.raises(DataError, match="pass an open connection"):
        read("t", db="mysql://host/base")
    with pytest.raises(DataError, match="with a cursor method"):
        read("t", db=7)


def test_any_open_connection_serves() -> None:
    with closing(duckdb.connect()) as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT 1.5::DECIMAL(4,2) AS price, DATE '2024-01-02' AS day, true AS ok, 'NA' AS region,"
            " TIME '10:00' AS hour, INTERVAL 1 DAY AS span"
        )
        frame = read("t", db=connection)
    assert frame.iloc[0].tolist() == [
        float(Decimal("1.5")),
        pd.Timestamp("2024-01-02"),
        True,
        "NA",
        datetime.time(10),
        pd.Timedelta(days=1),
    ]


def test_a_name_that_is_no_plain_name_is_no_query_for_a_foreign_database() -> None:
    with closing(duckdb.connect()) as connection, pytest.raises(DataError, match="neither the plain name of a table"):
        read("t; drop table t", db=connection)
