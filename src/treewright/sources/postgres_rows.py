"""Rows of PostgreSQL as tables of Arrow: COPY writes them as text that Arrow reads, without a Python object a cell.

psycopg's own way takes several microseconds a row; so the rows are taken from its libpq, some thousands at a time.
"""

from __future__ import annotations

import selectors
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

_BATCH_ROWS = 131_072
_BATCH_BYTES = 64 * 2**20


def copied_tables(connection: Any, statement: str, types: Mapping[str, Any]) -> Iterator[pa.Table]:
    """Give what a ``COPY … TO STDOUT (FORMAT csv)`` sends, some rows at a time."""
    waiting, size = [], 0
    for line in _copied_lines(connection, statement):
        waiting.append(line)
        size += len(line)
        if len(waiting) >= _BATCH_ROWS or size >= _BATCH_BYTES:
            yield _table(b"".join(waiting), types, connection.info.encoding)
            waiting, size = [], 0
    if waiting:
        yield _table(b"".join(waiting), types, connection.info.encoding)


def _copied_lines(connection: Any, statement: str) -> Iterator[bytes]:
    """Each row as its line. Who stops early, or is stopped, leaves a connection that can be used."""
    pgconn = connection.pgconn
    with connection.lock, selectors.DefaultSelector() as watched:
        watched.register(pgconn.socket, selectors.EVENT_READ)
        done = False
        try:
            _start(pgconn, statement.encode(connection.info.encoding), watched)
            take = pgconn.get_copy_data
            while True:
                size, line = take(1)
                if size > 0:
                    yield bytes(line)
                elif size == 0:
                    watched.select()
                    pgconn.consume_input()
                else:
                    break
            _finish(pgconn, watched)
            done = True
        finally:
            if not done:
                _give_up(pgconn, watched)


def _start(pgconn: Any, statement: bytes, watched: selectors.BaseSelector) -> None:
    from psycopg.pq import ExecStatus

    pgconn.send_query(statement)
    while pgconn.flush():  # what the server cannot take yet
        watched.modify(pgconn.socket, selectors.EVENT_READ | selectors.EVENT_WRITE)
        watched.select()
        pgconn.consume_input()
    watched.modify(pgconn.socket, selectors.EVENT_READ)
    result = _result(pgconn, watched)
    if result is None or result.status != ExecStatus.COPY_OUT:
        raise _error_of(pgconn, result)


def _result(pgconn: Any, watched: selectors.BaseSelector) -> Any:
    while pgconn.is_busy():
        watched.select()
        pgconn.consume_input()
    return pgconn.get_result()


def _finish(pgconn: Any, watched: selectors.BaseSelector) -> None:
    from psycopg.pq import ExecStatus

    while (result := _result(pgconn, watched)) is not None:
        if result.status not in (ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK):
            raise _error_of(pgconn, result)


def _give_up(pgconn: Any, watched: selectors.BaseSelector) -> None:
    """Ask the server to stop, and take what it has sent already."""
    from psycopg.pq import ConnStatus, ExecStatus

    if pgconn.status != ConnStatus.OK:
        return
    pgconn.get_cancel().cancel()
    while (result := _result(pgconn, watched)) is not None:
        while result.status == ExecStatus.COPY_OUT and (size := pgconn.get_copy_data(1)[0]) >= 0:
            if size == 0:
                watched.select()
                pgconn.consume_input()


def _error_of(pgconn: Any, result: Any) -> Exception:
    import psycopg
    from psycopg.pq import DiagnosticField, error_message

    state = None if result is None else result.error_field(DiagnosticField.SQLSTATE)
    kind: type[psycopg.Error] = psycopg.OperationalError
    if state:
        try:
            kind = psycopg.errors.lookup(state.decode())
        except KeyError:  # newer than psycopg
            kind = psycopg.DatabaseError
    return kind(error_message(pgconn if result is None else result))


def _table(lines: bytes, types: Mapping[str, Any], encoding: str) -> pa.Table:
    import pyarrow as pa
    import pyarrow.csv as csv

    plain = {name: _number_of(of_type) for name, of_type in types.items()}
    read = csv.read_csv(
        pa.BufferReader(lines),
        read_options=csv.ReadOptions(
            use_threads=False, block_size=len(lines) + 1, column_names=list(types), encoding=encoding
        ),
        parse_options=csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
        convert_options=csv.ConvertOptions(
            column_types=plain, null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=False,
            true_values=["t"], false_values=["f"],
        ),
    )  # fmt: skip
    return read.cast(pa.schema(list(types.items())))


def _number_of(of_type: Any) -> Any:
    """Dates come as days, moments as microseconds."""
    import pyarrow as pa

    if pa.types.is_date32(of_type):
        return pa.int32()
    return pa.int64() if pa.types.is_temporal(of_type) else of_type
