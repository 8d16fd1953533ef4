"""A fit of a DuckDB table sees the rows of one moment, and leaves the connection as it was."""

from __future__ import annotations

from typing import Any

import duckdb
import pandas as pd
import pytest

import treewright as tw
from sources.test_faults import TABLE, at_the_second_count, expected
from treewright.errors import DataError


@pytest.fixture
def connection() -> Any:
    with duckdb.connect() as opened:
        opened.register("handed", TABLE)
        opened.execute("CREATE TABLE kept AS FROM handed")
        yield opened


def test_rows_that_others_write_meanwhile_are_not_seen(connection: Any) -> None:
    rows = tw.source(connection, "kept", fetch_rows=20)
    other = connection.cursor()
    at_the_second_count(rows, lambda: other.execute("INSERT INTO kept SELECT 5, 0 FROM range(1000)"))
    assert tw.DecisionTreeRegressor(max_depth=4).fit(rows, "y")._tw_bytes() == expected()
    assert connection.execute("SELECT count(*) FROM kept").fetchone() == (1300,)
    connection.begin()  # a transaction that was still open would refuse it


def test_a_transaction_of_the_user_is_read_and_left_open(connection: Any) -> None:
    rows = tw.source(connection, "kept", fetch_rows=20)
    connection.execute("BEGIN")
    connection.execute("INSERT INTO kept SELECT 5, 0 FROM range(1000)")
    model = tw.DecisionTreeRegressor(max_depth=4).fit(rows, "y")
    assert "1,300 rows" in str(model.tree_)
    connection.execute("ROLLBACK")
    assert connection.execute("SELECT count(*) FROM kept").fetchone() == (300,)


def test_a_fit_that_fails_leaves_no_transaction(connection: Any) -> None:
    rows = tw.source(connection, "kept", fetch_rows=20)
    at_the_second_count(rows, lambda: connection.execute("DROP TABLE kept"))
    with pytest.raises(DataError, match="DuckDB could not answer"):
        tw.DecisionTreeRegressor(max_depth=4).fit(rows, "y")
    assert connection.execute("SELECT count(*) FROM kept").fetchone() == (300,)  # it was dropped in the transaction


@pytest.mark.parametrize("endless", ["DATE 'infinity'", "TIMESTAMP '-infinity'", "TIMESTAMPTZ 'infinity'"])
@pytest.mark.parametrize("fetch_rows", [None, 5])
def test_days_without_an_end_are_missing(connection: Any, endless: str, fetch_rows: int | None) -> None:
    kind = endless.split()[0]
    connection.execute(
        f"CREATE TABLE days AS SELECT CAST(DATE '2024-01-01' + CAST(i AS INT) AS {kind}) AS day, i AS y "
        "FROM range(50) AS r(i) "
        f"UNION ALL SELECT {endless}, 20 + i FROM range(9) AS r(i)"
    )
    chosen = {} if fetch_rows is None else {"fetch_rows": fetch_rows}
    model = tw.DecisionTreeRegressor(max_depth=3).fit(tw.source(connection, "days", **chosen), "y")
    frame = (
        connection.sql("SELECT CASE WHEN isinf(day) THEN NULL ELSE day END AS day, y FROM days")
        .to_arrow_table()
        .to_pandas()
    )
    same = tw.DecisionTreeRegressor(max_depth=3).fit(frame[["day"]], frame["y"])
    assert pd.isna(frame["day"]).sum() == 9
    assert str(model.tree_) == str(same.tree_)


def test_a_closed_connection_is_told_in_a_sentence() -> None:
    connection = duckdb.connect()
    connection.close()
    with pytest.raises(DataError, match=r"DuckDB could not answer: .*closed"):
        tw.source(connection, "kept")
