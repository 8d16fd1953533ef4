"""What is in a column, in a line: smallest, quartiles, largest, mean and a histogram; or the most frequent levels."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from treewright.table.schema import Column
from treewright.tree.format import clip, estimate_text, name_text, share_text

_BARS = "▁▂▃▄▅▆▇█"
_ASCII_BARS = ".:-=+*#@"
_BINS = 8
_TOP = 3
_LONGEST = 40  # characters of a level that are shown: some are whole reports
_YEARS = (1500, 2199)
_TO_THE_SECOND = len("2020-01-01 10:00:00")
_ROUNDING = 1e-12  # what is smaller than so much of the largest number is left over from rounding


@dataclass(frozen=True)
class ColumnStatistics:
    """Of numbers and dates the quantiles and a histogram, of levels the most frequent; nothing of an empty column.

    Examples
    --------
    >>> column_statistics(pd.Series([1, 2, 2, 3, 10])).text()
    '1 | 2 2 3 | 10, mean 3.6  █▃     ▃'
    >>> column_statistics(pd.Series(["a", "b", "a", None])).text()
    'a 67 %, b 33 %'
    """

    quantiles: tuple[Any, ...] = ()  # smallest, quartiles, largest
    mean: Any = None
    histogram: tuple[int, ...] = ()  # rows in bins of equal width
    top: tuple[tuple[Any, int], ...] = ()
    n_known: int = 0
    n_levels: int = 0
    words: tuple[str, ...] = field(default=())  # the quantiles and the mean as texts

    def text(self, ascii: bool = False) -> str:
        """Write it in a line."""
        if self.quantiles:
            low, first, median, third, high, mean = self.words
            bars = _ASCII_BARS if ascii else _BARS
            tallest = max(self.histogram)
            drawn = "".join(bars[(len(bars) - 1) * n // tallest] if n else " " for n in self.histogram)
            return f"{low} | {first} {median} {third} | {high}, mean {mean}  {drawn}".rstrip()
        told = ", ".join(f"{_level_text(level)} {share_text(n / self.n_known)}" for level, n in self.top)
        more = self.n_levels - len(self.top)
        return f"{told}, {more:,} more" if more > 0 else told

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain values."""
        if not self.quantiles:
            return {"top": [{"level": level, "rows": n} for level, n in self.top]}
        names = ("min", "first_quartile", "median", "third_quartile", "max", "mean")
        values = [
            str(each) if isinstance(each, pd.Timestamp | pd.Timedelta) else each
            for each in (*self.quantiles, self.mean)
        ]
        return {**dict(zip(names, values, strict=True)), "histogram": list(self.histogram)}


def column_statistics(values: pd.Series[Any], kind: str | None = None) -> ColumnStatistics:
    """Look at a column; `kind` says whether numbers are levels."""
    known = values.dropna()
    is_date = pd.api.types.is_datetime64_any_dtype(known)
    is_number = pd.api.types.is_numeric_dtype(known) and not pd.api.types.is_bool_dtype(known)
    if len(known) == 0:
        return ColumnStatistics()
    if kind not in ("nominal", "ordinal") and (lengths := _lengths_of_time(known)) is not None:
        return _of_times(lengths)
    if not (is_number or is_date) or kind in ("nominal", "ordinal"):
        counts = known.value_counts(sort=False)
        ranked = sorted(counts.items(), key=lambda one: (-one[1], str(one[0])))[:_TOP]
        return ColumnStatistics(
            top=tuple((_plain(level), int(n)) for level, n in ranked), n_known=len(known), n_levels=len(counts)
        )
    return _of_dates(known) if is_date else _of_numbers(known)


def _of_numbers(known: pd.Series[Any]) -> ColumnStatistics:
    numbers = known.to_numpy(dtype=np.float64)
    numbers = numbers[np.isfinite(numbers)]
    if not len(numbers):
        return ColumnStatistics()
    quantiles = tuple(float(each) for each in np.quantile(numbers, [0, 0.25, 0.5, 0.75, 1]))
    mean = float(np.sort(numbers).mean())
    told = 0.0 if abs(mean) < _ROUNDING * np.abs(numbers).max() else mean  # that of a centred column is 2e-15
    words = _year_words((*quantiles, mean)) if _are_years(numbers) else _words((*quantiles, told))
    return ColumnStatistics(quantiles, mean, _histogram(numbers), n_known=len(known), words=words)


