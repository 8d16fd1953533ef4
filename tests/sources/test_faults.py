"""Files that vanish, come back or change while a tree is grown from them: the same bytes or a sentence."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet
import pytest

import treewright as tw
from treewright.errors import DataError

TABLE = pa.table({"x": [i * 7 % 300 for i in range(300)], "y": [float(i % 11) for i in range(300)]})


@pytest.fixture
def rows(tmp_path: Path) -> Any:
    for i in range(3):
        pyarrow.parquet.write_table(TABLE[100 * i : 100 * (i + 1)], tmp_path / f"{i}.parquet")
    return tw.source(tmp_path, fetch_rows=20)


def at_the_second_count(rows: Any, happens: Callable[[], object]) -> None:
    """Let something happen while a tree is grown."""
    count, counts = rows.count, []

    def counted(*arguments: Any) -> Any:
        counts.append(1)
        if len(counts) == 2:
            happens()
        return count(*arguments)

    rows.count = counted


def expected() -> bytes:
    model = tw.DecisionTreeRegressor(max_depth=4).fit(TABLE.drop_columns(["y"]), TABLE.column("y").to_pandas())
    return bytes(model._tw_bytes())


def test_a_file_that_vanishes_is_named(rows: Any, tmp_path: Path) -> None:
    at_the_second_count(rows, (tmp_path / "1.parquet").unlink)
    with pytest.raises(DataError, match=r"1\.parquet: this file cannot be read: .* tried 3 times\. Put it back"):
        tw.DecisionTreeRegressor(max_depth=4).fit(rows, "y")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0.parquet", "2.parquet"]


def test_a_file_that_is_away_for_a_moment_changes_nothing(rows: Any, tmp_path: Path) -> None:
    file, away = tmp_path / "1.parquet", tmp_path / "away"

    def leave_and_come_back() -> None:
        file.rename(away)
        threading.Timer(0.3, away.rename, [file]).start()

    at_the_second_count(rows, leave_and_come_back)
    assert tw.DecisionTreeRegressor(max_depth=4).fit(rows, "y")._tw_bytes() == expected()


def test_a_file_that_changes_meanwhile_is_named(rows: Any, tmp_path: Path) -> None:
    at_the_second_count(rows, lambda: pyarrow.parquet.write_table(TABLE[:50], tmp_path / "2.parquet"))
    with pytest.raises(DataError, match=r"2\.parquet: this file has changed since the source was made"):
        tw.DecisionTreeRegressor(max_depth=4).fit(rows, "y")


def test_a_file_cut_short_is_named(tmp_path: Path) -> None:
    pyarrow.parquet.write_table(TABLE, tmp_path / "0.parquet")
    (tmp_path / "1.parquet").write_bytes((tmp_path / "0.parquet").read_bytes()[:-20])
    with pytest.raises(DataError, match=r"1\.parquet|cannot be read as parquet"):
        tw.source(tmp_path)


def test_a_connection_of_duckdb_that_is_closed_meanwhile_is_a_sentence(tmp_path: Path) -> None:
    connection = duckdb.connect()
    connection.register("given", TABLE)
    connection.execute("CREATE TABLE rows AS SELECT * FROM given")
    source = tw.source(connection, "rows", fetch_rows=20)
    at_the_second_count(source, connection.close)
    with pytest.raises(DataError, match=r"DuckDB could not answer: .*closed"):
        tw.DecisionTreeRegressor(max_depth=4).fit(source, "y")


def test_a_view_of_duckdb_whose_file_vanishes_is_a_sentence_with_the_file(tmp_path: Path) -> None:
    pyarrow.parquet.write_table(TABLE, tmp_path / "0.parquet")
    connection = duckdb.connect()
    connection.execute(f"CREATE VIEW rows AS SELECT * FROM '{tmp_path}/0.parquet'")
    source = tw.source(connection, "rows", fetch_rows=20)
    at_the_second_count(source, (tmp_path / "0.parquet").unlink)
    with pytest.raises(DataError, match=r"DuckDB could not answer: .*0\.parquet"):
        tw.DecisionTreeRegressor(max_depth=4).fit(source, "y")
    connection.close()


def test_many_small_nodes_are_fetched_by_one_statement() -> None:
    connection = duckdb.connect()
    connection.register("given", TABLE)
    source = tw.source(connection, "given", fetch_rows=200)
    found = tw.DecisionTreeRegressor().fit(source, "y")
    in_memory = tw.DecisionTreeRegressor().fit(TABLE.drop_columns(["y"]), TABLE.column("y").to_pandas())
    assert found._tw_bytes() == in_memory._tw_bytes()
    fetches = [query for query in source.queries if "tw_node" in query]
    assert len(fetches) == 1
    assert fetches[0].endswith("ORDER BY tw_node")
