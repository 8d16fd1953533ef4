"""Rows that stay where they are: many files, a table of a database (--table), files on a cluster (--engine)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from treewright.cli.options import TABLE, TableRequest
from treewright.errors import DataError

if TYPE_CHECKING:
    from treewright.sources.source import Source

_PATIENCE = 10  # seconds for a scheduler to answer
_READING = ("missing_values", "date_order", "decimal", "delimiter", "encoding", "sheet")


def takes_in_place(function: Any) -> Any:
    """Add --in-place, --table and --engine."""
    for option in (
        click.option(
            "--engine", metavar="dask=ADDRESS",
            help="Let the workers of a Dask cluster, such as tcp://host:8786, read and count the files of DATA.",
        ),
        click.option(
            "--table", metavar="NAME", is_eager=True, expose_value=False, callback=_remember_table,
            help="A table, view or query of --db, in the place of DATA; its rows stay where they are.",
        ),
        click.option(
            "--in-place", is_flag=True, callback=_or_a_table,
            help="Count the rows where they are, in DATA's files or in the database, and do not read them into memory.",
        ),
    ):  # fmt: skip
        function = option(function)
    return function


def _remember_table(context: click.Context, _option: click.Parameter, name: str | None) -> None:
    if name is not None:
        context.meta[TABLE] = name  # DATA takes it from there


def _or_a_table(context: click.Context, _option: click.Parameter, wanted: bool) -> bool:
    return wanted or TABLE in context.meta


def stays_in_place(request: TableRequest, asked: bool) -> bool:
    """Tell whether the rows stay where they are: by wish, or since DATA is many files.

    Examples
    --------
    >>> request = TableRequest(data="rows/*.parquet", db=None, missing_values=())
    >>> stays_in_place(request, False), stays_in_place(TableRequest(data="a.csv", db=None, missing_values=()), False)
    (True, False)
    """
    if getattr(request, "engine", None) is not None:
        return True
    if asked or request.db is not None or request.data == "-":
        return asked
    return Path(request.data).is_dir() or (set("*?[") & set(request.data) != set() and not Path(request.data).exists())


@contextmanager
def open_in_place(request: TableRequest) -> Iterator[Source]:
    """Open DATA as a source; a connection is closed at the end."""
    from treewright.sources.open_source import source

    for name in _READING:
        if getattr(request, name):
            option = "--missing-value" if name == "missing_values" else f"--{name.replace('_', '-')}"
            raise click.UsageError(
                f"{option} is for tables that are read; rows in place have the types of their files."
            )
    if request.data == "-":
        raise click.UsageError("--in-place: stdin has no place that rows could stay at. Name files or a database.")
    if TABLE in click.get_current_context().meta and request.db is None:
        raise click.UsageError("--table names a table of a database. Add --db FILE_OR_URL, or name files as DATA.")
    engine = getattr(request, "engine", None)
    if engine is not None:
        with _on_dask(request, engine) as frame:
            yield source(frame)
        return
    if request.db is None:
        yield source(request.data)
        return
    with _connected(request.db) as connection:
        yield source(connection, request.data)


@contextmanager
def _on_dask(request: TableRequest, engine: str) -> Iterator[Any]:
    """The files of DATA as a frame of the cluster that --engine names; the connection to it is closed at the end."""
    name, _, address = engine.partition("=")
    if name != "dask" or not address:
        raise click.UsageError(f"--engine needs the form dask=ADDRESS, such as dask=tcp://host:8786. Got '{engine}'.")
    if request.db is not None:
        raise click.UsageError("--engine reads files, and --db is a database that counts by itself. Leave one out.")
    try:
        import dask.dataframe as dd
        from distributed import Client
    except ImportError as error:
        raise DataError("--engine dask needs Dask: pip install 'treewright[dask]', here and on the workers.") from error
    try:
        client = Client(address, timeout=_PATIENCE)
    except (OSError, ValueError) as error:  # a timeout is an OSError
        raise DataError(
            f"--engine {engine}: no scheduler of Dask answers there ({error}). Check the address that it printed when "
            "it was started."
        ) from error
    with client:
        read = dd.read_csv if request.data.lower().endswith(".csv") else dd.read_parquet
        try:
            frame = read(request.data)
        except Exception as error:  # every engine of files has its own
            raise DataError(
                f"{request.data}: Dask cannot read these files: {error}. Are they Parquet or CSV, in a place that the "
                "workers see too?"
            ) from error
        yield frame


def _connected(db: str) -> AbstractContextManager[Any]:
    from treewright.table.reading.read_database import connect_duckdb, connect_postgres, is_duckdb

    if db.startswith(("postgresql://", "postgres://")):
        return closing(connect_postgres(db))
    if is_duckdb(Path(db)):
        return closing(connect_duckdb(db))
    if not Path(db).exists():
        raise DataError(f"{db}: there is no such database file. Check --db.")
    raise DataError(
        f"{os.fspath(db)}: rows stay in a DuckDB file or on a PostgreSQL server, and this is neither. Leave out "
        "--in-place to read the table."
    )


@contextmanager
def shown_levels(source: Source, doing: str) -> Iterator[None]:
    """Show on a terminal which level of the tree is asked about, and how many nodes it has."""
    import sys

    if not sys.stderr.isatty():
        with nullcontext():
            yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    with Progress(
        TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), console=Console(stderr=True), transient=True
    ) as bars:
        task = bars.add_task(f"{doing}: first look", total=None)
        source.tell = lambda level, nodes: bars.update(task, description=f"{doing}: level {level}, {nodes:,} nodes")
        yield
