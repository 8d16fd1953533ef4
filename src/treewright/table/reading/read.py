"""`tw.read`: the one way in for tables; looks at what was given and picks the reader."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from treewright.errors import DataError, ReadingWarning
from treewright.memory import as_sentence
from treewright.wording import option_words

if TYPE_CHECKING:
    import pandas as pd

    from treewright.table.reading.reading_options import ReadingOptions
    from treewright.table.reading.source_file import SourceFile


def read(
    source: str | os.PathLike[str],
    *,
    db: Any = None,
    missing_values: Iterable[object] | None = None,
    column_kinds: Mapping[str, Any] | None = None,
    date_order: str | None = None,
    decimal: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
) -> pd.DataFrame:
    """Read a table from a file, standard input or a database into a pandas frame.

    Numbers and dates may be written as people write them (`$1,200`, `5.0 %`, `1.234,56`, `31.12.2020`), one format a
    column. What was decided, and cells that became missing, are told by a `ReadingWarning`.

    Parameters
    ----------
    source : str or path
        A file of CSV, TSV, Parquet, Feather, JSON lines, ARFF, Excel (.xlsx), SPSS (.sav), Stata (.dta) or SAS
        (.sas7bdat, .xpt), gzipped or not; `"-"` is CSV on standard input. With `db`, the name of a table or view, or a
        query.
    db : str, path or DB-API connection, default None
        An SQLite or DuckDB file, the address of a PostgreSQL server (`postgresql://user@host/name`), or an open
        connection to any database.
    missing_values : iterable, default None
        Values that mean "missing" besides the empty cell and `? NA N/A nan NaN NULL null`.
    column_kinds : dict, default None
        What a column is, where the guess would be wrong. In a delimited file `"nominal"` keeps the cells of the column
        as they are written and `"numeric"` insists on numbers.
    date_order : "dmy", "mdy" or "ymd", default None
        The order of day, month and year where the cells of a column leave it open; `"ymd"` reads 20201231 as a date.
    decimal : "." or ",", default None
        The mark before decimals where the cells of a column leave it open: whether 1,234 is large or small.
    delimiter : str, default None
        The letter between the cells of a delimited file; left out, the header tells.
    encoding : str, default None
        Of a delimited file; left out, it is UTF-8, UTF-16 or else Windows-1252, which is told.
    sheet : str or int, default None
        The sheet of a workbook, by name or number from 1; left out, the first.

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
    from treewright.table.reading.reading_options import ReadingOptions

    given = missing_values if isinstance(missing_values, str) else tuple(missing_values or ())
    options = ReadingOptions(
        given,  # type: ignore[arg-type]
        column_kinds,
        decimal,
        delimiter,
        encoding,
        sheet,
        date_order,
    )
    return read_by(source, options, db)


def read_by(source: str | os.PathLike[str], options: ReadingOptions, db: Any = None) -> pd.DataFrame:
    """Read a table as options say; what was decided on the way is told by warnings."""
    if not isinstance(source, (str, os.PathLike)):
        raise DataError(
            f"tw.read takes the name of a file, but it was given a {type(source).__name__}. "
            "Frames and arrays need no reading: give them to fit as they are. Many files are read one by one."
        )
    notes: list[str] = []
    try:
        frame = _read_source(source, options, db, notes)
    except MemoryError as error:
        raise as_sentence(error, f"Reading {os.fspath(source)}") from None
    for note in notes:
        warnings.warn(ReadingWarning(note), stacklevel=3)
    return frame


def _read_source(source: str | os.PathLike[str], options: ReadingOptions, db: Any, notes: list[str]) -> pd.DataFrame:
    if db is not None:
        from treewright.table.reading.read_database import read_database
        from treewright.table.reading.typed_forms import finish_typed

        return finish_typed(read_database(os.fspath(source), db), options, notes, os.fspath(source))
    from treewright.table.reading.reading_memory import refuse_large_file
    from treewright.table.reading.source_file import open_source

    with open_source(source) as file:
        refuse_large_file(file)
        return _read_file(file, options, notes)


def _read_file(file: SourceFile, options: ReadingOptions, notes: list[str]) -> pd.DataFrame:
    from treewright.table.reading.read_statistics import STATISTICS
    from treewright.table.reading.source_file import WORKBOOKS
    from treewright.table.reading.typed_forms import finish_typed

    if file.suffix in (".parquet", ".pq"):
        from treewright.table.reading.read_parquet_json import read_parquet

        return finish_typed(read_parquet(file, notes), options, notes, file.shown)
    if file.suffix in (".jsonl", ".ndjson", ".json"):
        from treewright.table.reading.read_parquet_json import read_json_lines

        return finish_typed(read_json_lines(file), options, notes, file.shown)
    if file.suffix == ".arff":
        from treewright.table.reading.read_arff import read_arff

        return finish_typed(read_arff(file), options, notes, file.shown)
    if file.suffix == ".feather":
        from treewright.table.reading.read_parquet_json import read_feather

        return finish_typed(read_feather(file), options, notes, file.shown)
    if file.suffix in STATISTICS:
        from treewright.table.reading.read_statistics import read_statistics

        return finish_typed(read_statistics(file), options, notes, file.shown)
    if file.suffix in WORKBOOKS:
        from treewright.table.reading.read_workbook import read_workbook

        return read_workbook(file, options, notes)
    if options.sheet is not None:
        notes.append(f"{file.shown} is no workbook, so {option_words('sheet', str(options.sheet))} says nothing of it.")
    from treewright.table.reading.read_csv import read_csv

    return read_csv(file, options, notes)
