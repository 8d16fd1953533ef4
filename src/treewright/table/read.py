"""`tw.read`: the one way in for tables; looks at what was given and picks the reader."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from treewright.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

    from treewright.table.source_file import SourceFile


def read(
    source: str | os.PathLike[str],
    *,
    db: Any = None,
    missing_values: Iterable[object] | None = None,
    column_kinds: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Read a table from a file, standard input or a database into a pandas frame.

    Parameters
    ----------
    source : str or path
        A file of CSV, TSV, Parquet, JSON lines or ARFF, gzipped or not; `"-"` is CSV on standard input. With `db`, the
        name of a table or view, or a query.
    db : str, path or DB-API connection, default None
        An SQLite file, or an open connection to any database.
    missing_values : iterable, default None
        Values that mean "missing" besides the empty cell and `? NA N/A nan NaN NULL null`.
    column_kinds : dict, default None
        What a column is, where the guess would be wrong. In a delimited file `"nominal"` keeps the cells of the column
        as they are written and `"numeric"` insists on numbers.

    Returns
    -------
    pandas.DataFrame
        One column for each column of the table, with its exact name, in the same order.

    Examples
    --------
    >>> import treewright.datasets
    >>> frame = read(treewright.datasets.path("weather_numeric"))
    >>> frame.head(2)
      outlook  temperature  humidity  windy play
    0   sunny           85        85  False   no
    1   sunny           80        90   True   no
    """
    if not isinstance(source, (str, os.PathLike)):
        raise DataError(
            f"tw.read takes the name of a file, but it was given a {type(source).__name__}. "
            "Frames and arrays need no reading: give them to fit as they are."
        )
    given = tuple(missing_values) if missing_values is not None else ()
    if isinstance(missing_values, str):
        raise DataError(f"missing_values must be a list, for example missing_values=[{missing_values!r}].")
    if db is not None:
        from treewright.table.read_database import read_database

        return _finish(read_database(os.fspath(source), db), given, column_kinds)
    from treewright.table.source_file import open_source

    with open_source(source) as file:
        return _read_file(file, given, column_kinds)


def _read_file(file: SourceFile, given: tuple[object, ...], column_kinds: Mapping[str, str] | None) -> pd.DataFrame:
    if file.suffix in (".parquet", ".pq"):
        from treewright.table.read_parquet_json import read_parquet

        return _finish(read_parquet(file), given, column_kinds)
    if file.suffix in (".jsonl", ".ndjson", ".json"):
        from treewright.table.read_parquet_json import read_json_lines

        return _finish(read_json_lines(file), given, column_kinds)
    if file.suffix == ".arff":
        from treewright.table.read_arff import read_arff

        return _finish(read_arff(file), given, column_kinds)
    from treewright.table.read_csv import read_csv
    from treewright.table.text_types import missing_cells

    return read_csv(file, missing_cells(given), column_kinds)


def _finish(
    frame: pd.DataFrame, missing_values: tuple[object, ...], column_kinds: Mapping[str, str] | None
) -> pd.DataFrame:
    """Forms that carry their own types need only the user's missing values, and a check of the names."""
    from treewright.table.column_kinds import check_column_kinds

    check_column_kinds(column_kinds, [str(name) for name in frame.columns])
    return frame.mask(frame.isin(missing_values)) if missing_values else frame
