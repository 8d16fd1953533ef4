"""Which texts are numbers, truth values, dates or times: the one rule of files, databases and frames."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import time
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from treewright.errors import DataError

if TYPE_CHECKING:
    import pandas as pd


# Which texts are numbers: the one rule that cells of files, attributes of ARFF and columns of frames share.


# White space around a number is no part of it. 1_000, 1,234, 0x1F, 12% and nan are no numbers: people who write these
# in a table mean something else, or a missing value.
NUMBER_TEXT = re.compile(r"\s*[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf|infinity)\s*", re.IGNORECASE | re.ASCII)
_ZERO_PADDED = re.compile(r"\s*[+-]?0\d.*", re.ASCII | re.DOTALL)
_INTEGER = re.compile(r"\s*[+-]?\d+\s*", re.ASCII)


def is_number_text(text: str) -> bool:
    """Tell whether a text is a number.

    >>> is_number_text("1e5"), is_number_text(" 7 "), is_number_text("007"), is_number_text("1,234")
    (True, True, True, False)
    """
    return NUMBER_TEXT.fullmatch(text) is not None


def is_plain_number_text(text: str) -> bool:
    """Tell whether a text is a number without leading zeros, which mean a code such as a postcode.

    >>> is_plain_number_text("0.5"), is_plain_number_text("0"), is_plain_number_text("-007")
    (True, True, False)
    """
    return is_number_text(text) and _ZERO_PADDED.match(text) is None


def is_integer_text(text: str) -> bool:
    """Tell whether a text is a whole number without leading zeros, written with digits and a sign only.

    >>> is_integer_text("-20"), is_integer_text("1e5"), is_integer_text("2."), is_integer_text("00")
    (True, False, False, False)
    """
    return _INTEGER.fullmatch(text) is not None and _ZERO_PADDED.match(text) is None


# Which columns of text are really numbers, truth values, dates or times; decided by all cells, not by a guess.


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

    def distinct(self) -> tuple[npt.NDArray[Any], list[str]]:
        """Give the code of every cell, -1 where it is missing, and the different texts without blanks around them.

        >>> import pandas as pd
        >>> TextColumn(pd.Series(["b", " NA ", "a", "b"], dtype="str")).distinct()
        (array([ 0, -1,  1,  0]), ['b', 'a'])
        """
        import pandas as pd

        codes, distinct = pd.factorize(self.texts)
        levels = [text.strip(BLANKS) for text in distinct.tolist()]
        holes = set(self.missing_cells)
        known = np.array([level not in holes for level in levels], dtype=np.bool_)
        levels = [level for level in levels if level not in holes]
        return np.append(np.where(known, np.cumsum(known) - 1, -1), -1)[codes], levels

    def _decided(self, possible: Sequence[TextType]) -> pd.Series[Any]:
        """Decide by the distinct cells; each is known by its code, and a missing one has the code -1."""
        import pandas as pd

        new_codes, levels = self.distinct()
        if not levels:
            # A column of holes only has no type of its own; numbers are the type that holes disturb least.
            return pd.Series(np.full(len(new_codes), np.nan))
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


# Columns of Python values, as databases and JSON give them, as a frame with plain pandas types.


INT64_LIMIT = 2**63


def frame_of_values(shown: str, names: Sequence[str], columns: Sequence[Sequence[object]]) -> pd.DataFrame:
    """Make a frame of columns whose cells are Python values and None.

    >>> frame_of_values("people", ["age", "name"], [[41, None], ["Ann", "Bob"]])
        age name
    0  41.0  Ann
    1   NaN  Bob
    """
    import pandas as pd

    frame = pd.DataFrame(
        {i: _series_of_cells(shown, name, cells) for i, (name, cells) in enumerate(zip(names, columns, strict=True))}
    )
    frame.columns = pd.Index(list(names), dtype="str")
    return frame


def with_dates(frame: pd.DataFrame) -> pd.DataFrame:
    """Turn columns of text whose cells are all ISO dates or times into dates and times.

    This is for forms without a type for dates: SQLite and JSON.
    """

    for i, dtype in enumerate(frame.dtypes):
        if dtype == "str" and len(frame):
            frame.isetitem(i, TextColumn(frame.iloc[:, i], (), padded=False).typed(CALENDAR).array)
    return frame


def _series_of_cells(shown: str, name: str, cells: Sequence[Any]) -> pd.Series[Any]:
    import pandas as pd

    kind = pd.api.types.infer_dtype(cells, skipna=True)
    if kind in ("integer", "floating", "mixed-integer-float", "decimal", "empty"):
        return _numbers(cells, whole=kind == "integer")
    if kind == "boolean":
        return pd.Series(cells, dtype="boolean" if None in cells else "bool")
    if kind in ("datetime", "datetime64", "date"):
        return _moments_of_cells(cells)
    if kind in ("timedelta", "timedelta64"):
        return pd.Series(cells, dtype="timedelta64[us]")
    if kind == "time":
        return pd.Series(cells, dtype="object")
    return pd.Series([_text(shown, name, row, cell) for row, cell in enumerate(cells, start=1)], dtype="str")


def _numbers(cells: Sequence[Any], whole: bool) -> pd.Series[Any]:
    import pandas as pd

    if whole and all(cell is not None and -INT64_LIMIT <= cell < INT64_LIMIT for cell in cells):
        return pd.Series(cells, dtype="int64")
    return pd.Series(np.array([np.nan if cell is None else float(cell) for cell in cells], dtype=np.float64))


def _moments_of_cells(cells: Sequence[Any]) -> pd.Series[Any]:
    import pandas as pd

    zoned = any(getattr(cell, "tzinfo", None) is not None for cell in cells)
    moments = pd.to_datetime(pd.Series(np.array(cells, dtype=object)), utc=zoned)
    return moments.astype("datetime64[us, UTC]" if zoned else "datetime64[us]")


def _text(shown: str, name: str, row: int, cell: object) -> str | None:
    if isinstance(cell, (list, dict, tuple, set, bytes, bytearray, memoryview)):
        raise DataError(
            f"{shown}: column '{name}' holds a {type(cell).__name__} in row {row}, but a cell must hold one number, "
            "text, date or truth value. Spread it over columns of its own, or leave the column out."
        )
    return None if cell is None else str(cell)


# Which values in columns of text are numbers, by the same rule as in files.


def is_number(value: object) -> bool:
    """Tell whether a value is a number or the text of one.

    >>> is_number("1e5"), is_number(" 7 "), is_number("1,234"), is_number(3.5)
    (True, True, False, True)
    """
    return is_number_text(value) if isinstance(value, str) else not isinstance(value, bool)


def number_texts(values: Iterable[Any]) -> npt.NDArray[np.bool_]:
    """Tell for each value whether it is a number or the text of one.

    >>> number_texts(["1", "x"]).tolist()
    [True, False]
    """
    return np.fromiter((is_number(value) for value in values), dtype=np.bool_)


def first_text(values: Iterable[Any]) -> tuple[int, str] | None:
    """Find the first value that is neither missing nor a number: its place (from 0) and its text.

    >>> first_text(["1", None, "n/a"])
    (2, 'n/a')
    """
    for place, value in enumerate(values):
        # A hole is None, or NaN or NaT, which differ from themselves.
        if value is not None and value == value and not is_number(value):
            return place, str(value)
    return None
