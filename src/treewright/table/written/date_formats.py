"""Dates and times as people write them: 31.12.2020, 12/31/2020, 05 Jan 2020, 20201231, 10:30 PM.

Whether 01/02/2020 is in January or in February is decided by the whole column: one cell with a 31 in it tells the order
of day and month for all. Where no cell tells, the column is no column of dates, and the user is asked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

ORDERS = ("dmy", "mdy", "ymd")
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
MONTH_NAMES = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    "nov(?:ember)?|dec(?:ember)?"
)
_CLOCK = r"(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.(?P<part>\d{1,6})\d*)?)? ?(?P<half>[ap]\.?m\.?)?"
_ZONE = r"(?: ?(?P<zone>z|utc|gmt|[+-]\d\d:?\d\d))?"
_TIME_OF_DAY = rf"(?:(?:,? +|t){_CLOCK}{_ZONE})?"
_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,? )?"


def _like(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.ASCII)


# Each shape has the three parts a, b, c as they stand; which is the day is told by the order.
_SHAPES = {
    "digits": _like(rf"(?P<a>\d\d?)(?P<mark>[./-])(?P<b>\d\d?)(?P=mark)(?P<c>\d{{4}}|\d\d){_TIME_OF_DAY}"),
    "year first": _like(rf"(?P<a>\d{{4}})(?P<mark>[./-])(?P<b>\d\d?)(?P=mark)(?P<c>\d\d?){_TIME_OF_DAY}"),
    "compact": _like(r"(?P<a>(?:18|19|20|21)\d\d)(?P<mark>)(?P<b>\d\d)(?P<c>\d\d)"),
    "day name": _like(
        rf"{_WEEKDAY}(?P<a>\d\d?)\.?(?P<mark>[ -]?)(?P<b>{MONTH_NAMES})\.?,?(?P=mark)(?P<c>\d{{4}}|\d\d){_TIME_OF_DAY}"
    ),
    "name day": _like(
        rf"{_WEEKDAY}(?P<a>{MONTH_NAMES})\.?(?P<mark>[ -])(?P<b>\d\d?)(?:,? |-)(?P<c>\d{{4}}){_TIME_OF_DAY}"
    ),
}
_TIME = _like(_CLOCK)
_PIVOT = 69  # years of two digits: 69 is 1969, 68 is 2068, as POSIX has it
_DAY = 86_400_000_000
_SECOND = 1_000_000


@dataclass(frozen=True)
class DateFormat:
    """How the dates of a column are written: the order of day, month and year, and the shape.

    >>> DateFormat("dmy", "digits", ".").sample
    '31.12.2020'
    """

    order: str
    shape: str
    mark: str
    short_year: bool = False

    @property
    def sample(self) -> str:
        """How the last day of 2020 is written; a model remembers the format by it."""
        if self.shape == "day name":
            return f"31{self.mark}Dec{self.mark}{'20' if self.short_year else '2020'}"
        if self.shape == "name day":
            return f"Dec{self.mark}31, 2020"
        parts = {"d": "31", "m": "12", "y": "20" if self.short_year else "2020"}
        return self.mark.join(parts[letter] for letter in self.order)

    @classmethod
    def of_sample(cls, sample: str) -> DateFormat:
        """Give the format that a sample shows.

        >>> DateFormat.of_sample("12/31/20")
        DateFormat(order='mdy', shape='digits', mark='/', short_year=True)
        """
        found = _cell(sample)
        for order in _orders(found.key) if found is not None else ():
            if found is not None and cls(order, *found.key).sample == sample:
                return cls(order, *found.key)
        raise ValueError(f"{sample!r} shows no way to write a date.")

    def moments(self, texts: Sequence[str]) -> npt.NDArray[np.datetime64]:
        """Give the moments of many cells in UTC, NaT where there is none of this format.

        >>> DateFormat("dmy", "digits", "/").moments(["31/12/2020 10:30", "x"])
        array(['2020-12-31T10:30:00.000000',                        'NaT'],
              dtype='datetime64[us]')
        """
        cells = [_cell(text) for text in texts]
        fits = np.array([cell is not None and cell.key == self.key for cell in cells], dtype=np.bool_)
        moments = np.full(len(texts), np.datetime64("NaT", "us"), dtype="datetime64[us]")
        known = [cell for cell, fit in zip(cells, fits, strict=True) if fit and cell is not None]
        if known:
            moments[fits] = _moments(known, self.order)
        return moments

    @property
    def key(self) -> tuple[str, str, bool]:
        """What cells of one format have in common, whatever their order of day and month."""
        return self.shape, self.mark, self.short_year


@dataclass(frozen=True)
class _Cell:
    """A cell taken apart: three numbers as they stand, and microseconds after midnight."""

    key: tuple[str, str, bool]
    parts: tuple[int, int, int]
    clock: int


def _cell(text: str) -> _Cell | None:
    plain = text.strip().replace("\u00a0", " ")
    if not plain.isascii():
        return None
    for shape, pattern in _SHAPES.items():
        found = pattern.fullmatch(plain)
        if found is not None:
            fields = found.groupdict()
            clock = _clock(fields) if fields.get("hour") else 0
            if clock is None:
                return None
            parts = tuple(_number(fields[name]) for name in "abc")
            short = len(fields["c"]) == 2 and shape in ("digits", "day name")
            return _Cell((shape, fields["mark"], short), (parts[0], parts[1], parts[2]), clock)
    return None


def _number(text: str) -> int:
    return int(text) if text.isdigit() else _MONTHS.index(text[:3].lower()) + 1


def _clock(fields: dict[str, str | None]) -> int | None:
    """Microseconds since midnight, in UTC where a zone is given; None where there is no such time."""
    hour, minute, second = int(fields["hour"] or 0), int(fields["minute"] or 0), int(fields["second"] or 0)
    if fields["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if fields["half"][0] in "pP" else 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    micro = int((fields["part"] or "0").ljust(6, "0"))
    return ((hour * 60 + minute) * 60 + second - _offset(fields.get("zone"))) * _SECOND + micro


def _offset(zone: str | None) -> int:
    if zone is None or zone[0] not in "+-":
        return 0
    digits = zone[1:].replace(":", "")
    seconds = (int(digits[:2]) * 60 + int(digits[2:])) * 60
    return seconds if zone[0] == "+" else -seconds


def _moments(cells: Sequence[_Cell], order: str) -> npt.NDArray[np.datetime64]:
    """All cells at once; a day that its month does not have is NaT."""
    short = cells[0].key[2]
    numbers = np.array([cell.parts for cell in cells], dtype=np.int64)
    year, month, day = (numbers[:, order.index(letter)] for letter in "ymd")
    if short:
        year = year + np.where(year >= _PIVOT, 1900, 2000)
    sound = (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31) & (year >= 1)
    months = (year - 1970) * 12 + np.where(sound, month, 1) - 1
    first = months.astype("datetime64[M]")
    days = first.astype("datetime64[D]") + (np.where(sound, day, 1) - 1).astype("timedelta64[D]")
    sound &= days.astype("datetime64[M]") == first
    clock = np.array([cell.clock for cell in cells], dtype=np.int64).astype("timedelta64[us]")
    moments: npt.NDArray[np.datetime64] = days.astype("datetime64[us]") + clock
    moments[~sound] = np.datetime64("NaT", "us")
    return moments


@dataclass(frozen=True)
class FoundDates:
    """The formats that read the dates of a column, all but the order the same; more than one if nothing decides."""

    formats: tuple[DateFormat, ...]


def find_date_format(texts: Sequence[str]) -> FoundDates | None:
    """Find how most cells of a column write dates, and the orders of day and month in which all of them are days.

    Examples
    --------
    >>> [each.order for each in find_date_format(["01/02/2020", "31/12/2020"]).formats]
    ['dmy']
    >>> [each.order for each in find_date_format(["01/02/2020"]).formats]
    ['dmy', 'mdy']
    """
    cells = [cell for cell in map(_cell, texts) if cell is not None]
    if 2 * len(cells) <= len(texts):
        return None
    key = Counter(cell.key for cell in cells).most_common(1)[0][0]
    alike = [cell for cell in cells if cell.key == key]
    are_days = {order: ~np.isnat(_moments(alike, order)) for order in _orders(key)}
    # The 30th of February is no day in any order, so it tells nothing.
    days = np.logical_or.reduce(list(are_days.values()))
    fitting = [order for order, fits in are_days.items() if days.any() and fits[days].all()]
    if len(fitting) > 1 and fitting[-1] == "ymd":
        fitting.pop()  # 31/12/20 could be in 2031, but nobody who means that has asked for it
    return FoundDates(tuple(DateFormat(order, *key) for order in fitting)) if fitting else None


def _orders(key: tuple[str, str, bool]) -> tuple[str, ...]:
    shape, _, short = key
    fixed = {"year first": ("ymd",), "compact": ("ymd",), "day name": ("dmy",), "name day": ("mdy",)}
    return fixed.get(shape, ORDERS if short else ("dmy", "mdy"))


def is_date_text(text: str) -> bool:
    """Tell whether a text is a day, in any format and order.

    >>> is_date_text("31.12.2020"), is_date_text("Dec 31, 2020 10:00 pm"), is_date_text("30.2.2020")
    (True, True, False)
    """
    cell = _cell(text)
    return cell is not None and any(not np.isnat(_moments([cell], order)[0]) for order in _orders(cell.key))


def clock_times(texts: Sequence[str]) -> npt.NDArray[np.int64]:
    """Give times of day as microseconds since midnight, -1 where a text is none.

    >>> clock_times(["9:30", "12:15 am", "24:00"]).tolist()
    [34200000000, 900000000, -1]
    """
    found = [_TIME.fullmatch(text.strip()) for text in texts]
    clocks = [None if match is None else _clock(match.groupdict()) for match in found]
    return np.array([-1 if clock is None else clock for clock in clocks], dtype=np.int64)
