"""Comma-, semicolon-, tab- and bar-separated text: the engine parses it strictly, a fault gets its line and cure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from treewright.errors import DataError
from treewright.read.byte_check import DelimiterCount, check_bytes
from treewright.read.csv_records import copy_plainly, walk_records
from treewright.read.engine import connect, first_line, literal
from treewright.read.header import Header, check_names, read_header
from treewright.read.kind_request import check_column_kinds
from treewright.read.source_file import SourceFile
from treewright.read.text_types import ZERO_PADDED, TextTable, TextType, typed_series

if TYPE_CHECKING:
    import pandas as pd
    from duckdb import DuckDBPyConnection

# The engine's own limit for a line, in bytes; longer records are read with a larger one.
LONGEST_LINE = 2_097_152


def read_csv(file: SourceFile, missing_cells: tuple[str, ...], column_kinds: Mapping[str, str] | None) -> pd.DataFrame:
    """Read a delimited file into a frame, with types decided by all cells."""
    header = read_header(file)
    delimiters = check_bytes(file, header.delimiter)
    check_names(file, header)
    kinds = check_column_kinds(column_kinds, header.names)
    with TemporaryDirectory(prefix="treewright-") as folder, connect() as connection:
        relation = _sound_relation(connection, file, header, delimiters, Path(folder) / "plain.csv")
        table = TextTable(connection, relation, len(header.names), missing_cells)
        ladders = dict(enumerate(table.sample()))
        asked = {i: kinds[name] for i, name in enumerate(header.names) if name in kinds}
        series = typed_series(table, {i: _ladder(ladder, asked.get(i)) for i, ladder in ladders.items()})
        for i, kind in asked.items():
            if kind == "numeric" and series[i].dtype == "str":
                _refuse_text(file, header, table, i)
    return _frame(header.names, series)


def _ladder(ladder: tuple[TextType, ...], kind: str | None) -> tuple[TextType, ...]:
    """A nominal column keeps its cells as they are written; a numeric one may have leading zeros."""
    if kind == "nominal":
        return ()
    return (*ladder, ZERO_PADDED) if kind == "numeric" else ladder


def _frame(names: tuple[str, ...], series: dict[int, pd.Series[Any]]) -> pd.DataFrame:
    import pandas as pd

    frame = pd.DataFrame({i: series[i] for i in range(len(names))}, copy=False)
    frame.columns = pd.Index(names, dtype="str")
    return frame


def _sound_relation(
    connection: DuckDBPyConnection, file: SourceFile, header: Header, delimiters: DelimiterCount, spare: Path
) -> str:
    """Give SQL that reads the file as text columns, once it is certain that every row fits the header."""
    import duckdb

    relation = _relation(file.path, header, LONGEST_LINE)
    last = f"c{len(header.names) - 1}"
    try:
        # Only the last column is asked for: rows of a wrong width are found all the same, and faster.
        query = f"SELECT count(*), count(*) FILTER ({last} IS NULL) FROM {relation}"
        n_rows, n_empty_ends = connection.execute(query).fetchall()[0]
    except duckdb.Error as error:
        longest = copy_plainly(file, header, spare)
        relation = _relation(spare, replace(header, delimiter=","), max(LONGEST_LINE, longest))
        try:
            connection.execute(f"SELECT count({last}) FROM {relation}").fetchall()
        except duckdb.Error:
            raise DataError(f"{file.shown}: the table cannot be parsed. {first_line(error)}") from error
        return relation
    if _may_be_too_wide(delimiters, header, n_rows, n_empty_ends):
        for _ in walk_records(file, header):
            pass
    return relation


def _may_be_too_wide(delimiters: DelimiterCount, header: Header, n_rows: int, n_empty_ends: int) -> bool:
    """Tell whether a row could have an empty cell too many at its end, which the engine would not mention.

    Such a row ends in a delimiter. If the cell before that is not empty, there are more such ends than empty last
    cells; if it is empty, the row ends in two delimiters, and the file has too many. Quoted delimiters may raise a
    false alarm.
    """
    if delimiters.n_open_ends > n_empty_ends:
        return True
    width = len(header.names)
    exact = delimiters.n_delimiters == (n_rows + 1) * (width - 1)
    return not exact and (delimiters.n_double_ends > 0 or width == 1)


def _relation(path: Path, header: Header, longest: int) -> str:
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(header.names)))
    # Quoted empty cells are kept apart from empty cells, so that lines that end in a delimiter can be counted.
    return (
        f"read_csv({literal(path)}, auto_detect = false, header = true, delim = {literal(header.delimiter)}, "
        "quote = '\"', escape = '\"', strict_mode = true, null_padding = false, allow_quoted_nulls = false, "
        f"max_line_size = {longest}, columns = {{{columns}}})"
    )


def _refuse_text(file: SourceFile, header: Header, table: TextTable, column: int) -> None:
    row = int(table.fetch({column: ZERO_PADDED})[column].misfits().argmax())
    line, cells = next(islice(walk_records(file, header), row, None))
    name = header.names[column]
    raise DataError(
        f"{file.at(line)}: column '{name}' is asked to be numeric, but holds text here ({cells[column]!r}). Pass "
        f"missing_values=[{cells[column]!r}] if it means a missing value, or leave '{name}' out of column_kinds."
    )
