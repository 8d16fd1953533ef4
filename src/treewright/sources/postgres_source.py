"""Tables, views and queries of PostgreSQL as a source. One snapshot is read from the first question to the last.

Columns are brought to few plain types first, so that nothing depends on the settings of the server or the session: its
collation, its time zone, how it writes dates.
"""
# ruff: noqa: S608

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.errors import DataError, nearest
from treewright.sources.postgres_rows import copied_tables
from treewright.sources.sql_source import SqlSource, Types
from treewright.sources.sql_text import Engine
from treewright.table.sql_dialects import DIALECTS

if TYPE_CHECKING:
    import pyarrow as pa


def place_among(x: str, bounds: Sequence[float]) -> str:
    """The cell of a number: 1 and one more for every bound below it. The server's search takes bounds from below.

    Examples
    --------
    >>> place_among("x0", [0.5, 2.0])
    "width_bucket(x0, '{0.5000000000000001,2.0000000000000004}') + 1"
    """
    above = ",".join(repr(float(np.nextafter(bound, np.inf))) for bound in bounds)
    return f"width_bucket({x}, '{{{above}}}') + 1" if bounds else f"CASE WHEN {x} IS NOT NULL THEN 1 END"


POSTGRES = Engine(
    replace(DIALECTS["postgresql"], without_nan="{}"),  # NaN is NULL already
    "NUMERIC",
    # round() of the server takes halves to the even side
    "CAST(trunc({0}) + trunc(({0} - trunc({0})) * 2) AS BIGINT)",
    "SELECT {columns} FROM {relation} WHERE random() < {share}",
    place_among,
    "unnest(CAST('{{{}}}' AS BIGINT[]))",
    " OFFSET 0",
)
_TABLES = (
    "SELECT relname FROM pg_catalog.pg_class WHERE relkind IN ('r', 'v', 'm', 'p', 'f') "
    "AND pg_catalog.pg_table_is_visible(oid) AND relnamespace <> 'pg_catalog'::regnamespace ORDER BY relname"
)
# What holds for the statements of a fit: a value, and whether a larger one is left as it is.
_SETTINGS = {
    "extra_float_digits": ("1", True),  # numbers are read back exactly
    "jit": ("off", False),  # to compile a tree's CASE takes a hundred times as long as to run it
    "work_mem": ("65536", True),  # kB: tables of counts are hashed, not sorted on the disk
}


@dataclass(frozen=True)
class PlainType:
    """How a type of the server is selected, what Arrow calls it, and how its values are written for us."""

    arrow: str
    selected: str = "{}"
    written: str = "{}"


_NUMBER = PlainType("double", "NULLIF(CAST({} AS FLOAT8), 'NaN')")
_WHOLE = PlainType("int64", "CAST({} AS BIGINT)")
_MICROSECONDS = "CAST(EXTRACT(EPOCH FROM {}) * 1000000 AS BIGINT)"
_FINITE = "CASE WHEN isfinite({0}) THEN {0} END"  # the end of time is no date
_TEXT = PlainType("string", 'CAST({} AS TEXT) COLLATE "C"')
_TYPES = {
    "bool": PlainType("bool"),
    **dict.fromkeys(["int2", "int4", "int8"], _WHOLE),
    **dict.fromkeys(["float4", "float8", "numeric"], _NUMBER),
    "money": PlainType("double", "CAST(CAST({} AS NUMERIC) AS FLOAT8)"),
    "date": PlainType("date32[day]", _FINITE, "({} - DATE '1970-01-01')"),
    "timestamp": PlainType("timestamp[us]", _FINITE, _MICROSECONDS),
    "timestamptz": PlainType("timestamp[us, tz=UTC]", f"({_FINITE}) AT TIME ZONE 'UTC'", _MICROSECONDS),
    "time": PlainType("time64[us]", "{}", _MICROSECONDS),
    "interval": PlainType("duration[us]", "{}", _MICROSECONDS),
}


