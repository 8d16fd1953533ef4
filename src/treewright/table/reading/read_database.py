"""Tables of databases: SQLite and DuckDB files, PostgreSQL by its address, or any open DB-API connection."""

from __future__ import annotations

import os
import re
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from treewright.errors import DataError, nearest
from treewright.table.reading.source_file import DUCKDB_MAGIC
from treewright.table.written.text_types import frame_of_values, with_dates

if TYPE_CHECKING:
    import pandas as pd


SQLITE_MAGIC = b"SQLite format 3\x00"
QUERY = re.compile(r"\s*(select|with|values|from|table|show|pragma|call|exec)\b.*\s", re.IGNORECASE | re.DOTALL)
PLAIN_NAME = re.compile(r"[^\W\d][\w$]*(\.[^\W\d][\w$]*)*")
ROWS_AT_ONCE = 10_000
_PATIENCE = 30  # seconds for a server to answer
_DUCKDB_TABLES = "SELECT table_name FROM information_schema.tables ORDER BY table_name"


_DATABASES = (".sqlite", ".sqlite3", ".db", ".duckdb", ".ddb")  # the usual endings


def read_database(source: str, db: Any) -> pd.DataFrame:
    """Read a table, a view or a query: `db` is an SQLite file or an open connection.

    >>> connection = sqlite3.connect(":memory:")
    >>> _ = connection.execute("CREATE TABLE people (age INTEGER, born TEXT)")
    >>> _ = connection.execute("INSERT INTO people VALUES (41, '1984-05-01'), (NULL, '1990-01-01')")
    >>> read_database("people", connection)
        age       born
    0  41.0 1984-05-01
    1   NaN 1990-01-01
    >>> connection.close()
    """
    if isinstance(db, (str, os.PathLike)):
        name = os.fspath(db)
        if name.startswith(("postgresql://", "postgres://")):
            return _read_postgres(source, name)
        if is_duckdb(Path(name)):
            return _read_duckdb(source, name)
        with closing(_open_sqlite(os.fspath(db))) as connection:
            return _read(source, connection, os.fspath(db))
    if not hasattr(db, "cursor"):
        raise DataError(
            f"db must be an SQLite or DuckDB file, the address of a PostgreSQL server or an open database connection "
            f"(with a cursor method), not a {type(db).__name__}."
        )
    return _read(source, db, "the database")


def _open_sqlite(name: str) -> sqlite3.Connection:
    path = Path(name.removeprefix("sqlite:///"))
    if "://" in name and not name.startswith("sqlite:///"):
        raise DataError(
            f"db='{_without_password(name)}': SQLite and DuckDB files and postgresql://… are opened by name. For "
            "another database pass an open connection as db= in Python, or export the table as CSV or Parquet."
        )
    if not path.is_file():
        folder = path.parent if path.parent.is_dir() else Path()
        known = sorted(each.name for each in folder.iterdir() if each.suffix in _DATABASES)
        raise DataError(
            f"{path}: there is no such database file. {nearest(path.name, known) if known else ''}".rstrip()
        )
    with path.open("rb") as file:
        start = file.read(16)
    if start and start != SQLITE_MAGIC:
        raise DataError(f"{path}: this is not an SQLite or DuckDB database. Read a table file without db= or --db.")
    # Read-only, so that a look at the data never changes or creates a file.
    return sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro", uri=True)


def _without_password(address: str) -> str:
    """Give an address as it may be shown.

    >>> _without_password("postgresql://ann:secret@host/shop")
    'postgresql://ann@host/shop'
    """
    return re.sub(r"(://[^:/@]*):[^@/]*@", r"\1@", address)


def _read_postgres(source: str, address: str) -> pd.DataFrame:
    with closing(connect_postgres(address)) as connection:
        return _read(source, connection, _without_password(address))


