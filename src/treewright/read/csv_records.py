"""The careful, slower way through a delimited file: record by record, with the line and the reason of the first fault.

Files of regular shape never come here. Where the shape is odd, this walk decides whether something is wrong.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from treewright.errors import DataError
from treewright.read.header import DELIMITERS, Header
from treewright.read.source_file import SourceFile


def walk_records(file: SourceFile, header: Header) -> Iterator[tuple[int, list[str]]]:
    """Yield (line, cells) of every row; raise a DataError at the first row that does not fit the header.

    An empty line is a missing value in a table of one column; in wider tables it is passed over.
    """
    width = len(header.names)
    with _long_cells(), file.path.open(encoding="utf-8-sig", newline="") as text:
        reader = csv.reader(text, delimiter=header.delimiter, strict=True)
        next(reader)
        while True:
            line = reader.line_num + 1
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                raise DataError(_quote_fault(file, line, reader.line_num, error)) from error
            if not cells and width > 1:
                continue
            if not cells:
                cells = [""]
            if len(cells) != width:
                raise DataError(_width_fault(file, header, line, reader.line_num, cells))
            yield line, cells


def copy_plainly(file: SourceFile, header: Header, target: Path) -> None:
    """Write the records again with commas, every cell quoted and one kind of line end, or raise the first fault.

    This is for files that are right but too unusual for the parser: mixed line ends, or a quote inside a bare cell.
    """
    with target.open("w", encoding="utf-8", newline="") as plain:
        writer = csv.writer(plain, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writerow(header.names)
        writer.writerows(cells for _, cells in walk_records(file, header))


@contextmanager
def _long_cells() -> Iterator[None]:
    """Let cells be longer than the 131,072 letters that Python's csv module allows at first."""
    before = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _quote_fault(file: SourceFile, start: int, end: int, error: csv.Error) -> str:
    if "unexpected end" in str(error):
        return (
            f"{file.at(start)}: a double quote is opened in the row that starts here and never closed, so the rest of "
            "the file falls into one cell. Close it, or write a quote inside a cell twice, with quotes around the cell."
        )
    opened = "" if start == end else f" The quoted cell may have been opened as early as line {start}."
    return (
        f"{file.at(end)}: text follows a closing double quote.{opened} Write a quote inside a cell twice, with quotes "
        'around the cell: "6"" pipe".'
    )


def _width_fault(file: SourceFile, header: Header, start: int, end: int, cells: list[str]) -> str:
    width = len(header.names)
    letter, called = header.delimiter, DELIMITERS[header.delimiter]
    row = letter.join(cells)
    shown = row if len(row) <= 60 else row[:57] + "..."
    what = (
        f"{file.at(start)}: this row has {_count(cells, 'cell')}, but the header names {_count(header.names, 'column')}"
    )
    if end > start:
        what += f" (a quoted cell makes the row run on to line {end}; was a quote left open?)"
    if len(cells) == width + 1 and not cells[-1]:
        cure = f"The row ends with {called} too many: remove it, or name the last column in the header"
    elif len(cells) > width and any(cell.startswith((' "', '\t"')) for cell in cells):
        cure = f"There is a blank between {called} and a double quote, so the quote is a letter: remove the blank"
    elif len(cells) > width:
        cure = (
            f"If a cell holds {called}, put the cell in double quotes; if the first cells are row names, name that "
            "column in the header"
        )
    else:
        cure = "Add the missing cells (an empty cell is a missing value), or remove the row"
    return f"{what}. {cure}. The row is: {shown!r}"


def _count(things: list[str] | tuple[str, ...], word: str) -> str:
    return f"{len(things)} {word}" + ("" if len(things) == 1 else "s")
