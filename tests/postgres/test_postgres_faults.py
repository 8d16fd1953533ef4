"""What goes wrong between us and a PostgreSQL server: a sentence, a connection that works on, nothing left behind."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from typing import Any

import psycopg
import pyarrow as pa
import pytest

import treewright as tw
from postgres.tables import put
from treewright.errors import DataError
from treewright.sources import postgres_source

SLOW = "SELECT i % 1000 AS x, CASE WHEN i % 3 = 0 THEN 'a' ELSE 'b' END AS y, {} FROM generate_series(1, 300000) AS i"


@pytest.fixture
def connection(postgres: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(postgres) as opened:
        put(opened, pa.table({"x": list(range(400)), "y": [float(i * i % 17) for i in range(400)]}))
        yield opened


@pytest.mark.parametrize("place", range(6))
def test_a_connection_that_drops_is_a_sentence(postgres: str, connection: psycopg.Connection[Any], place: int) -> None:
    rows = tw.source(connection, "rows", fetch_rows=20)
    ask = rows.ask

    def cut_off(statement: str, types: Any) -> Any:
        if len(rows.queries) == place:
            with psycopg.connect(postgres) as other:
                other.execute("SELECT pg_terminate_backend(%s)", [connection.info.backend_pid])
        return ask(statement, types)

    rows.ask = cut_off
    with pytest.raises(DataError, match=r"PostgreSQL's rows: the connection to PostgreSQL's database .* was lost"):
        tw.DecisionTreeRegressor().fit(rows, "y")
    connection.close()


def test_a_connection_that_drops_while_a_statement_runs_is_a_sentence(
    postgres: str, connection: psycopg.Connection[Any]
) -> None:
    rows = tw.source(connection, SLOW.format("i AS z"))
    killer = threading.Timer(0.5, terminate, [postgres, connection.info.backend_pid])
    killer.start()
    # The server's last word may arrive before the line is closed, or not.
    with pytest.raises(DataError, match=r"(?s)was lost .*(terminating|server closed the) connection.* Connect again"):
        fit_often(rows)
    killer.join()
    connection.close()


def fit_often(rows: Any) -> None:
    for _ in range(100):
        tw.DecisionTreeClassifier(max_depth=3).fit(rows, "y")


def terminate(postgres: str, pid: int) -> None:
    with psycopg.connect(postgres) as other:
        other.execute("SELECT pg_terminate_backend(%s)", [pid])


@pytest.mark.parametrize("after", [0.2, 0.6, 1.5])
def test_interrupting_stops_the_statement_and_keeps_the_connection(
    postgres: str, connection: psycopg.Connection[Any], after: float
) -> None:
    rows = tw.source(connection, SLOW.format("repeat('a', 50) AS z"), fetch_rows=10**9)
    pid = connection.info.backend_pid
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, after)
    try:
        with pytest.raises(KeyboardInterrupt):
            fit_often(rows)
    finally:
        signal.signal(signal.SIGALRM, before)
    with psycopg.connect(postgres) as other:
        state = other.execute("SELECT state FROM pg_stat_activity WHERE pid = %s", [pid]).fetchone()
    assert state == ("idle",)
    assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_statement_that_runs_out_of_time_is_a_sentence(connection: psycopg.Connection[Any]) -> None:
    rows = tw.source(connection, SLOW.format("i AS z"))
    connection.execute("SET statement_timeout = 20")
    connection.commit()
    with pytest.raises(DataError, match="canceling statement due to statement timeout"):
        tw.DecisionTreeClassifier().fit(rows, "y")
    assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_full_scratch_disk_of_the_server_is_a_sentence(
    connection: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(postgres_source._SETTINGS, "work_mem", ("64", False))  # so that few rows are too many for it
    connection.execute("SET temp_file_limit = 64")  # kilobytes of temporary files that a session may have
    connection.commit()
    rows = tw.source(connection, SLOW.format("i AS z"), fetch_rows=1)
    with pytest.raises(DataError, match=r"temporary file size exceeds temp_file_limit"):
        tw.DecisionTreeClassifier(max_depth=2).fit(rows, "y")


def test_a_transaction_that_failed_before_is_told_with_the_cure(connection: psycopg.Connection[Any]) -> None:
    with pytest.raises(psycopg.errors.DivisionByZero):
        connection.execute("SELECT 1 / 0")
    with pytest.raises(DataError, match=r"connection\.rollback\(\)"):
        tw.source(connection, "rows")
    connection.rollback()
    assert tw.source(connection, "rows").names == ("x", "y")


def test_a_closed_connection_is_a_sentence(connection: psycopg.Connection[Any]) -> None:
    connection.close()
    with pytest.raises(DataError, match="Connect again"):
        tw.source(connection, "rows")
