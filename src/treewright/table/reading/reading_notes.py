"""What is told of a file that was read: formats that were found, cells that became missing, and how to change it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.table.written.date_formats import DateFormat
from treewright.table.written.number_formats import NumberFormat, find_number_format
from treewright.table.written.written_column import Reading, format_of_sample
from treewright.wording import kind_words, option_words

MOST_NAMES = 5
MOST_CELLS = 3


@dataclass(frozen=True)
class ReadColumn:
    """A column that was read by a format of its own."""

    name: str
    texts: Sequence[str]
    codes: npt.NDArray[Any]
    reading: Reading
    for_model: bool = False  # new rows of a model, whose kinds nobody can change


def notes_on(columns: Iterable[ReadColumn]) -> list[str]:
    """Tell of formats, one note for all columns that share one, and of cells that became missing, a note a column."""
    columns = list(columns)
    notes = []
    by_format: dict[tuple[str, str, bool], list[ReadColumn]] = {}
    for column in columns:
        if column.reading.sample and not _needs_no_word(column.reading.sample):
            key = (column.reading.what, column.reading.sample, column.reading.certain)
            by_format.setdefault(key, []).append(column)
    notes += [_format_note(alike) for alike in by_format.values()]
    notes += [_bracket_note(column, text) for column in columns if (text := in_brackets(column))]
    return notes + [_missing_note(column) for column in columns if column.reading.unread.any()]


def in_brackets(column: ReadColumn) -> str:
    """Give a text such as (5) that was read as -5; none of new rows, whose model was trained on such ones."""
    if column.reading.what != "number" or column.for_model:
        return ""
    return next(
        (text for text, bad in zip(column.texts, column.reading.unread, strict=True) if "(" in text and not bad), ""
    )


def _bracket_note(column: ReadColumn, text: str) -> str:
    """Bookkeepers write a loss in brackets; whoever does not know would look for the minus sign."""
    value = _plain(float(column.reading.values[list(column.texts).index(text)]))
    return (
        f"Column '{column.name}': numbers in brackets are negative: {text!r} is read as {value}. "
        f"{kind_words(column.name, 'nominal')} keeps the text."
    )


def column_names(names: Sequence[str]) -> str:
    """Name columns in a sentence, the first few of many.

    >>> column_names(["a"]), column_names(["a", "b"])
    ("Column 'a'", "Columns 'a', 'b'")
    """
    shown = ", ".join(f"'{name}'" for name in names[:MOST_NAMES])
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return f"Column{'s' if len(names) > 1 else ''} {shown}{more}"


def _format_note(alike: Sequence[ReadColumn]) -> str:
    names, first = column_names([column.name for column in alike]), alike[0]
    holds = "hold" if len(alike) > 1 else "holds"
    text, value = _example(first)
    found = format_of_sample(first.reading.sample)
    if not isinstance(found, NumberFormat):
        order = {"dmy": "day, month, year", "mdy": "month, day, year", "ymd": "year, month, day"}[found.order]
        return f"{names} {holds} dates in the order {order}: '{text}' is read as {value}."
    note = f"{names} {holds} numbers in a format of their own: '{text}' is read as {value}"
    if found.suffix == "%":
        note += f", not as {_plain(float(value) / 100)}"
    elif found.prefix or found.suffix:
        note += f", without '{found.prefix or found.suffix}'"
    if not first.reading.certain:
        other = "," if found.decimal == "." else "."
        found_other = find_number_format([text], other, is_guess=False)
        if found_other is not None:
            meant = _plain(float(found_other.format.numbers([text])[0]))
            note += f"; if it means {meant}: {option_words('decimal', other)}"
    return note + "."


def _example(column: ReadColumn) -> tuple[str, str]:
    """Give the cell that shows the format best, the longest among the first, and its value."""
    known = np.flatnonzero(~column.reading.unread)[:100]
    best = max(known.tolist(), key=lambda i: len(column.texts[i]))
    value = column.reading.values[best]
    if isinstance(value, np.datetime64):
        return column.texts[best], str(value).replace("T", " ").removesuffix(" 00:00:00.000000").removesuffix(".000000")
    return column.texts[best], _plain(float(value))


def _plain(value: float) -> str:
    return f"{value:.15g}"


def _missing_note(column: ReadColumn) -> str:
    unread = np.append(column.reading.unread, False)[column.codes]
    rows = np.flatnonzero(unread)
    cells = ", ".join(f"row {row + 1} holds '{column.texts[column.codes[row]]}'" for row in rows[:MOST_CELLS].tolist())
    more = f" and {len(rows) - MOST_CELLS:,} more" if len(rows) > MOST_CELLS else ""
    count = "1 cell is" if len(rows) == 1 else f"{len(rows):,} cells are"
    counts = "counts" if len(rows) == 1 else "count"
    what = f"Column '{column.name}' is read as {column.reading.what}s, but {count} none and {counts} as missing"
    cure = f" To forbid it: {kind_words(column.name, 'nominal')} keeps the text, "
    cure += f"{kind_words(column.name, 'numeric')} refuses such cells."
    return f"{what}: {cells}{more}.{'' if column.for_model else cure}"


def _needs_no_word(sample: str) -> bool:
    """2020/12/31 can be read in one way only, like 2020-12-31."""
    found = format_of_sample(sample)
    return isinstance(found, DateFormat) and found.shape == "year first"
