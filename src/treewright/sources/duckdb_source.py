"""Tables, views and queries of DuckDB as a source."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from treewright.errors import DataError, nearest
from treewright.sources.files import plain_types
from treewright.sources.sql_source import SqlSource, Types
from treewright.sources.sql_text import Engine
from treewright.table.sql_dialects import DIALECTS

if TYPE_CHECKING:
    import pyarrow as pa

DUCKDB = Engine(
    DIALECTS["duckdb"],
    "HUGEINT",
    "CAST(round({}) AS BIGINT)",
    "SELECT {columns} FROM {relation} USING SAMPLE reservoir({rows} ROWS) REPEATABLE (1)",
)
_BATCH_ROWS = 131_072
_INTERRUPTED = "Query interrupted"  # so DuckDB tells Ctrl-C
_TRANSACTION = "SELECT txid_current()"
_TABLES = "SELECT table_name FROM information_schema.tables UNION ALL SELECT view_name FROM duckdb_views() ORDER BY 1"


class DuckDBSource(SqlSource):
    """A table, view or query of an open DuckDB connection."""

    engine = "DuckDB"
    sql = DUCKDB

    def __init__(self, connection: Any, table: str, fetch_rows: int) -> None:
        self.connection = connection
        self.fetch_rows = fetch_rows
        self.table = table
        self.queries = []
        self._held = False
        self.relation = self._find(table)
        self._types = self.ask(f"SELECT * FROM {self.relation} LIMIT 0", {})  # noqa: S608
        self.relation = self._without_endless_days()
        self.queries.clear()  # that one was about no row

    def _find(self, table: str) -> str:
        from treewright.table.reading.read_database import QUERY

        if QUERY.match(table):
            return f"({table.rstrip('; ')}) AS tw_rows"
        name = ".".join('"' + part.replace('"', '""') + '"' for part in table.split("."))
        with self._refusals(_TABLES):
            known = [str(found) for (found,) in self.connection.execute(_TABLES).fetchall()]
        if "." not in table and table not in known:
            raise DataError(f"DuckDB has no table or view '{table}'. {nearest(table, known)}")
        return name

    def _without_endless_days(self) -> str:
        """Days and moments that are infinity are missing: no number stands for them."""
        import pyarrow as pa

        days = [
            '"' + field.name.replace('"', '""') + '"'
            for field in self._types.schema
            if pa.types.is_date(field.type) or pa.types.is_timestamp(field.type)
        ]
        if not days:
            return self.relation
        known = ", ".join(f"CASE WHEN isinf({day}) THEN NULL ELSE {day} END AS {day}" for day in days)
        return f"(SELECT * REPLACE ({known}) FROM {self.relation}) AS tw_rows"  # noqa: S608

    def empty_table(self) -> pa.Table:
        """A table with the types of the columns and no rows."""
        return self._types

    def ask(self, statement: str, types: Types) -> pa.Table:
        """Send a statement and give the whole answer; DuckDB knows its types."""
        with self._refusals(statement):
            return plain_types(self.connection.sql(statement).to_arrow_table())

    def stream(self, statement: str, types: Types) -> Iterator[pa.Table]:
        """Send a statement and give the answer some rows at a time."""
        import pyarrow as pa

        with self._refusals(statement):
            relation = self.connection.sql(statement)
            # Since 1.5; an older relation takes any name for that of a column.
            named_anew = hasattr(type(relation), "to_arrow_reader")
            read = relation.to_arrow_reader if named_anew else relation.fetch_arrow_reader
            for batch in read(_BATCH_ROWS):
                if batch.num_rows:
                    yield plain_types(pa.Table.from_batches([batch]))

    @contextmanager
    def session(self) -> Iterator[None]:
        """Read one snapshot, whatever others write; inside somebody's transaction, what that sees."""
        if self._held:
            yield
            return
        own = self._begin()
        self._held = True
        try:
            with super().session():
                yield
        finally:
            self._held = False
            if own:
                self._end()

    def _begin(self) -> bool:
        """Begin a transaction; False where there is one, which a second beginning would abort."""
        with self._refusals(_TRANSACTION):
            one, other = (self.connection.execute(_TRANSACTION).fetchall() for _ in range(2))
            if one != other:  # outside, each statement is a transaction of its own
                self.connection.begin()
            self.queries.pop()  # no statement about rows
        return bool(one != other)

    def _end(self) -> None:
        import duckdb

        with suppress(duckdb.Error):  # of a connection that was closed meanwhile nothing is left to end
            self.connection.rollback()  # nothing was written

    @contextmanager
    def _refusals(self, statement: str) -> Iterator[None]:
        """Turn what DuckDB refuses into a sentence."""
        import duckdb

        self.queries.append(statement)
        try:
            yield
        except duckdb.Error as error:
            raise DataError(f"DuckDB could not answer: {error} The statement was: {statement[:500]}") from error
        except RuntimeError as error:
            if str(error) == _INTERRUPTED:
                raise KeyboardInterrupt from error
            raise
