"""Runs an exported SELECT in a real database, on a table of probes that is gone afterwards."""

from __future__ import annotations

import contextlib
import datetime
import math
import os
import pwd
import shutil
import sqlite3
import subprocess
import tempfile
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

from treewright.errors import DataError
from treewright.export.expected import Answers
from treewright.export.runtimes import NotHereError, Questions, Runtime

_MARKS = 500  # cells of one INSERT
_DATE_TYPES = {"date": "DATE", "datetime": "TIMESTAMP", "time": "TIME", "duration": "INTERVAL"}
_TYPES = {
    "sqlite": {"number": "REAL", "text": "TEXT", "boolean": "INTEGER", "date": "TEXT"},
    "duckdb": {"number": "DOUBLE", "text": "VARCHAR", "boolean": "BOOLEAN", **_DATE_TYPES},
    "postgresql": {"number": "DOUBLE PRECISION", "text": "TEXT", "boolean": "BOOLEAN", **_DATE_TYPES},
}
_DAY_ONE = datetime.datetime(1970, 1, 1)


class SqlRuntime(Runtime):
    """What the databases share: a table of probes, the statement, its rows by number."""

    dialect: str
    mark = "?"

    @abstractmethod
    def connect(self) -> AbstractContextManager[Any]:
        """Open a database of its own, and close it afterwards."""

    @abstractmethod
    def failures(self) -> type[Exception]:
        """Give what the database raises where it does not take a statement."""

    def run(self, path: Path, asked: Questions) -> Answers:
        statement = path.read_text(encoding="utf-8").rstrip().rstrip(";")
        asked = with_kept_columns(asked)
        with self.connect() as connection:
            cursor = connection.cursor()
            try:
                asked = self._put_rows(cursor, asked)
                cursor.execute(statement)
            except self.failures() as problem:
                raise refused(self.version(), problem) from None
            heads = [head[0] for head in cursor.description]
            return rows_in_order(heads, cursor.fetchall(), asked)

    def _put_rows(self, cursor: Any, asked: Questions) -> Questions:
        """Make the table that is asked, and give its rows as the database holds them."""
        held = _TYPES[self.dialect]
        kinds = [column.get("value_type", column["holds"]) for column in asked.columns]
        names = ", ".join(
            f"{_quoted(column['name'])} {held[kind]}" for column, kind in zip(asked.columns, kinds, strict=True)
        )
        marks = ", ".join([self.mark] * len(asked.columns))
        self.make_schema(cursor, asked.table)
        cursor.execute(f"CREATE TABLE {asked.table} ({names or 'unasked INTEGER'})")
        told = [[self.cell(*cell) for cell in zip(kinds, row, strict=True)] for row in asked.rows]
        rows = told if names else [[None]] * len(told)
        at_once = max(1, _MARKS // max(1, len(asked.columns)))  # row by row takes DuckDB a millisecond each
        for start in range(0, len(rows), at_once):
            some = rows[start : start + at_once]
            places = ", ".join([f"({marks or self.mark})"] * len(some))
            cells = [cell for row in some for cell in row]
            cursor.execute(f"INSERT INTO {asked.table} VALUES {places}", cells)  # noqa: S608
        return replace(asked, rows=told)

    def cell(self, kind: str, value: Any) -> Any:
        """A cell as the database takes it: days and microseconds as its own dates."""
        if value is None or kind not in _DATE_TYPES:
            return value
        if kind == "date":
            return (_DAY_ONE + datetime.timedelta(days=value)).date()
        span = datetime.timedelta(microseconds=value)
        return {"datetime": _DAY_ONE + span, "time": (_DAY_ONE + span).time(), "duration": span}[kind]

    def make_schema(self, cursor: Any, table: str) -> None:
        """Make the schema that the table is said to be in."""
        schema, dot, _ = table.rpartition(".")
        if dot:
            cursor.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")


def with_kept_columns(asked: Questions) -> Questions:
    """Give the questions with the columns that a statement only hands on: each holds the number of its row.

    >>> asked = Questions([{"name": "age", "holds": "number"}], [[30.0], [None]], None, keep=("age", "id"))
    >>> with_kept_columns(asked).rows
    [[30.0, 0.0], [None, 1.0]]
    """
    kept = [name for name in asked.keep if name not in {column["name"] for column in asked.columns}]
    columns = [*asked.columns, *({"name": name, "holds": "number"} for name in kept)]
    rows = [[*row, *([float(place)] * len(kept))] for place, row in enumerate(asked.rows)]
    return replace(asked, columns=columns, rows=rows, keep=())


def refused(version: str, problem: Exception) -> DataError:
    """Say why an engine does not take a statement, in its own words."""
    told = " ".join(str(problem).strip().splitlines()[0].split()).rstrip(".;:")[:300]
    return DataError(
        f"{version} does not take the statement: {told}. The names of table= are written as they are given; those that "
        "are no plain words need the quotes of the engine."
    )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def rows_in_order(heads: list[str], told: list[Any], asked: Questions) -> Answers:
    """Rows come back in any order: each is found again by its cells, which the statement hands on."""
    width = len(asked.columns)
    places: dict[Any, list[int]] = {}
    for place, row in enumerate(told):
        places.setdefault(_key(row[:width]), []).append(place)
    try:
        ordered = [told[places[_key(row)].pop()] for row in asked.rows]
    except (KeyError, IndexError):
        raise DataError("The statement lost a row of the proof, or changed one of its cells.") from None
    prediction = heads.index("prediction", width)
    nodes = [width] if heads[width] == "node" else []
    numbers = [prediction] if asked.labels is None else list(range(prediction + 1, len(heads)))
    labels = None if asked.labels is None else [_label(row[prediction], asked.labels) for row in ordered]
    told = [[_number(row[i]) for i in numbers] for row in ordered]
    scores = [[_number(number) for number in row[prediction - asked.n_scores : prediction]] for row in ordered]
    return Answers([[row[i] for i in nodes] for row in ordered], told, labels, scores if asked.n_scores else None)


def _number(told: Any) -> float:
    """SQLite has no NaN, which infinite sums may end in: it says NULL.

    >>> _number(None), _number(2)
    (nan, 2.0)
    """
    return math.nan if told is None else float(told)


def _key(cells: Sequence[Any]) -> tuple[Any, ...]:
    """Cells as they come back: SQLite has 1 for True, and no -0.0."""
    return tuple(float(cell) + 0.0 if isinstance(cell, int | float) else cell for cell in cells)


def _label(value: Any, labels: list[Any]) -> Any:
    """SQLite has no truth values: 1 is True where the classes are."""
    return bool(value) if labels and isinstance(labels[0], bool) else value


class SqliteRuntime(SqlRuntime):
    """SQLite as Python has it."""

    most_cells = 4_000_000

    dialect = "sqlite"

    def failures(self) -> type[Exception]:
        return sqlite3.Error

    def version(self) -> str:
        return f"SQLite {sqlite3.sqlite_version}"

    @contextlib.contextmanager
    def connect(self) -> Iterator[Any]:
        connection = sqlite3.connect(":memory:")
        try:
            yield connection
        finally:
            connection.close()

    def cell(self, kind: str, value: Any) -> Any:
        made = super().cell(kind, value)
        return made.isoformat() if kind == "date" and made is not None else made

    def make_schema(self, cursor: Any, table: str) -> None:
        schema, dot, _ = table.rpartition(".")
        if dot:
            cursor.execute(f"ATTACH ':memory:' AS {schema}")


class DuckdbRuntime(SqlRuntime):
    """DuckDB."""

    dialect = "duckdb"

    def failures(self) -> type[Exception]:
        import duckdb

        return duckdb.Error

    def version(self) -> str:
        import duckdb

        return f"DuckDB {duckdb.__version__}"

    @contextlib.contextmanager
    def connect(self) -> Iterator[Any]:
        import duckdb

        connection = duckdb.connect()
        try:
            yield connection
        finally:
            connection.close()


class PostgresRuntime(SqlRuntime):
    """A PostgreSQL server that is made for the proof, in a temporary folder, and ended after it."""

    dialect, mark = "postgresql", "%s"

    def failures(self) -> type[Exception]:
        found: type[Exception] = _psycopg().Error
        return found

    def version(self) -> str:
        told = subprocess.run([_initdb(), "--version"], capture_output=True, text=True, check=True).stdout  # noqa: S603
        return f"PostgreSQL {told.split()[2]}"

    @contextlib.contextmanager
    def connect(self) -> Iterator[Any]:
        psycopg = _psycopg()
        with temporary_server() as address, psycopg.connect(address) as connection:
            yield connection


def _psycopg() -> Any:
    try:
        import psycopg
    except ImportError:
        raise NotHereError("no psycopg here (pip install 'treewright[postgres]')") from None
    return psycopg


def _initdb() -> str:
    _psycopg()
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    found = shutil.which("initdb") or next((str(f / "initdb") for f in folders if (f / "initdb").exists()), None)
    if found is None:
        raise NotHereError("no PostgreSQL server here")
    return found


@contextlib.contextmanager
def temporary_server() -> Iterator[str]:
    """Start a server that listens to a socket in a temporary folder only; gives its address."""
    initdb = _initdb()
    owner = _owner()
    with tempfile.TemporaryDirectory(prefix="tw-pg-") as folder:  # a short name, since that of a socket must be
        if owner is not None:
            shutil.chown(folder, owner)

        def run(*command: str) -> None:
            subprocess.run(  # noqa: S603
                command, check=True, user=owner, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )

        run(initdb, "-D", f"{folder}/data", "-U", "prover", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C")
        control = [str(Path(initdb).parent / "pg_ctl"), "-D", f"{folder}/data", "-w"]
        run(*control, "-o", f"-k {folder} -c listen_addresses='' -c fsync=off", "-l", f"{folder}/log", "start")
        try:
            yield f"postgresql://prover@/postgres?host={folder}"
        finally:
            run(*control, "-m", "immediate", "stop")


def _owner() -> str | None:
    """A server refuses to run as root."""
    if os.getuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"
