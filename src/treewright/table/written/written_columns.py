"""All columns of a delimited file that are text to the parser: which are numbers or dates as people write them.

A file is written in one country, so a column that proves a decimal comma decides for those that leave it open.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.table.reading.reading_notes import ReadColumn, in_brackets, notes_on
from treewright.table.reading.reading_options import ReadingOptions
from treewright.table.written.number_formats import NumberFormat
from treewright.table.written.text_types import BLANKS, HEAD, LADDER, TextColumn
from treewright.table.written.written_column import (
    Reading,
    Wishes,
    WrittenColumn,
    format_of_sample,
    looks_written,
    read_written,
    series_of,
)

if TYPE_CHECKING:
    import pandas as pd

_FIRST_DAY, _LAST_DAY = 18_000_101, 21_991_231  # what 20201231 may be


class WrittenColumns:
    """Finds and reads them; afterwards `samples` shows their formats and `notes()` tells what was decided."""

    def __init__(
        self, names: Sequence[str], asked: Mapping[int, str], options: ReadingOptions, padded: bool = True
    ) -> None:
        self.names, self.asked, self.options, self.padded = names, asked, options, padded
        self.columns: dict[int, ReadColumn] = {}

    def read(
        self, frame: pd.DataFrame, delimiter: str, texts_of: Callable[[list[int]], pd.DataFrame] | None = None
    ) -> None:
        """Replace the columns of a frame that are read; `texts_of` gives columns once more as they were written."""
        texts = {i: TextColumn(frame[i], self.options.missing_cells, self.padded) for i in _texts(frame)}
        self._look_at(frame, texts, self.options.decimal)
        decimal = self.options.decimal or self._proven() or ("," if delimiter == ";" else None)
        open_ones = {i: texts[i] for i, column in self.columns.items() if not column.reading.certain and i in texts}
        if decimal == ",":
            self._look_at(frame, open_ones, decimal)
        if texts_of is not None and (again := self._typed_too_early(frame, decimal)):
            parsed = texts_of(again)
            self._look_at(frame, {i: TextColumn(parsed[i], self.options.missing_cells) for i in again}, decimal)

    def read_dates(self, frame: pd.DataFrame) -> None:
        """Replace the columns that are dates or times, and no others: a form with types has types for its numbers."""
        texts = {i: TextColumn(frame[i], self.options.missing_cells, self.padded) for i in _texts(frame)}
        self._look_at(frame, texts, self.options.decimal, ("date", "time"))

    @property
    def samples(self) -> dict[str, str]:
        """The formats by column, as a model remembers them."""
        return {column.name: column.reading.sample for column in self.columns.values() if column.reading.sample}

    def notes(self) -> list[str]:
        """Tell what was decided, and what became missing."""
        trained = self.options.trained  # a model's new rows may have columns that it knows nothing of
        known = None if trained is None else {*trained.names, trained.target}
        columns = [column for column in self.columns.values() if known is None or column.name in known]
        return notes_on(
            c
            for c in columns
            if c.reading.sample != self.options.sample(c.name) or c.reading.unread.any() or in_brackets(c)
        )

    def _look_at(
        self,
        frame: pd.DataFrame,
        texts: Mapping[int, TextColumn],
        decimal: str | None,
        sought: Sequence[str] = ("number", "date", "time"),
    ) -> None:
        for i, column in texts.items():
            wishes = self.options.wishes(self.names[i], self.asked.get(i), decimal)
            found = _read(column, wishes)
            if found is None:
                if self.options.sample(self.names[i]):  # it waited for its format; now it is a column as any other
                    frame.isetitem(i, column.typed(LADDER).array)
                continue
            codes, levels, reading = found
            if reading.what not in sought:
                continue
            frame.isetitem(i, series_of(reading, codes).array)
            self.columns[i] = ReadColumn(self.names[i], levels, codes, reading, wishes.for_model)

    def _proven(self) -> str | None:
        """The mark before decimals that some column of the file leaves no doubt about."""
        for column in self.columns.values():
            if column.reading.certain and column.reading.sample and column.reading.what == "number":
                found = format_of_sample(column.reading.sample)
                if isinstance(found, NumberFormat) and found.decimal == ",":
                    return ","
        return None

    def _typed_too_early(self, frame: pd.DataFrame, decimal: str | None) -> list[int]:
        """Columns that the parser took for numbers: 1.234 beside decimal commas, and 20201231 where dates are asked."""
        sure_comma = self.options.decimal == "," or self._proven() == ","
        dates = self.options.date_order == "ymd"
        again = []
        for i, dtype in enumerate(frame.dtypes):
            if i in self.columns or self.asked.get(i) in ("nominal", "ordinal"):
                continue
            if dtype == "float64" and sure_comma and decimal == ",":
                thousandths = frame[i].dropna() * 1000
                if len(thousandths) and bool(np.all(thousandths.round() == thousandths.round(6))):
                    again.append(i)
            elif dtype == "int64" and dates and frame[i].between(_FIRST_DAY, _LAST_DAY).all():
                again.append(i)
        return again


def _texts(frame: pd.DataFrame) -> list[int]:
    return [i for i, dtype in enumerate(frame.dtypes) if dtype == "str"]


def _read(column: TextColumn, wishes: Wishes) -> tuple[Any, list[str], Reading] | None:
    head = [text.strip(BLANKS) for text in column.texts.iloc[:HEAD].dropna().tolist()]
    known = list(dict.fromkeys(text for text in head if text not in column.missing_cells))
    if known and not looks_written(known, wishes):
        return None
    codes, levels = column.distinct()
    counts = np.bincount(codes[codes >= 0], minlength=len(levels)).astype(np.int64)
    reading = read_written(WrittenColumn(levels, counts), wishes)
    return None if reading is None else (codes, levels, reading)