class PostgresSource(SqlSource):
    """A table, view or query of an open connection of psycopg."""

    engine = "PostgreSQL"
    sql = POSTGRES

    def __init__(self, connection: Any, table: str, fetch_rows: int) -> None:
        self.connection = connection
        self.fetch_rows = fetch_rows
        self.table = table
        self.queries = []
        self._held = False
        with self.session():
            given = self._find(table)
            kinds = self._kinds(given)
        quoted = self.sql.dialect.identifier
        chosen = ", ".join(f"{kind.selected.format(quoted(name))} AS {quoted(name)}" for name, kind in kinds.items())
        self.relation = f"(SELECT {chosen} FROM {given}) AS tw_rows"
        self._plain = kinds

    # ---------------------------------------------------------------- what there is
    def _find(self, table: str) -> str:
        from treewright.table.reading.read_database import QUERY

        if QUERY.match(table):
            return f"({table.rstrip('; ')}) AS tw_given"
        known = [str(found) for (found,) in self._rows(_TABLES)]
        parts = [table] if table in known or "." not in table else table.split(".")
        if len(parts) == 1 and table not in known:
            raise DataError(f"{self._where()} has no table or view '{table}'. {nearest(table, known)}")
        return ".".join(map(self.sql.dialect.identifier, parts))

    def _kinds(self, given: str) -> dict[str, PlainType]:
        """The columns with their types."""
        statement = f"SELECT * FROM {given} LIMIT 0"
        with self._refusals(statement):
            described = self.connection.cursor().execute(statement, prepare=False).description or ()
        names = [column.name for column in described]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise DataError(f"{self} has several columns named '{twice}'. Name each with AS in the query.")
        oids = ", ".join(str(column.type_code) for column in described) or "0"
        known = dict(self._rows(f"SELECT oid::BIGINT, typname::TEXT FROM pg_catalog.pg_type WHERE oid IN ({oids})"))
        return {column.name: _TYPES.get(known[column.type_code], _TEXT) for column in described}

    def _rows(self, statement: str) -> list[tuple[Any, ...]]:
        with self._refusals(statement):
            found: list[tuple[Any, ...]] = self.connection.cursor().execute(statement, prepare=False).fetchall()
            return found

    def empty_table(self) -> pa.Table:
        """A table with the types of the columns and no rows."""
        import pyarrow as pa

        return pa.schema([(name, _arrow_type(kind.arrow)) for name, kind in self._plain.items()]).empty_table()

    # ---------------------------------------------------------------- questions
    def ask(self, statement: str, types: Types) -> pa.Table:
        """Send a statement and give the whole answer."""
        import pyarrow as pa

        parts = list(self.stream(statement, types))
        if not parts:
            return pa.schema([(name, _arrow_type(of_type)) for name, of_type in types.items()]).empty_table()
        return pa.concat_tables(parts)

    def stream(self, statement: str, types: Types) -> Iterator[pa.Table]:
        """Send a statement and give the answer some rows at a time."""
        self.queries.append(statement)
        given = {name: _arrow_type(of_type) for name, of_type in types.items()}
        quoted = self.sql.dialect.identifier
        written = [_written(of_type).format(quoted(name)) for name, of_type in given.items()]
        copied = f"COPY (SELECT {', '.join(written)} FROM ({statement}) AS tw_answer) TO STDOUT (FORMAT csv)"
        with self.session(), self._refusals(statement):
            yield from copied_tables(self.connection, copied, given)

    @contextmanager
    def session(self) -> Iterator[None]:
        """Read one snapshot, and nothing else than read; inside somebody's transaction, what that sees."""
        if self._held:
            yield
            return
        self._held = True
        try:
            with self._refusals("BEGIN"):
                idle = self.connection.info.transaction_status == 0
                with self.connection.transaction():
                    if idle:
                        self.connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                    with self._settings():
                        yield
        finally:
            self._held = False

    @contextmanager
    def _settings(self) -> Iterator[None]:
        """Set what numbers are written and statements planned by, for this transaction, whatever the session has.

        Nobody needs rights for it. At the end they are as they were; a transaction that failed forgets them by itself.
        """
        names = ", ".join(f"'{name}'" for name in _SETTINGS)
        before = dict(self._rows(f"SELECT name, setting FROM pg_catalog.pg_settings WHERE name IN ({names})"))
        changed = {
            name: wanted
            for name, (wanted, least) in _SETTINGS.items()
            if name in before and not (least and int(before[name]) >= int(wanted))
        }
        self._set(changed)
        yield
        self._set({name: before[name] for name in changed})

    def _set(self, settings: Mapping[str, str]) -> None:
        calls = ", ".join(f"set_config('{name}', '{value}', true)" for name, value in settings.items())
        if calls:
            self._rows(f"SELECT {calls}")

    @contextmanager
    def _refusals(self, statement: str) -> Iterator[None]:
        """Turn what the server or psycopg refuses into a sentence."""
        import psycopg

        try:
            yield
        except psycopg.Error as error:
            told = str(error).strip().rstrip(".")
            if self.connection.closed:
                raise DataError(
                    f"{self}: the connection to {self._where()} was lost ({told}). Nothing was changed there. Connect "
                    "again, make the source anew and repeat."
                ) from error
            if isinstance(error, psycopg.errors.InFailedSqlTransaction):
                told += ". End the transaction that failed before: connection.rollback()"
            shown = f"The statement was: {statement[:500]}"
            raise DataError(f"{self}: PostgreSQL could not answer: {told}. {shown}") from error

    def _where(self) -> str:
        import psycopg

        try:
            return f"PostgreSQL's database '{self.connection.info.dbname}'"
        except psycopg.OperationalError:  # closed, and no longer known
            return "PostgreSQL"


def _arrow_type(of_type: Any) -> Any:
    """A type of Arrow by its name.

    Examples
    --------
    >>> _arrow_type("timestamp[us, tz=UTC]")
    TimestampType(timestamp[us, tz=UTC])
    """
    import pyarrow as pa

    if not isinstance(of_type, str):
        return of_type
    zoned, days = pa.timestamp("us", "UTC"), pa.date32()
    return {str(zoned): zoned, str(days): days}.get(of_type) or pa.type_for_alias(of_type)


def _written(of_type: Any) -> str:
    """How values of a type of Arrow are written: dates as numbers, which need no settings."""
    return next((kind.written for kind in _TYPES.values() if kind.arrow == str(of_type)), "{}")
