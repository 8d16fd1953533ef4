"""Every engine with a table in it, for tests that ask all of them the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

import treewright as tw
from oracle.slow_source import SlowSource

Parts = Sequence[np.ndarray]


def slow(table: pa.Table, parts: Parts, fetch_rows: int, folder: Path) -> Any:
    return SlowSource(table, fetch_rows)


def parquet(table: pa.Table, parts: Parts, fetch_rows: int, folder: Path) -> Any:
    for i, rows in enumerate(parts):
        pyarrow.parquet.write_table(table.take(rows), folder / f"part-{i}.parquet", row_group_size=17)
    return tw.source(folder / "*.parquet", fetch_rows=fetch_rows)


def hive(table: pa.Table, parts: Parts, fetch_rows: int, folder: Path) -> Any:
    """In folders by the values of no column that is learnt from: the rows are those of the table all the same."""
    for i, rows in enumerate(parts):
        inside = folder / f"deep{i}"
        inside.mkdir()
        pyarrow.parquet.write_table(table.take(rows), inside / "rows.parquet")
    return tw.source(folder, fetch_rows=fetch_rows)


def in_duckdb(table: pa.Table, parts: Parts, fetch_rows: int, folder: Path) -> Any:
    connection = duckdb.connect()
    given = table.take(np.concatenate(list(parts)))
    connection.register("given", given)
    connection.execute("CREATE TABLE rows AS SELECT * FROM given")
    connection.unregister("given")
    return tw.source(connection, "rows", fetch_rows=fetch_rows)


ENGINES: dict[str, Callable[..., Any]] = {"slow": slow, "parquet": parquet, "folders": hive, "duckdb": in_duckdb}
