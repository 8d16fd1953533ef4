"""Which columns of text are really numbers, truth values, dates or times; decided by all cells, not by a guess.

A look at the first cells tells which types are possible at all, so that a column of plain text costs next to nothing.
The others are decided by their distinct cells: the first type of the ladder that fits every one of them is the type.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import time
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from treewright.read.number_text import is_integer_text, is_number_text, is_plain_number_text

if TYPE_CHECKING:
    import pandas as pd

MISSING_CELLS = ("", "?", "NA", "N/A", "nan", "NaN", "NULL", "null")
BLANKS = " \t"
HEAD = 100


@dataclass(frozen=True)
class TextType:
    """A type that text may have: a test of one cell, and the values of many, which may find a cell that is none."""

    name: str
    fits: Callable[[str], object]
    values: Callable[[list[str]], npt.NDArray[Any]]


def _integers(cells: list[str]) -> npt.NDArray[Any]:
    return np.array([int(cell) for cell in cells], dtype=np.int64)


def _floats(cells: list[str]) -> npt.NDArray[Any]:
    return np.array([float(cell) for cell in cells], dtype=np.float64)


def _truths(cells: list[str]) -> npt.NDArray[Any]:
    return np.array([cell.lower() == "true" for cell in cells], dtype=np.bool_)


def _moments(cells: list[str]) -> npt.NDArray[Any]:
    return np.array([_with_full_hour(cell) for cell in cells], dtype="datetime64[us]")


def _with_full_hour(cell: str) -> str:
    """2024-01-02 9:30 is as good a moment as 2024-01-02 09:30."""
    return f"{cell[:11]}0{cell[11:]}" if cell[12:13] == ":" else cell


def _moments_in_utc(cells: list[str]) -> npt.NDArray[Any]:
    import pandas as pd

    moments = pd.to_datetime([_with_full_hour(cell) for cell in cells], utc=True, format="ISO8601")
    return np.asarray(moments.tz_localize(None).as_unit("us"))


def _times(cells: list[str]) -> npt.NDArray[Any]:
    return np.array([time.fromisoformat(cell) for cell in cells], dtype=object)


# Only the ISO forms: 2024/01/02 and 1-2-2024 may be day first or no dates at all.
_DAY = r"\d{4}-\d\d-\d\d"
_MINUTES = r":\d\d(?::\d\d(?:\.\d{1,9})?)?"
_ZONE = r"(?:Z|[+-]\d\d(?::?\d\d)?)"


def _like(pattern: str) -> Callable[[str], object]:
    return re.compile(pattern, re.ASCII | re.IGNORECASE).fullmatch


ZERO_PADDED = TextType("number", is_number_text, _floats)
NUMBER = TextType("number", is_plain_number_text, _floats)
INTEGER = TextType("integer", is_integer_text, _integers)
BOOLEAN = TextType("boolean", _like("true|false"), _truths)
DATE = TextType("date", _like(_DAY), _moments)
DATE_TIME = TextType("datetime", _like(rf"{_DAY}(?:[T ]\d\d?{_MINUTES})?"), _moments)
ZONED = TextType("zoned", _like(rf"{_DAY}[T ]\d\d?{_MINUTES}{_ZONE}"), _moments_in_utc)
TIME = TextType("time", _like(rf"\d\d{_MINUTES}"), _times)

LADDER = (INTEGER, NUMBER, BOOLEAN, DATE, DATE_TIME, ZONED, TIME)
CALENDAR = (DATE, DATE_TIME, ZONED, TIME)


def missing_cells(missing_values: Iterable[object] | None) -> tuple[str, ...]:
    """Give the texts that mean a missing value: the usual ones and those of the user.

    >>> missing_cells(["n/a", -999])[-2:]
    ('n/a', '-999')
    """
    return (*MISSING_CELLS, *(str(value).strip(BLANKS) for value in missing_values or ()))


@dataclass(frozen=True)
class TextColumn:
    """A column of text in which the missing cells are empty, but perhaps not those with blanks around them.

    `padded` tells whether there may be such cells.
    """

    texts: pd.Series[Any]
    missing_cells: tuple[str, ...] = MISSING_CELLS
    padded: bool = True

    def typed(self, ladder: Sequence[TextType]) -> pd.Series[Any]:
        """Give the column with the first type of the ladder that fits every cell, else as text.

        >>> import pandas as pd
        >>> TextColumn(pd.Series(["2.5", " NA ", "7"], dtype="str")).typed(LADDER).tolist()
        [2.5, nan, 7.0]
        """
        head = [text.strip(BLANKS) for text in self.texts.iloc[:HEAD].dropna().tolist()]
        known = [text for text in head if text not in self.missing_cells]
        possible = [kind for kind in ladder if all(map(kind.fits, known))]
        # The parser leaves the words for missing cells as they are in a column that begins with huge integers.
        if possible or self.padded or not known or is_number_text(known[0]):
            return self._decided(possible)
        return self.texts

    def _decided(self, possible: Sequence[TextType]) -> pd.Series[Any]:
        """Decide by the distinct cells; each is known by its code, and a missing one has the code -1."""
        import pandas as pd

        codes, distinct = pd.factorize(self.texts)
        levels = [text.strip(BLANKS) for text in distinct.tolist()]
        holes = set(self.missing_cells)
        known = np.array([level not in holes for level in levels], dtype=np.bool_)
        levels = [level for level in levels if level not in holes]
        new_codes = np.append(np.where(known, np.cumsum(known) - 1, -1), -1)[codes]
        if not levels:
            # A column of holes only has no type of its own; numbers are the type that holes disturb least.
            return pd.Series(np.full(len(codes), np.nan))
        for kind in possible:
            if all(map(kind.fits, levels)):
                try:
                    return _series(kind, kind.values(levels), new_codes)
                except (ValueError, OverflowError):
                    # There is no such day or hour, or the number is too large: the next type may take it.
                    continue
        return self.texts.where(new_codes >= 0)


def _series(kind: TextType, levels: npt.NDArray[Any], codes: npt.NDArray[Any]) -> pd.Series[Any]:
    """Turn values and holes into the pandas type that an analyst expects."""
    import pandas as pd

    missing = codes < 0
    if kind is INTEGER and missing.any():
        levels = levels.astype(np.float64)
    values = levels[codes]
    if not missing.any():
        series = pd.Series(values)
    elif kind is BOOLEAN:
        series = pd.Series(pd.arrays.BooleanArray(values, missing))
    else:
        series = pd.Series(values).mask(missing)
    return series.dt.tz_localize("UTC") if kind is ZONED else series
