"""Why a column of text may not be meant as text: numbers or dates with something among them that keeps them from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.table.written.date_formats import DateFormat, find_date_format, is_date_text
from treewright.table.written.number_formats import find_number_format, is_marked_number, split_cell
from treewright.table.written.text_types import is_number_text, is_plain_number_text
from treewright.table.written.written_column import (
    Reading,
    Wishes,
    WrittenColumn,
    format_of_sample,
    read_written,
)
from treewright.wording import kind_words, missing_words, on_command_line, read_words

NEARLY = 0.95
MANY_VALUES = 10  # so many different numbers beside one other text are a measurement with a word for "missing"
_SAMPLE = 100
_DIGITS = frozenset("0123456789")


def text_remark(name: str, codes: npt.NDArray[Any], texts: Sequence[str]) -> str | None:
    """Say why a column of text may be meant as numbers or dates, and what to do; None where it is plainly text.

    Parameters
    ----------
    name : str
        The column.
    codes : array of int
        For each row the place of its text in `texts`, -1 where it is missing.
    texts : sequence of str
        The different texts.

    Examples
    --------
    >>> text_remark("n", np.array([0, 1, 1]), ["007", "12"])
    "codes with leading zeros such as '007' stay text on purpose: column_kinds={'n': 'numeric'} reads them as numbers"
    """
    if not may_be_more(texts):
        return None
    padded = [text for text in texts if is_number_text(text) and not is_plain_number_text(text)]
    numbers = np.array([is_number_text(text) for text in texts], dtype=np.bool_)
    if padded and numbers.all():
        return (
            f"codes with leading zeros such as {padded[0]!r} stay text on purpose: "
            f"{kind_words(name, 'numeric')} reads them as numbers"
        )
    if numbers.all():
        return f"numbers written as text: pass {kind_words(name, 'numeric')} to split them as numbers"
    counts = np.bincount(codes[codes >= 0], minlength=len(texts)).astype(np.int64)
    return _format_remark(name, texts, counts) or _odd_remark(name, codes, texts, counts)


def may_be_more(texts: Sequence[str]) -> bool:
    """Take a quick look at some of the texts, from everywhere: are there digits in most of them?

    >>> may_be_more(["12 kg", "unknown", "7 kg"]), may_be_more(["red", "green"])
    (True, False)
    """
    some = texts[:: max(len(texts) // _SAMPLE, 1)]
    return 2 * sum(not _DIGITS.isdisjoint(text) for text in some) > len(some)


def _format_remark(name: str, texts: Sequence[str], counts: npt.NDArray[np.int64]) -> str | None:
    """All texts are numbers or dates in one format, or are dates that may be read in two ways."""
    reading = read_written(WrittenColumn(list(texts), counts), Wishes())
    if reading is not None and not reading.unread.any():
        if reading.what == "number":
            return f"numbers written as {texts[0]!r}, which stay text here: pass {kind_words(name, 'numeric')}"
        return (
            f"{reading.what}s written as text such as {texts[0]!r}: every one counts as a level. {_as_moments(reading)}"
        )
    found = find_date_format(texts)
    if found is None or len(found.formats) < 2 or not all(map(is_date_text, texts)):
        return None
    both = [each.moments(texts) for each in found.formats[:2]]
    example = int(np.argmax(both[0] != both[1]))
    first, second = (str(moments[example])[:10] for moments in both)
    orders = " or ".join(read_words("date_order", each.order) for each in found.formats)
    ways = f"{texts[example]!r} is {first} or {second}"
    return f"dates that may be read in two ways ({ways}), so they stay text: say {orders}"


def _as_moments(reading: Reading) -> str:
    """How text becomes dates or times: in CSV files it is such anyway, in forms with types where it is asked for."""
    if reading.what == "time":
        return "Write the table as CSV, where they are read as times" if on_command_line() else "Turn it into times"
    found = format_of_sample(reading.sample)
    order = found.order if isinstance(found, DateFormat) else "ymd"
    return f"{read_words('date_order', order)} reads them as dates"


def _odd_remark(name: str, codes: npt.NDArray[Any], texts: Sequence[str], counts: npt.NDArray[np.int64]) -> str | None:
    """Most texts are numbers or dates: name the first that is not, or two that are not alike."""
    for what, is_one in (("numbers", _is_number), ("dates", is_date_text)):
        fits = np.array([is_one(text) for text in texts], dtype=np.bool_)
        share = counts[fits].sum() / max(counts.sum(), 1)
        others = np.flatnonzero(~fits)
        one_word = len(others) == 1 and np.count_nonzero(fits) >= MANY_VALUES and share > 0.5
        if share < NEARLY and not one_word:
            continue
        if any(is_marked_number(texts[i]) for i in others.tolist()):
            return None  # "<5" is no word for a missing value
        if len(others) == 0:
            return None if _are_labels(texts) else _two_formats(what, codes, texts)
        row = int(np.flatnonzero(np.isin(codes, others))[0])
        word = texts[codes[row]]
        n_rows = int(counts[others].sum())
        rows = f"{n_rows:,} rows hold" if one_word and n_rows > 1 else f"row {row + 1} holds"
        as_hole = missing_words(word) if on_command_line() else read_words("missing_values", [word])
        return f"nearly all {what}, but {rows} the text {word!r}: {as_hole} or {kind_words(name, 'nominal')}"
    return None


def _is_number(text: str) -> bool:
    parts = split_cell(text)
    return is_number_text(text) or (parts is not None and find_number_format([text]) is not None)


def _are_labels(texts: Sequence[str]) -> bool:
    """Answers of a scale, `1 bad`, `2 ok`, `3 good`: every number has a word of its own, as no unit has.

    >>> _are_labels(["1 bad", "2 ok", "3 good"]), _are_labels(["5 kg", "3 g", "2 kg"])
    (True, False)
    """
    words = {parts.suffix for text in texts if (parts := split_cell(text)) is not None and parts.suffix}
    return len(words) == len(texts)


def _two_formats(what: str, codes: npt.NDArray[Any], texts: Sequence[str]) -> str:
    """All are numbers (or dates), yet no one format reads them all: show a row of each."""
    first = next(code for code in codes.tolist() if code >= 0)
    other = next(
        (code for code in codes.tolist() if code >= 0 and _differ(what, texts[first], texts[code])), int(codes.max())
    )
    rows = [int(np.flatnonzero(codes == code)[0]) + 1 for code in (first, other)]
    return (
        f"{what} in more than one format, which stay text: row {rows[0]} holds {texts[first]!r}, "
        f"row {rows[1]} {texts[other]!r}. Write all alike"
    )


def _differ(what: str, one: str, other: str) -> bool:
    if what == "dates":
        found = find_date_format([one, other])
        return found is None or any(np.isnat(found.formats[0].moments([one, other])))
    found_number = find_number_format([one, other])
    return found_number is None or bool(np.isnan(found_number.format.numbers([one, other])).any())