def _of_dates(known: pd.Series[Any]) -> ColumnStatistics:
    quantiles = _middle_ones(known)
    mean = known.mean()
    days = tuple(str(each.date()) for each in (*quantiles, mean))
    in_one_day = len(set(days)) == 1 < len(set(quantiles))
    words = tuple(str(each)[:_TO_THE_SECOND] for each in (*quantiles, mean)) if in_one_day else days
    seconds = (known - known.min()).dt.total_seconds().to_numpy(dtype=np.float64)
    return ColumnStatistics(quantiles, mean, _histogram(seconds), n_known=len(known), words=words)


def _lengths_of_time(known: pd.Series[Any]) -> pd.Series[Any] | None:
    """Times of day since midnight, and lengths of time; None of any other column."""
    if pd.api.types.is_timedelta64_dtype(known):
        return known
    if known.dtype != object or not all(isinstance(each, datetime.time) for each in known):
        return None
    clock = [((each.hour * 60 + each.minute) * 60 + each.second) * 1_000_000 + each.microsecond for each in known]
    return pd.Series(pd.to_timedelta(clock, unit="us"))


def _of_times(lengths: pd.Series[Any]) -> ColumnStatistics:
    quantiles, mean = _middle_ones(lengths), lengths.mean()
    as_written = Column("", "numeric", value_type="duration").show
    words = tuple(as_written(each.round("s") / pd.Timedelta(microseconds=1)) for each in (*quantiles, mean))
    seconds = lengths.dt.total_seconds().to_numpy(dtype=np.float64)
    return ColumnStatistics(quantiles, mean, _histogram(seconds), n_known=len(lengths), words=words)


def _middle_ones(known: pd.Series[Any]) -> tuple[Any, ...]:
    """Smallest, quartiles and largest, each a value that is there."""
    in_order = known.sort_values()
    return tuple(in_order.iloc[round(share * (len(in_order) - 1))] for share in (0, 0.25, 0.5, 0.75, 1))


def _histogram(numbers: np.ndarray[Any, np.dtype[np.float64]]) -> tuple[int, ...]:
    low, high = float(numbers.min()), float(numbers.max())
    if not 0 < high - low < np.inf:
        return (len(numbers),)
    return tuple(int(n) for n in np.histogram(numbers, bins=_BINS, range=(low, high))[0])


def _words(numbers: tuple[float, ...]) -> tuple[str, ...]:
    """Numbers with so many digits that different ones look different: 118.27 beside 118.31.

    >>> _words((1.0, 2.5)), _words((118.2712, 118.3149))
    (('1', '2.5'), ('118.27', '118.31'))
    """
    for digits in range(4, 9):
        words = tuple(estimate_text(number, digits) for number in numbers)
        if len(set(words)) == len(set(numbers)):
            return words
    return words


def _are_years(numbers: np.ndarray[Any, np.dtype[np.float64]]) -> bool:
    return bool(_YEARS[0] <= numbers.min() and numbers.max() <= _YEARS[1] and (numbers == np.rint(numbers)).all())


def _year_words(numbers: tuple[float, ...]) -> tuple[str, ...]:
    """Years have no comma: nobody writes 1,997.

    >>> _year_words((1997.0, 2010.25))
    ('1997', '2010')
    """
    return tuple(f"{number:.0f}" for number in numbers)


def _level_text(level: Any) -> str:
    """A level on one line and not too long.

    >>> _level_text("The covered entity\\r\\nmisplaced a portable device with names of 800 patients")
    'The covered entity…of 800 patients'
    """
    return clip(
        name_text(" ".join(level.split()) if isinstance(level, str) and len(level) > _LONGEST else level), _LONGEST
    )


def _plain(level: Any) -> Any:
    return level.item() if isinstance(level, np.generic) else level