def connect_postgres(address: str) -> Any:
    """Open a connection to a PostgreSQL server that can only look."""
    shown = _without_password(address)
    try:
        import psycopg
    except ImportError as error:
        raise DataError(
            f"{shown}: PostgreSQL is read by psycopg, which is not installed: pip install 'psycopg[binary]' (or pip "
            "install 'treewright[postgres]')."
        ) from error
    try:
        given = "connect_timeout" in address or "PGCONNECT_TIMEOUT" in os.environ
        connection = psycopg.connect(address, connect_timeout=None if given else _PATIENCE)
    except psycopg.Error as error:
        raise DataError(
            f"{shown}: the server does not answer ({' '.join(str(error).split())}). Check address and name."
        ) from error
    connection.read_only = True  # a look at the data never changes it
    return connection


def is_duckdb(path: Path) -> bool:
    """Tell whether a file is a database of DuckDB.

    >>> is_duckdb(Path("nowhere.duckdb"))
    False
    """
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(12)[8:] == DUCKDB_MAGIC


def connect_duckdb(name: str) -> Any:
    """Open a file of DuckDB that can only be looked at."""
    import duckdb

    config: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
    }
    connection = duckdb.connect(name, read_only=True, config=config)
    connection.execute("SET TimeZone = 'UTC'")
    return connection


def _read_duckdb(source: str, name: str) -> pd.DataFrame:
    import duckdb

    from treewright.table.reading.read_parquet_json import describe, fetch_frame

    try:
        with connect_duckdb(name) as connection:
            tables = [str(table) for (table,) in connection.execute(_DUCKDB_TABLES).fetchall()]
            if source not in tables and not QUERY.match(source):
                raise DataError(f"{name}: there is no table '{source}'. {nearest(source, tables)}")
            relation = '"' + source.replace('"', '""') + '"' if source in tables else f"({source.rstrip('; ')})"
            return fetch_frame(connection, relation, name, [column for column, _ in describe(connection, relation)])
    except duckdb.Error as error:
        raise DataError(f"{name}: the query failed: {error}. The query was: {source}") from error


def _read(source: str, connection: Any, shown: str) -> pd.DataFrame:
    is_sqlite = isinstance(connection, sqlite3.Connection)
    query = _sqlite_query(source, connection, shown) if is_sqlite else _plain_query(source)
    with closing(connection.cursor()) as cursor:
        try:
            cursor.execute(query)
            names = [str(column[0]) for column in cursor.description or ()]
            columns = _columns(cursor, len(names))
        except MemoryError:
            raise
        except Exception as error:
            # Each database has its own classes of error; all of them mean that it could not answer.
            raise DataError(f"{shown}: the query failed: {error}. The query was: {query}") from error
    if not names:
        raise DataError(
            f"{shown}: the query gave no columns. Write one that begins with SELECT. The query was: {query}"
        )
    for name, count in Counter(names).items():
        if count > 1 or not name.strip():
            raise DataError(f"{shown}: the result has {count} columns named '{name}'. Name each with AS in the query.")
    frame = frame_of_values(shown, names, columns)
    return with_dates(frame) if is_sqlite else frame


def _columns(cursor: Any, width: int) -> list[list[object]]:
    columns: list[list[object]] = [[] for _ in range(width)]
    while rows := cursor.fetchmany(ROWS_AT_ONCE):
        for column, cells in zip(columns, zip(*rows, strict=True), strict=True):
            column.extend(cells)
    return columns


def _sqlite_query(source: str, connection: sqlite3.Connection, shown: str) -> str:
    try:
        rows = connection.execute(
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name"
        ).fetchall()
    except sqlite3.Error as error:
        raise DataError(f"{shown}: the database cannot be read: {error}.") from error
    tables = [str(name) for (name,) in rows]
    if source in tables:
        return 'SELECT * FROM "' + source.replace('"', '""') + '"'  # noqa: S608  (a name of the database, quoted)
    if QUERY.match(source):
        return source
    raise DataError(f"{shown}: there is no table '{source}'. {nearest(source, tables)}")


def _plain_query(source: str) -> str:
    if QUERY.match(source):
        return source
    if PLAIN_NAME.fullmatch(source):
        return f"SELECT * FROM {source}"  # noqa: S608  (a plain name; queries are the user's own)
    advice = "Write SELECT … FROM … around it."
    raise DataError(f"'{source}' is neither the plain name of a table nor a query. {advice}")
