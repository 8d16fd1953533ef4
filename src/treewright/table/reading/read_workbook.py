"""Sheets of Excel workbooks (.xlsx), read by openpyxl where it is installed."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from treewright.errors import DataError, nearest
from treewright.table.frame import WRITTEN
from treewright.table.reading.reading_options import ReadingOptions
from treewright.table.reading.source_file import SourceFile
from treewright.table.reading.unnamed_index import without_index
from treewright.table.written.text_types import LADDER, TextColumn, frame_of_values
from treewright.table.written.written_columns import WrittenColumns
from treewright.wording import option_words

if TYPE_CHECKING:
    import pandas as pd

# What Excel shows in place of a value that it could not compute.
ERROR_CELLS = ("#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!")


def read_workbook(file: SourceFile, options: ReadingOptions, notes: list[str]) -> pd.DataFrame:
    """Read one sheet: its first row that is not empty holds the names, cells have the types that Excel gave them."""
    rows = _rows(file, options.sheet, notes)
    if not rows:
        raise DataError(f"{file.shown}: the sheet is empty. The first row must hold the names of the columns.")
    width = max(i + 1 for row in rows for i, cell in enumerate(row) if cell is not None)
    cells = [[*row, *[None] * width][:width] for row in rows]
    names = ["" if cell is None else str(cell).strip() for cell in cells[0]]
    _check_names(file, names)
    frame = frame_of_values(file.shown, names, list(zip(*cells[1:], strict=True)) or [()] * width)
    return without_index(_typed(frame, names, options, notes), notes)


def _rows(file: SourceFile, sheet: str | int | None, notes: list[str]) -> list[list[Any]]:
    """The cells of a sheet without its empty rows; what Excel could not compute is missing."""
    try:
        import openpyxl
    except ImportError as error:
        raise DataError(
            f"{file.shown}: Excel workbooks are read by openpyxl, which is not installed: pip install openpyxl. "
            "Or save the sheet as CSV and read that file."
        ) from error
    try:
        book = openpyxl.load_workbook(file.path, read_only=True, data_only=True)
    except MemoryError:
        raise
    except Exception as error:  # of many kinds: a zip that is none, a part that is missing, XML that is cut short
        raise DataError(f"{file.shown}: this is no whole Excel workbook ({error}). Save it again.") from error
    try:
        picked = _sheet(file, book.sheetnames, sheet, notes)
        return [
            [None if cell in ERROR_CELLS else cell for cell in row]
            for row in book[picked].iter_rows(values_only=True)
            if any(cell is not None for cell in row)
        ]
    finally:
        book.close()


def _sheet(file: SourceFile, names: list[str], wanted: str | int | None, notes: list[str]) -> str:
    if wanted is None:
        if len(names) > 1:
            others = ", ".join(f"'{name}'" for name in names[1:6])
            notes.append(
                f"{file.shown} has {len(names)} sheets; the first, '{names[0]}', is read. Others are {others}: "
                f"{option_words('sheet', names[1])}."
            )
        return names[0]
    if str(wanted) in names:
        return str(wanted)
    if str(wanted).isdigit() and 1 <= int(wanted) <= len(names):
        return names[int(wanted) - 1]
    raise DataError(f"{file.shown}: there is no sheet {str(wanted)!r}. {nearest(str(wanted), names)}")


def _check_names(file: SourceFile, names: list[str]) -> None:
    for number, name in enumerate(names, start=1):
        if not name and number > 1:
            raise DataError(f"{file.shown}: column {number} has no name. Write one into the first row of the sheet.")
    for name, count in Counter(names).items():
        if count > 1:
            raise DataError(f"{file.shown}: {count} columns are named '{name}'. Rename all but one of them.")


def _typed(frame: pd.DataFrame, names: list[str], options: ReadingOptions, notes: list[str]) -> pd.DataFrame:
    """Numbers and dates that Excel holds as text are read as in a delimited file."""
    kinds = options.kinds(names)
    asked = {i: kinds[name] for i, name in enumerate(names) if name in kinds}
    frame.columns = list(range(len(names)))
    for i, dtype in enumerate(frame.dtypes):
        if dtype == "str" and asked.get(i) != "nominal" and not options.sample(names[i]):
            frame.isetitem(i, TextColumn(frame[i], options.missing_cells).typed(LADDER).array)
    found = WrittenColumns(names, asked, options)
    if len(frame):
        found.read(frame, ",")
    notes += found.notes()
    for i, kind in asked.items():
        if kind == "nominal" and frame[i].dtype != "str":
            frame.isetitem(i, frame[i].astype("str").where(frame[i].notna()).array)
    frame.columns = list(names)
    if found.samples:
        frame.attrs[WRITTEN] = found.samples
    return frame.mask(frame.isin(options.missing_values)) if options.missing_values else frame
