"""`tw.source`: the way in for rows that stay where they are."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from typing import Any

from treewright import machine
from treewright.errors import DataError
from treewright.sources.duckdb_source import DuckDBSource
from treewright.sources.files import FileSource
from treewright.sources.source import Source

_BYTES_A_CELL = 24  # of a fetched row, while its subtree is grown
_SHARE = 0.25  # of the memory that there is, for fetched rows
_FEWEST = 10_000


def source(what: Any, table: str | None = None, *, fetch_rows: int | None = None) -> Source:
    """Open rows that stay where they are, to train on them without reading them into memory.

    Parameters
    ----------
    what : path, pattern, folder, list of paths, open connection of duckdb or psycopg, or frame of Dask or Spark
        Parquet or CSV files (``"rows/*.parquet"``; folders such as ``year=2024`` become a column), a database, or a
        frame whose rows are on a cluster.
    table : str, optional
        With a connection: the name of a table or view, or a query.
    fetch_rows : int, optional
        Parts of a tree with at most so many rows are fetched and grown whole. It changes the time and the memory,
        never the model. Left out: as many as fit into a quarter of the memory.

    Returns
    -------
    Source
        ``model.fit(source, "target")`` learns from it, ``model.predict(source)`` answers its rows.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_kyphosis(return_X_y=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     X.assign(Kyphosis=y).to_parquet(pathlib.Path(folder) / "rows.parquet")
    ...     rows = tw.source(f"{folder}/*.parquet")
    ...     model = tw.DecisionTreeClassifier(max_depth=2).fit(rows, "Kyphosis")
    >>> model.fingerprint() == tw.DecisionTreeClassifier(max_depth=2).fit(X, y).fingerprint()
    True
    """
    if importlib.util.find_spec("pyarrow") is None:
        raise DataError("Sources need pyarrow, which is not installed: pip install 'treewright[frames]'.")
    if fetch_rows is not None and fetch_rows < 1:
        raise DataError(f"fetch_rows is {fetch_rows}, but it is a number of rows. Give 1 or more.")
    if isinstance(what, Source):
        return what
    opened = _open(what, table)
    opened.fetch_rows = fetch_rows or opened.most_rows(rows_that_fit(opened.names))
    return opened


def _open(what: Any, table: str | None) -> Source:
    package = type(what).__module__.partition(".")[0]
    if isinstance(what, str | os.PathLike | list | tuple):
        if table is not None:
            raise DataError("Files have no tables. Leave out the second argument, or pass an open connection first.")
        return FileSource(what, 0)
    if type(what).__name__ == "DataFrame" and package == "dask":
        from treewright.sources.dask_source import DaskSource  # Dask is there, since its frame is

        return DaskSource(what, 0)
    if type(what).__name__ == "DataFrame" and package == "pyspark":
        from treewright.sources.spark_source import SparkSource

        return SparkSource(what, 0)
    if type(what).__name__ != "DuckDBPyConnection" and package != "psycopg":
        raise DataError(
            "A source is a path, a pattern, a frame of Dask or Spark, or an open connection of duckdb or psycopg (3) "
            f"with a table, not a {type(what).__name__}."
        )
    if table is None:
        raise DataError('Name the table, view or query: tw.source(connection, "table").')
    return open_postgres(what, table) if package == "psycopg" else DuckDBSource(what, table, 0)


def open_postgres(connection: Any, table: str) -> Source:
    """Open a table of PostgreSQL, whose package is not needed by anything else."""
    from treewright.sources.postgres_source import PostgresSource

    if type(connection).__name__.startswith("Async"):
        raise DataError("A source asks one question at a time: open it with psycopg.connect, not AsyncConnection.")
    return PostgresSource(connection, table, 0)


def rows_that_fit(names: Sequence[str]) -> int:
    """How many rows may be fetched at one time."""
    return max(_FEWEST, int(_SHARE * machine.free_memory() / (_BYTES_A_CELL * (len(names) + 4))))
