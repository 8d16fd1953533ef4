"""A small, plain delimited file for a model that exists, read without pandas, which takes half a second to import.

There is nothing to decide here: the model says what each column is. Where a cell is anything but a plain number, a
date, a level that the model knows or a missing value, the whole file is left to `table/reading/read.py`, which decides,
converts and tells. So this reader either says the same as that one or nothing.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.table.encode import EncodedRows, Part, RowEncoder
from treewright.table.reading.csv_header import check_names, read_header
from treewright.table.reading.csv_layout import look_at_layout, walk_records
from treewright.table.reading.source_file import check_bytes, open_source
from treewright.table.reading.unnamed_index import PANDAS_NAME, index_note
from treewright.table.schema import Column
from treewright.table.written.number_formats import NumberFormat
from treewright.table.written.text_types import missing_cells
from treewright.table.written.written_column import format_of_sample

MOST_BYTES = 1 << 20
_ENDINGS = (".csv", ".tsv", ".tab", ".txt")
_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,14}")
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,15})?")
_ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_LETTERS = re.compile(r"[^\W\d_]+(?: [^\W\d_]+)*")
_FIRST_DAY = date(1970, 1, 1)
_DAY = 86_400_000_000  # microseconds
_EXACT = 2.0**53  # whole numbers below are integers

Value = str | int | float | date | None


@dataclass(frozen=True)
class PlainRows:
    """The rows of a file, for one model: the cells of its columns as values, None where there is none."""

    n_rows: int
    names: tuple[str, ...]  # of all columns of the file
    columns: Mapping[str, Sequence[Value]]  # those of the model
    encoded: EncodedRows
    notes: tuple[str, ...] = ()
    absent: frozenset[str] = frozenset()  # columns that the file lacks, and the model does not look at

    def row(self, number: int) -> dict[str, Value]:
        """Give one row by the names of its columns."""
        return {name: cells[number] for name, cells in self.columns.items()}

    def n_missing(self) -> dict[str, int]:
        """Count the cells without a value, for each column that has some."""
        given = {name: cells for name, cells in self.columns.items() if name not in self.absent}
        counts = {name: sum(cell is None for cell in cells) for name, cells in given.items()}
        return {name: number for name, number in counts.items() if number}

    def numbers(self) -> dict[str, NDArray[Any]]:
        """Give the columns of numbers and dates, NaN where there is none."""
        parts = zip(self.columns, self.encoded.parts, strict=True)
        return {name: values for name, (kind, values, _) in parts if kind == "numeric"}


def read_plain_csv(
    source: str | os.PathLike[str], encoder: RowEncoder, used: Collection[str] | None = None
) -> PlainRows | None:
    """Read a small delimited file as a model wants it; None where there is anything to decide or to say.

    Columns that are not among the `used` ones may be absent; all are needed where nothing is said.
    """
    path = Path(source)
    if path.suffix.lower() not in _ENDINGS or not path.is_file() or path.stat().st_size > MOST_BYTES:
        return None
    try:
        names, records = _read_records(path)
    except (DataError, UnicodeDecodeError, StopIteration):
        return None  # the reader that decides says what is wrong
    notes: list[str] = []
    if records and names[0] in ("", PANDAS_NAME) and "" not in names[1:]:
        if not _is_index([record[0] for record in records], names[0]):
            return None
        notes.append(index_note(names[0], [record[0] for record in records[:2]]))
        names, records = names[1:], [record[1:] for record in records]
    absent = frozenset(encoder.schema.names) - frozenset(names)
    if not records or absent & frozenset(encoder.schema.names if used is None else used) or "" in names:
        return None
    columns: dict[str, Sequence[Value]] = {}
    parts: list[Part] = []
    holes = frozenset(missing_cells(()))
    for column, codes in zip(encoder.schema.columns, encoder.level_codes, strict=True):
        if column.name in absent:
            columns[column.name] = [None] * len(records)
            parts.append(_no_values(len(records), codes))
            continue
        texts = [record[names.index(column.name)] for record in records]
        read = _levels(texts, codes, holes) if codes is not None else _numbers(texts, column, holes)
        if read is None:
            return None
        columns[column.name], part = read
        parts.append(part)
    return PlainRows(len(records), names, columns, EncodedRows(len(records), None, parts), tuple(notes), absent)


def _is_index(texts: list[str], name: str) -> bool:
    """Tell whether a first column surely numbers or names the rows; what is in doubt is left to the long way."""
    if all(map(_INTEGER.fullmatch, texts)):
        return bool(np.all(np.diff([int(text) for text in texts]) == 1))
    return name == "" and all(map(_LETTERS.fullmatch, texts)) and len(set(texts)) == len(texts)


def _read_records(path: Path) -> tuple[tuple[str, ...], list[list[str]]]:
    with open_source(path) as file:
        header = read_header(file)
        check_bytes(file)
        check_names(file, header)
        layout = look_at_layout(file.path, header)
        if not layout.regular or layout.padded:
            raise DataError(f"{file.shown} is not plain.")
        return header.names, [cells for _, cells in walk_records(file, header)]


def _no_values(n_rows: int, codes: Mapping[Any, int] | None) -> Part:
    if codes is None:
        return "numeric", np.full(n_rows, np.nan), None
    return "levels", np.zeros(n_rows, dtype=np.int32), None


def _levels(texts: list[str], codes: Mapping[Any, int], holes: frozenset[str]) -> tuple[Sequence[Value], Part] | None:
    if not all(text in codes or text in holes for text in texts):
        return None
    known = np.array([0 if text in holes else codes[text] for text in texts], dtype=np.int32)
    return [None if text in holes else text for text in texts], ("levels", known, None)


def _numbers(texts: list[str], column: Column, holes: frozenset[str]) -> tuple[Sequence[Value], Part] | None:
    if column.written:
        return _written(texts, column, holes)
    if column.value_type == "date":
        return _cells(texts, _ISO_DATE, date.fromisoformat, holes)
    if column.value_type != "number":
        return None
    if all(map(_INTEGER.fullmatch, texts)):
        return _cells(texts, _INTEGER, int, holes)
    return _cells(texts, _DECIMAL, float, holes)


def _written(texts: list[str], column: Column, holes: frozenset[str]) -> tuple[Sequence[Value], Part] | None:
    """Read cells in the format of the training file: 1.234 may be a thousand there, 01/02/2020 in January."""
    found = format_of_sample(column.written)
    is_hole = np.array([text in holes for text in texts], dtype=bool)
    known = [text for text in texts if text not in holes]
    if isinstance(found, NumberFormat):
        numbers = np.full(len(texts), np.nan)
        numbers[~is_hole] = found.numbers(known, unit_needed=False)
        values = numbers.tolist()
        if np.mod(numbers, 1).max() == 0 and np.abs(numbers).max() < _EXACT:  # NaN is none of it
            values = list(map(int, values))
    else:
        if column.value_type not in ("date", "datetime"):
            return None
        moments = np.full(len(texts), np.datetime64("NaT", "us"))
        moments[~is_hole] = found.moments(known)
        values = moments.tolist()
        numbers = np.where(np.isnat(moments), np.nan, moments.astype(np.int64).astype(np.float64))
        numbers = np.floor(numbers / _DAY) if column.value_type == "date" else numbers
    if np.isnan(numbers[~is_hole]).any():
        return None
    return [None if value != value else value for value in values], ("numeric", numbers, None)


def _cells(
    texts: list[str], form: re.Pattern[str], value_of: Callable[[str], Any], holes: frozenset[str]
) -> tuple[Sequence[Value], Part] | None:
    known = [text for text in texts if text not in holes]
    if not all(map(form.fullmatch, known)):
        return None
    try:
        values = [None if text in holes else value_of(text) for text in texts]
    except ValueError:
        return None  # there is no such day
    numbers = np.array([_number(value) for value in values], dtype=np.float64)
    return values, ("numeric", numbers, None)


def _number(value: Any) -> float:
    if value is None:
        return math.nan
    return float((value - _FIRST_DAY).days if isinstance(value, date) else value)
