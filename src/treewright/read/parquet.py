"""Parquet files: typed columns that need no guessing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewright.errors import DataError
from treewright.read.engine import connect, literal
from treewright.read.engine_frame import describe, fetch_frame
from treewright.read.source_file import SourceFile

if TYPE_CHECKING:
    import pandas as pd


def read_parquet(file: SourceFile) -> pd.DataFrame:
    """Read a Parquet file with its own types; nulls are missing."""
    import duckdb

    path = literal(file.path)
    relation = f"read_parquet({path}, binary_as_string = true, hive_partitioning = false)"
    with connect() as connection:
        try:
            names = [name for name, _ in describe(connection, relation)]
            # The file's own list of names; it is longer if columns are nested, and those are refused.
            schema = connection.execute(f"SELECT name FROM parquet_schema({path})").fetchall()[1:]
            if len(schema) == len(names):
                names = [str(name) for (name,) in schema]
            return fetch_frame(connection, relation, file.shown, names)
        except duckdb.Error as error:
            raise DataError(
                f"{file.shown}: this is not a Parquet file, or it is cut short. Write it again, or give a text "
                "table a name that ends in .csv."
            ) from error
