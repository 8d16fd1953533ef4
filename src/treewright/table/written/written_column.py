"""A column of text that is really numbers, dates or times as people write them: one format for all of its cells.

A few cells that hold nothing readable ("unknown") become missing, and that is told; a cell that is a number in another
format never does: then the column stays text, and `why_text` says why.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import time
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from treewright.table.written.date_formats import DateFormat, clock_times, find_date_format, is_date_text
from treewright.table.written.number_formats import NumberFormat, find_number_format, split_cell
from treewright.table.written.text_types import is_number_text, is_plain_number_text

if TYPE_CHECKING:
    import pandas as pd

HEAD = 100  # different cells that tell whether a column is worth a closer look
FEW_CELLS = 5  # fewer unreadable cells than this become missing
SMALL_SHARE = 0.01  # and so do more of them in long columns
_DIGITS = frozenset("0123456789")


@dataclass(frozen=True)
class WrittenColumn:
    """The different texts of a column, without those that mean a missing value, and how often each occurs."""

    texts: list[str]
    counts: npt.NDArray[np.int64]


@dataclass(frozen=True)
class Reading:
    """What the texts of a column are: a value each, and which of them could not be read.

    `what` is "number", "date" or "time"; `sample` shows the format, "" for plain numbers.
    """

    what: str
    values: npt.NDArray[Any]
    unread: npt.NDArray[np.bool_]
    sample: str = ""
    certain: bool = True


@dataclass(frozen=True)
class Wishes:
    """What is known of a column before it is looked at."""

    decimal: str | None = None  # the mark before decimals where cells leave it open
    date_order: str | None = None
    trained: str = ""  # the sample of the format that a model was trained with
    kind: str | None = None  # "numeric" may not have unreadable cells
    for_model: bool = False  # then it may have a few, however short the column
    decimal_is_guess: bool = False  # by other columns, not said by the user


Reader = Callable[[Sequence[str], Wishes], Reading | None]


def read_written(column: WrittenColumn, wishes: Wishes) -> Reading | None:
    """Read the texts as numbers, dates or times; None where they are text.

    Examples
    --------
    >>> column = WrittenColumn(["$1,200", "$950", "unknown"], np.array([5, 4, 1]))
    >>> reading = read_written(column, Wishes())
    >>> reading.what, reading.values.tolist(), reading.sample
    ('number', [1200.0, 950.0, nan], '$1,234.5')
    """
    if wishes.kind in ("nominal", "ordinal") or not column.texts:
        return None
    for reader in _possible(column.texts[:HEAD], wishes):
        reading = reader(column.texts, wishes)
        if reading is not None and _may_stand(column, reading, wishes):
            return reading
    return None


def looks_written(head: Sequence[str], wishes: Wishes) -> bool:
    """Tell by the first cells of a column whether it is worth to look at all of them.

    >>> looks_written(["$5", "unknown", "$7"], Wishes()), looks_written(["ID-001", "ID-002"], Wishes())
    (True, False)
    """
    return bool(head) and wishes.kind not in ("nominal", "ordinal") and bool(_possible(head, wishes))


def _possible(head: Sequence[str], wishes: Wishes) -> list[Reader]:
    """Give the ways of reading that fit most of some cells; for a model, which knows what it wants, all of them."""
    if wishes.for_model:
        return _readers(wishes)
    if 2 * sum(not _DIGITS.isdisjoint(text) for text in head) <= len(head):
        return []
    # Whether the day or the month stands first is told by all cells, not by the first ones.
    readings = [
        (reader, _dates_in_any_order(head, wishes) if reader is _dates else reader(head, wishes))
        for reader in _readers(wishes)
    ]
    return [
        reader
        for reader, reading in readings
        if reading is not None and 2 * np.count_nonzero(reading.unread) <= len(head)
    ]


def _readers(wishes: Wishes) -> list[Reader]:
    if wishes.for_model:
        return [_as_trained, _numbers, _dates, _times]
    if wishes.kind == "numeric":
        return [_numbers]
    # 20201231 is a number unless somebody says in which order it is a date.
    return [_numbers, _dates, _times] if wishes.date_order is None else [_dates, _numbers, _times]


def _may_stand(column: WrittenColumn, reading: Reading, wishes: Wishes) -> bool:
    """Tell whether the unreadable cells are few, and none of them a number or a date in another format."""
    if not reading.unread.any():
        return True
    n_unread = int(column.counts[reading.unread].sum())
    n_known = int(column.counts.sum())
    if wishes.kind == "numeric" and not wishes.for_model:
        return False
    few = n_unread < FEW_CELLS or n_unread < SMALL_SHARE * n_known
    if not few or (3 * n_unread > n_known and not wishes.for_model):
        return False
    return not any(_is_readable(column.texts[i]) for i in np.flatnonzero(reading.unread))


def _is_readable(text: str) -> bool:
    """Tell whether a text is a number, a date or a time in some format, or a code with leading zeros."""
    parts = split_cell(text)
    return (
        is_number_text(text)
        or (parts is not None and find_number_format([text]) is not None)
        or is_date_text(text)
        or clock_times([text])[0] >= 0
    )


def _as_trained(texts: Sequence[str], wishes: Wishes) -> Reading | None:
    if not wishes.trained and wishes.kind != "numeric":
        return None
    found = format_of_sample(wishes.trained) if wishes.trained else NumberFormat()
    if isinstance(found, NumberFormat):
        numbers = found.numbers(texts, unit_needed=False)
        return Reading("number", numbers, np.isnan(numbers), wishes.trained)
    moments = found.moments(texts)
    return Reading("date", moments, np.isnat(moments), wishes.trained)


def format_of_sample(sample: str) -> NumberFormat | DateFormat:
    """Give the format that a sample shows.

    >>> format_of_sample("31.12.2020").order, format_of_sample("1.234,5 kg").suffix
    ('dmy', 'kg')
    """
    try:
        return DateFormat.of_sample(sample)
    except ValueError:
        return NumberFormat.of_sample(sample)


def _numbers(texts: Sequence[str], wishes: Wishes) -> Reading | None:
    if any(is_number_text(text) and not is_plain_number_text(text) for text in texts) and wishes.kind != "numeric":
        return None  # codes with leading zeros
    found = find_number_format(texts, wishes.decimal, wishes.decimal_is_guess)
    if found is None:
        return None
    numbers = found.format.numbers(texts)
    sample = "" if found.format == NumberFormat() else found.format.sample
    return Reading("number", numbers, np.isnan(numbers), sample, found.certain)


def _dates(texts: Sequence[str], wishes: Wishes) -> Reading | None:
    found = find_date_format(texts)
    if found is None:
        return None
    asked = [each for each in found.formats if wishes.date_order in (None, each.order)]
    if not asked and _is_decided(found.formats, wishes):
        asked = list(found.formats)
    is_compact = found.formats[0].shape == "compact"
    if len(asked) != 1 or (is_compact and wishes.date_order is None):
        return None
    moments = asked[0].moments(texts)
    return Reading("date", moments, np.isnat(moments), asked[0].sample)


def _is_decided(formats: Sequence[DateFormat], wishes: Wishes) -> bool:
    """Whether cells leave one order only, whatever is asked: the order that is asked for is that of other columns.

    20201231 is a number until its own order is asked for. 31/12/20 could be in 2031 where the year is to stand first.
    """
    one = formats[0]
    return len(formats) == 1 and one.shape != "compact" and not (one.short_year and wishes.date_order == "ymd")


def _dates_in_any_order(texts: Sequence[str], wishes: Wishes) -> Reading | None:
    found = find_date_format(texts)
    if found is None or (found.formats[0].shape == "compact" and wishes.date_order is None):
        return None
    moments = found.formats[0].moments(texts)
    return Reading("date", moments, np.isnat(moments), found.formats[0].sample)


def _times(texts: Sequence[str], wishes: Wishes) -> Reading | None:
    clocks = clock_times(texts)
    if not (clocks >= 0).any():
        return None
    return Reading("time", clocks, clocks < 0, "")


def series_of(reading: Reading, codes: npt.NDArray[Any]) -> pd.Series[Any]:
    """Lay a reading out by the code of each row; code -1 and what could not be read is missing."""
    import pandas as pd

    missing = np.append(reading.unread, True)[codes]
    if reading.what == "number":
        return _number_series(reading.values, codes, missing)
    if reading.what == "date":
        return pd.Series(np.append(reading.values, np.datetime64("NaT", "us"))[codes])
    seconds, micro = np.divmod(reading.values, 1_000_000)
    clocks = [
        None if unread else time(s // 3600, s // 60 % 60, s % 60, m)
        for s, m, unread in zip(seconds.tolist(), micro.tolist(), reading.unread.tolist(), strict=True)
    ]
    return pd.Series(np.array([*clocks, None], dtype=object)[codes])


def _number_series(values: npt.NDArray[np.float64], codes: npt.NDArray[Any], missing: Any) -> pd.Series[Any]:
    import pandas as pd

    numbers = np.append(values, np.nan)[codes]
    whole = not missing.any() and bool(np.all(np.mod(values, 1) == 0)) and bool(np.all(np.abs(values) < 2.0**53))
    return pd.Series(numbers.astype(np.int64) if whole else numbers)
