"""Columns of text of which most cells are numbers, dates or months, but not enough, or not plainly enough, to be read.

Such a column becomes levels, one for each number; nobody who measured something meant that.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.table.written.date_formats import MONTH_NAMES, is_date_text
from treewright.table.written.number_formats import find_number_format, is_marked_number, split_cell
from treewright.table.written.text_remarks import MANY_VALUES, may_be_more
from treewright.table.written.text_types import is_plain_number_text
from treewright.wording import missing_words, on_command_line, read_words

MOSTLY = 0.5
FEW_WORDS = 3  # so many words beside numbers are named as missing values
_DIGITS = frozenset("0123456789")
_MONTH = re.compile(rf"(?:1[5-9]|20)\d\d[-/](?:0[1-9]|1[0-2])|(?:{MONTH_NAMES})\.?[ -](?:1[5-9]|20)\d\d", re.IGNORECASE)


def mixed_remark(codes: npt.NDArray[Any], texts: Sequence[str]) -> str | None:
    """Say that most of a column are dates or numbers, or all are months, and why they stay text; None elsewhere.

    Parameters
    ----------
    codes : array of int
        For each row the place of its text in `texts`, -1 where it is missing.
    texts : sequence of str
        The different texts.

    Examples
    --------
    >>> days = [f"{day}/3/2020" for day in range(1, 25)]
    >>> mixed_remark(np.arange(26), [*days, "1/3/2020 - 5/3/2020", "spring"])
    "dates in 92 % of the rows, but row 25 holds the text '1/3/2020 - 5/3/2020', so all of them stay text"
    >>> mixed_remark(np.arange(30), [*map(str, range(29)), "<5"])
    "numbers, but row 30 holds '<5', so all of them stay text: write the number itself"
    """
    if not may_be_more(texts):
        return None
    counts = np.bincount(codes[codes >= 0], minlength=len(texts))
    if len(texts) >= MANY_VALUES and all(map(_MONTH.fullmatch, texts)):
        return f"months such as {texts[0]!r} stay text, a level each: with a day (2020-12-01) they are read as dates"
    return _dates_remark(codes, texts, counts) or _numbers_remark(codes, texts, counts)


def _dates_remark(codes: npt.NDArray[Any], texts: Sequence[str], counts: npt.NDArray[Any]) -> str | None:
    fits = np.array([is_date_text(text) for text in texts], dtype=np.bool_)
    if not _are_most(fits, counts) or fits.all():
        return None
    row = _first_row(codes, ~fits)
    share = 100 * counts[fits].sum() / counts.sum()
    return (
        f"dates in {share:.0f} % of the rows, but row {row + 1} holds the text {texts[codes[row]]!r}, "
        "so all of them stay text"
    )


def _numbers_remark(codes: npt.NDArray[Any], texts: Sequence[str], counts: npt.NDArray[Any]) -> str | None:
    """Numbers beside words (unknown, refused) or numbers with a mark (<5, 90+, 10.6k), and nothing else."""
    plain = np.array([_is_plain(text) for text in texts], dtype=np.bool_)
    marked = np.array([is_marked_number(text) for text in texts], dtype=np.bool_) & ~plain
    words = [text for text, known in zip(texts, plain | marked, strict=True) if not known]
    if not _are_most(plain | marked, counts) or any(not _DIGITS.isdisjoint(word) for word in words):
        return None
    if marked.any():
        row = _first_row(codes, marked)
        return (
            f"numbers, but row {row + 1} holds {texts[codes[row]]!r}, so all of them stay text: write the number itself"
        )
    if not words:
        return None
    row = _first_row(codes, ~plain)
    share = 100 * counts[plain].sum() / counts.sum()
    return (
        f"numbers in {share:.0f} % of the rows, but row {row + 1} holds the text {texts[codes[row]]!r}, "
        f"so all of them stay text{_as_holes(words)}"
    )


def _is_plain(text: str) -> bool:
    parts = split_cell(text)
    known = parts is not None and parts.suffix in ("", "%") and find_number_format([text]) is not None
    return is_plain_number_text(text) or known


def _are_most(fits: npt.NDArray[np.bool_], counts: npt.NDArray[Any]) -> bool:
    return bool(np.count_nonzero(fits) >= MANY_VALUES and counts[fits].sum() > MOSTLY * counts.sum())


def _first_row(codes: npt.NDArray[Any], those: npt.NDArray[np.bool_]) -> int:
    return int(np.flatnonzero(np.isin(codes, np.flatnonzero(those)))[0])


def _as_holes(words: Sequence[str]) -> str:
    if len(words) > FEW_WORDS:
        return ""
    cure = " ".join(map(missing_words, words)) if on_command_line() else read_words("missing_values", list(words))
    return f": {cure} counts {'it' if len(words) == 1 else 'them'} as missing"
