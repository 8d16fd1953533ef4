"""What a file will have in memory when it is read, told before: a table that has no room is refused in a sentence."""

from __future__ import annotations

import zipfile

from treewright.errors import DataError
from treewright.memory import Block, refuse_beyond_memory
from treewright.table.reading.source_file import WORKBOOKS, SourceFile

# Bytes of memory for each byte of a file, at the peak, as measured on numbers, dates, levels and texts.
_A_BYTE = {".jsonl": 8.0, ".ndjson": 8.0, ".json": 8.0, ".arff": 8.0}
_A_BYTE_OF_OTHERS = 3.0
_A_BYTE_OF_A_SHEET = 4.0
_A_NUMBER, _A_TEXT = 36, 110  # bytes, of the columns of a Parquet file
_CURE = "Read fewer rows or columns (a database with db= takes a query), or use a machine with more memory."


def refuse_large_file(file: SourceFile) -> None:
    """Refuse a file that would take more memory than there is; how many cells a Parquet file has is known later."""
    if file.suffix in (".parquet", ".pq"):
        return
    if file.suffix in WORKBOOKS:
        per_byte, n_bytes = _A_BYTE_OF_A_SHEET, _unpacked_bytes(file)
    else:
        per_byte, n_bytes = _A_BYTE.get(file.suffix, _A_BYTE_OF_OTHERS), file.path.stat().st_size
    refuse_beyond_memory(f"To read {file.shown}", [Block(per_byte, bytes=n_bytes)], _CURE)


def refuse_many_cells(shown: str, n_rows: int, sql_types: list[str]) -> None:
    """Refuse a table of so many rows, of which the type of each column is known.

    >>> refuse_many_cells("sales.parquet", 10**15, ["DOUBLE", "VARCHAR"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    treewright.errors.NotEnoughMemoryError: To read sales.parquet would take about 146.0 PB of memory \
(1,000,000,000,000,000 rows × 1 columns of text), and ...
    """
    texts = sum(sql_type == "VARCHAR" for sql_type in sql_types)
    numbers = Block(_A_NUMBER, rows=n_rows, columns=len(sql_types) - texts)
    refuse_beyond_memory(f"To read {shown}", [numbers, Block(_A_TEXT, rows=n_rows, columns_of_text=texts)], _CURE)


def _unpacked_bytes(file: SourceFile) -> int:
    """The bytes of the largest sheet: a workbook is a zip archive, and only one sheet is read."""
    try:
        with zipfile.ZipFile(file.path) as archive:
            sizes = [part.file_size for part in archive.infolist()]
    except (zipfile.BadZipFile, OSError) as error:
        raise DataError(f"{file.shown}: this is no whole Excel workbook ({error}). Save it again.") from error
    return max(sizes, default=0)
