"""Tables of Arrow put onto a PostgreSQL server, for tests that ask it the same as the rows in memory."""

from __future__ import annotations

from typing import Any

import psycopg
import pyarrow as pa

import treewright as tw

TYPES = {
    "double": "float8",
    "float": "float4",
    "int64": "int8",
    "int32": "int4",
    "string": "text",
    "large_string": "text",
    "bool": "bool",
    "timestamp[us]": "timestamp",
    "timestamp[ns]": "timestamp",
    "timestamp[us, tz=UTC]": "timestamptz",
    "date32[day]": "date",
    "time64[us]": "time",
    "duration[us]": "interval",
    "null": "float8",
}


def put(connection: psycopg.Connection[Any], table: pa.Table, name: str = "rows") -> None:
    """Put a table in the place of another of the same name."""
    columns = ", ".join(f'"{field.name}" {TYPES[str(field.type)]}' for field in table.schema)
    connection.execute(f'DROP TABLE IF EXISTS "{name}"')
    connection.execute(f'CREATE TABLE "{name}" ({columns})')
    cells = [column.to_pylist() for column in table.columns]
    with connection.cursor().copy(f'COPY "{name}" FROM STDIN') as copy:
        for row in zip(*cells, strict=True):
            copy.write_row(row)
    connection.commit()


def source(connection: psycopg.Connection[Any], table: pa.Table, fetch_rows: int = 2) -> Any:
    put(connection, table)
    return tw.source(connection, "rows", fetch_rows=fetch_rows)
