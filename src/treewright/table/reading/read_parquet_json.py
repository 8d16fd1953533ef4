"""Parquet files and JSON lines, read by the embedded database engine; nothing is downloaded."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from treewright.errors import DataError
from treewright.table.reading.reading_memory import refuse_many_cells
from treewright.table.reading.source_file import SourceFile, check_bytes
from treewright.table.written.text_types import frame_of_values, with_dates

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    from duckdb import DuckDBPyConnection


# The embedded database engine that reads Parquet and JSON: how it is opened and quoted. Nothing is downloaded.


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


# From a typed SQL relation (Parquet, JSON) to a frame: plain pandas types, exact names, nested columns refused.


NESTED = ("STRUCT", "MAP", "UNION", "LIST", "VARIANT")
ZONED = "TIMESTAMP WITH TIME ZONE"


def describe(connection: DuckDBPyConnection, relation: str) -> list[tuple[str, str]]:
    """Give the name and the SQL type of each column, as the engine sees them."""
    rows = connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()  # noqa: S608  (ours)
    return [(str(row[0]), str(row[1])) for row in rows]


def fetch_frame(connection: DuckDBPyConnection, relation: str, shown: str, names: Sequence[str]) -> pd.DataFrame:
    """Read a relation; `names` are the true names, since the engine renames columns that differ in case only."""
    import pandas as pd

    columns = describe(connection, relation)
    for name, (_, sql_type) in zip(names, columns, strict=True):
        _refuse_nested(shown, name, sql_type)
    values = ", ".join(f"{_value(name, sql_type)} AS c{i}" for i, (name, sql_type) in enumerate(columns))
    frame = connection.execute(f"SELECT {values} FROM {relation}").df()  # noqa: S608  (names are quoted by `_value`)
    for i, (_, sql_type) in enumerate(columns):
        label = f"c{i}"
        if sql_type == ZONED:
            frame[label] = frame[label].dt.tz_localize("UTC")
        elif frame[label].isna().all() or (pd.api.types.is_integer_dtype(frame[label]) and frame[label].hasnans):
            frame[label] = frame[label].astype("float64")
    frame.columns = pd.Index(list(names), dtype="str")
    return frame


def _refuse_nested(shown: str, name: str, sql_type: str) -> None:
    if sql_type.endswith("]") or sql_type.startswith(NESTED):
        raise DataError(
            f"{shown}: column '{name}' holds lists or records ({sql_type}), but a cell must hold one value. Spread "
            "them over columns of their own, or leave the column out. A JSON table has one flat object for each row."
        )
    if sql_type == "BLOB":
        raise DataError(f"{shown}: column '{name}' holds raw bytes. Store it as text or numbers, or leave it out.")


def _value(name: str, sql_type: str) -> str:
    quoted = '"' + name.replace('"', '""') + '"'
    if sql_type == ZONED:
        return f"make_timestamp(epoch_us({quoted}))"
    if sql_type == "JSON":
        # Cells of several types: the text of each, without the quotes of JSON.
        return f"{quoted} ->> '$'"
    return f"{quoted}::VARCHAR" if sql_type == "UUID" or sql_type.startswith("ENUM") else quoted


# Parquet files: typed columns that need no guessing.


def read_parquet(file: SourceFile, notes: list[str]) -> pd.DataFrame:
    """Read a Parquet file with its own types, categories among them; nulls are missing."""
    import duckdb

    from treewright.table.reading.parquet_categories import with_categories

    path = literal(file.path)
    relation = f"read_parquet({path}, binary_as_string = true, hive_partitioning = false)"
    with connect() as connection:
        try:
            columns = describe(connection, relation)
            names = [name for name, _ in columns]
            counted = connection.execute(f"SELECT num_rows FROM parquet_file_metadata({path})").fetchall()  # noqa: S608
            refuse_many_cells(file.shown, int(counted[0][0]), [sql_type for _, sql_type in columns])
            # The file's own list of names; it is longer if columns are nested, and those are refused.
            schema = connection.execute(f"SELECT name FROM parquet_schema({path})").fetchall()[1:]  # noqa: S608
            if len(schema) == len(names):
                names = [str(name) for (name,) in schema]
            keys = dict(connection.execute(f"SELECT key, value FROM parquet_kv_metadata({path})").fetchall())  # noqa: S608
            frame = fetch_frame(connection, relation, file.shown, names)
        except duckdb.OutOfMemoryException as error:
            raise MemoryError from error
        except duckdb.Error as error:
            raise DataError(
                f"{file.shown}: this is not a Parquet file, or it is cut short. Write it again, or give a text "
                "table a name that ends in .csv."
            ) from error
    return with_categories(frame, file, keys, notes)


def read_feather(file: SourceFile) -> pd.DataFrame:
    """Read a Feather (Arrow) file with its own types."""
    import pandas as pd

    try:
        return pd.read_feather(file.path)
    except ImportError as error:
        raise DataError(
            f"{file.shown}: Feather files are read by pyarrow, which is not installed: pip install pyarrow. "
            "Or save the table as Parquet."
        ) from error
    except MemoryError:
        raise
    except Exception as error:  # of many kinds, all of which mean that the bytes are not what the name says
        raise DataError(f"{file.shown}: this is no whole Feather file ({error}). Write it again.") from error


# JSON lines: one flat object a row. Also a JSON file that is one list of such objects.


def read_json_lines(file: SourceFile) -> pd.DataFrame:
    """Read objects as rows: a key is a column, null or an absent key is missing."""
    import duckdb

    check_bytes(file)
    # A pattern that fits no text keeps the engine from taking 1-2-2024 for a date; with_dates takes ISO dates only.
    no_dates = "dateformat = 'none', timestampformat = 'none'"
    relation = f"read_json({literal(file.path)}, format = 'auto', sample_size = -1, {no_dates})"
    with connect() as connection:
        try:
            names = [name for name, _ in describe(connection, relation)]
            if not _renamed(names):
                return with_dates(fetch_frame(connection, relation, file.shown, names))
        except duckdb.OutOfMemoryException as error:
            raise MemoryError from error
        except duckdb.Error:
            # The slower way below has the better words for what is wrong, and takes NaN, which Python writes.
            pass
    return _read_carefully(file)


def _renamed(names: list[str]) -> bool:
    """Tell whether the engine may have renamed a key that differs from another in case only, or found no objects."""
    folded = {name.casefold() for name in names}
    bases = (re.sub(r"_\d+$", "", name) for name in names)
    return names == ["json"] or any(
        base != name and base.casefold() in folded for base, name in zip(bases, names, strict=True)
    )


def _read_carefully(file: SourceFile) -> pd.DataFrame:
    columns: dict[str, list[object]] = {}
    for n_before, (line, record) in enumerate(_records(file)):
        if not isinstance(record, dict):
            raise DataError(
                f'{file.at(line)}: a row must be a JSON object such as {{"age": 41, "city": "Ulm"}}, but here is a '
                f"{type(record).__name__}. From pandas, write with orient='records', lines=True."
            )
        for name, value in record.items():
            columns.setdefault(name, [None] * n_before).append(value)
        for cells in columns.values():
            if len(cells) == n_before:
                cells.append(None)
    if not columns:
        raise DataError(f"{file.shown}: there are no rows with columns in this file. Each line must be a JSON object.")
    return with_dates(frame_of_values(file.shown, list(columns), list(columns.values())))


def _records(file: SourceFile) -> Iterator[tuple[int, Any]]:
    with file.path.open(encoding="utf-8-sig") as text:
        start = text.read(4096).lstrip()
        text.seek(0)
        if start.startswith("["):
            for record in _parse(file, 1, text.read()):
                yield 1, record
            return
        for line, row in enumerate(text, start=1):
            if row.strip():
                yield line, _parse(file, line, row)


def _parse(file: SourceFile, line: int, text: str) -> Any:
    def no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        record = dict(pairs)
        if len(record) < len(pairs):
            twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
            raise DataError(f"{file.at(line)}: the key '{twice}' is given twice in one row. Rename one of them.")
        return record

    try:
        return json.loads(text, object_pairs_hook=no_key_twice)
    except json.JSONDecodeError as error:
        raise DataError(
            f"{file.at(line + error.lineno - 1)}:{error.colno}: this is not JSON ({error.msg}). Each line must be one "
            "whole object; strings and keys are in double quotes."
        ) from error
