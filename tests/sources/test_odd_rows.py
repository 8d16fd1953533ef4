"""Odd values and odd files: a rule or a named error, never silence; and nothing is left behind."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

import treewright as tw
from sources.engines import ENGINES
from treewright.errors import DataError

FAST = ["parquet", "duckdb"]


def open_in(engine: str, table: pa.Table, folder: Path, fetch_rows: int = 2) -> Any:
    return ENGINES[engine](table, [np.arange(table.num_rows)], fetch_rows, folder)


def same_as_in_memory(engine: str, table: pa.Table, folder: Path, **settings: Any) -> None:
    frame = table.to_pandas()
    kind = tw.DecisionTreeRegressor if pd.api.types.is_float_dtype(frame["y"]) else tw.DecisionTreeClassifier
    expected = kind(**settings).fit(table.drop_columns(["y"]), frame["y"])
    assert kind(**settings).fit(open_in(engine, table, folder), "y")._tw_bytes() == expected._tw_bytes()


@pytest.mark.parametrize("engine", FAST)
@pytest.mark.parametrize(
    "values",
    [
        [np.nan, 1.0, 2.0, None, 3.0, np.nan, 4.0, 5.0],
        [-np.inf, -1.0, 0.0, 1.0, np.inf, np.inf, 2.0, -np.inf],
        [-0.0, 0.0, -0.0, 0.0, 1.0, -1.0, 5e-324, -5e-324],
        [1.7e308, -1.7e308, 1.6e308, 0.0, 1.0, 2.0, 3.0, 4.0],
    ],
)
def test_odd_numbers_are_what_they_are_in_memory(engine: str, values: list[Any], tmp_path: Path) -> None:
    table = pa.table(
        {"x": pa.array(values, pa.float64(), from_pandas=False), "y": [1.0, 2.0, 1.5, 3.0, 9.0, 8.0, 7.0, 0.0]}
    )
    same_as_in_memory(engine, table, tmp_path)


@pytest.mark.parametrize("engine", FAST)
def test_whole_numbers_beyond_2_to_the_53_are_rounded_as_in_memory(engine: str, tmp_path: Path) -> None:
    x = pa.array([2**53, 2**53 + 1, 2**53 + 2, 2**60 + 1, -(2**53) - 1, None, 0, 1], pa.int64())
    same_as_in_memory(engine, pa.table({"x": x, "y": ["a", "b", "a", "b", "a", "b", "a", "b"]}), tmp_path)


@pytest.mark.parametrize("engine", FAST)
def test_odd_levels_are_what_they_are_in_memory(engine: str, tmp_path: Path) -> None:
    levels = ["", "it's", 'say "no"', "a\\b", "line\nbreak", "🙂", "x" * 10_000, None] * 3
    y = [float(i % 7) for i in range(24)]
    same_as_in_memory(engine, pa.table({"x": pa.array(levels), "y": y}), tmp_path)


@pytest.mark.parametrize("engine", FAST)
def test_days_are_what_they_are_in_memory(engine: str, tmp_path: Path) -> None:
    days = pa.array([datetime.date(2024, 1, day) for day in range(1, 9)])
    same_as_in_memory(engine, pa.table({"x": days, "y": list("aababbab")}), tmp_path)


@pytest.mark.parametrize("engine", FAST)
def test_nominal_numbers_and_orders_of_levels_are_those_of_memory(engine: str, tmp_path: Path) -> None:
    grades, numbers = ["low", "high", "mid", "low"] * 4, [1.0, 2.5, 3.0, None] * 4
    table = pa.table({"n": numbers, "g": grades, "y": list("abcdabcaabcdabcc")})
    same_as_in_memory(engine, table, tmp_path, column_kinds={"n": "nominal", "g": ["low", "mid", "high"]})


@pytest.mark.parametrize("engine", FAST)
def test_a_target_with_holes_is_refused_with_its_place(engine: str, tmp_path: Path) -> None:
    source = open_in(engine, pa.table({"x": [1, 2, 3], "y": pa.array([1.0, None, 2.0])}), tmp_path)
    with pytest.raises(DataError, match="1 rows have no target value"):
        tw.DecisionTreeRegressor().fit(source, "y")


@pytest.mark.parametrize("engine", FAST)
def test_a_wrong_weight_is_refused(engine: str, tmp_path: Path) -> None:
    source = open_in(engine, pa.table({"x": [1, 2, 3], "y": ["a", "b", "a"], "w": [1.0, -2.0, 1.0]}), tmp_path)
    with pytest.raises(DataError, match="Weights are finite numbers of 0 or more"):
        tw.DecisionTreeClassifier().fit(source, "y", "w")


@pytest.mark.parametrize("engine", FAST)
def test_a_column_that_is_not_there_is_answered_with_the_nearest(engine: str, tmp_path: Path) -> None:
    source = open_in(engine, pa.table({"age": [1, 2], "risk": ["a", "b"]}), tmp_path)
    with pytest.raises(DataError, match=r"no column 'rsik' for the target\. Did you mean 'risk'"):
        tw.DecisionTreeClassifier().fit(source, "rsik")


@pytest.mark.parametrize("engine", FAST)
def test_no_rows_is_a_sentence(engine: str, tmp_path: Path) -> None:
    source = open_in(engine, pa.table({"x": pa.array([], pa.int64()), "y": pa.array([], pa.string())}), tmp_path)
    with pytest.raises(DataError, match="has no rows"):
        tw.DecisionTreeClassifier().fit(source, "y")


def test_an_empty_file_among_others_changes_nothing(tmp_path: Path) -> None:
    table = pa.table({"x": [1, 2, 3, 4], "y": ["a", "b", "a", "b"]})
    for i, rows in enumerate([table[:2], table[:0], table[2:]]):
        pyarrow.parquet.write_table(rows, tmp_path / f"{i}.parquet")
    found = tw.DecisionTreeClassifier().fit(tw.source(tmp_path, fetch_rows=1), "y")
    expected = tw.DecisionTreeClassifier().fit(table.to_pandas()[["x"]], table.to_pandas()["y"])
    assert found._tw_bytes() == expected._tw_bytes()


def test_files_whose_numbers_differ_in_width_are_widened(tmp_path: Path) -> None:
    for i, kind in enumerate([pa.int32(), pa.float64()]):
        table = pa.table({"x": pa.array([i, i + 2], kind), "y": ["a", "b"]})
        pyarrow.parquet.write_table(table, tmp_path / f"{i}.parquet")
    model = tw.DecisionTreeClassifier().fit(tw.source(tmp_path, fetch_rows=1), "y")
    expected = tw.DecisionTreeClassifier().fit(pd.DataFrame({"x": [0.0, 2, 1, 3]}), pd.Series(["a", "b"] * 2, name="y"))
    assert model._tw_bytes() == expected._tw_bytes()


def test_files_of_other_types_are_refused_by_the_name_of_the_file(tmp_path: Path) -> None:
    pyarrow.parquet.write_table(pa.table({"x": [1], "y": ["a"]}), tmp_path / "a.parquet")
    pyarrow.parquet.write_table(pa.table({"x": ["one"], "y": ["b"]}), tmp_path / "b.parquet")
    with pytest.raises(DataError, match=r"b\.parquet: its columns have other types"):
        tw.source(tmp_path)


def test_ordered_categories_of_files_are_refused_with_the_cure(tmp_path: Path) -> None:
    grades = pd.Series(["low", "high"], dtype=pd.CategoricalDtype(["low", "high"], ordered=True))
    pd.DataFrame({"grade": grades, "y": ["a", "b"]}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(DataError, match=r"column_kinds=.'grade'"):
        tw.DecisionTreeClassifier().fit(tw.source(tmp_path), "y")


def test_folders_named_by_values_are_a_column(tmp_path: Path) -> None:
    for year in (2023, 2024):
        (tmp_path / f"year={year}").mkdir()
        pyarrow.parquet.write_table(
            pa.table({"x": [1, 2], "y": [f"a{year}", "b"]}), tmp_path / f"year={year}/r.parquet"
        )
    source = tw.source(tmp_path, fetch_rows=1)
    assert source.names == ("x", "y", "year")
    frame = pd.DataFrame({"x": [1, 2, 1, 2], "year": [2023, 2023, 2024, 2024]})
    y = pd.Series(["a2023", "b", "a2024", "b"], name="y")
    found = tw.DecisionTreeClassifier().fit(source, "y")
    assert found._tw_bytes() == tw.DecisionTreeClassifier().fit(frame, y)._tw_bytes()


def test_csv_files_are_read_as_their_plain_types(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,c,y\n1,red,2.5\n2,blue,3.5\n")
    (tmp_path / "b.csv").write_text("x,c,y\n3,red,1.5\n,blue,0.5\n")
    found = tw.DecisionTreeRegressor().fit(tw.source(tmp_path / "*.csv", fetch_rows=1), "y")
    frame = pd.DataFrame({"x": [1.0, 2, 3, np.nan], "c": ["red", "blue", "red", "blue"]})
    expected = tw.DecisionTreeRegressor().fit(frame, pd.Series([2.5, 3.5, 1.5, 0.5], name="y"))
    assert found._tw_bytes() == expected._tw_bytes()


def test_nothing_is_left_in_a_database_or_beside_the_files(tmp_path: Path) -> None:
    table = pa.table({"x": list(range(50)), "y": [float(i % 7) for i in range(50)]})
    database = tmp_path / "rows.duckdb"
    with duckdb.connect(str(database)) as connection:
        connection.register("given", table)
        connection.execute("CREATE TABLE rows AS SELECT * FROM given")
    with duckdb.connect(str(database), read_only=True) as connection:  # no more than reading is asked for
        tw.DecisionTreeRegressor().fit(tw.source(connection, "rows", fetch_rows=5), "y")
        assert connection.execute("SELECT count(*) FROM duckdb_tables() WHERE NOT internal").fetchone() == (1,)
    assert [path.name for path in tmp_path.iterdir()] == ["rows.duckdb"]


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"missing": "surrogates"}, "missing=\"surrogates\""),
        ({"criterion": "gain_ratio"}, "gain_ratio"),
        ({"max_features": 1}, "max_features"),
        ({"keep_candidates": True}, "keep_candidates"),
        ({"priors": [0.5, 0.5]}, "priors"),
        ({"prune": "cost_complexity_cv"}, "CostComplexity"),
        ({"prune": "reduced_error"}, "ReducedError"),
    ],
)  # fmt: skip
def test_what_counts_cannot_tell_is_refused_by_name_where_the_rows_may_not_be_fetched(
    settings: Any, named: str, tmp_path: Path
) -> None:
    source = open_in("parquet", pa.table({"x": [1, 2, 3], "y": ["a", "b", "a"]}), tmp_path)
    with pytest.raises(DataError, match=f"{named}.* needs all rows in one place.*fetch_rows=3"):
        tw.DecisionTreeClassifier(**settings).fit(source, "y")
