"""The embedded database engine that reads Parquet and JSON: how it is opened and quoted. Nothing is downloaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from duckdb import DuckDBPyConnection


def connect() -> DuckDBPyConnection:
    """Open a private in-memory engine that may not install or load extensions by itself.

    >>> connect().execute("SELECT 1 + 1").fetchall()
    [(2,)]
    """
    import duckdb

    connection = duckdb.connect(
        config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"},
    )
    connection.execute("SET enable_progress_bar = false")
    # Without this a time with a zone would be shown in the zone of the machine.
    connection.execute("SET TimeZone = 'UTC'")
    return connection


def literal(text: str | Path) -> str:
    """Write a text as an SQL literal.

    >>> literal("it's")
    "'it''s'"
    """
    return "'" + str(text).replace("'", "''") + "'"
