"""Tables of databases: an SQLite file by the standard library, or any open DB-API connection."""

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
from treewright.table.text_types import frame_of_values, with_dates

if TYPE_CHECKING:
    import pandas as pd


SQLITE_MAGIC = b"SQLite format 3\x00"
QUERY = re.compile(r"\s*(select|with|values|from|table|show|pragma|call|exec)\b.*\s", re.IGNORECASE | re.DOTALL)
PLAIN_NAME = re.compile(r"[^\W\d][\w$]*(\.[^\W\d][\w$]*)*")
ROWS_AT_ONCE = 10_000


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
        with closing(_open_sqlite(os.fspath(db))) as connection:
            return _read(source, connection, os.fspath(db))
    if not hasattr(db, "cursor"):
        raise DataError(
            f"db must be an SQLite file or an open database connection (with a cursor method), "
            f"not a {type(db).__name__}."
        )
    return _read(source, db, "the database")


def _open_sqlite(name: str) -> sqlite3.Connection:
    path = Path(name.removeprefix("sqlite:///"))
    if "://" in name and not name.startswith("sqlite:///"):
        raise DataError(
            f"db='{name}': only SQLite files are opened by name. From Python, pass an open connection as db=."
        )
    if not path.is_file():
        folder = path.parent if path.parent.is_dir() else Path()
        raise DataError(
            f"{path}: there is no such database file. {nearest(path.name, sorted(p.name for p in folder.iterdir()))}"
        )
    with path.open("rb") as file:
        start = file.read(16)
    if start and start != SQLITE_MAGIC:
        raise DataError(f"{path}: this is not an SQLite database. Read a table file without db=.")
    # Read-only, so that a look at the data never changes or creates a file.
    return sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro", uri=True)


def _read(source: str, connection: Any, shown: str) -> pd.DataFrame:
    is_sqlite = isinstance(connection, sqlite3.Connection)
    query = _sqlite_query(source, connection, shown) if is_sqlite else _plain_query(source)
    with closing(connection.cursor()) as cursor:
        try:
            cursor.execute(query)
            names = [str(column[0]) for column in cursor.description or ()]
            columns = _columns(cursor, len(names))
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
        return 'SELECT * FROM "' + source.replace('"', '""') + '"'
    if QUERY.match(source):
        return source
    raise DataError(f"{shown}: there is no table '{source}'. {nearest(source, tables)}")


def _plain_query(source: str) -> str:
    if QUERY.match(source):
        return source
    if PLAIN_NAME.fullmatch(source):
        return f"SELECT * FROM {source}"
    raise DataError(f"'{source}' is neither the plain name of a table nor a query. Write SELECT … FROM … around it.")
